mod files;
mod terminals;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use sidewire_agent::workspace::{Encoding, Program, Reach, ShellExit};

use super::*;
use crate::acp::testing::{Editor, editor, session};

const BOTH: ClientIo = ClientIo {
    read: true,
    write: true,
    terminal: false,
};

/// A local workspace in memory, which tells what was done with it.
struct Local {
    roots: Roots,
    /// What `open` gives for any path.
    document: Document,
    elsewhere: Option<Program>,
    saved: Mutex<Vec<Document>>,
    ran: Mutex<Vec<String>>,
}

#[async_trait::async_trait]
impl Workspace for Local {
    fn roots(&self) -> &Roots {
        &self.roots
    }

    async fn open(&self, path: &Path, _limit: u64) -> Result<Document, WorkspaceError> {
        if path == Path::new("missing") {
            return Err(WorkspaceError::Missing(path.to_owned()));
        }
        Ok(self.document.clone())
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        push(&self.saved, document.clone());
        Ok(())
    }

    async fn run(&self, command: ShellCommand, _watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        push(&self.ran, command.command);
        Ok(ShellEnd {
            output: "local".into(),
            truncated: false,
            exit: ShellExit::Code(0),
        })
    }

    fn elsewhere(&self, _command: &ShellCommand) -> Option<Program> {
        self.elsewhere.clone()
    }
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

/// An editor, a folder, and a workspace over both.
struct Scene {
    editor: Editor,
    local: Arc<Local>,
    workspace: Arc<ClientWorkspace>,
    folder: PathBuf,
    _folder: tempfile::TempDir,
}

/// A scene in which a file on disk holds "disk".
fn scene(io: ClientIo, change: impl FnOnce(&mut Local)) -> Scene {
    let (peer, editor) = editor();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let mut local = Local {
        roots: Roots::new(folder.clone(), []),
        document: Document {
            path: folder.join("file.txt"),
            text: "disk".into(),
            encoding: Encoding::UTF_8,
            route: Route::Disk,
            exists: true,
        },
        elsewhere: Some(Program {
            program: "bash".into(),
            arguments: vec!["-c".into(), "make test".into()],
            variables: vec![("A".into(), "b".into())],
        }),
        saved: Mutex::default(),
        ran: Mutex::default(),
    };
    change(&mut local);
    let local = Arc::new(local);
    let workspace = ClientWorkspace::new(peer, session(), io, Arc::clone(&local) as Arc<dyn Workspace>);
    Scene {
        editor,
        local,
        workspace: Arc::new(workspace),
        folder,
        _folder: place,
    }
}
