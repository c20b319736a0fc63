//! Asking once: with the pictures of a request, and without when the server refuses those.

use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::ModelRequest;

use super::pictures::Pictures;
use super::{Api, Asked, Asking, Shared};

/// Asks with pictures, and without when the server refuses those.
pub(super) async fn ask<A: Api>(
    shared: &Shared<A>,
    request: &ModelRequest,
    effort: Option<&str>,
) -> Result<Asked, ProviderError> {
    let Shared { connection, api, .. } = shared;
    let sight = &connection.sight;
    let asking = |pictures| Asking {
        connection,
        request,
        effort,
        pictures,
    };
    let (pictures, none) = (Pictures::of(request), Pictures::none());
    if pictures.is_empty() || sight.is_blind() {
        return api.ask(&asking(&none)).await;
    }
    let seeing = api.ask(&asking(&pictures)).await;
    if matches!(seeing, Ok(Asked::Opened(_))) {
        sight.saw();
    }
    if !may_be_about_pictures(&seeing) {
        return seeing;
    }
    let blind = api.ask(&asking(&none)).await;
    if !matches!(blind, Ok(Asked::Opened(_))) {
        return seeing;
    }
    // A server that fails, or finds the whole too large, says nothing about the model's sight.
    if matches!(seeing, Err(ProviderError::Refused { status }) if status != 413) {
        sight.refused(&pictures);
    }
    blind
}

/// Servers differ in how they refuse pictures; some answer as if they had failed themselves.
fn may_be_about_pictures(asked: &Result<Asked, ProviderError>) -> bool {
    let failure = match asked {
        Ok(Asked::Opened(_)) => return false,
        Ok(Asked::Again { failure, .. }) | Err(failure) => failure,
    };
    matches!(
        failure,
        ProviderError::Refused {
            status: 400 | 404 | 413 | 415 | 422
        } | ProviderError::Server { status: 500 | 501 }
    )
}
