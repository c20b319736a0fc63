//! How things fail, one enum per operation. Fronts match them without a wildcard, so none can be forgotten.

use serde::{Deserialize, Serialize};

/// Why a model call failed. Made from status codes and transport facts, never from the provider's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProviderError {
    /// HTTP 401 or 403.
    #[error("the provider refused the key (HTTP {status})")]
    Auth {
        /// The status.
        status: u16,
    },
    /// Another HTTP 4xx.
    #[error("the provider refused the request (HTTP {status})")]
    Refused {
        /// The status.
        status: u16,
    },
    /// HTTP 5xx after every retry.
    #[error("the provider failed (HTTP {status})")]
    Server {
        /// The status.
        status: u16,
    },
    /// No connection, or it was lost before the answer began.
    #[error("the provider cannot be reached")]
    Unreachable,
    /// Nothing came for too long.
    #[error("the provider did not answer in time")]
    Timeout,
    /// The answer ended half-way.
    #[error("the provider's answer broke off")]
    BrokenStream,
    /// The provider sent something that is not its protocol, or more than the limits allow.
    #[error("the provider sent an answer that cannot be read")]
    BadResponse,
    /// The stored key has expired.
    #[error("the provider's key has expired")]
    KeyExpired,
    /// The stored key expires before a turn could end.
    #[error("the provider's key is about to expire")]
    KeyExpiring,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TurnFailure {
    /// The model call failed.
    #[error(transparent)]
    Provider {
        /// How.
        #[from]
        source: ProviderError,
    },
    /// A plugin that must be heard ended it, or failed (decision 39).
    #[error("a plugin ended the turn")]
    Plugin,
    /// The worker shut down under the turn, or was killed while it ran.
    #[error("the worker stopped before the turn ended")]
    Disposed,
    /// The transcript could not be written.
    #[error("the conversation could not be stored")]
    Storage,
}
