//! The person behind an editor: every question is a permission card, and only one is open at a time in a session.

mod argv;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, PermissionOption, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, ToolCallId, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use serde_json::{Map, Value, json};
use sidewire_agent::person::{Answer, Choice, ChoiceKind, Person, Question};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::spelling::Spelling;
use super::told_calls::{Stage, ToldCalls};
use super::translate::{calls, words};
use crate::rpc::{CallError, Peer};

/// Set to `1`, plain questions count as asked of nobody: for editors that cannot show them.
const FALLBACK_VARIABLE: &str = "SIDEWIRE_ACP_ASK_FALLBACK";
/// How the ids of questions for permission begin; what follows is the approval's own id.
const GATE: &str = "gate-";

/// The person behind an editor.
pub(super) struct ClientPerson {
    peer: Peer,
    session: SessionId,
    told: Arc<ToldCalls>,
    /// Where commands of the session run.
    folder: PathBuf,
    spelling: Spelling,
    /// Plain questions are not shown.
    silent: bool,
    /// Held while a card is open.
    // A tokio mutex: it is held while a person thinks, and its queue keeps the order of the questions.
    open: Mutex<()>,
}

impl ClientPerson {
    /// The person of this session, which works in `folder`.
    pub(super) fn new(peer: Peer, session: SessionId, told: Arc<ToldCalls>, folder: PathBuf) -> Self {
        let silent = std::env::var_os(FALLBACK_VARIABLE).is_some_and(|value| value == "1");
        Self {
            peer,
            session,
            told,
            folder,
            spelling: Spelling::default(),
            silent,
            open: Mutex::new(()),
        }
    }

    /// The same for an editor that writes the folders in its own way.
    pub(super) fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// Shows the card once no other is open and the call it is about can be seen, and waits.
    async fn show(&self, question: &Question, cancel: &CancellationToken) -> Answer {
        let ready = async { (self.open.lock().await, self.card_id(question).await) };
        let (_open, id) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Answer::None,
            ready = ready => ready,
        };
        let options = options(question);
        let card = RequestPermissionRequest::new(
            self.session.clone(),
            self.card(id, question),
            options.iter().map(option).collect(),
        );
        let method = CLIENT_METHOD_NAMES.session_request_permission;
        let answer = self.peer.request(method, &card, cancel).await;
        read_answer(answer, &question.options)
    }

    /// The id of the card: that of the call it is about, so that editors show it there and not as a call of its own
    /// that nothing ever ends. However slow the editor is, it hears of the call first; whoever asks can give it up.
    /// One about nothing that is shown has an id of its own.
    async fn card_id(&self, question: &Question) -> ToolCallId {
        // What asks while it runs is shown as running first, or that would take the question off the screen.
        let stage = if is_card(question) {
            Stage::Pending
        } else {
            Stage::Running
        };
        match &question.about {
            Some(about) if about.name != calls::PLAN_TOOL => self.told.shown(&about.call_id, stage).await,
            Some(_) | None => ToolCallId::new(question.id.clone()),
        }
    }

    /// What the card is about, in the form of a tool call that waits.
    fn card(&self, id: ToolCallId, question: &Question) -> ToolCallUpdate {
        let mut content = calls::content(&question.shown, words::first_of);
        let detail = question.detail.iter().filter(|detail| !detail.is_empty());
        content.extend(detail.map(|detail| calls::text_block(words::first_of(detail))));
        // The call keeps its title: it stays on show when the card is gone.
        let title = question
            .about
            .as_ref()
            .map_or(&question.title, |about| &about.title);
        let fields = ToolCallUpdateFields::new()
            .title(title.clone())
            .status(ToolCallStatus::Pending)
            .content((!content.is_empty()).then_some(content));
        let mut fields = match &question.about {
            Some(about) => fields
                .name(about.name.clone())
                .kind(calls::kind(about.kind))
                .locations(calls::locations(&about.locations))
                .raw_input(calls::raw_input(&about.arguments)),
            None => fields.kind(ToolKind::Other).raw_input(plain(question)),
        };
        self.spelling.fields(&mut fields);
        let card = ToolCallUpdate::new(id, fields);
        match self.approval(question) {
            Some(approval) => card.meta(words::meta(approval)),
            None => card,
        }
    }

    /// What a host needs to know of a permission card beside what a person reads.
    fn approval(&self, question: &Question) -> Option<Value> {
        let id = question.id.strip_prefix(GATE)?;
        let mut approval = Map::new();
        let mut say = |key: &str, value: Value| _ = approval.insert(key.to_owned(), value);
        let about = question.about.as_ref();
        say("approvalId", id.into());
        say("tool", about.map(|about| about.name.as_str()).into());
        say(
            "subject",
            question
                .subject
                .as_ref()
                .unwrap_or(&question.title)
                .as_str()
                .into(),
        );
        say("fresh", question.fresh.into());
        if let Some(detail) = &question.detail {
            say("reason", words::first_of(detail).into());
        }
        if let Some(argv) = about.and_then(argv::of_call) {
            say("commandSchemaVersion", 1.into());
            say("argv", argv.into());
            say("cwd", self.spelling.of(&self.folder).to_string_lossy().into());
        }
        Some(Value::Object(approval))
    }
}

