//! How a session is opened: a new one, or one that was kept, with or without showing it again.
//!
//! Whatever can be refused is refused before anything is made.

mod folders;
mod furnish;
mod replay_all;

use std::sync::Arc;

use agent_client_protocol_schema::v1::{LoadSessionResponse, NewSessionResponse, ResumeSessionResponse};
use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::record::{Controls, ConversationRecord, Origin};
use sidewire_agent::store::{NewConversation, StoreError};
use sidewire_agent::workspace::Roots;
use sidewire_contract::mcp_server::McpServer;

use super::controls::{Axes, Chosen};
use super::editor::Editor;
use super::params::checked_id;
use super::refusals::{coded, refuse_when_held, storage, unknown_session};
use super::session::{InUse, Session};
use super::sessions::{Place, Room};
use super::{AGENT, Parts, mcp_servers};
use crate::rpc::{Call, Error, Handling, Reply};
use folders::{folders, same_directories};
use furnish::furnish;

/// What the three methods are asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenParams {
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    mcp_servers: Option<Vec<Value>>,
    #[serde(default)]
    additional_directories: Option<Vec<String>>,
}

/// What a session is opened with.
struct Wanted {
    method: &'static str,
    cwd: Option<String>,
    /// Nothing leaves those of a session that is open.
    servers: Option<Vec<McpServer>>,
    directories: Vec<String>,
}

impl OpenParams {
    fn wanted(self, method: &'static str) -> Result<Wanted, Error> {
        Ok(Wanted {
            method,
            cwd: self.cwd.filter(|cwd| !cwd.trim().is_empty()),
            servers: self
                .mcp_servers
                .map(|list| mcp_servers::read(method, list))
                .transpose()?,
            directories: self.additional_directories.unwrap_or_default(),
        })
    }
}

/// A session that was opened, or was open before.
struct Opened {
    session: Arc<Session>,
    /// Held until the editor knows everything about it.
    place: Place,
    /// For one that was not open before.
    room: Option<Room>,
}

/// `session/new`.
pub(super) fn new(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let wanted = call.params.read::<OpenParams>()?.wanted(AGENT.session_new)?;
        let parts = editor.parts().await?;
        let room = editor.sessions.room(wanted.method)?;
        let folders = folders(&editor, &wanted, None).await?;
        let controls = Controls {
            preset: editor.start.preset,
            // It began where the person works, not beside a page.
            trusted: true,
            ..Controls::default()
        };
        let chosen = Chosen::begin(&parts.models, &editor.start, controls).await?;
        let record = create(&parts, &folders.roots, &chosen.axes).await?;
        let place = editor.sessions.line_up(record.id).await;
        let servers = wanted.servers.unwrap_or_default();
        let session = furnish(&editor, &parts, (folders, servers), (record, chosen)).await?;
        let reply = NewSessionResponse::new(session.wire_id())
            .modes(session.modes())
            .config_options(session.config_options());
        let room = Some(room);
        Ok(Opened { session, place, room }.welcome(Reply::new(&reply)?))
    })
}

async fn create(parts: &Parts, roots: &Roots, axes: &Axes) -> Result<ConversationRecord, Error> {
    let new = NewConversation {
        owner: Owner::editor(),
        origin: Origin::Editor,
        folder: Some(roots.folder().display().to_string()),
        controls: axes.kept(),
    };
    let created = parts.agent.store().create(new).await;
    created.map_err(|error| storage(AGENT.session_new, &error))
}

/// `session/load`: everything is shown again before the answer.
pub(super) fn load(editor: &Arc<Editor>, call: Call) -> Handling {
    let (wanted, place) = match stand_in_line(editor, call, AGENT.session_load) {
        Ok(standing) => standing,
        Err(error) => return Handling::Done(Err(error)),
    };
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let opened = reopen(&editor, wanted, place.await).await?;
        let session = &opened.session;
        replay_all::replay_all(session).await?;
        let reply = LoadSessionResponse::new()
            .modes(session.modes())
            .config_options(session.config_options());
        Ok(opened.welcome(Reply::new(&reply)?))
    })
}

