//! How a session is opened: a new one, or one that was kept, with or without showing it again.
//!
//! Whatever can be refused is refused before anything is made.

mod furnish;
mod replay_all;

use std::sync::Arc;

use agent_client_protocol_schema::v1::{LoadSessionResponse, NewSessionResponse, ResumeSessionResponse};
use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::record::{Controls, ConversationRecord, Origin};
use sidewire_agent::store::{NewConversation, StoreError};
use sidewire_contract::mcp_server::McpServer;

use super::connection::{Editor, checked_id};
use super::controls::Axes;
use super::refusals::{coded, in_use, storage, unknown_session};
use super::session::Session;
use super::sessions::{Found, Reserved};
use super::{AGENT, Parts, mcp_servers};
use crate::rpc::{Answer, Call, Error, Handling, Reply};
use furnish::{Place, furnish};

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
    servers: Vec<McpServer>,
    directories: Vec<String>,
}

impl OpenParams {
    fn wanted(self, method: &'static str) -> Result<Wanted, Error> {
        Ok(Wanted {
            method,
            cwd: self.cwd.filter(|cwd| !cwd.trim().is_empty()),
            servers: mcp_servers::read(method, self.mcp_servers)?,
            directories: self.additional_directories.unwrap_or_default(),
        })
    }
}

/// `session/new`.
pub(super) fn new(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let wanted = call.params.read::<OpenParams>()?.wanted(AGENT.session_new)?;
        let parts = editor.parts().await?;
        let place = Place::vet(&editor, &wanted, None).await?;
        let controls = Controls {
            preset: editor.start.preset,
            // It began where the person works, not beside a page.
            trusted: true,
            ..Controls::default()
        };
        let axes = Axes::begin(&*parts.models, &editor.start, &controls)?;
        let record = create(&parts, &place, axes.kept()).await?;
        let reserved = match editor.sessions.find(wanted.method, record.id)? {
            Found::Free(reserved) => reserved,
            Found::Open(_) => return Err(Error::internal("the id of a new session is taken")),
        };
        let session = furnish(&editor, &parts, (place, wanted.servers), (record, axes)).await?;
        let reply = NewSessionResponse::new(session.wire_id())
            .modes(session.modes())
            .config_options(session.config_options());
        welcome(Reply::new(&reply), session, Some(reserved))
    })
}

async fn create(parts: &Parts, place: &Place, controls: Controls) -> Result<ConversationRecord, Error> {
    let new = NewConversation {
        owner: Owner::editor(),
        origin: Origin::Editor,
        folder: Some(place.folder.clone()),
        controls,
    };
    let created = parts.agent.store().create(new).await;
    created.map_err(|error| storage(AGENT.session_new, &error))
}

/// `session/load`: everything is shown again before the answer.
pub(super) fn load(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let (session, reserved) = reopen(&editor, &call, AGENT.session_load).await?;
        replay_all::replay_all(&session).await?;
        let reply = LoadSessionResponse::new()
            .modes(session.modes())
            .config_options(session.config_options());
        welcome(Reply::new(&reply), session, reserved)
    })
}

/// `session/resume`: the same without showing it again.
pub(super) fn resume(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let (session, reserved) = reopen(&editor, &call, AGENT.session_resume).await?;
        let reply = ResumeSessionResponse::new()
            .modes(session.modes())
            .config_options(session.config_options());
        welcome(Reply::new(&reply), session, reserved)
    })
}

/// A session that was kept; the right to open it comes with one that is not open yet.
async fn reopen(
    editor: &Arc<Editor>,
    call: &Call,
    method: &'static str,
) -> Result<(Arc<Session>, Option<Reserved>), Error> {
    let params = call.params.read::<OpenParams>()?;
    let id = checked_id(method, params.session_id.clone())?;
    let wanted = params.wanted(method)?;
    let parts = editor.parts().await?;
    let unknown = || unknown_session(method, &id);
    let conversation = ConversationId::parse(&id).ok_or_else(unknown)?;
    let reserved = match editor.sessions.find(method, conversation)? {
        Found::Open(session) => {
            stays_as_it_is(editor, &session, &wanted).await?;
            return Ok((session, None));
        }
        Found::Free(reserved) => reserved,
    };
    let found = parts
        .agent
        .store()
        .conversation(&Owner::editor(), conversation)
        .await;
    let record = found.map_err(|error| match error {
        StoreError::NotFound => unknown(),
        other => storage(method, &other),
    })?;
    refuse_when_held(&parts, method, conversation)?;
    let place = Place::vet(editor, &wanted, record.folder.as_deref()).await?;
    let axes = Axes::begin(&*parts.models, &editor.start, &record.controls)?;
    let session = furnish(editor, &parts, (place, wanted.servers), (record, axes)).await?;
    Ok((session, Some(reserved)))
}

/// A session that is open keeps what it was opened with; something else needs it closed first.
async fn stays_as_it_is(editor: &Arc<Editor>, session: &Session, wanted: &Wanted) -> Result<(), Error> {
    let method = wanted.method;
    let place = Place::vet(editor, wanted, Some(&session.has.folder)).await?;
    if place.roots.folder() != session.has.roots.folder() {
        let text = format!("{method}: the session is open in another folder; close it first");
        return Err(Error::invalid_params(text));
    }
    if !place.same_directories(&session.has.roots) {
        return Err(coded(
            "acp.additional_directories.session_open",
            format!("{method}: the session is open with other additionalDirectories; close it first"),
        ));
    }
    Ok(())
}

fn refuse_when_held(parts: &Parts, method: &str, id: ConversationId) -> Result<(), Error> {
    match parts.agent.store().holder(id) {
        Ok(None) => Ok(()),
        Ok(Some(holder)) => Err(in_use(method, &holder)),
        Err(error) => Err(storage(method, &error)),
    }
}

/// From now on the session is open. What it can do and how full its window is follow the answer.
fn welcome(reply: Answer, session: Arc<Session>, reserved: Option<Reserved>) -> Answer {
    let reply = reply?;
    if let Some(reserved) = reserved {
        reserved.open(Arc::clone(&session));
    }
    Ok(reply.then(async move {
        session.tell_commands().await;
        session.tell_window().await;
    }))
}