#[async_trait::async_trait]
impl Person for ClientPerson {
    async fn ask(&self, question: Question, cancel: CancellationToken) -> Answer {
        if self.silent && !is_card(&question) {
            return Answer::None;
        }
        let asking = self.show(&question, &cancel);
        match question.deadline_ms.map(Duration::from_millis) {
            None => asking.await,
            // Dropping what waits for the answer takes the card back.
            Some(limit) => timeout(limit, asking).await.unwrap_or(Answer::None),
        }
    }
}

/// Anything but one of the choices is a refusal.
fn read_answer(answer: Result<RequestPermissionResponse, CallError>, choices: &[Choice]) -> Answer {
    let outcome = match answer {
        Ok(response) => response.outcome,
        Err(
            CallError::Closed(_) | CallError::Cancelled | CallError::Refused { .. } | CallError::Malformed,
        ) => {
            return Answer::None;
        }
    };
    match outcome {
        RequestPermissionOutcome::Selected(chosen)
            if choices.iter().any(|choice| *choice.id == *chosen.option_id.0) =>
        {
            Answer::Chosen(chosen.option_id.0.to_string())
        }
        _ => Answer::Dismissed,
    }
}

/// A permission card, as against a plain question.
fn is_card(question: &Question) -> bool {
    question.id.starts_with(GATE)
}

/// The choices of a card. A plain question can always be closed without one.
fn options(question: &Question) -> Vec<Choice> {
    let mut options = question.options.clone();
    let can_refuse =
        |choice: &Choice| matches!(choice.kind, ChoiceKind::RejectOnce | ChoiceKind::RejectAlways);
    if !options.iter().any(can_refuse) {
        options.push(Choice {
            id: format!("{}:cancel", question.id),
            label: "Cancel".to_owned(),
            kind: ChoiceKind::RejectOnce,
        });
    }
    options
}

fn option(choice: &Choice) -> PermissionOption {
    let kind = match choice.kind {
        ChoiceKind::AllowOnce => PermissionOptionKind::AllowOnce,
        ChoiceKind::AllowAlways => PermissionOptionKind::AllowAlways,
        ChoiceKind::RejectOnce => PermissionOptionKind::RejectOnce,
        ChoiceKind::RejectAlways => PermissionOptionKind::RejectAlways,
    };
    PermissionOption::new(choice.id.clone(), choice.label.clone(), kind)
}

/// A plain question for programs.
fn plain(question: &Question) -> Value {
    let options: Vec<&str> = question
        .options
        .iter()
        .map(|choice| choice.label.as_str())
        .collect();
    json!({ "id": question.id, "question": question.title, "options": options, "multi": false })
}

#[cfg(test)]
mod tests;
