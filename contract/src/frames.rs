//! Every frame of a connection, in either direction: choose by `type`, then read that one.
//!
//! Only the form is checked here. Sizes and depth are the caller's business, before it decodes ([`crate::limits`]).

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

use crate::bridge::{conversations, handshake, models, turns};
use crate::ids::{ChatId, RequestId};
use crate::{chat, host_tool, media_asset};

/// A frame that a client sends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each variant is named after its frame, which is documented"
)]
pub enum ClientFrame {
    ChatRequest(Box<chat::ChatRequest>),
    ChatStop(chat::ChatStop),
    SetHostTools(host_tool::SetHostTools),
    HostToolUpdate(host_tool::HostToolUpdate),
    HostToolResult(host_tool::HostToolResult),
    MediaAssetRead(media_asset::MediaAssetRead),
    Hello(handshake::Hello),
    Proof(handshake::Proof),
    ClientInfo(handshake::ClientInfo),
    Ping(handshake::Ping),
    Pong(handshake::Pong),
    Handover(handshake::Handover),
    Resume(turns::Resume),
    ConversationList(conversations::ConversationList),
    ConversationSearch(conversations::ConversationSearch),
    ConversationGet(conversations::ConversationGet),
    ConversationRename(conversations::ConversationRename),
    ConversationDelete(conversations::ConversationDelete),
    ConversationRestore(conversations::ConversationRestore),
    ConversationBranch(conversations::ConversationBranch),
    DataDelete(conversations::DataDelete),
    ModelList(models::ModelList),
    ModelSelect(models::ModelSelect),
    ProviderDetect(models::ProviderDetect),
    ProviderSet(models::ProviderSet),
    PairingList(models::PairingList),
    PairingRevoke(models::PairingRevoke),
}

/// A frame that the worker sends, or the native host in its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each variant is named after its frame, which is documented"
)]
pub enum WorkerFrame {
    ChatDelta(chat::ChatDelta),
    ChatDone(chat::ChatDone),
    ChatError(chat::ChatError),
    ChatToolNotice(chat::ChatToolNotice),
    ChatKeepalive(chat::ChatKeepalive),
    ChatMedia(Box<media_asset::ChatMedia>),
    SetHostToolsAck(host_tool::SetHostToolsAck),
    SetHostToolsError(host_tool::SetHostToolsError),
    HostToolCall(host_tool::HostToolCall),
    HostToolCancel(host_tool::HostToolCancel),
    MediaAssetChunk(media_asset::MediaAssetChunk),
    MediaAssetError(media_asset::MediaAssetError),
    Challenge(handshake::Challenge),
    HelloAck(Box<handshake::HelloAck>),
    Ping(handshake::Ping),
    Pong(handshake::Pong),
    BridgeError(handshake::BridgeError),
    HandoverAck(handshake::HandoverAck),
    TurnAccepted(turns::TurnAccepted),
    TurnSnapshot(Box<turns::TurnSnapshot>),
    TurnUnknown(turns::TurnUnknown),
    TurnNotice(turns::TurnNotice),
    TurnReport(turns::TurnReport),
    HostToolScope(turns::HostToolScope),
    ToolActivity(turns::ToolActivity),
    ConversationPage(conversations::ConversationPage),
    ConversationTranscript(Box<conversations::ConversationTranscript>),
    RequestDone(conversations::RequestDone),
    RequestError(conversations::RequestError),
    ModelPage(models::ModelPage),
    ModelChanged(models::ModelChanged),
    ProviderFound(models::ProviderFound),
    PairingPage(models::PairingPage),
}

/// Why a text is not a frame. It tells what was expected where, and nothing of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The text is not JSON.
    #[error("not JSON")]
    NotJson,
    /// The text is not an object with one string `type`.
    #[error("not an object with a type")]
    NoType,
    /// This side does not take such a frame.
    #[error("unknown type {name}")]
    UnknownType {
        /// The type, clipped; a dash when it has an unusual character.
        name: String,
    },
    /// The frame has not the form of its type.
    #[error("invalid {frame_type}: {why}")]
    InvalidFrame {
        /// Its type.
        frame_type: &'static str,
        /// The turn it names, so that it can be answered.
        chat_id: Option<ChatId>,
        /// The request it names, so that it can be answered.
        request_id: Option<RequestId>,
        /// The use of a host tool it is about, so that nobody waits for it any longer.
        call_id: Option<String>,
        /// What was expected where.
        why: String,
    },
}

/// Writes down once which word chooses which variant.
macro_rules! frame_table {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            /// The words of all frames.
            pub const TYPES: &'static [&'static str] = &[$($word),+];

            /// The word of this frame, as `type` on the wire.
            #[must_use]
            pub const fn frame_type(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $word),+
                }
            }

            /// Reads a frame.
            ///
            /// # Errors
            /// When the text is not a frame of this direction.
            pub fn decode(text: &str) -> Result<Self, DecodeError> {
                match peek_type(text)?.as_ref() {
                    $($word => read_frame(text, $word).map(Self::$variant),)+
                    other => Err(DecodeError::UnknownType { name: printable(other) }),
                }
            }

            /// Writes a frame.
            #[must_use]
            pub fn encode(&self) -> String {
                // Our types hold nothing that JSON cannot say, so this never takes the default.
                serde_json::to_string(self).unwrap_or_default()
            }
        }
    };
}

