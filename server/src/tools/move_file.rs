//! `move_file`: a file or a folder to another place or name.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::event::ToolContent;
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Location, Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Document, Roots, Route, Workspace};

use super::call::{self, CallError, Described, FILE_LIMIT, shown_path};
use super::change::Turnstile;
use super::local_workspace::{LocalWorkspace, blocking};

/// The tool.
pub(crate) struct MoveFile {
    meta: ToolMeta,
    workspace: LocalWorkspace,
    turnstile: Turnstile,
}

#[derive(Deserialize)]
struct Arguments {
    source_path: String,
    destination_path: String,
}

impl MoveFile {
    /// The tool.
    pub(crate) fn new(workspace: LocalWorkspace, turnstile: Turnstile) -> Self {
        let described = Described {
            name: "move_file",
            label: "Move",
            description: "Moves or renames a file or a folder within the workspace and makes the folders above its new place. \
                          Nothing is replaced: the new place must be free.",
            kind: ToolKind::Move,
            read_only: false,
        };
        let meta = described.taking(
            &["source_path", "destination_path"],
            &json!({
                "source_path": { "type": "string", "description": "Where it is" },
                "destination_path": { "type": "string", "description": "Where it is to be, with its new name" },
            }),
        );
        Self {
            meta,
            workspace,
            turnstile,
        }
    }

    async fn check(&self, call: &ToolCallContext) -> Result<(), CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let disk = self.workspace.clone();
        blocking(move || {
            disk.check_rename(Path::new(&asked.source_path), Path::new(&asked.destination_path))
        })
        .await?;
        Ok(())
    }

    async fn move_it(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let workspace = call::workspace(call)?;
        let _alone = self.turnstile.lock().await;
        let unsaved = self.unsaved(workspace.as_ref(), &asked.source_path).await;
        let disk = self.workspace.clone();
        let (from, to) = blocking(move || {
            let (from, to) = (Path::new(&asked.source_path), Path::new(&asked.destination_path));
            let ends = (disk.locate(from)?, disk.locate(to)?);
            disk.rename(from, to)?;
            Ok(ends)
        })
        .await?;
        let shown = |path| shown_path(path, workspace.roots());
        let done = format!("moved {} to {}", shown(&from), shown(&to));
        if let Some(unsaved) = unsaved {
            let moved = Document {
                path: to.clone(),
                ..unsaved
            };
            let saved = workspace.save(&moved).await;
            saved.map_err(|error| {
                CallError::Said(format!(
                    "{done}, but what the editor had not saved could not be written there: {error}"
                ))
            })?;
        }
        Ok(ToolOutput {
            locations: vec![Location {
                path: to.to_string_lossy().into_owned(),
                line: None,
            }],
            ..ToolOutput::text(done)
        })
    }

    /// What the editor shows of the file when that is not what is on disk: it goes along.
    async fn unsaved(&self, workspace: &dyn Workspace, path: &str) -> Option<Document> {
        let path = Path::new(path);
        let shown = workspace.open(path, FILE_LIMIT).await.ok()?;
        if shown.route == Route::Disk || !shown.exists {
            return None;
        }
        let saved = self.workspace.open(path, FILE_LIMIT).await.ok()?;
        (saved.text != shown.text).then_some(shown)
    }
}

#[async_trait::async_trait]
impl Tool for MoveFile {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        let [from, to] = ends(arguments);
        format!(
            "Move {} to {}",
            call::clip_line(from, 120),
            call::clip_line(to, 120)
        )
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        call::intent_of_trees(Class::Edit, &ends(arguments), roots)
    }

    fn locations(&self, arguments: &Value, roots: Option<&Roots>) -> Vec<Location> {
        ends(arguments)
            .iter()
            .flat_map(|path| call::location(path, None, roots))
            .collect()
    }

    /// Nothing is shown that the title does not say; a move that would be refused is not asked about.
    async fn preview(&self, call: &ToolCallContext) -> Result<Vec<ToolContent>, ToolOutput> {
        self.check(call).await?;
        Ok(Vec::new())
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.move_it(&call).await.unwrap_or_else(Into::into)
    }
}

fn ends(arguments: &Value) -> [&str; 2] {
    ["source_path", "destination_path"].map(|name| call::word(arguments, name).unwrap_or_default())
}
