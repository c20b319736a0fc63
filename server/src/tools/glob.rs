//! `glob`: files by their names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::Intent;
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Roots, Workspace as _};

use super::call::{self, CallError, Described, shown_path};
use super::local_workspace::LocalWorkspace;
use super::search::{self, Area, Bounds, Pattern, look};

/// Most files of one answer.
const HITS: usize = 200;
const LIMIT: Duration = Duration::from_secs(30);

/// The tool.
pub(crate) struct Glob {
    meta: ToolMeta,
    workspace: LocalWorkspace,
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
}

impl Glob {
    /// The tool.
    pub(crate) fn new(workspace: LocalWorkspace) -> Self {
        let described = Described {
            name: "glob",
            label: "Find files",
            description: "Finds files by a pattern such as `**/*.rs` or `src/{a,b}/*.ts`, those that changed last first, at \
                          most 200. `*` stays within a name, `**` goes through folders; a pattern without `/` is one \
                          for names in any folder. Files that the project ignores are found only when nothing else is.",
            kind: ToolKind::Read,
            read_only: true,
        };
        let meta = described.taking(
            &["pattern"],
            &json!({
                "pattern": { "type": "string", "description": "The pattern, from `path`" },
                "path": { "type": "string", "description": "The folder to look in; the working folder if not given" },
            }),
        );
        Self { meta, workspace }
    }

    async fn find(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let bounds = Bounds::new(call, LIMIT);
        let workspace = self.workspace.clone();
        let told = look(move || find(&workspace, &asked, &bounds)).await?;
        Ok(ToolOutput::text(told))
    }
}

fn find(workspace: &LocalWorkspace, asked: &Arguments, bounds: &Bounds) -> Result<String, CallError> {
    let mut area = Area::find(workspace, asked.path.as_deref(), bounds)?;
    let pattern = Pattern::new(&asked.pattern, &area.base)?;
    let mut found = matching(workspace, &area, &pattern, bounds);
    let mut note = "";
    if found.count == 0 && !bounds.are_reached() {
        area.ignored = true;
        found = matching(workspace, &area, &pattern, bounds);
        note = "[only files that the project ignores]\n";
    }
    if found.count == 0 {
        return Ok(format!("no files match {}", asked.pattern));
    }
    let count = found.count;
    let shown: Vec<_> = found
        .in_order()
        .map(|path| shown_path(&path, workspace.roots()))
        .collect();
    let mut told = format!("{note}{}", shown.join("\n"));
    if count > HITS {
        told.push_str(&format!(
            "\n[{} more files; use a narrower pattern]",
            count - HITS
        ));
    }
    if bounds.are_reached() {
        told.push_str("\n[it took too long to look everywhere]");
    }
    Ok(told)
}

fn matching(workspace: &LocalWorkspace, area: &Area, pattern: &Pattern, bounds: &Bounds) -> Newest {
    let below = |path: &std::path::Path| {
        path.strip_prefix(&area.base)
            .is_ok_and(|below| pattern.fits(below))
    };
    let mut newest = Newest::default();
    let within = area.files(workspace).take_while(|_| !bounds.are_reached());
    for entry in within.filter(|entry| below(entry.path())) {
        let changed = entry.metadata().ok().and_then(|meta| meta.modified().ok());
        newest.add(changed.unwrap_or(SystemTime::UNIX_EPOCH), entry.into_path());
    }
    newest
}

/// The files that are shown, and how many there are.
#[derive(Default)]
struct Newest {
    count: usize,
    /// The one to be given up next is on top: the oldest, and of those of one moment the last by its name.
    files: BinaryHeap<Reverse<(SystemTime, Reverse<PathBuf>)>>,
}

impl Newest {
    fn add(&mut self, changed: SystemTime, path: PathBuf) {
        self.count += 1;
        self.files.push(Reverse((changed, Reverse(path))));
        if self.files.len() > HITS {
            self.files.pop();
        }
    }

    /// The newest first; those of one moment by their names.
    fn in_order(self) -> impl Iterator<Item = PathBuf> {
        let files = self.files.into_sorted_vec().into_iter();
        files.map(|Reverse((_, Reverse(path)))| path)
    }
}

#[async_trait::async_trait]
impl Tool for Glob {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        search::titled("Find", arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        search::intent(arguments, roots)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.find(&call).await.unwrap_or_else(Into::into)
    }
}