frame_table!(ClientFrame {
    ChatRequest = "chat_request",
    ChatStop = "chat_stop",
    SetHostTools = "set_host_tools",
    HostToolUpdate = "host_tool_update",
    HostToolResult = "host_tool_result",
    MediaAssetRead = "media_asset_read",
    Hello = "hello",
    Proof = "proof",
    ClientInfo = "client_info",
    Ping = "ping",
    Pong = "pong",
    Handover = "handover",
    Resume = "resume",
    ConversationList = "conversation_list",
    ConversationSearch = "conversation_search",
    ConversationGet = "conversation_get",
    ConversationRename = "conversation_rename",
    ConversationDelete = "conversation_delete",
    ConversationRestore = "conversation_restore",
    ConversationBranch = "conversation_branch",
    DataDelete = "data_delete",
    ModelList = "model_list",
    ModelSelect = "model_select",
    ProviderDetect = "provider_detect",
    ProviderSet = "provider_set",
    PairingList = "pairing_list",
    PairingRevoke = "pairing_revoke",
});

frame_table!(WorkerFrame {
    ChatDelta = "chat_delta",
    ChatDone = "chat_done",
    ChatError = "chat_error",
    ChatToolNotice = "chat_tool_notice",
    ChatKeepalive = "chat_keepalive",
    ChatMedia = "chat_media",
    SetHostToolsAck = "set_host_tools_ack",
    SetHostToolsError = "set_host_tools_error",
    HostToolCall = "host_tool_call",
    HostToolCancel = "host_tool_cancel",
    MediaAssetChunk = "media_asset_chunk",
    MediaAssetError = "media_asset_error",
    Challenge = "challenge",
    HelloAck = "hello_ack",
    Ping = "ping",
    Pong = "pong",
    BridgeError = "bridge_error",
    HandoverAck = "handover_ack",
    TurnAccepted = "turn_accepted",
    TurnSnapshot = "turn_snapshot",
    TurnUnknown = "turn_unknown",
    TurnNotice = "turn_notice",
    TurnReport = "turn_report",
    HostToolScope = "host_tool_scope",
    ToolActivity = "tool_activity",
    ConversationPage = "conversation_page",
    ConversationTranscript = "conversation_transcript",
    RequestDone = "request_done",
    RequestError = "request_error",
    ModelPage = "model_page",
    ModelChanged = "model_changed",
    ProviderFound = "provider_found",
    PairingPage = "pairing_page",
});

/// A frame with everything but its type left unread.
#[derive(Deserialize)]
struct Tagged<'a> {
    #[serde(rename = "type", borrow)]
    frame_type: Cow<'a, str>,
}

fn peek_type(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    // Serde would also read the struct from an array.
    let is_object = text.trim_start().starts_with('{');
    match serde_json::from_str::<Tagged<'_>>(text) {
        Ok(tagged) if is_object => Ok(tagged.frame_type),
        Err(error) if !error.is_data() => Err(DecodeError::NotJson),
        Ok(_) | Err(_) => Err(DecodeError::NoType),
    }
}

fn read_frame<'a, T: Deserialize<'a>>(text: &'a str, frame_type: &'static str) -> Result<T, DecodeError> {
    serde_json::from_str(text).map_err(|error| invalid(text, frame_type, without_content(&error)))
}

impl ClientFrame {
    /// What to say of a text that is not to be decoded, because it breaks a limit.
    #[must_use]
    pub fn refused(text: &str, why: impl Into<String>) -> DecodeError {
        let word = match peek_type(text) {
            Ok(word) => word,
            Err(error) => return error,
        };
        match Self::TYPES.iter().find(|known| **known == word) {
            Some(frame_type) => invalid(text, frame_type, why.into()),
            None => DecodeError::UnknownType {
                name: printable(&word),
            },
        }
    }
}

fn invalid(text: &str, frame_type: &'static str, why: String) -> DecodeError {
    let names = serde_json::from_str::<Names<'_>>(text).unwrap_or_default();
    DecodeError::InvalidFrame {
        frame_type,
        chat_id: names
            .id
            .filter(|_| frame_type.starts_with("chat_"))
            .and_then(read_name),
        request_id: names.request_id.and_then(read_name),
        call_id: names
            .id
            .filter(|_| frame_type.starts_with("host_tool_"))
            .and_then(read_name),
        why,
    }
}

/// What an answer to an invalid frame can name.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Names<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    request_id: Option<&'a RawValue>,
}

fn read_name<'a, T: Deserialize<'a>>(json: &'a RawValue) -> Option<T> {
    serde_json::from_str(json.get()).ok()
}

/// Serde quotes the value it did not like, which may be a prompt or a key: keep what it expected, and where.
fn without_content(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None => text,
    }
}

