//! One change of one file, shared by all tools that change files: opened, changed, saved and shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sidewire_agent::event::ToolContent;
use sidewire_agent::tool::{Location, ToolOutput};
use sidewire_agent::workspace::{Document, Route, Workspace, WorkspaceError};
use tokio::sync::Mutex;

use super::call::CallError;

/// Most bytes of both sides of a change that is shown whole.
const WHOLE: usize = 256 * 1024;
/// Lines around a change that is shown in part.
const AROUND: usize = 20;

/// Held from opening a file until it is saved: two edits of one file that the model asks for at once come one after the
/// other, instead of the second undoing the first.
// A tokio mutex: held while the disk or the editor is waited for.
pub(super) type Turnstile = Arc<Mutex<()>>;

/// A file that was changed.
pub(super) struct Changed {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What it held; `None` for a new one.
    pub(super) before: Option<String>,
    /// What it holds.
    pub(super) after: String,
    /// The first line that changed, from 1.
    pub(super) line: Option<u32>,
}

impl Changed {
    /// What the model reads and the person sees of it.
    pub(super) fn told(self, text: String) -> ToolOutput {
        ToolOutput {
            locations: vec![Location {
                path: self.path.to_string_lossy().into_owned(),
                line: self.line,
            }],
            shown: vec![self.shown()],
            ..ToolOutput::text(text)
        }
    }

    fn shown(self) -> ToolContent {
        let path = self.path.to_string_lossy().into_owned();
        let before = self.before.unwrap_or_default();
        let is_new = before.is_empty();
        if before.len() + self.after.len() <= WHOLE {
            return ToolContent::Diff {
                path,
                before: (!is_new).then_some(before),
                after: self.after,
            };
        }
        let (old, new) = parts(&before, &self.after);
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
pub(super) async fn open_to_change(
    workspace: &dyn Workspace,
    path: &str,
    limit: u64,
) -> Result<Document, CallError> {
    let document = workspace.open_to_change(Path::new(path), limit).await?;
    if !workspace.roots().cover(&document.path) {
        return Err(WorkspaceError::Outside(document.path).into());
    }
    Ok(document)
}

/// What is said when the editor holds the file: there it is not saved yet.
pub(super) fn where_it_is(route: Route) -> &'static str {
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
            path: "/w/a".into(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
            line: Some(1),
        };
        changed.told("done".to_owned()).shown.remove(0)
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
