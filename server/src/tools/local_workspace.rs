//! The files and the shell of this machine, within the roots of a workspace.
//!
//! A path is followed once by name, and then walked again from its root without following any link ([`place`]), so that
//! whoever swaps a folder for a link in between gets an error instead of somebody else's file.

mod place;
mod text;

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sidewire_agent::workspace::{
    Document, Encoding, Program, Reach, Roots, Route, ShellCommand, ShellEnd, Watch, Workspace,
    WorkspaceError,
};
use tokio::time::sleep;

use super::protected::Protected;
use crate::process::{Confined, Launcher, Log, Until};
use place::{Place, Put, open_folder};
pub(super) use text::{HEAD, decode, ends_lines_with_crlf, is_binary};

/// How often whoever watches a command hears of it.
const SHOWN_EVERY: Duration = Duration::from_millis(100);
/// Bytes of output that whoever watches sees.
const SHOWN: usize = 8 * 1024;

/// A workspace on disk. Cheap to clone.
#[derive(Clone)]
pub(crate) struct LocalWorkspace(Arc<Inner>);

struct Inner {
    roots: Roots,
    /// Each root as it was when the workspace was opened, whatever its name leads to later.
    folders: Vec<(PathBuf, OwnedFd)>,
    protected: Protected,
    launcher: Launcher,
}

impl LocalWorkspace {
    /// The workspace of these roots. Blocks on the disk for a moment.
    pub(crate) fn new(roots: Roots, protected: Protected, launcher: Launcher) -> Self {
        let folders = roots.all().iter().filter_map(|root| match open_folder(root) {
            Ok(folder) => Some((root.clone(), folder)),
            Err(error) => {
                tracing::warn!(%error, "a root cannot be opened");
                None
            }
        });
        Self(Arc::new(Inner {
            folders: folders.collect(),
            roots,
            protected,
            launcher,
        }))
    }

    /// What it never touches.
    pub(super) fn protected(&self) -> &Protected {
        &self.0.protected
    }

    /// Whether anything confines commands here.
    pub(super) fn confines(&self) -> bool {
        self.0.launcher.confines()
    }

    /// How a command of this reach is confined; `None` when it is not.
    pub(super) fn confined(&self, reach: Reach) -> Option<Confined> {
        self.0.launcher.confined(reach)
    }

    /// Where a path leads, inside or not, unless it is protected. Blocks on the disk.
    pub(super) fn locate(&self, path: &Path) -> Result<PathBuf, WorkspaceError> {
        let real = self.0.roots.locate(path)?;
        if self.0.protected.hide(&real) {
            return Err(WorkspaceError::Protected(real));
        }
        Ok(real)
    }

    /// Opens a regular file by a path without links, to read from it. Blocks on the disk.
    pub(super) fn open_file(&self, path: &Path) -> io::Result<std::fs::File> {
        if self.0.protected.hide(path) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(self.0.place(path, false)?.open()?.0)
    }

