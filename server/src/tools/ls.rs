//! `ls`: what is in a folder.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::Roots;

use super::call::{self, CallError, Described, printable};
use super::local_workspace::LocalWorkspace;
use super::search::{Area, Bounds, look};

/// Most entries of one call.
const ENTRIES: usize = 1000;
const LIMIT: Duration = Duration::from_secs(30);

/// The tool.
pub(crate) struct Ls {
    meta: ToolMeta,
    workspace: LocalWorkspace,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    recursive: bool,
}

impl Ls {
    /// The tool.
    pub(crate) fn new(workspace: LocalWorkspace) -> Self {
        let described = Described {
            name: "ls",
            label: "List",
            description: "Lists what is in a folder, hidden files too; a folder ends with `/`, a link with `@`. \
                          `recursive` also lists what is below, without the files that the project ignores. At most \
                          1000 entries; to find files by name use glob.",
            kind: ToolKind::Read,
            read_only: true,
        };
        let meta = described.taking(
            &[],
            &json!({
                "path": { "type": "string", "description": "The folder; the working folder if not given" },
                "recursive": { "type": "boolean", "description": "Also list what is below" },
            }),
        );
        Self { meta, workspace }
    }

    async fn list(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let bounds = Bounds::new(call, LIMIT);
        let workspace = self.workspace.clone();
        let listed = look(move || list(&workspace, &asked, &bounds)).await?;
        Ok(ToolOutput::text(listed))
    }
}

fn list(workspace: &LocalWorkspace, asked: &Arguments, bounds: &Bounds) -> Result<String, CallError> {
    let mut area = Area::find(workspace, asked.path.as_deref(), bounds)?;
    if !area.base.is_dir() {
        let name = area.base.display();
        return Err(CallError::Said(format!("{name} is a file; read_file reads it")));
    }
    // Of one folder everything is shown; below it what is ignored would drown the rest.
    area.ignored = !asked.recursive;
    let mut lines = Vec::new();
    let depth = if asked.recursive { usize::MAX } else { 1 };
    for entry in area.entries(workspace, depth).filter(|entry| entry.depth() > 0) {
        if lines.len() == ENTRIES || bounds.are_reached() {
            lines.push(format!(
                "[more than {} entries; list a folder below, or use glob]",
                lines.len()
            ));
            break;
        }
        let kind = entry.file_type();
        let mark = match kind {
            Some(kind) if kind.is_dir() => "/",
            Some(kind) if kind.is_symlink() => "@",
            _ => "",
        };
        let below = entry.path().strip_prefix(&area.base).unwrap_or(entry.path());
        lines.push(format!("{}{mark}", printable(below)));
    }
    if lines.is_empty() {
        return Ok("(empty folder)".to_owned());
    }
    Ok(lines.join("\n"))
}

#[async_trait::async_trait]
impl Tool for Ls {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        call::titled("List", arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        call::intent_of(Class::Read, call::word(arguments, "path").unwrap_or("."), roots)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.list(&call).await.unwrap_or_else(Into::into)
    }
}
