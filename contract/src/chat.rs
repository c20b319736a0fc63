//! The messages of one turn, as the chat contract has them.
//!
//! Structs do not hold their `type`: the enums of `frames` write it and choose by it.

use serde::{Deserialize, Serialize};

use crate::ids::{ChatId, SessionKey};
use crate::mode::Mode;
use crate::number::Number;
use crate::page::PageSnapshot;
use crate::reason::ErrorReason;
use crate::turn::Reference;
use crate::wire::{nullable, present};

/// Asks a question (`chat_request`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatRequest {
    /// Name of the turn.
    pub id: ChatId,
    /// What the person asks.
    pub text: String,
    /// The page, or null.
    #[serde(deserialize_with = "nullable")]
    pub context: Option<PageSnapshot>,
    /// Kind of answer asked for.
    pub mode: Mode,
    /// The tab the panel stands beside.
    #[serde(rename = "tabId")]
    pub tab_id: Number,
    /// Account or tenant.
    #[serde(rename = "sessionKey")]
    pub session_key: SessionKey,
    /// The conversation, as far as the client knows it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub history_hint: Option<String>,
}

/// Ends a turn early (`chat_stop`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatStop {
    /// Name of the turn.
    pub id: ChatId,
}

/// The next piece of an answer (`chat_delta`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatDelta {
    /// Name of the turn.
    pub id: ChatId,
    /// Number of the piece, from 0.
    pub seq: Number,
    /// Its text.
    pub delta: String,
}

/// The answer is complete (`chat_done`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatDone {
    /// Name of the turn.
    pub id: ChatId,
    /// Links of the answer.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub references: Option<Vec<Reference>>,
}

/// The turn failed (`chat_error`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatError {
    /// Name of the turn.
    pub id: ChatId,
    /// Why.
    pub reason: ErrorReason,
}

/// A tool was used (`chat_tool_notice`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatToolNotice {
    /// Name of the turn.
    pub id: ChatId,
    /// Name of the tool.
    pub tool: String,
    /// Whether it worked.
    pub ok: bool,
    /// More about it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub detail: Option<String>,
}

/// The turn is still at work (`chat_keepalive`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ChatKeepalive {
    /// Name of the turn.
    pub id: ChatId,
}

objects!(
    ChatRequest,
    ChatStop,
    ChatDelta,
    ChatDone,
    ChatError,
    ChatToolNotice,
    ChatKeepalive
);
