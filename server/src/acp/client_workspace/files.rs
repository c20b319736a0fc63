//! Text files as the editor shows them. One edit never mixes the two routes: what was read from a buffer goes back to
//! it, what was read from the disk goes to the disk.

use std::path::Path;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest,
    WriteTextFileResponse,
};
use sidewire_agent::workspace::{Document, Encoding, Route, Workspace as _, WorkspaceError};

use super::{Client, ClientWorkspace};
use crate::rpc::CallError;

/// An editor that needs longer is not asked any further.
const PATIENCE: Duration = Duration::from_secs(30);

impl Client {
    /// The whole file, with what is not saved yet.
    pub(super) async fn read(&self, path: &Path) -> Result<String, CallError> {
        let path = self.spelling.led_to(path).await;
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        let method = CLIENT_METHOD_NAMES.fs_read_text_file;
        let answer: ReadTextFileResponse = self.ask(method, &request, PATIENCE).await?;
        Ok(answer.content)
    }

    async fn write(&self, document: &Document) -> Result<(), CallError> {
        let path = self.spelling.led_to(&document.path).await;
        let request = WriteTextFileRequest::new(self.session.clone(), path, document.text.clone());
        let method = CLIENT_METHOD_NAMES.fs_write_text_file;
        let _written: WriteTextFileResponse = self.ask(method, &request, PATIENCE).await?;
        Ok(())
    }
}

impl ClientWorkspace {
    /// A document as the editor shows it, when it `reads`; else, or when it fails to, as it is on the disk.
    pub(super) async fn in_editor(
        &self,
        on_disk: Document,
        limit: u64,
        reads: bool,
    ) -> Result<Document, WorkspaceError> {
        if !self.is_eligible(&on_disk) {
            return Ok(on_disk);
        }
        let shown = if reads {
            // A turn that is to end waits for nobody; and what may not be what the editor shows is not read instead.
            let reading = self.client.read(&on_disk.path);
            let read = self.stop.run_until_cancelled(reading).await;
            read.ok_or(WorkspaceError::Cancelled)?.ok()
        } else {
            None
        };
        match shown {
            Some(text) if text.len() as u64 > limit => Err(WorkspaceError::TooLarge {
                path: on_disk.path,
                limit,
            }),
            Some(text) => Ok(Document {
                // Some editors give an empty text for what does not exist.
                exists: on_disk.exists || !text.is_empty(),
                text,
                route: Route::Editor,
                ..on_disk
            }),
            // A new file has no text that could differ, so the editor may create it.
            None if self.io.write && !on_disk.exists => Ok(Document {
                route: Route::Editor,
                ..on_disk
            }),
            None => Ok(on_disk),
        }
    }

    /// The editor speaks of text only, and of text inside the roots: another charset, or a mark, stays on the disk.
    fn is_eligible(&self, on_disk: &Document) -> bool {
        on_disk.encoding == Encoding::UTF_8 && self.roots().cover(&on_disk.path)
    }

    pub(super) async fn save_in_editor(&self, document: &Document) -> Result<(), WorkspaceError> {
        let refused = || WorkspaceError::Editor {
            action: "write",
            path: document.path.clone(),
        };
        if !self.io.write {
            return Err(refused());
        }
        self.local.check_save(document).await?;
        self.make_folder(document).await?;
        // Waited for though the turn is to end, for what it still says: the editor may write it all the same.
        self.client.write(document).await.map_err(|_| refused())
    }

    /// Makes sure that a new file has its folder: not every editor makes it.
    async fn make_folder(&self, document: &Document) -> Result<(), WorkspaceError> {
        let parent = document.path.parent().filter(|_| !document.exists);
        let Some(folder) = parent.map(Path::to_owned) else {
            return Ok(());
        };
        let path = document.path.clone();
        let made = tokio::task::spawn_blocking(|| std::fs::create_dir_all(folder)).await;
        made.unwrap_or(Ok(()))
            .map_err(|source| WorkspaceError::Io { path, source })
    }
}
