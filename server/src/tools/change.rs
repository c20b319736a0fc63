//! One change of one file, shared by all tools that change files: opened, changed, saved and shown.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use sidewire_agent::event::ToolContent;
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Location, Tool, ToolCallContext, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Document, Roots, Route, Workspace, WorkspaceError};
use tokio::sync::Mutex;

use super::call::{self, CallError, FILE_LIMIT, shown_path};
use super::read_file::path_of;

/// Most bytes of both sides of a change that is shown whole.
const WHOLE: usize = 256 * 1024;
/// Lines around a change that is shown in part.
const AROUND: usize = 20;

/// Held from opening a file until it is saved: two edits of one file that the model asks for at once come one after the
/// other, instead of the second undoing the first.
// A tokio mutex: held while the disk or the editor is waited for.
pub(super) type Turnstile = Arc<Mutex<()>>;

/// The change of one file that a call asks for: its arguments.
pub(super) trait Change: DeserializeOwned + Send {
    /// The file, as the call names it.
    fn path(&self) -> &str;

    /// What the file is to hold. Nothing is written here.
    fn make(self, file: &File<'_>) -> Result<Made, CallError>;
}

/// A file that is to be changed.
pub(super) struct File<'a> {
    /// What it holds now.
    pub(super) text: &'a str,
    /// Where it is.
    path: &'a Path,
    exists: bool,
    /// Its path, as the model and a person read it.
    pub(super) name: String,
    /// What is said after that of where its text is.
    pub(super) place: &'static str,
}

impl File<'_> {
    /// For a change of what is there.
    pub(super) fn must_exist(&self) -> Result<(), CallError> {
        if self.exists {
            return Ok(());
        }
        Err(WorkspaceError::Missing(self.path.to_owned()).into())
    }
}

/// A change that can be written.
pub(super) struct Made {
    /// All that the file is to hold.
    pub(super) text: String,
    /// The first line that changes, from 1.
    pub(super) line: Option<u32>,
    /// What the model reads once it is written.
    pub(super) told: String,
}

/// A tool that changes one file: it opens it, has the change made, and shows it to the person or saves it.
pub(super) struct ChangeTool<C> {
    meta: ToolMeta,
    turnstile: Turnstile,
    asked: PhantomData<fn() -> C>,
}

/// A change that waits to be written.
struct Ready {
    document: Document,
    before: Option<String>,
    line: Option<u32>,
    told: String,
}

impl<C: Change> ChangeTool<C> {
    /// The tool that is described so; its label is the verb of its titles.
    pub(super) fn new(meta: ToolMeta, turnstile: Turnstile) -> Self {
        Self {
            meta,
            turnstile,
            asked: PhantomData,
        }
    }

    async fn show(&self, call: &ToolCallContext) -> Result<ToolContent, CallError> {
        let _alone = self.turnstile.lock().await;
        let ready = make::<C>(call).await?;
        call::workspace(call)?.check_save(&ready.document).await?;
        Ok(ready.changed().shown())
    }

    async fn write(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let _alone = self.turnstile.lock().await;
        let ready = make::<C>(call).await?;
        let output = ready.changed().told(&ready.told);
        // Somebody may have changed the file while the person looked.
        if !call.allowed.is_empty() && call.allowed != output.shown {
            return Err(CallError::Said(
                "the file changed after the person was shown this change; read it again".to_owned(),
            ));
        }
        call::workspace(call)?.save(&ready.document).await?;
        Ok(output)
    }
}

/// Opens the file and makes the change of it, in memory.
async fn make<C: Change>(call: &ToolCallContext) -> Result<Ready, CallError> {
    let asked: C = call::read(&call.arguments)?;
    let workspace = call::workspace(call)?;
    let mut document = open_to_change(workspace.as_ref(), asked.path()).await?;
    let made = asked.make(&File {
        text: &document.text,
        path: &document.path,
        exists: document.exists,
        name: shown_path(&document.path, workspace.roots()),
        place: where_it_is(document.route),
    })?;
    let before = std::mem::replace(&mut document.text, made.text);
    Ok(Ready {
        before: document.exists.then_some(before),
        document,
        line: made.line,
        told: made.told,
    })
}

impl Ready {
    fn changed(&self) -> Changed<'_> {
        Changed {
            path: &self.document.path,
            before: self.before.as_deref(),
            after: &self.document.text,
            line: self.line,
        }
    }
}

#[async_trait::async_trait]
impl<C: Change> Tool for ChangeTool<C> {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        call::titled(&self.meta.label, arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        call::intent_of(Class::Edit, path_of(arguments), roots)
    }

    fn locations(&self, arguments: &Value, roots: Option<&Roots>) -> Vec<Location> {
        call::location(path_of(arguments), None, roots)
    }

    async fn preview(&self, call: &ToolCallContext) -> Result<Vec<ToolContent>, ToolOutput> {
        Ok(vec![self.show(call).await?])
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.write(&call).await.unwrap_or_else(Into::into)
    }
}

