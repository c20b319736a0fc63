//! Puts a session together: folders, files and shell, tools, MCP servers, the person and the gate.

use std::sync::{Arc, Weak};

use agent_client_protocol_schema::v1::SessionId;
use sidewire_agent::ids::Owner;
use sidewire_agent::permission::Gate;
use sidewire_agent::record::ConversationRecord;
use sidewire_agent::workspace::Roots;
use sidewire_contract::mcp_server::McpServer;

use crate::acp::Parts;
use crate::acp::cards::Cards;
use crate::acp::client_person::ClientPerson;
use crate::acp::client_workspace::ClientWorkspace;
use crate::acp::controls::{Axes, Chosen};
use crate::acp::desks::ToolKit;
use crate::acp::directories::Folders;
use crate::acp::editor::Editor;
use crate::acp::line::SessionLine;
use crate::acp::session::{Furniture, Servers, Session, State};
use crate::acp::slash::Commands;
use crate::rpc::Error;

/// A session of this conversation, in these folders, set to this. Its MCP servers begin to start.
pub(super) async fn furnish(
    editor: &Arc<Editor>,
    parts: &Arc<Parts>,
    (folders, servers): (Folders, Vec<McpServer>),
    (record, chosen): (ConversationRecord, Chosen),
) -> Result<Arc<Session>, Error> {
    let Folders { roots, spelling } = folders;
    let peer = editor.peer.clone();
    let wire_id = SessionId::new(record.id.to_string());
    let kit = open_tools(parts, roots.clone()).await?;
    let client = editor.client().unwrap_or_default();
    let local = Arc::clone(&kit.workspace);
    let workspace =
        ClientWorkspace::new(peer.clone(), wire_id.clone(), client.io, local).spelled(spelling.clone());
    let line = SessionLine::new(peer.clone(), wire_id.clone()).spelled(spelling.clone());
    let person =
        ClientPerson::new(peer, wire_id, line.told(), roots.folder().to_owned()).spelled(spelling.clone());
    let commands = Commands::load(&parts.user_folder, roots.folder()).await;
    let context = context_of(parts, &record).await;
    Ok(Arc::new_cyclic(|session: &Weak<Session>| {
        let servers = Servers::start(parts, roots.folder(), servers, session.clone());
        let furniture = Furniture {
            parts: Arc::clone(parts),
            start: editor.start.clone(),
            line,
            person: Arc::new(Cards::new(person)),
            roots,
            spelling,
            workspace,
            notices: client.notices,
            kit,
            gate: Arc::new(gate(editor, parts, &chosen.axes)),
            commands,
        };
        let state = State::new(chosen, servers, (&record, context));
        Session::new(record.id, furniture, state)
    }))
}

/// The tools of this machine for these folders. Finding out what they may do waits for the disk.
async fn open_tools(parts: &Arc<Parts>, roots: Roots) -> Result<ToolKit, Error> {
    let desk = Arc::clone(&parts.tools);
    let opening = tokio::task::spawn_blocking(move || desk.open(roots));
    opening
        .await
        .map_err(|_| Error::internal("the tools could not be prepared"))
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
fn gate(editor: &Editor, parts: &Parts, axes: &Axes) -> Gate {
    let gate = Gate::new(axes.posture)
        .with_rules(parts.rules.clone())
        .accepting_edits(editor.start.accepts_edits());
    if axes.trusted { gate } else { gate.untrusted() }
}