fn printable(name: &str) -> String {
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    if !name.is_empty() && name.bytes().all(usual) {
        name.chars().take(64).collect()
    } else {
        "-".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_error(text: &str) -> DecodeError {
        ClientFrame::decode(text).unwrap_err()
    }

    #[test]
    fn what_is_no_frame_is_told_apart() {
        assert_eq!(client_error(""), DecodeError::NotJson);
        assert_eq!(client_error("{\"type\":\"ping\""), DecodeError::NotJson);
        assert_eq!(client_error("{\"type\":\"ping\"}}"), DecodeError::NotJson);
        for text in [
            "7",
            "null",
            "[\"ping\"]",
            "{}",
            "{\"type\":7}",
            "{\"type\":\"ping\",\"type\":\"ping\"}",
        ] {
            assert_eq!(client_error(text), DecodeError::NoType, "{text}");
        }
        assert_eq!(
            client_error("{\"type\":\"chat_done\"}"),
            DecodeError::UnknownType {
                name: "chat_done".into()
            }
        );
        assert_eq!(
            client_error("{\"type\":\"my key\"}"),
            DecodeError::UnknownType { name: "-".into() }
        );
    }

    #[test]
    fn an_invalid_frame_names_what_can_be_answered() {
        let error = client_error(r#"{"type":"chat_request","id":"c-7","text":7,"requestId":"r"}"#);
        let DecodeError::InvalidFrame {
            frame_type,
            chat_id,
            why,
            ..
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!((frame_type, chat_id), ("chat_request", ChatId::new("c-7").ok()));
        assert_eq!(why, "expected a string at line 1 column 42");

        let error = client_error(r#"{"type":"model_select","id":"c-7","requestId":"r-1"}"#);
        let DecodeError::InvalidFrame {
            chat_id,
            request_id,
            why,
            ..
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!((chat_id, request_id), (None, "r-1".parse().ok()));
        assert!(why.starts_with("missing field `model`"), "{why}");
    }

    #[test]
    fn an_invalid_result_names_its_call() {
        for text in [
            r#"{"type":"host_tool_result","id":"7","result":{"content":"nope"}}"#,
            r#"{"type":"host_tool_result","id":"7"}"#,
            r#"{"result":{"content":[{"text":"\ud800","type":"text"}]},"id":"7","type":"host_tool_result"}"#,
        ] {
            let DecodeError::InvalidFrame { call_id, chat_id, .. } = client_error(text) else {
                panic!("{text}")
            };
            assert_eq!((call_id.as_deref(), chat_id), (Some("7"), None), "{text}");
        }
    }

    #[test]
    fn a_text_that_breaks_a_limit_is_told_apart_without_decoding_it() {
        let deep = |head: &str| format!("{head},\"x\":{}{}}}", "[".repeat(9_000), "]".repeat(9_000));
        let refused = |head: &str| ClientFrame::refused(&deep(head), "nested too deep");
        assert!(matches!(
            refused(r#"{"type":"chat_request","id":"c-1""#),
            DecodeError::InvalidFrame {
                chat_id: Some(_),
                frame_type: "chat_request",
                ..
            }
        ));
        assert!(matches!(
            refused(r#"{"type":"host_tool_result","id":"7""#),
            DecodeError::InvalidFrame { call_id: Some(_), .. }
        ));
        assert!(matches!(
            refused(r#"{"type":"my key""#),
            DecodeError::UnknownType { name } if name == "-"
        ));
        assert_eq!(refused(r#"{"x":1"#), DecodeError::NoType);
    }

    #[test]
    fn errors_never_quote_the_text() {
        for text in [
            r#"{"type":"chat_request","id":"SECRET","text":"SECRET"}"#,
            r#"{"type":"chat_request","id":"c-1","text":"SECRET","context":"SECRET, expected SECRET"}"#,
            r#"{"type":"chat_request","id":"c-1","text":"SECRET","mode":"SECRET"}"#,
            r#"{"type":"media_asset_read","requestId":"r","SECRET":"SECRET"}"#,
            r#"{"type":"provider_set","requestId":"r","kind":"openai","apiKey":["SECRET"]}"#,
            r#"{"type":"resume","turns":"SECRET"}"#,
            r#"{"type":"SECRET key"}"#,
        ] {
            let error = format!("{:?}", client_error(text));
            assert!(!error.contains("SECRET"), "{error}");
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        let text = r#"{"type":"provider_set","requestId":"r","kind":"openai","apiKey":"SECRET"}"#;
        let frame = ClientFrame::decode(text).unwrap();
        assert!(!format!("{frame:?}").contains("SECRET"));
        assert_eq!(frame.encode(), text);
    }

    #[test]
    fn an_array_is_no_object() {
        let text = r#"{"type":"chat_done","id":"c-1","references":[["doc","title","https://x"]]}"#;
        assert!(matches!(
            WorkerFrame::decode(text),
            Err(DecodeError::InvalidFrame { .. })
        ));
    }

    #[test]
    fn a_lone_surrogate_is_an_invalid_frame_with_its_id() {
        let error = client_error(r#"{"type":"chat_request","id":"c-1","text":"\ud800"}"#);
        assert!(
            matches!(error, DecodeError::InvalidFrame { chat_id: Some(_), .. }),
            "{error:?}"
        );
    }
}
