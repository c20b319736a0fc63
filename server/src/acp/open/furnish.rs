//! Puts a session together: folders, files and shell, tools, MCP servers, the person and the gate.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use agent_client_protocol_schema::v1::SessionId;
use sidewire_agent::ids::Owner;
use sidewire_agent::permission::{Gate, Posture};
use sidewire_agent::record::{ConversationRecord, Origin};
use sidewire_agent::workspace::Roots;
use sidewire_contract::mcp_server::McpServer;

use super::Wanted;
use crate::acp::Parts;
use crate::acp::cards::Cards;
use crate::acp::client_person::ClientPerson;
use crate::acp::client_workspace::ClientWorkspace;
use crate::acp::connection::Editor;
use crate::acp::controls::{Axes, unusable_model};
use crate::acp::directories::{self, Policy};
use crate::acp::line::SessionLine;
use crate::acp::session::{Furniture, Session, State};
use crate::acp::slash::Commands;
use crate::rpc::Error;

/// Where a session works.
pub(super) struct Place {
    /// The folder as the editor wrote it.
    pub(super) folder: String,
    /// It and the others, with links resolved.
    pub(super) roots: Roots,
}

impl Place {
    /// The folder that was asked for, or `kept`, or where this process runs; and the other folders.
    pub(super) async fn vet(
        editor: &Arc<Editor>,
        wanted: &Wanted,
        kept: Option<&str>,
    ) -> Result<Self, Error> {
        let folder = match wanted.cwd.as_deref().or(kept) {
            Some(folder) => folder.to_owned(),
            None => own_folder()?,
        };
        let method = wanted.method;
        if !Path::new(&folder).is_absolute() {
            let text = format!("{method}: cwd must be an absolute path");
            return Err(Error::invalid_params(text));
        }
        let (cwd, others) = (PathBuf::from(&folder), wanted.directories.clone());
        let policy = Policy {
            workspace_only: editor.start.workspace_only,
            private: editor.parts().await?.private.clone(),
        };
        let vetting = tokio::task::spawn_blocking(move || directories::vet(&cwd, &others, &policy));
        let roots = vetting
            .await
            .map_err(|_| Error::internal("the folders could not be looked at"))??;
        Ok(Self { folder, roots })
    }

    /// Whether these roots have the same further folders, in whatever order.
    pub(super) fn same_directories(&self, roots: &Roots) -> bool {
        let (ours, theirs) = (self.roots.all(), roots.all());
        ours.iter().all(|root| theirs.contains(root)) && theirs.iter().all(|root| ours.contains(root))
    }
}

fn own_folder() -> Result<String, Error> {
    let folder = std::env::current_dir().ok();
    let folder = folder.and_then(|folder| folder.into_os_string().into_string().ok());
    folder.ok_or_else(|| Error::invalid_params("cwd is missing"))
}

/// A session of this conversation, in this place, set to this. Its MCP servers begin to start.
pub(super) async fn furnish(
    editor: &Arc<Editor>,
    parts: &Arc<Parts>,
    (place, servers): (Place, Vec<McpServer>),
    (record, axes): (ConversationRecord, Axes),
) -> Result<Arc<Session>, Error> {
    let provider = parts
        .models
        .open(&axes.model, axes.effort.as_deref())
        .map_err(|error| unusable_model(&error))?;
    let Place { folder, roots } = place;
    let peer = editor.peer.clone();
    let wire_id = SessionId::new(record.id.to_string());
    let kit = parts.tools.open(roots.clone());
    let client = editor.client().unwrap_or_default();
    let local = Arc::clone(&kit.workspace);
    let workspace = ClientWorkspace::new(peer.clone(), wire_id.clone(), client.io, local);
    let commands = Commands::load(&parts.user_folder, roots.folder()).await;
    let context = context_of(parts, &record).await;
    let untrusted = record.origin == Origin::Browser && !axes.trusted;
    let session = Arc::new_cyclic(|session: &Weak<Session>| {
        let session = session.clone();
        let changed = move || {
            if let Some(session) = session.upgrade() {
                session.commands_changed();
            }
        };
        let furniture = Furniture {
            parts: Arc::clone(parts),
            start: editor.start.clone(),
            line: SessionLine::new(peer.clone(), wire_id.clone()),
            mcp: parts.mcp.start(roots.folder(), servers, Arc::new(changed)),
            folder,
            roots,
            terminals: workspace.terminals(),
            workspace: Arc::new(workspace),
            notices: client.notices,
            kit,
            gate: Arc::new(gate(editor, parts, axes.posture, untrusted)),
            person: Arc::new(Cards::new(ClientPerson::new(peer, wire_id))),
            commands,
        };
        let state = State::new(axes, provider, (&record, context));
        Session::new(record.id, furniture, state)
    });
    Ok(session)
}

/// How much of the window the conversation takes; unknown where the last turn does not say.
async fn context_of(parts: &Parts, record: &ConversationRecord) -> Option<u64> {
    if record.turns == 0 {
        return Some(0);
    }
    let agent = &parts.agent;
    let end = agent
        .transcript(&Owner::editor(), record.id, None, 1)
        .await
        .ok()?;
    end.turns.last()?.context
}

/// What lets the calls of a session run.
fn gate(editor: &Editor, parts: &Parts, posture: Posture, untrusted: bool) -> Gate {
    let gate = Gate::new(posture)
        .with_rules(parts.rules.clone())
        .accepting_edits(editor.start.accepts_edits());
    if untrusted { gate.untrusted() } else { gate }
}
