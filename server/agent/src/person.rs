//! Fifth of the five traits: the one way a question reaches a human (permission cards, the ask tool, elicitation,
//! plugin forms, consent), so that no front invents its own (decision 23).

use tokio_util::sync::CancellationToken;

/// The human behind a client.
#[async_trait::async_trait]
pub trait Person: Send + Sync {
    /// Asks and waits, bounded by the question's deadline and by `cancel`; one question at a time.
    async fn ask(&self, question: Question, cancel: CancellationToken) -> Answer;
}

/// A question to a human.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What it is about, in one line.
    pub title: String,
    /// More, when needed.
    pub detail: Option<String>,
    /// What can be chosen; the first one is the careful one.
    pub options: Vec<Choice>,
    /// Free text is welcome too.
    pub free_text: bool,
    /// Unanswered after this many milliseconds counts as [`Answer::None`].
    pub deadline_ms: u64,
}

/// One choice of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Names it in the answer.
    pub id: String,
    /// What the human reads.
    pub label: String,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One of the choices.
    Chosen(String),
    /// Free text.
    Text(String),
    /// Refused, closed, late, or nobody was there.
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
