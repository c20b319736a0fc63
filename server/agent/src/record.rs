//! A conversation and its turns as they are shown and stored: the same picture for a list, a reopened panel, a
//! loaded editor session and an export.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidewire_contract::media::Media;
use sidewire_contract::mode::Mode;

use crate::briefing::{Collaboration, Preset};
use crate::error::TurnFailure;
use crate::event::{ToolContent, TurnOutcome};
use crate::ids::{ConversationId, Owner, TurnId};
use crate::message::{Notice, Reference, Usage};
use crate::page_block::text::clip;
use crate::permission::Posture;
use crate::tool::{Location, ToolKind};

/// Most bytes that are shown of what a tool was asked.
const INPUT_BYTES: usize = 2 * 1024;
/// Most bytes that are shown of what a tool gave.
const OUTPUT_BYTES: usize = 4 * 1024;

/// A conversation without its turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationRecord {
    /// Its id.
    pub id: ConversationId,
    /// Whose it is.
    pub owner: Owner,
    /// Where it began.
    pub origin: Origin,
    /// What it is called; the first question until someone renames it.
    pub title: String,
    /// The mode of its newest turn.
    pub mode: Mode,
    /// Fixed at creation; another one means another conversation (decision 15).
    pub session_key: String,
    /// Host of the page it was last about.
    pub host: Option<String>,
    /// Milliseconds since 1970.
    pub created_at_ms: i64,
    /// Milliseconds since 1970.
    pub updated_at_ms: i64,
    /// How many turns it has.
    pub turns: u64,
    /// The conversation it was branched from.
    pub branch_of: Option<ConversationId>,
    /// Folder an editor works in; `None` for one that began elsewhere.
    pub folder: Option<String>,
    /// What an editor set for it.
    pub controls: Controls,
}

impl ConversationRecord {
    /// A conversation without turns.
    pub(crate) fn begun(owner: Owner, origin: Origin, now_ms: i64) -> Self {
        Self {
            id: ConversationId::mint(),
            owner,
            origin,
            title: String::new(),
            mode: Mode::default(),
            session_key: String::new(),
            host: None,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            turns: 0,
            branch_of: None,
            folder: None,
            controls: Controls::default(),
        }
    }
}

/// What an editor set for a conversation; kept with it, so that loading it brings all of it back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Controls {
    /// The chosen model, as `provider/model`; the default one without.
    pub model: Option<String>,
    /// The chosen reasoning effort; the provider's default without.
    pub effort: Option<String>,
    /// How thoroughly it works.
    pub preset: Preset,
    /// How it works with the person.
    pub collaboration: Collaboration,
    /// How much it may do unasked, as far as the person chose; a ceiling of the process does not change it.
    pub posture: Option<Posture>,
    /// The person lets it act on their files: an editor began it, or they said so since a page last came into it
    /// (decision 35).
    pub trusted: bool,
}

/// Where a conversation began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// In a side panel.
    Browser,
    /// In an editor.
    Editor,
    /// In a terminal.
    Terminal,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The client's id.
    pub id: TurnId,
    /// The question.
    pub prompt: String,
    /// What the person wanted from the answer.
    pub mode: Mode,
    /// Milliseconds since 1970.
    pub started_at_ms: i64,
    /// How far it is.
    pub state: TurnState,
    /// Why it failed, when it did.
    pub failure: Option<TurnFailure>,
    /// The answer so far.
    pub text: String,
    /// Tool calls in the order they began.
    pub tools: Vec<ToolRow>,
    /// Links the answer cited.
    pub references: Vec<Reference>,
    /// Media that was shown.
    pub media: Vec<Media>,
    /// What the person was told beside the text.
    pub notices: Vec<Notice>,
    /// Which page the question was about.
    pub page: Option<PageStub>,
    /// Which model answered.
    pub model: Option<String>,
    /// Tokens used.
    pub usage: Option<Usage>,
    /// Tokens that the conversation took after the newest model call of this turn.
    pub context: Option<u64>,
}

impl TurnRecord {
    /// A turn that has just begun.
    #[must_use]
    pub fn begun(id: TurnId, prompt: impl Into<String>, mode: Mode, started_at_ms: i64) -> Self {
        Self {
            id,
            prompt: prompt.into(),
            mode,
            started_at_ms,
            state: TurnState::Running,
            failure: None,
            text: String::new(),
            tools: Vec::new(),
            references: Vec::new(),
            media: Vec::new(),
            notices: Vec::new(),
            page: None,
            model: None,
            usage: None,
            context: None,
        }
    }

    /// Marks the turn as ended.
    pub(crate) fn end(&mut self, outcome: &TurnOutcome, references: &[Reference]) {
        (self.state, self.failure) = match outcome {
            TurnOutcome::Done | TurnOutcome::CutShort(_) => (TurnState::Done, None),
            TurnOutcome::Stopped(_) => (TurnState::Stopped, None),
            TurnOutcome::Failed(failure) => (TurnState::Failed, Some(failure.clone())),
        };
        self.references = references.to_vec();
    }
}

/// How far a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// Still answering.
    Running,
    /// Answered.
    Done,
    /// Stopped; the partial answer stays.
    Stopped,
    /// Failed; the partial answer stays.
    Failed,
}

/// One tool call of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRow {
    /// The model's id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// What it does, for a person.
    pub label: String,
    /// `None` while it runs.
    pub ok: Option<bool>,
    /// How long it took, in milliseconds.
    pub ms: Option<u64>,
    /// What it was asked, for a person; cut when long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What it gave, or gave so far, for a person; cut when long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What kind of thing it does; unknown for calls of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    /// Places it touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

/// A changed file as a tool call showed it. It is kept beside the record, which is copied and sent often, and read only
/// by who shows a conversation again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDiff {
    /// The model's id of the call.
    pub call_id: String,
    /// Absolute path.
    pub path: String,
    /// What it held; `None` for a new file.
    pub before: Option<String>,
    /// What it held then.
    pub after: String,
}

impl CallDiff {
    /// Bytes of both sides.
    pub(crate) fn weight(&self) -> usize {
        self.before.as_ref().map_or(0, String::len) + self.after.len()
    }
}

/// What a tool is asked, for a person; nothing where there is nothing to say.
#[must_use]
pub fn shown_input(arguments: &Value) -> Option<String> {
    let is_empty = match arguments {
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        other => other.is_null(),
    };
    (!is_empty).then(|| cut(arguments.to_string(), INPUT_BYTES))
}

/// What a tool gave, or gave so far, for a person.
#[must_use]
pub fn shown_output(content: &[ToolContent]) -> Option<String> {
    let lines: Vec<&str> = content
        .iter()
        .filter_map(|block| match block {
            ToolContent::Text(text) => Some(text.as_str()),
            ToolContent::Diff { path, .. } => Some(path),
            ToolContent::Terminal(_) | ToolContent::Picture(_) => None,
        })
        .collect();
    let text = lines.join("\n");
    (!text.is_empty()).then(|| cut(text, OUTPUT_BYTES))
}

fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let kept = clip(&text, limit).len();
        text.truncate(kept);
        text.push('…');
    }
    text
}

/// Which page a question was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageStub {
    /// Its title.
    pub title: String,
    /// Its address without query.
    pub url: String,
}
