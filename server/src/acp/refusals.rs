//! How the front refuses: the codes of ACP beside those of JSON-RPC, and the texts that several methods share.

use serde_json::json;
use sidewire_agent::ids::ConversationId;
use sidewire_agent::store::StoreError;

use super::Parts;
use crate::rpc::Error;

/// No model can answer before the person has set one up.
pub(super) const AUTH_REQUIRED: i64 = -32000;
/// There is no such session.
pub(super) const NOT_FOUND: i64 = -32002;
/// Most characters of a client's word that an error repeats.
const WORD: usize = 64;

/// Nothing is configured that could answer.
pub(super) fn auth_required() -> Error {
    Error::new(
        AUTH_REQUIRED,
        "authentication required: no model is set up; run `sidewire setup` in a terminal",
    )
}

/// There is no such session (decision 31).
pub(super) fn unknown_session(method: &str, id: &str) -> Error {
    let error = Error::new(NOT_FOUND, format!("{method}: unknown session"));
    error.with_data(json!({ "sessionId": word(id) }))
}

/// The conversations could not be read or written.
pub(super) fn storage(method: &str, error: &StoreError) -> Error {
    tracing::error!(%error, method, "the conversations cannot be used");
    Error::internal(format!("{method}: the conversations cannot be read or written"))
}

/// An id or value of a client, cut where it is no such thing.
pub(super) fn word(text: &str) -> String {
    text.chars()
        .take(WORD)
        .filter(|char| !char.is_control())
        .collect()
}

/// Somebody else has the session open; they are named, so that the person can end it there.
pub(super) fn in_use(method: &str, holder: &str) -> Error {
    Error::invalid_request(format!(
        "{method}: the session is in use by {holder}; close it there first"
    ))
}

/// Refuses when another program has the session open.
pub(super) fn refuse_when_held(parts: &Parts, method: &str, id: ConversationId) -> Result<(), Error> {
    match parts.agent.holder(id) {
        Ok(None) => Ok(()),
        Ok(Some(holder)) => Err(in_use(method, &holder)),
        Err(error) => Err(storage(method, &error)),
    }
}

/// Another program has the session open, whichever that is by now.
pub(super) fn held(parts: &Parts, method: &str, id: ConversationId) -> Error {
    let refused = refuse_when_held(parts, method, id);
    refused.err().unwrap_or_else(|| in_use(method, "another program"))
}

/// A refusal that programs know by its code.
pub(super) fn coded(code: &str, message: String) -> Error {
    Error::invalid_params(message).with_data(json!({ "code": code }))
}
