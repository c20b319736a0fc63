//! `/clear`: the person is asked, and the conversation begins afresh.

use agent_client_protocol_schema::v1::{PromptResponse, SessionUpdate, StopReason};
use serde_json::Value;
use sidewire_agent::event::{ToolEnd, ToolStart, TurnEvent};
use sidewire_agent::feed::News;
use sidewire_agent::permission::Posture;
use sidewire_agent::person::{Answer, Choice, ChoiceKind, Person as _, Question};
use sidewire_agent::session::DeleteError;
use sidewire_agent::store::StoreError;
use sidewire_agent::tool::ToolKind;
use uuid::Uuid;

use crate::acp::AGENT;
use crate::acp::refusals::{held, storage, unknown_session};
use crate::acp::session::{RunningTurn, Session};
use crate::acp::translate::TurnUpdates;
use crate::acp::turn::new_turn;
use crate::rpc::Error;

/// The name of the call in which the person is asked.
const NAME: &str = "clear";
const TITLE: &str = "Clear the conversation";
const CLEAR: &str = "allow_once";
const KEEP: &str = "reject_once";

/// What is gone cannot be had back, so a person is asked; those who said to be asked nothing are not.
pub(super) async fn clear(turn: &RunningTurn) -> Result<PromptResponse, Error> {
    let session = &turn.session;
    if session.has.gate.posture() != Posture::Yolo && !may_clear(turn).await {
        let stopped = turn.stop.is_cancelled();
        if !stopped {
            session.say("Nothing was cleared.").await;
        }
        return Ok(PromptResponse::new(if stopped {
            StopReason::Cancelled
        } else {
            StopReason::EndTurn
        }));
    }
    empty(session).await?;
    session.has.gate.forget_grants();
    {
        let mut state = session.state();
        (state.is_new, state.context) = (true, Some(0));
    }
    session.say("The conversation is cleared.").await;
    session.tell_title("").await;
    session.tell_window().await;
    Ok(PromptResponse::new(StopReason::EndTurn))
}

/// Asks in a call that ends with the answer: editors show a question in the call it is about.
async fn may_clear(turn: &RunningTurn) -> bool {
    let session = &turn.session;
    if session.has.gate.posture() < Posture::Ask {
        return false;
    }
    let mut updates = TurnUpdates::new(new_turn(session).id, session.has.notices);
    let start = call();
    let begins = updates.take(News::Event(TurnEvent::ToolStarted(start.clone())));
    show(session, begins).await;
    let answer = session.has.person.ask(question(start), turn.stop.clone()).await;
    let clears = answer == Answer::Chosen(CLEAR.to_owned());
    show(session, updates.take(News::Event(end(clears)))).await;
    clears
}

async fn show(session: &Session, updates: Vec<SessionUpdate>) {
    for update in updates {
        session.tell(update).await;
    }
}

fn call() -> ToolStart {
    ToolStart {
        call_id: NAME.to_owned(),
        name: NAME.to_owned(),
        title: TITLE.to_owned(),
        kind: ToolKind::Other,
        arguments: Value::Null,
        locations: Vec::new(),
    }
}

fn end(ok: bool) -> TurnEvent {
    TurnEvent::ToolFinished(ToolEnd {
        call_id: NAME.to_owned(),
        name: NAME.to_owned(),
        ok,
        ms: 0,
        content: Vec::new(),
        kept_arguments: None,
        locations: Vec::new(),
    })
}

fn question(about: ToolStart) -> Question {
    let choice = |id: &str, label: &str, kind| Choice {
        id: id.to_owned(),
        label: label.to_owned(),
        kind,
    };
    let mut number = Uuid::new_v4().simple().to_string();
    number.truncate(8);
    Question {
        id: format!("gate-{number}-1"),
        title: TITLE.to_owned(),
        detail: Some("Everything that was said in this session is removed for good.".to_owned()),
        about: Some(about),
        shown: Vec::new(),
        subject: None,
        fresh: true,
        options: vec![
            choice(CLEAR, "Clear", ChoiceKind::AllowOnce),
            choice(KEEP, "Keep", ChoiceKind::RejectOnce),
        ],
        deadline_ms: None,
    }
}

async fn empty(session: &Session) -> Result<(), Error> {
    let (method, parts) = (AGENT.session_prompt, &session.has.parts);
    parts.agent.clear(session.id).await.map_err(|error| match error {
        DeleteError::Busy => held(parts, method, session.id),
        DeleteError::Store(StoreError::NotFound) => unknown_session(method, &session.id.to_string()),
        DeleteError::Store(error) => storage(method, &error),
    })
}
