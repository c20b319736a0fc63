//! From an HTTP status to how a call failed.

use sidewire_agent::error::ProviderError;

/// The failure an HTTP status stands for.
pub(crate) fn failure(status: u16) -> ProviderError {
    match status {
        401 | 403 => ProviderError::Auth { status },
        400..=499 => ProviderError::Refused { status },
        500..=599 => ProviderError::Server { status },
        _ => ProviderError::BadResponse,
    }
}

/// The same for a failure that a server told inside an answer.
pub(super) fn may_pass(failure: &ProviderError) -> bool {
    match failure {
        ProviderError::Refused { status } | ProviderError::Server { status } => is_passing(*status),
        _ => false,
    }
}

/// Whether asking again may help: the server is busy or failed, but found nothing wrong with the request.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}
