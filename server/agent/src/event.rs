//! What happens in a turn, as the richer front needs it; the chat contract is a lossy projection (decision 24).

use serde_json::Value;
use sidewire_contract::media::Media;

use crate::message::{Notice, Usage};
use crate::provider::Picture;
use crate::tool::{Location, ToolKind};

/// One thing that happened in a running turn. Text and reasoning are deltas; everything else is whole.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEvent {
    /// A sampling attempt begins; deltas that follow belong to it.
    Attempt(Attempt),
    /// More of the answer.
    Text(String),
    /// More of the model's thinking.
    Reasoning(String),
    /// A tool call begins.
    ToolStarted(ToolStart),
    /// A tool call reports.
    ToolProgress(ToolProgress),
    /// A tool call ended.
    ToolFinished(ToolEnd),
    /// The whole plan, replacing the one before.
    Plan(Vec<PlanEntry>),
    /// Tokens so far.
    Usage(UsageReport),
    /// Something to tell the person.
    Notice(Notice),
    /// Media to show.
    Media(Box<Media>),
    /// The provider failed before its first byte and is asked again.
    Retrying {
        /// Which try comes next, from 1.
        attempt: u32,
        /// How long until then, in milliseconds.
        wait_ms: u64,
    },
}

/// Tokens so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReport {
    /// Of all model calls of this turn.
    pub turn: Usage,
    /// What the conversation takes of the window after the last call.
    pub context: u64,
    /// The window of the model, when known.
    pub window: Option<u64>,
}

/// A sampling attempt: one model call of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// Names the message it produces.
    pub message_id: String,
    /// The model that answers.
    pub model: String,
}

/// A tool call begins.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolStart {
    /// The model's id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// What it does, for a person.
    pub title: String,
    /// What kind of thing it does.
    pub kind: ToolKind,
    /// Arguments as the model wrote them.
    pub arguments: Value,
    /// Places it touches.
    pub locations: Vec<Location>,
}

/// A tool call reports; replaces its earlier report.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolProgress {
    /// The model's id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// What to show so far.
    pub content: Vec<ToolContent>,
    /// What may be kept and shown of its arguments, once it is known that they hold a secret.
    pub kept_arguments: Option<Value>,
}

/// A tool call ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolEnd {
    /// The model's id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// It did what it should.
    pub ok: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What to show.
    pub content: Vec<ToolContent>,
    /// What may be kept and shown of its arguments, when they hold a secret.
    pub kept_arguments: Option<Value>,
    /// Places it touched.
    pub locations: Vec<Location>,
}

/// What a front may show of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolContent {
    /// Words.
    Text(String),
    /// A changed file.
    Diff {
        /// Absolute path.
        path: String,
        /// What it held; `None` for a new file.
        before: Option<String>,
        /// What it holds now.
        after: String,
    },
    /// A terminal of the editor.
    Terminal(String),
    /// A picture.
    Picture(Picture),
}

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanEntry {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: PlanStatus,
    /// It is a step of its own, not a part of the one before.
    pub top_level: bool,
}

/// How far a line of a plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// How a turn ended. [`crate::turn::Turn::run`] returns it, so there is exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The model finished.
    Done,
    /// It ended honestly before the model was done; what there is counts as its answer.
    CutShort(Cut),
    /// It was stopped; the partial answer stays.
    Stopped(StopCause),
    /// It failed; the partial answer stays.
    Failed(crate::error::TurnFailure),
}

/// What cut a turn short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The last answer ran out of room.
    Length,
    /// The provider withheld the rest of the last answer.
    Withheld,
    /// The ceiling of model calls.
    Steps,
}

/// Who stopped a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// The person asked for it.
    Person,
    /// No client came back within the grace period.
    Abandoned,
}
