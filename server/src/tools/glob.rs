//! `glob`: files by their names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ignore::DirEntry;
use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::Intent;
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Roots, Workspace as _};

use super::call::{self, CallError, Described, shown_path};
use super::local_workspace::LocalWorkspace;
use super::search::{self, Area, Bounds, Budget, PATIENCE, Patience, Pattern, look};

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
                          for names in any folder. Files that the project ignores are found only when nothing else is, \
                          and not looked for for long.",
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
    let area = Area::find(workspace, asked.path.as_deref(), bounds)?;
    let pattern = Pattern::new(&asked.pattern, &area.base)?;
    let found = Found {
        workspace,
        pattern,
        newest: Newest::default(),
        budget: Budget::whole(bounds),
    };
    Ok(found.told(&area, &asked.pattern, PATIENCE))
}

/// What is looked for, and what was found of it so far.
struct Found<'a> {
    workspace: &'a LocalWorkspace,
    pattern: Pattern,
    newest: Newest,
    budget: Budget<'a>,
}

impl Found<'_> {
    /// What the model is told: of the project's own files, or else of those that it ignores.
    fn told(mut self, area: &Area, asked: &str, patience: Patience) -> String {
        self.look(&area.base, area.files(self.workspace).map(Some));
        if self.newest.count > 0 || self.budget.is_cut() {
            return self.lines(asked, "it took too long to look everywhere");
        }
        self.budget = self.budget.brief(patience);
        self.look(&area.base, area.ignored_files(self.workspace));
        let rest = "those that it ignores were not all looked at; a folder of them can be named as `path`";
        match (self.newest.count, self.budget.is_cut()) {
            (0, true) => format!("no files of the project match {asked}; {rest}"),
            (0, false) => format!("no files match {asked}"),
            _ => format!(
                "[only files that the project ignores]\n{}",
                self.lines(asked, rest)
            ),
        }
    }

    /// What was found; `cut` is said when that may not be all.
    fn lines(self, asked: &str, cut: &str) -> String {
        let (count, is_cut) = (self.newest.count, self.budget.is_cut());
        let found = self.newest.in_order();
        let mut lines: Vec<_> = found
            .map(|path| shown_path(&path, self.workspace.roots()))
            .collect();
        if count == 0 {
            lines.push(format!("no files match {asked}"));
        }
        if count > HITS {
            lines.push(format!("[{} more files; use a narrower pattern]", count - HITS));
        }
        if is_cut {
            lines.push(format!("[{cut}]"));
        }
        lines.join("\n")
    }

    fn look(&mut self, base: &Path, files: impl Iterator<Item = Option<DirEntry>>) {
        for entry in files {
            if self.budget.is_over() {
                return;
            }
            let Some(entry) = entry else { continue };
            self.budget.spend(Budget::FILE);
            let below = entry.path().strip_prefix(base);
            if below.is_ok_and(|below| self.pattern.fits(below)) {
                let changed = entry.metadata().ok().and_then(|meta| meta.modified().ok());
                let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
                self.newest.add(changed, entry.into_path());
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::testing::{Bench, feed};

    #[tokio::test]
    async fn files_that_the_project_ignores_are_looked_for_within_a_budget_of_their_own() {
        let bench = Bench::new();
        bench.write(".gitignore", "target/\n");
        bench.write("own.rs", "");
        bench.write("target/out.rs", "");
        let call = bench.context(json!({}), &feed()).await;
        let bounds = Bounds::new(&call, LIMIT);
        let area = Area::find(&bench.disk, None, &bounds).unwrap();
        let told = |pattern: &str, free| {
            let found = Found {
                workspace: &bench.disk,
                pattern: Pattern::new(pattern, &area.base).unwrap(),
                newest: Newest::default(),
                budget: Budget::whole(&bounds),
            };
            let time = Duration::ZERO;
            found.told(&area, pattern, Patience { free, time })
        };
        assert_eq!(told("own.rs", 0), "own.rs");
        assert_eq!(
            told("out.rs", 0),
            "no files of the project match out.rs; those that it ignores were not all looked at; a folder of them can \
             be named as `path`"
        );
        let found = "[only files that the project ignores]\ntarget/out.rs";
        assert_eq!(told("out.rs", Budget::FILE + 1), found);
        assert_eq!(told("none.rs", Budget::FILE + 1), "no files match none.rs");
    }

    #[tokio::test]
    async fn a_search_that_is_stopped_says_so() {
        let bench = Bench::new();
        bench.write("own.rs", "");
        bench.cancel.cancel();
        let told = bench.ok("glob", json!({ "pattern": "*.py" })).await;
        assert_eq!(told, "no files match *.py\n[it took too long to look everywhere]");
    }
}
