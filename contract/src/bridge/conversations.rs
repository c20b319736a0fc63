//! Frames about stored conversations. Each request names itself and gets exactly one answer: its page, `request_done`
//! or `request_error`.

use serde::{Deserialize, Serialize};

use crate::conversation::ConversationItem;
use crate::ids::{ChatId, ConversationId, Cursor, RequestId};
use crate::text::Text;
use crate::turn::TurnRecord;
use crate::wire::present;

/// Asks for the newest conversations (`conversation_list`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationList {
    /// Names the request.
    pub request_id: RequestId,
    /// Where to go on.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub cursor: Option<Cursor>,
}

/// Asks for conversations that contain words (`conversation_search`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationSearch {
    /// Names the request.
    pub request_id: RequestId,
    /// The words.
    pub query: Text<256>,
    /// Where to go on.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub cursor: Option<Cursor>,
}

/// A page of conversations (`conversation_page`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationPage {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversations, newest first.
    pub items: Vec<ConversationItem>,
    /// Where to go on, when there are more.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub cursor: Option<Cursor>,
}

/// Asks for the last turns of a conversation (`conversation_get`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationGet {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Where to go on, towards older turns.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub before: Option<Cursor>,
}

/// Turns of a conversation (`conversation_transcript`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationTranscript {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversation.
    pub conversation: ConversationItem,
    /// Its turns, oldest first.
    pub turns: Vec<TurnRecord>,
    /// Where to go on, when there are older ones.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub before: Option<Cursor>,
}

/// Gives a conversation a title (`conversation_rename`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationRename {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The title.
    pub title: Text<200>,
}

/// Deletes a conversation; it can be restored for a while (`conversation_delete`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationDelete {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversation.
    pub conversation: ConversationId,
}

/// Brings a deleted conversation back (`conversation_restore`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationRestore {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversation.
    pub conversation: ConversationId,
}

/// Begins a new conversation with the turns before one (`conversation_branch`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ConversationBranch {
    /// Names the request.
    pub request_id: RequestId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The first turn that is left out.
    pub before: ChatId,
}

/// Deletes everything that is kept of this client (`data_delete`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct DataDelete {
    /// Names the request.
    pub request_id: RequestId,
}

/// A request was carried out and has no other answer (`request_done`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct RequestDone {
    /// Names the request.
    pub request_id: RequestId,
}

/// A request was not carried out (`request_error`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct RequestError {
    /// Names the request.
    pub request_id: RequestId,
    /// Why.
    pub code: RequestErrorCode,
    /// The same for a developer.
    pub message: String,
}

/// Why a request was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestErrorCode {
    /// It was not understood.
    BadRequest,
    /// What it names does not exist.
    NotFound,
    /// Something else stands in its way.
    Conflict,
    /// This client may not do it.
    Forbidden,
    /// The answer or the request is too long.
    TooLarge,
    /// The model's server failed.
    ProviderFailed,
    /// The disk failed.
    StorageFailed,
    /// This worker cannot do it.
    Unsupported,
}

words!(RequestErrorCode {
    BadRequest = "bad-request",
    NotFound = "not-found",
    Conflict = "conflict",
    Forbidden = "forbidden",
    TooLarge = "too-large",
    ProviderFailed = "provider-failed",
    StorageFailed = "storage-failed",
    Unsupported = "unsupported",
});

objects!(
    ConversationList,
    ConversationSearch,
    ConversationPage,
    ConversationGet,
    ConversationTranscript,
    ConversationRename,
    ConversationDelete,
    ConversationRestore,
    ConversationBranch,
    DataDelete,
    RequestDone,
    RequestError,
);
