//! Why a turn failed, as far as the wire may tell.

/// The ten reasons of `chat_error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorReason {
    /// The connection to the worker was lost.
    BridgeDisconnected,
    /// The connection stands but nothing comes.
    BridgeUnresponsive,
    /// No worker could be found or started.
    NoWorker,
    /// The conversation is already working on a turn.
    SessionBusy,
    /// The conversation is gone.
    SessionDisposed,
    /// The key for the model is no longer valid.
    TokenExpired,
    /// The key for the model would run out during the turn.
    TokenExpiring,
    /// The model's server refused the key.
    ProviderAuth,
    /// The model's server refused the request.
    Provider4xx,
    /// The model's server failed or could not be reached.
    Provider5xx,
}

words!(ErrorReason {
    BridgeDisconnected = "bridge-disconnected",
    BridgeUnresponsive = "bridge-unresponsive",
    NoWorker = "no-worker",
    SessionBusy = "session-busy",
    SessionDisposed = "session-disposed",
    TokenExpired = "token-expired",
    TokenExpiring = "token-expiring",
    ProviderAuth = "provider-auth",
    Provider4xx = "provider-4xx",
    Provider5xx = "provider-5xx",
});
