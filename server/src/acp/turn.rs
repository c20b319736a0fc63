//! A turn for a prompt: what it is asked with, its updates, and how it ended.

use std::sync::Arc;

use agent_client_protocol_schema::v1::PromptResponse;
use sidewire_agent::briefing::{Briefing, EditorBriefing};
use sidewire_agent::error::TurnFailure;
use sidewire_agent::ids::{Owner, TurnId, TurnKey};
use sidewire_agent::session::{Ask, AskError, Place, Started};
use sidewire_agent::setting::Setting;
use sidewire_agent::store::StoreError;
use sidewire_agent::tool::Tool;
use tokio::sync::Notify;
use uuid::Uuid;

use super::AGENT;
use super::content::Prompt;
use super::follow::Following;
use super::refusals::{in_use, storage, unknown_session};
use super::session::{RunningTurn, Session};
use super::translate::TurnUpdates;
use super::{outcome, own_command, unasked};
use crate::rpc::Error;

/// Runs a turn to its end.
pub(super) async fn run(turn: &RunningTurn, prompt: Prompt) -> Result<PromptResponse, Error> {
    let session = &turn.session;
    session.shelf.replace(tools(session));
    let (key, wake) = (new_turn(session), Arc::new(Notify::new()));
    let setting = setting_for(turn, &prompt);
    let ask = Ask {
        key: key.clone(),
        place: Place::Known(session.id),
        text: prompt.text,
        page: None,
        parts: prompt.parts,
        pictures: prompt.pictures,
        shown: prompt.shown,
        setting,
        tools: session.shelf.clone(),
    };
    let started = session.has.parts.agent.ask(ask, Arc::clone(&wake)).await;
    let started = started.map_err(|error| refused(session, error))?;
    session.state().is_new = false;
    session.tell_title(&started.title).await;
    follow(turn, key, (started, wake)).await
}

/// The setting of a prompt. A command of the person's own asks no model, and neither does a turn that is over already.
fn setting_for(turn: &RunningTurn, prompt: &Prompt) -> Setting {
    let usual = setting(turn);
    if turn.stop.is_cancelled() {
        return unasked::setting(usual);
    }
    match own_command::command(prompt) {
        Some(command) => own_command::setting(usual, command),
        None => usual,
    }
}

/// Tools of a turn, in an order that stays the same from turn to turn: those of servers, which may change, are last.
fn tools(session: &Session) -> Vec<Arc<dyn Tool>> {
    let has = &session.has;
    let own = has.kit.tools.iter().cloned();
    own.chain(has.commands.skill_tool())
        .chain(session.mcp().tools())
        .collect()
}

/// A turn of a session, which nothing else names and of which the editor has been told nothing.
pub(super) fn new_turn(session: &Session) -> TurnKey {
    let id = TurnId(format!("c-{}", Uuid::new_v4()));
    session.has.line.told().begin(id.clone());
    TurnKey {
        owner: Owner::editor(),
        id,
    }
}

/// Sends everything of a turn; when it is to end, the core is told, and what it still says is sent too.
pub(super) async fn follow(
    turn: &RunningTurn,
    key: TurnKey,
    (started, wake): (Started, Arc<Notify>),
) -> Result<PromptResponse, Error> {
    let session = &turn.session;
    let mut following = Following {
        subscription: started.subscription,
        wake,
        updates: TurnUpdates::new(key.id.clone(), session.has.notices),
        terminals: session.has.workspace.terminals(),
    };
    let stopping = async {
        turn.stop.cancelled().await;
        session.has.parts.agent.stop(&key);
        std::future::pending().await
    };
    let ended = tokio::select! {
        ended = following.run(&session.has.line) => ended,
        ended = stopping => ended,
    };
    // An editor that is gone: the turn was stopped with its connection, and the answer reaches nobody.
    let ended = ended.map_err(|_closed| Error::cancelled())?;
    let record = following.subscription.record();
    if record.context.is_some() {
        session.state().context = record.context;
    }
    session.tell_info().await;
    outcome::reply(&ended)
}

/// Where and how a turn runs.
pub(super) fn setting(turn: &RunningTurn) -> Setting {
    let has = &turn.session.has;
    let state = turn.session.state();
    let folders = has.roots.all().iter().map(|root| root.display().to_string());
    let briefing = EditorBriefing {
        collaboration: state.axes.collaboration,
        preset: state.axes.preset,
        folders: folders.collect(),
        instructions: has.commands.instructions(),
        skills: has.commands.skills(),
    };
    Setting {
        briefing: Briefing::Editor(Box::new(briefing)),
        provider: Some(Arc::clone(&state.provider)),
        workspace: Some(Arc::new(has.workspace.during(turn.stop.clone()))),
        person: Arc::clone(&has.person) as Arc<_>,
        gate: Some(Arc::clone(&has.gate)),
    }
}

/// Why a prompt was not taken, for the editor.
pub(super) fn refused(session: &Session, error: AskError) -> Error {
    let method = AGENT.session_prompt;
    match error {
        AskError::Busy | AskError::Duplicate => {
            Error::invalid_request(format!("{method}: session already has an active prompt"))
        }
        AskError::Held { holder } => in_use(method, &holder),
        AskError::Disposed => outcome::failed(&TurnFailure::Disposed),
        AskError::Provider(source) => outcome::failed(&TurnFailure::Provider { source }),
        AskError::Store(StoreError::NotFound) => unknown_session(method, &session.id.to_string()),
        AskError::Store(error) => storage(method, &error),
    }
}
