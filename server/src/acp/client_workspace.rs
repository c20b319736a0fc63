//! Files and shell of a session through its editor where it offers them, else through this machine (acp-agent.md §3).
//!
//! Whatever the local workspace refuses is refused before the editor is asked. It is also what confines commands: in a
//! terminal of the editor the command is the one that [`Workspace::elsewhere`] gives, so that the terminal can be used
//! where a sandbox is enforced.

mod files;
mod terminal;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::SessionId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sidewire_agent::provider::Picture;
use sidewire_agent::workspace::{
    Document, Program, Roots, Route, ShellCommand, ShellEnd, Watch, Workspace, WorkspaceError,
};
use tokio_util::sync::CancellationToken;

use super::content;
use super::spelling::Spelling;
use crate::rpc::{CallError, Peer};
pub(super) use terminal::Terminals;

/// What an editor offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClientIo {
    /// It reads text files.
    pub(super) read: bool,
    /// It writes text files.
    pub(super) write: bool,
    /// It runs commands in terminals.
    pub(super) terminal: bool,
}

/// Files and shell of a session.
#[derive(Clone)]
pub(super) struct ClientWorkspace {
    client: Client,
    io: ClientIo,
    local: Arc<dyn Workspace>,
    terminals: Arc<Terminals>,
    /// Fires when the turn that it serves is to end.
    stop: CancellationToken,
}

impl ClientWorkspace {
    /// The workspace of a session whose editor offers this; `local` does the rest.
    pub(super) fn new(peer: Peer, session: SessionId, io: ClientIo, local: Arc<dyn Workspace>) -> Self {
        Self {
            client: Client {
                peer,
                session,
                spelling: Spelling::default(),
            },
            io,
            local,
            terminals: Arc::default(),
            stop: CancellationToken::new(),
        }
    }

    /// The same for an editor that writes the folders in its own way.
    pub(super) fn spelled(mut self, spelling: Spelling) -> Self {
        self.client.spelling = spelling;
        self
    }

    /// The same for a turn, which stops waiting for the editor when `stop` fires.
    pub(super) fn during(&self, stop: CancellationToken) -> Self {
        Self { stop, ..self.clone() }
    }

    /// The terminals of the session. Whoever sends its updates tells them what is in view.
    pub(super) fn terminals(&self) -> Arc<Terminals> {
        Arc::clone(&self.terminals)
    }
}

#[async_trait::async_trait]
impl Workspace for ClientWorkspace {
    fn roots(&self) -> &Roots {
        self.local.roots()
    }

    async fn open(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        let on_disk = self.local.open(path, limit).await?;
        self.in_editor(on_disk, limit, self.io.read).await
    }

    async fn open_to_change(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        let on_disk = self.local.open_to_change(path, limit).await?;
        self.in_editor(on_disk, limit, self.io.read && self.io.write)
            .await
    }

    async fn picture(&self, name: &str) -> Option<Picture> {
        content::picture(name, self.roots()).await
    }

    async fn check_save(&self, document: &Document) -> Result<(), WorkspaceError> {
        self.local.check_save(document).await
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        match document.route {
            Route::Disk => self.local.save(document).await,
            Route::Editor => self.save_in_editor(document).await,
        }
    }

    async fn run(&self, command: ShellCommand, watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        if let Some(program) = self.program_for_terminal(&command).await
            && let Some(end) = self
                .run_in_terminal(&command, program, Arc::clone(&watch))
                .await?
        {
            return Ok(end);
        }
        self.local.run(command, watch).await
    }

    fn elsewhere(&self, command: &ShellCommand) -> Option<Program> {
        self.local.elsewhere(command)
    }
}

impl ClientWorkspace {
    /// What the editor is to run; `None` when the command runs here.
    async fn program_for_terminal(&self, command: &ShellCommand) -> Option<Program> {
        if !self.io.terminal || !self.roots().cover(&command.folder) {
            return None;
        }
        let (local, command) = (Arc::clone(&self.local), command.clone());
        let finding = tokio::task::spawn_blocking(move || local.elsewhere(&command));
        finding.await.ok().flatten()
    }
}

/// The editor, as this session asks it.
#[derive(Clone)]
struct Client {
    peer: Peer,
    session: SessionId,
    spelling: Spelling,
}

impl Client {
    /// Asks, and gives it up when there is no answer for too long.
    async fn ask<R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        limit: Duration,
    ) -> Result<R, CallError> {
        let never = CancellationToken::new();
        // Dropping a request that waits tells the editor to give it up.
        let asking = self.peer.request(method, params, &never);
        tokio::time::timeout(limit, asking)
            .await
            .unwrap_or(Err(CallError::Cancelled))
    }
}

#[cfg(test)]
mod tests;
