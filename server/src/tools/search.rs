//! Walking the files below a place, shared by `ls`, `glob` and `grep`: never through a link, never where keys are kept,
//! and no longer than it may take.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder};
use serde_json::Value;
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::ToolCallContext;
use sidewire_agent::workspace::{Roots, Workspace, WorkspaceError};
use tokio_util::sync::CancellationToken;

use super::call::{self, CallError};
use super::local_workspace::LocalWorkspace;

/// A place to look in.
pub(super) struct Area {
    /// Absolute, without links.
    pub(super) base: PathBuf,
    /// Files that the project ignores are looked at too.
    pub(super) ignored: bool,
}

/// Where a call may look, and when looking ends early.
#[derive(Clone)]
pub(super) struct Bounds {
    files: Option<Arc<dyn Workspace>>,
    cancel: CancellationToken,
    end: Instant,
}

impl Bounds {
    /// Those of a call, from now on.
    pub(super) fn new(call: &ToolCallContext, limit: Duration) -> Self {
        Self {
            files: call.workspace.clone(),
            cancel: call.cancel.clone(),
            end: Instant::now() + limit,
        }
    }

    /// Whether it is time to end.
    pub(super) fn are_reached(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.end
    }
}

/// How long the files are looked through that a project ignores. They may be a hundred times as many as its own, and
/// what is not in these is seldom meant to be in those.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// Bytes that are always looked at, however slow the machine is.
    pub(super) free: usize,
    /// After those, no longer than this since the beginning.
    pub(super) time: Duration,
}

/// With the files that a project ignores.
pub(super) const PATIENCE: Patience = Patience {
    free: 4 * 1024 * 1024,
    time: Duration::from_secs(2),
};

/// What one round of a search may cost, and whether it had to end before its end.
pub(super) struct Budget<'a> {
    bounds: &'a Bounds,
    end: Instant,
    free: Cell<usize>,
    cut: Cell<bool>,
}

impl<'a> Budget<'a> {
    /// What a file costs that nothing is read of.
    pub(super) const FILE: usize = 4096;

    /// All that the call may take.
    pub(super) fn whole(bounds: &'a Bounds) -> Self {
        Self {
            bounds,
            end: bounds.end,
            free: Cell::new(0),
            cut: Cell::new(false),
        }
    }

    /// One for another round: as much as patience lasts, from now on.
    pub(super) fn brief(&self, patience: Patience) -> Self {
        Self {
            end: Instant::now() + patience.time,
            free: Cell::new(patience.free),
            ..Self::whole(self.bounds)
        }
    }

    /// Takes away what was looked at.
    pub(super) fn spend(&self, bytes: usize) {
        self.free.set(self.free.get().saturating_sub(bytes));
    }

    /// Whether it is time to end; asked when there is something left to look at.
    pub(super) fn is_over(&self) -> bool {
        let is_spent = self.free.get() == 0 && Instant::now() >= self.end;
        let is_over = is_spent || self.bounds.are_reached();
        self.cut.set(self.cut.get() || is_over);
        is_over
    }

    /// Whether something was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.get()
    }
}

impl Area {
    /// The place that a call names, which must be there. Blocks on the disk.
    pub(super) fn find(
        workspace: &LocalWorkspace,
        path: Option<&str>,
        bounds: &Bounds,
    ) -> Result<Self, CallError> {
        let base = workspace.locate(Path::new(path.unwrap_or(".")))?;
        if bounds.files.as_ref().is_some_and(|files| !files.admits(&base)) {
            return Err(WorkspaceError::Outside(base).into());
        }
        if !base.exists() {
            return Err(WorkspaceError::Missing(base).into());
        }
        Ok(Self { base, ignored: false })
    }

    /// Everything below it, so many folders deep, in the order of its names; folders before what they hold.
    pub(super) fn entries(
        &self,
        workspace: &LocalWorkspace,
        depth: usize,
    ) -> impl Iterator<Item = DirEntry> + use<> {
        let protected = workspace.protected().clone();
        WalkBuilder::new(&self.base)
            .standard_filters(!self.ignored)
            .hidden(false)
            .require_git(false)
            .follow_links(false)
            .max_depth(Some(depth))
            .sort_by_file_name(Ord::cmp)
            .filter_entry(move |entry| entry.file_name() != ".git" && !protected.hide(entry.path()))
            .build()
            // What cannot be read holds nothing to be found.
            .filter_map(Result::ok)
    }

    /// The regular files below it; itself, when it is one.
    pub(super) fn files(&self, workspace: &LocalWorkspace) -> impl Iterator<Item = DirEntry> + use<> {
        let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
        self.entries(workspace, usize::MAX).filter(is_file)
    }

    /// The regular files below it that are not among [`Self::files`], because the project ignores them; `None` for each
    /// that is, so that whoever looks can stop on the way.
    pub(super) fn ignored_files(
        &self,
        workspace: &LocalWorkspace,
    ) -> impl Iterator<Item = Option<DirEntry>> + use<> {
        let wide = Self {
            base: self.base.clone(),
            ignored: true,
        };
        // Both walks go in the same order.
        let mut own = self.files(workspace).peekable();
        wide.files(workspace)
            .map(move |entry| match own.next_if(|own| own.path() == entry.path()) {
                Some(_) => None,
                None => Some(entry),
            })
    }
}

/// A pattern for paths: `*` stays within a name, `**` does not; without a `/` it is one for names.
pub(super) struct Pattern {
    matcher: GlobMatcher,
    whole_path: bool,
}

impl Pattern {
    /// Reads a pattern for paths below `base`.
    pub(super) fn new(pattern: &str, base: &Path) -> Result<Self, CallError> {
        let below = Path::new(pattern).strip_prefix(base).ok().and_then(Path::to_str);
        let pattern = below.unwrap_or(pattern).trim_start_matches("./");
        let matcher = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| CallError::Said(format!("invalid pattern: {}", error.kind())))?;
        Ok(Self {
            matcher: matcher.compile_matcher(),
            whole_path: pattern.contains('/'),
        })
    }

    /// Whether a path below the base fits.
    pub(super) fn fits(&self, below: &Path) -> bool {
        if self.whole_path {
            return self.matcher.is_match(below);
        }
        below
            .file_name()
            .is_some_and(|name| self.matcher.is_match(Path::new(name)))
    }
}

/// What a search does, for a person.
pub(super) fn titled(verb: &str, arguments: &Value) -> String {
    let pattern = call::word(arguments, "pattern").unwrap_or("files");
    format!("{verb} {}", call::clip_line(pattern, 200))
}

/// What a search reads: everything below its place.
pub(super) fn intent(arguments: &Value, roots: Option<&Roots>) -> Intent {
    let base = call::word(arguments, "path").unwrap_or(".");
    call::intent_of_trees(Class::Read, &[base], roots)
}

/// Runs what looks through files beside the threads of the turns.
pub(super) async fn look<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    let looking = tokio::task::spawn_blocking(work).await;
    looking.unwrap_or(Err(CallError::Workspace(WorkspaceError::Cancelled)))
}