    /// Moves a file or a folder; both ends inside. Blocks on the disk.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), WorkspaceError> {
        let (source, to) = self.ends(from, to)?;
        let target = self.0.place(&to, true).map_err(at(&to))?;
        source.move_to(&target).map_err(at(&to))
    }

    /// Whether moving would be refused: nothing is moved yet. Blocks on the disk.
    pub(super) fn check_rename(&self, from: &Path, to: &Path) -> Result<(), WorkspaceError> {
        let (_source, to) = self.ends(from, to)?;
        match self.0.place(&to, false) {
            Ok(target) if target.exists().map_err(at(&to))? => Err(WorkspaceError::Exists(to)),
            // The folders above it are made when it is moved.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// What is to be moved, and where to.
    fn ends(&self, from: &Path, to: &Path) -> Result<(Place, PathBuf), WorkspaceError> {
        let (from, to) = (self.inside(from)?, self.inside(to)?);
        // Elsewhere it would be protected no longer; and nothing comes to be where keys will be kept.
        let mut protected = self.protected().places().iter();
        if let Some(held) = protected.find(|place| place.starts_with(&from) || place.starts_with(&to)) {
            return Err(WorkspaceError::Protected(held.clone()));
        }
        let source = self.0.place(&from, false).map_err(at(&from))?;
        if !source.exists().map_err(at(&from))? {
            return Err(WorkspaceError::Missing(from));
        }
        Ok((source, to))
    }

    fn inside(&self, path: &Path) -> Result<PathBuf, WorkspaceError> {
        let real = self.locate(path)?;
        if self.0.protected.cover(&real) {
            return Err(WorkspaceError::Protected(real));
        }
        if self.0.roots.cover(&real) {
            return Ok(real);
        }
        Err(WorkspaceError::Outside(real))
    }

    fn open_now(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        let path = self.locate(path)?;
        match self.0.read(&path, limit) {
            Ok(None) => Err(WorkspaceError::TooLarge { path, limit }),
            Ok(Some(bytes)) => {
                let (text, encoding) = decode(&bytes).ok_or_else(|| WorkspaceError::NotText(path.clone()))?;
                Ok(Document {
                    path,
                    text,
                    encoding,
                    route: Route::Disk,
                    exists: true,
                })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Document {
                path,
                text: String::new(),
                encoding: Encoding::UTF_8,
                route: Route::Disk,
                exists: false,
            }),
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// Where a document is to be written, which must be where it was opened.
    fn destination(&self, document: &Document) -> Result<PathBuf, WorkspaceError> {
        let path = self.inside(&document.path)?;
        if path != document.path {
            return Err(WorkspaceError::Outside(document.path.clone()));
        }
        Ok(path)
    }

    fn check_now(&self, document: &Document) -> Result<(), WorkspaceError> {
        let path = self.destination(document)?;
        let found = self.0.place(&path, false).and_then(|place| place.replaceable());
        match found {
            Ok(Some(_)) if !document.exists => Err(WorkspaceError::Exists(path)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path)(error)),
            // Nothing, or not even its folder: an editor may show what was never saved.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn save_now(&self, document: &Document) -> Result<(), WorkspaceError> {
        let path = self.destination(document)?;
        let bytes = text::encode(&document.text, &document.encoding).ok_or(WorkspaceError::Unencodable {
            path: path.clone(),
            encoding: document.encoding.name,
        })?;
        let put = if document.exists {
            Put::Replace
        } else {
            Put::Create
        };
        let place = self.0.place(&path, put == Put::Create).map_err(at(&path))?;
        place.put(&bytes, put).map_err(at(&path))
    }
}

impl Inner {
    /// The bytes of a regular file; `None` when there are more than `limit`.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let (file, length) = self.place(path, false)?.open()?;
        if length > limit {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        // It may have grown since.
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= limit).then_some(bytes))
    }

    /// Walks to a path without links: from its root, or from `/` for one that may only be read.
    fn place(&self, path: &Path, create: bool) -> io::Result<Place> {
        let rooted = self
            .folders
            .iter()
            .find_map(|(root, folder)| Some((folder, path.strip_prefix(root).ok()?)));
        if let Some((folder, below)) = rooted {
            return Place::walk(folder, below, create);
        }
        let below = path.strip_prefix("/").map_err(io::Error::other)?;
        Place::walk(open_folder(Path::new("/"))?, below, false)
    }
}

#[async_trait::async_trait]
impl Workspace for LocalWorkspace {
    fn roots(&self) -> &Roots {
        &self.0.roots
    }

    async fn open(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        let (this, path) = (self.clone(), path.to_owned());
        blocking(move || this.open_now(&path, limit)).await
    }

    async fn check_save(&self, document: &Document) -> Result<(), WorkspaceError> {
        let (this, document) = (self.clone(), document.clone());
        blocking(move || this.check_now(&document)).await
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        let (this, document) = (self.clone(), document.clone());
        blocking(move || this.save_now(&document)).await
    }

    async fn run(&self, command: ShellCommand, watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        let (this, words, folder) = (self.clone(), command.command, command.folder);
        let running = blocking(move || {
            let folder = this.inside(&folder)?;
            let started = this.0.launcher.start(&words, &folder, command.reach);
            started.map_err(at(&folder))
        })
        .await?;
        let log = Log::default();
        let until = Until {
            limit: Some(command.limit),
            cancel: command.cancel,
        };
        let exit = tokio::select! {
            exit = running.follow(until, &log) => exit,
            never = show(&log, watch.as_ref()) => match never {},
        };
        let output = log.lock();
        Ok(ShellEnd {
            output: output.text(),
            truncated: output.missing() > 0,
            exit,
        })
    }

    fn elsewhere(&self, command: &ShellCommand) -> Option<Program> {
        let launcher = &self.0.launcher;
        launcher.elsewhere(&command.command, &command.folder, command.reach)
    }
}

/// Tells of the output now and then, as long as it is polled.
async fn show(log: &Log, watch: &dyn Watch) -> std::convert::Infallible {
    let mut seen = 0;
    loop {
        log.grown(seen).await;
        let text = {
            let output = log.lock();
            seen = output.total();
            output.last(SHOWN)
        };
        watch.output(&text);
        sleep(SHOWN_EVERY).await;
    }
}

/// What an error of the system means for a file.
fn at(path: &Path) -> impl Fn(io::Error) -> WorkspaceError {
    let path = path.to_owned();
    move |source| {
        let path = path.clone();
        match source.kind() {
            io::ErrorKind::AlreadyExists => WorkspaceError::Exists(path),
            io::ErrorKind::NotFound => WorkspaceError::Missing(path),
            io::ErrorKind::IsADirectory => WorkspaceError::NotAFile(path),
            io::ErrorKind::ReadOnlyFilesystem => WorkspaceError::ReadOnly(path),
            _ => WorkspaceError::Io { path, source },
        }
    }
}

/// Runs what waits for the disk beside the threads of the turns.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorkspaceError> + Send + 'static,
) -> Result<T, WorkspaceError> {
    // It is never cancelled and panics are refused by the lints: what is left is that we are ending.
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or(Err(WorkspaceError::Cancelled))
}

#[cfg(test)]
mod tests;
