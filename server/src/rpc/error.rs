//! What a request is refused with, and how our own requests fail.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a request was refused, as the peer reads it. The text repeats nothing that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub(crate) struct Error {
    /// A code of JSON-RPC or of the protocol above it.
    pub(crate) code: i64,
    /// One line.
    pub(crate) message: String,
    /// More, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl Error {
    /// Not JSON.
    pub(crate) const PARSE: i64 = -32700;
    /// JSON, but not a message, or a request that makes no sense now.
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    /// Nobody answers this method.
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are not those of the method.
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    /// We failed.
    pub(crate) const INTERNAL: i64 = -32603;
    /// It was cancelled before it had a result.
    pub(crate) const CANCELLED: i64 = -32800;

    /// An error of this code.
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// A request that makes no sense now.
    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_REQUEST, message)
    }

    /// Parameters that are not those of the method.
    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    /// A failure of ours.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Self::INTERNAL, message)
    }

    /// It was cancelled before it had a result.
    pub(crate) fn cancelled() -> Self {
        Self::new(Self::CANCELLED, "request cancelled")
    }

    /// The same with something for programs.
    #[must_use]
    pub(crate) fn with_data(self, data: Value) -> Self {
        Self {
            data: Some(data),
            ..self
        }
    }
}

/// The connection is gone: nothing can be sent any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub(crate) struct Closed;

/// Why a request of ours has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    /// The connection closed before the answer came.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// We gave it up.
    #[error("the request was cancelled")]
    Cancelled,
    /// The peer refused it.
    #[error("the peer refused the request ({code})")]
    Refused {
        /// Its code.
        code: i64,
        /// Its words; never logged.
        message: String,
    },
    /// The answer is not what the method answers.
    #[error("the answer of the peer cannot be read")]
    Malformed,
}
