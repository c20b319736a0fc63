//! One turn as a client sees it afterwards, and the pieces it is made of.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::ChatId;
use crate::mode::Mode;
use crate::number::Count;
use crate::reason::ErrorReason;
use crate::text::NonEmpty;
use crate::wire::present;

/// Everything a panel needs to draw one turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct TurnRecord {
    /// Name of the turn.
    pub id: ChatId,
    /// What the person asked.
    pub prompt: String,
    /// Kind of answer asked for.
    pub mode: Mode,
    /// When it began, in milliseconds since 1970.
    pub started_at: Count,
    /// How far it is.
    pub state: TurnState,
    /// Why it failed.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub reason: Option<ErrorReason>,
    /// The answer so far.
    pub text: String,
    /// Whether the text was cut to fit into a frame.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub clipped: Option<bool>,
    /// Tools that were used.
    pub tools: Vec<ToolRow>,
    /// Links of the answer.
    pub references: Vec<Reference>,
    /// Media messages, as `chat_media` carries them.
    pub media: Vec<Map<String, Value>>,
    /// What the person should know about the answer.
    pub notices: Vec<NoticeCode>,
    /// The page that was sent along.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub page: Option<PageStub>,
    /// The model that answered.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub model: Option<String>,
    /// What it cost.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Usage>,
}

/// How far a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TurnState {
    /// The answer is still coming.
    Running,
    /// The answer is complete.
    Done,
    /// The person stopped it.
    Stopped,
    /// It ended with an error.
    Failed,
}

words!(TurnState { Running = "running", Done = "done", Stopped = "stopped", Failed = "failed" });

/// A link that belongs to an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Reference {
    /// What it leads to.
    pub kind: String,
    /// Text of the link.
    pub title: String,
    /// Where it leads.
    pub url: String,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ToolRow {
    /// Names this use.
    pub call_id: NonEmpty,
    /// Name of the tool.
    pub tool: NonEmpty,
    /// What to call it in front of a person.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub label: Option<String>,
    /// How far it is.
    pub phase: ToolPhase,
    /// Whether it worked.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub ok: Option<bool>,
    /// How long it took.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub ms: Option<Count>,
    /// What it was asked, for a person; cut when long.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub input: Option<String>,
    /// What it gave, or gave so far, for a person; cut when long.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<String>,
}

/// How far the use of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolPhase {
    /// It runs.
    Started,
    /// It runs and has reported.
    Progress,
    /// It has ended.
    Finished,
}

words!(ToolPhase { Started = "started", Progress = "progress", Finished = "finished" });

/// What the person should know about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeCode {
    /// Older turns did not fit into the model's window.
    HistoryTrimmed,
    /// The page did not fit into the model's window.
    PageTrimmed,
    /// The model stopped at its longest answer.
    AnswerClipped,
    /// The turn used all the steps it may.
    StepLimit,
    /// The provider withheld the rest of the answer.
    Withheld,
    /// Earlier turns were summed up to make room.
    Compacted,
    /// The model's server failed and is asked again.
    Retrying,
}

words!(NoticeCode {
    HistoryTrimmed = "history-trimmed",
    PageTrimmed = "page-trimmed",
    AnswerClipped = "answer-clipped",
    StepLimit = "step-limit",
    Withheld = "withheld",
    Compacted = "compacted",
    Retrying = "retrying",
});

/// What is kept of a page once its turn is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct PageStub {
    /// Title of the page.
    pub title: String,
    /// Address of the page.
    pub url: String,
}

/// Tokens that a turn used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct Usage {
    /// Tokens sent to the model.
    pub input_tokens: Count,
    /// Tokens the model wrote.
    pub output_tokens: Count,
    /// Tokens sent that the model's server had cached.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub cached_tokens: Option<Count>,
}

objects!(TurnRecord, Reference, ToolRow, PageStub, Usage);
