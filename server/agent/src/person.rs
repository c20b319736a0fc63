//! Fifth of the five traits: the one way a question reaches a human (permission cards, the ask tool, elicitation,
//! plugin forms, consent), so that no front invents its own (decision 23).

use tokio_util::sync::CancellationToken;

use crate::event::{ToolContent, ToolStart};

/// The human behind a client.
#[async_trait::async_trait]
pub trait Person: Send + Sync {
    /// Asks and waits, bounded by the question's deadline and by `cancel`; one question at a time.
    async fn ask(&self, question: Question, cancel: CancellationToken) -> Answer;
}

/// A question to a human.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Names it among the questions of a conversation, such as `gate-5d2f…-1`.
    pub id: String,
    /// What it is about, in one line.
    pub title: String,
    /// More, when needed.
    pub detail: Option<String>,
    /// The tool call that waits for the answer, when it is about one.
    pub about: Option<ToolStart>,
    /// What that call would do, as far as it can be shown beforehand.
    pub shown: Vec<ToolContent>,
    /// What that call is about, whole and as rules are compared with it, however the title says it.
    pub subject: Option<String>,
    /// A decision that belongs to a person each time, whatever was answered before.
    pub fresh: bool,
    /// What can be chosen, in the order it is shown.
    pub options: Vec<Choice>,
    /// Unanswered after this many milliseconds counts as [`Answer::None`]; `None` waits as long as the turn runs.
    pub deadline_ms: Option<u64>,
}

/// One choice of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Names it in the answer.
    pub id: String,
    /// What the human reads.
    pub label: String,
    /// What choosing it means.
    pub kind: ChoiceKind,
}

/// What choosing something means; the kinds of ACP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceKind {
    /// Yes, this once; also any answer of a plain question.
    AllowOnce,
    /// Yes, and do not ask again.
    AllowAlways,
    /// No, this once.
    RejectOnce,
    /// No, and do not ask again.
    RejectAlways,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One of the choices, by its id.
    Chosen(String),
    /// A human closed it without a choice.
    Dismissed,
    /// Late, or nobody was there.
    None,
}

/// Nobody to ask: every answer is [`Answer::None`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

#[async_trait::async_trait]
impl Person for Nobody {
    async fn ask(&self, _question: Question, _cancel: CancellationToken) -> Answer {
        Answer::None
    }
}
