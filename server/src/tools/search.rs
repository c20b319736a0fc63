//! Walking the files below a place, shared by `ls`, `glob` and `grep`: never through a link, never where keys are kept,
//! and no longer than it may take.

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
