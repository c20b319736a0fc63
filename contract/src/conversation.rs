//! A conversation as a row of a list.

use serde::{Deserialize, Serialize};

use crate::ids::ConversationId;
use crate::mode::Mode;
use crate::number::Count;
use crate::wire::present;

/// What a list shows of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationItem {
    /// Name of the conversation.
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// The mode it was last used in.
    pub mode: Mode,
    /// Host name of the page it is about.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub host: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at: Count,
    /// When it last changed, in milliseconds since 1970.
    pub updated_at: Count,
    /// Number of turns.
    pub turns: Count,
    /// Whether a turn is running.
    pub running: bool,
    /// The conversation it was branched from.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub branch_of: Option<ConversationId>,
}

objects!(ConversationItem);