/// `session/resume`: the same without showing it again.
pub(super) fn resume(editor: &Arc<Editor>, call: Call) -> Handling {
    let (wanted, place) = match stand_in_line(editor, call, AGENT.session_resume) {
        Ok(standing) => standing,
        Err(error) => return Handling::Done(Err(error)),
    };
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let opened = reopen(&editor, wanted, place.await).await?;
        let session = &opened.session;
        let reply = ResumeSessionResponse::new()
            .modes(session.modes())
            .config_options(session.config_options());
        Ok(opened.welcome(Reply::new(&reply)?))
    })
}

/// What is wanted of which session, whose line is entered before the next message is read.
fn stand_in_line(
    editor: &Editor,
    call: Call,
    method: &'static str,
) -> Result<(Wanted, impl Future<Output = Place> + Send + use<>), Error> {
    let params = call.params;
    let params = params.read::<OpenParams>()?;
    let id = checked_id(method, params.session_id.clone())?;
    let wanted = params.wanted(method)?;
    let conversation = ConversationId::parse(&id).ok_or_else(|| unknown_session(method, &id))?;
    Ok((wanted, editor.sessions.line_up(conversation)))
}

/// A session that was kept, or one that is open.
async fn reopen(editor: &Arc<Editor>, wanted: Wanted, place: Place) -> Result<Opened, Error> {
    let (method, id) = (wanted.method, place.id());
    let parts = editor.parts().await?;
    // Another process may have deleted it, open here or not.
    let found = parts.agent.store().conversation(&Owner::editor(), id).await;
    let record = found.map_err(|error| match error {
        StoreError::NotFound => unknown_session(method, &id.to_string()),
        other => storage(method, &other),
    })?;
    if let Some(session) = place.session() {
        stays_as_it_is(editor, &session, &wanted).await?;
        serve_with(&session, wanted).await?;
        let room = None;
        return Ok(Opened { session, place, room });
    }
    let room = Some(editor.sessions.room(method)?);
    refuse_when_held(&parts, method, id)?;
    let folders = folders(editor, &wanted, record.folder.as_deref()).await?;
    let chosen = Chosen::begin(&parts.models, &editor.start, record.controls.clone()).await?;
    let servers = wanted.servers.unwrap_or_default();
    let session = furnish(editor, &parts, (folders, servers), (record, chosen)).await?;
    Ok(Opened { session, place, room })
}

/// A session that is open keeps what it was opened with; something else needs it closed first.
async fn stays_as_it_is(editor: &Arc<Editor>, session: &Session, wanted: &Wanted) -> Result<(), Error> {
    let (method, ours) = (wanted.method, &session.has.roots);
    let theirs = folders(editor, wanted, ours.folder().to_str()).await?.roots;
    if theirs.folder() != ours.folder() {
        let text = format!("{method}: the session is open in another folder; close it first");
        return Err(Error::invalid_params(text));
    }
    if !same_directories(&theirs, ours) {
        return Err(coded(
            "acp.additional_directories.session_open",
            format!("{method}: the session is open with other additionalDirectories; close it first"),
        ));
    }
    Ok(())
}

/// Servers hold no more of a session than their tools, so that an open one can have others.
async fn serve_with(session: &Arc<Session>, wanted: Wanted) -> Result<(), Error> {
    let Some(servers) = wanted.servers else {
        return Ok(());
    };
    let replaced = session.replace_servers(servers).await;
    replaced.map_err(|InUse| {
        let text = "a prompt runs with other mcpServers; wait for its end, or cancel it first";
        coded(
            "acp.mcp_servers.session_busy",
            format!("{}: {text}", wanted.method),
        )
    })
}

impl Opened {
    /// From now on the session is open. What it can do and how full its window is follow the answer; only then does
    /// whoever stands behind in line, such as a `session/close`, have it.
    fn welcome(self, reply: Reply) -> Reply {
        let Self { session, place, room } = self;
        let is_new = room.is_some();
        if let Some(room) = room {
            place.open(Arc::clone(&session), room);
        }
        reply.then(async move {
            session.tell_commands().await;
            session.tell_window().await;
            session.tell_info().await;
            if is_new {
                session.tell_useless_rules().await;
                session.follow_commands();
            }
            drop(place);
        })
    }
}