/// What a file held and holds.
struct Changed<'a> {
    path: &'a Path,
    /// `None` for a new one.
    before: Option<&'a str>,
    after: &'a str,
    line: Option<u32>,
}

impl Changed<'_> {
    /// What the model reads and the person sees of it.
    fn told(&self, text: &str) -> ToolOutput {
        ToolOutput {
            locations: vec![Location {
                path: self.path.to_string_lossy().into_owned(),
                line: self.line,
            }],
            shown: vec![self.shown()],
            ..ToolOutput::text(text)
        }
    }

    fn shown(&self) -> ToolContent {
        let path = self.path.to_string_lossy().into_owned();
        let before = self.before.unwrap_or_default();
        let is_new = before.is_empty();
        let (old, new) = if before.len() + self.after.len() <= WHOLE {
            (before, self.after)
        } else {
            parts(before, self.after)
        };
        if old.len() + new.len() > WHOLE {
            let (old, new) = (old.lines().count(), new.lines().count());
            return ToolContent::Text(format!("{path}: about {old} lines became {new}"));
        }
        ToolContent::Diff {
            path,
            before: (!is_new).then(|| old.to_owned()),
            after: new.to_owned(),
        }
    }
}

/// What differs, with some lines around it.
fn parts<'a>(before: &'a str, after: &'a str) -> (&'a str, &'a str) {
    let lines = |text: &'a str| text.split_inclusive('\n').collect::<Vec<_>>();
    let (old, new) = (lines(before), lines(after));
    let same = |mut pairs: Box<dyn Iterator<Item = (&&str, &&str)> + '_>| {
        pairs.by_ref().take_while(|(one, other)| one == other).count()
    };
    let first = same(Box::new(old.iter().zip(&new)));
    let most = old.len().min(new.len()) - first;
    let last = same(Box::new(old.iter().rev().zip(new.iter().rev()))).min(most);
    let (skip_first, skip_last) = (first.saturating_sub(AROUND), last.saturating_sub(AROUND));
    (
        cut(before, &old, skip_first, skip_last),
        cut(after, &new, skip_first, skip_last),
    )
}

fn cut<'a>(text: &'a str, lines: &[&str], first: usize, last: usize) -> &'a str {
    let start: usize = lines.iter().take(first).map(|line| line.len()).sum();
    let end: usize = lines.iter().rev().take(last).map(|line| line.len()).sum();
    text.get(start..text.len() - end).unwrap_or_default()
}

/// Opens a file for a change: one that lies outside can be read, but not changed.
async fn open_to_change(workspace: &dyn Workspace, path: &str) -> Result<Document, CallError> {
    let document = workspace.open_to_change(Path::new(path), FILE_LIMIT).await?;
    if !workspace.roots().cover(&document.path) {
        return Err(WorkspaceError::Outside(document.path).into());
    }
    Ok(document)
}

/// What is said when the editor holds the file: there it is not saved yet.
fn where_it_is(route: Route) -> &'static str {
    match route {
        Route::Disk => "",
        Route::Editor => " (in the editor)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: Option<&str>, after: &str) -> ToolContent {
        let changed = Changed {
            path: Path::new("/w/a"),
            before,
            after,
            line: Some(1),
        };
        changed.told("done").shown.remove(0)
    }

    #[test]
    fn a_change_is_shown_whole_or_with_its_surroundings() {
        let diff = |before: Option<&str>, after: &str| ToolContent::Diff {
            path: "/w/a".to_owned(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
        };
        assert_eq!(shown(Some("a\n"), "b\n"), diff(Some("a\n"), "b\n"));
        assert_eq!(shown(None, "b\n"), diff(None, "b\n"));
        let mut lines: Vec<String> = (0..40_000).map(|line| format!("line {line}\n")).collect();
        let before = lines.concat();
        lines[20_000] = "changed\n".to_owned();
        let around = |at: &str| {
            let numbered = |line: usize| format!("line {line}\n");
            let head: String = (19_980..20_000).map(numbered).collect();
            let tail: String = (20_001..20_021).map(numbered).collect();
            format!("{head}{at}{tail}")
        };
        let wanted = diff(Some(&around("line 20000\n")), &around("changed\n"));
        assert_eq!(shown(Some(&before), &lines.concat()), wanted);
        let all_new = "x\n".repeat(WHOLE);
        assert_eq!(
            shown(Some("a\n"), &all_new),
            ToolContent::Text(format!("/w/a: about 1 lines became {WHOLE}"))
        );
    }

    #[test]
    fn what_repeats_is_not_counted_twice() {
        let before = "a\n".repeat(100_000);
        let after = "a\n".repeat(100_001);
        let ToolContent::Diff { before, after, .. } = shown(Some(&before), &after) else {
            panic!("no diff")
        };
        assert_eq!(after.len(), before.unwrap().len() + 2);
    }
}
