//! Third of the five traits: the files and the shell a turn may use, wherever they are (disk, an editor's buffers).
//!
//! Browser conversations have none. A path is checked against the [`Roots`] before anyone is asked for it.

mod roots;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::provider::Picture;
pub use roots::Roots;

/// Files and shell of a conversation.
#[async_trait::async_trait]
pub trait Workspace: Send + Sync {
    /// Folders it covers.
    fn roots(&self) -> &Roots;

    /// Opens a text file, as the person sees it now; `limit` is the most bytes it may hold. A file that does not exist
    /// gives an empty document that saving creates. One outside the roots can be read, once the person has allowed it
    /// (the gate's job), and never saved.
    async fn open(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError>;

    /// Whether a place without links may be looked at; as with [`Self::open`], the gate decides about those outside.
    fn admits(&self, _place: &Path) -> bool {
        true
    }

    /// Opens a text file that is to be changed: it can be saved where it was read.
    async fn open_to_change(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        self.open(path, limit).await
    }

    /// A picture that came with an earlier question, by its name in messages; nothing when it is gone.
    async fn picture(&self, _name: &str) -> Option<Picture> {
        None
    }

    /// Whether saving a document would be refused, whichever way it is written: nothing is written yet. Its path must
    /// still lead where it led, inside.
    async fn check_save(&self, document: &Document) -> Result<(), WorkspaceError> {
        let (roots, path) = (self.roots().clone(), document.path.clone());
        let checking = tokio::task::spawn_blocking(move || match roots.resolve(&path)? {
            real if real == path => Ok(()),
            _ => Err(WorkspaceError::Outside(path)),
        });
        checking.await.unwrap_or(Err(WorkspaceError::Cancelled))
    }

    /// Writes a document back the way it was opened, in its own encoding. A document that did not exist is created,
    /// with the folders above it.
    async fn save(&self, document: &Document) -> Result<(), WorkspaceError>;

    /// Runs a shell command to its end; `watch` hears of its output as it comes.
    async fn run(&self, command: ShellCommand, watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError>;

    /// What runs a shell command as [`Self::run`] does, with all that confines it, for whoever starts it elsewhere (a
    /// terminal of the editor); `None` when it can only run here. Blocks on the disk.
    fn elsewhere(&self, _command: &ShellCommand) -> Option<Program> {
        None
    }
}

/// A text file that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Where it is: absolute, links resolved.
    pub path: PathBuf,
    /// What it holds. Change it, then save.
    pub text: String,
    /// How it is written down.
    pub encoding: Encoding,
    /// Where it was read and will be written.
    pub route: Route,
    /// False for a file that saving will create.
    pub exists: bool,
}

/// How text is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Name of the encoding in the WHATWG Encoding Standard, such as `UTF-8`.
    pub name: &'static str,
    /// It begins with a byte order mark.
    pub mark: bool,
}

impl Encoding {
    /// UTF-8 without a mark: what new files are written in, and all that an editor can be asked for.
    pub const UTF_8: Self = Self {
        name: "UTF-8",
        mark: false,
    };
}

/// Where a document was read and will be written; one edit never mixes the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The file on disk.
    Disk,
    /// The editor, with what is not saved yet.
    Editor,
}

/// A shell command that runs in the foreground.
#[derive(Clone, Debug)]
pub struct ShellCommand {
    /// What the shell is given.
    pub command: String,
    /// Where it runs; inside a root.
    pub folder: PathBuf,
    /// How far it may reach.
    pub reach: Reach,
    /// It is killed after this.
    pub limit: Duration,
    /// Fires when it is to be killed earlier.
    pub cancel: CancellationToken,
}

/// A program to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Where it lies, or its name.
    pub program: String,
    /// What it is given.
    pub arguments: Vec<String>,
    /// What is set for it beside the environment of whoever starts it.
    pub variables: Vec<(String, String)>,
}

/// How far a command may reach, where the machine can confine it. Keys of ours are out of reach unless nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It only looks: it can write nowhere.
    Look,
    /// It writes in the workspace, and beside that where everything may or the person said so.
    Workspace,
    /// It is not confined at all.
    Everything,
}

/// Hears of a command that runs. Must return at once.
pub trait Watch: Send + Sync {
    /// Its output so far, or the last part of it.
    fn output(&self, so_far: &str);

    /// It runs in this terminal of the editor, which shows the output itself.
    fn terminal(&self, id: &str);
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellEnd {
    /// What it printed, both streams as they came; the end of it when it was too much.
    pub output: String,
    /// Some output is missing.
    pub truncated: bool,
    /// Why it ended.
    pub exit: ShellExit,
}

/// Why a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellExit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal of this name.
    Signal(String),
    /// It took too long and was killed.
    TimedOut,
    /// It was stopped on purpose.
    Cancelled,
}

/// Why a file or the shell could not be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Outside every root, or reached through a link that leaves them.
    #[error("{} is outside the workspace", .0.display())]
    Outside(PathBuf),
    /// It may hold keys: never read, never written.
    #[error("{} is protected, because keys are kept there", .0.display())]
    Protected(PathBuf),
    /// There is no such file.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// A folder, a device or something else that holds no text.
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    /// Something is there already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// Its permission bits do not let it be written.
    #[error("{} is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// Larger than the limit.
    #[error("{} holds more than {limit} bytes", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Not text in a known encoding.
    #[error("{} is not text", .0.display())]
    NotText(PathBuf),
    /// The text has characters that the file's encoding lacks.
    #[error("{} is written in {encoding}, which lacks a character of the new text", path.display())]
    Unencodable {
        /// Which file.
        path: PathBuf,
        /// Its encoding.
        encoding: &'static str,
    },
    /// The file system or the system said no.
    #[error("failed to use {}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The editor refused, or did not answer.
    #[error("the editor failed to {action} {}", path.display())]
    Editor {
        /// What it was asked to do.
        action: &'static str,
        /// With which file.
        path: PathBuf,
    },
    /// The turn was stopped meanwhile.
    #[error("the turn was stopped")]
    Cancelled,
}
