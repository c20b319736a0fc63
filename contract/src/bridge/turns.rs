//! Frames about turns: what the contract's messages leave out, and how a client that was away catches up.

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::ids::{ChatId, ConversationId};
use crate::number::{Count, Number};
use crate::text::NonEmpty;
use crate::turn::{NoticeCode, ToolPhase, TurnRecord, Usage};
use crate::wire::present;

/// Names the turns a client believes are running (`resume`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Resume {
    /// The turns.
    pub turns: ResumeTurns,
}

/// At most 64 turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ResumeTurns(Vec<ChatId>);

impl ResumeTurns {
    /// Most turns one frame may name.
    pub const MAX: usize = 64;

    /// The turns, unless there are too many.
    #[must_use]
    pub fn new(turns: Vec<ChatId>) -> Option<Self> {
        if turns.len() <= Self::MAX {
            Some(Self(turns))
        } else {
            None
        }
    }

    /// The turns.
    #[must_use]
    pub fn as_slice(&self) -> &[ChatId] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for ResumeTurns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("expected at most 64 turns"))
    }
}

/// A turn has begun (`turn_accepted`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct TurnAccepted {
    /// Name of the turn.
    pub id: ChatId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// Title of the conversation.
    pub title: String,
    /// The model that will answer.
    pub model: String,
}

/// A turn as it stands; replaces what the client knew of it (`turn_snapshot`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct TurnSnapshot {
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// Number of the next `chat_delta`.
    pub next_seq: Count,
    /// The turn.
    pub turn: TurnRecord,
}

/// The worker does not know a turn (`turn_unknown`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct TurnUnknown {
    /// Name of the turn.
    pub id: ChatId,
}

/// Something the person should know about an answer (`turn_notice`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct TurnNotice {
    /// Name of the turn.
    pub id: ChatId,
    /// What it is.
    pub code: NoticeCode,
    /// When retrying: which attempt failed.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub attempt: Option<Count>,
    /// When retrying: how long until the next.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub wait_ms: Option<Count>,
}

/// What a turn took; comes just before its end (`turn_report`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct TurnReport {
    /// Name of the turn.
    pub id: ChatId,
    /// The model that answered.
    pub model: String,
    /// What it cost.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Usage>,
    /// Whether the person stopped it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub stopped: Option<bool>,
}

/// Says which tab the next `host_tool_call` is about (`host_tool_scope`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct HostToolScope {
    /// The call's id.
    pub call_id: NonEmpty,
    /// Name of the turn.
    pub chat_id: ChatId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The tab.
    pub tab_id: Number,
}

/// The use of a tool began or ended (`tool_activity`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ToolActivity {
    /// Name of the turn.
    pub chat_id: ChatId,
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

objects!(
    Resume,
    TurnAccepted,
    TurnSnapshot,
    TurnUnknown,
    TurnNotice,
    TurnReport,
    HostToolScope,
    ToolActivity,
);
