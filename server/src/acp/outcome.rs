//! How a turn ended, as the answer to its `session/prompt`: a stop reason, or an error that tells no secret.

use agent_client_protocol_schema::v1::{PromptResponse, StopReason};
use serde_json::{Value, json};
use sidewire_agent::error::{ProviderError, TurnFailure};
use sidewire_agent::event::{Cut, TurnOutcome};
use sidewire_agent::page_block::text::clip;

use crate::rpc::Error;

/// Most bytes of the text of a failure.
const MESSAGE: usize = 2_048;

/// The answer to the prompt of a turn that ended so.
pub(super) fn reply(outcome: &TurnOutcome) -> Result<PromptResponse, Error> {
    let reason = match outcome {
        TurnOutcome::Done => StopReason::EndTurn,
        TurnOutcome::CutShort(Cut::Length) => StopReason::MaxTokens,
        TurnOutcome::CutShort(Cut::Withheld) => StopReason::Refusal,
        TurnOutcome::CutShort(Cut::Steps) => StopReason::MaxTurnRequests,
        // Whoever stopped it: a client expects `cancelled`, never an error.
        TurnOutcome::Stopped(_) => StopReason::Cancelled,
        TurnOutcome::Failed(failure) => return Err(failed(failure)),
    };
    Ok(PromptResponse::new(reason))
}

/// A failure as an error. Its text is ours: it is made from status codes and facts, so that no word of a provider,
/// and no key, is in it.
pub(super) fn failed(failure: &TurnFailure) -> Error {
    let text = failure.to_string();
    let (cause, status) = cause(failure);
    let mut data = json!({ "code": "turn_failed", "cause": cause });
    if let (Value::Object(members), Some(status)) = (&mut data, status) {
        members.insert("httpStatus".to_owned(), status.into());
    }
    Error::internal(clip(&text, MESSAGE)).with_data(data)
}

/// What failed, for programs, and the status the provider answered with.
fn cause(failure: &TurnFailure) -> (&'static str, Option<u16>) {
    match failure {
        TurnFailure::Provider { source } => provider_cause(source),
        TurnFailure::Plugin => ("plugin", None),
        TurnFailure::Disposed => ("disposed", None),
        TurnFailure::Storage => ("storage", None),
    }
}

fn provider_cause(error: &ProviderError) -> (&'static str, Option<u16>) {
    match error {
        ProviderError::Auth { status } => ("provider_auth", Some(*status)),
        ProviderError::Refused { status } => ("provider_refused", Some(*status)),
        ProviderError::Server { status } => ("provider_failed", Some(*status)),
        ProviderError::Unreachable => ("provider_unreachable", None),
        ProviderError::Timeout => ("provider_timeout", None),
        ProviderError::BrokenStream => ("provider_broke_off", None),
        ProviderError::BadResponse => ("provider_unreadable", None),
        ProviderError::KeyExpired => ("key_expired", None),
        ProviderError::KeyExpiring => ("key_expiring", None),
    }
}

#[cfg(test)]
mod tests {
    use sidewire_agent::event::StopCause;

    use super::*;

    #[test]
    fn a_turn_that_did_not_fail_has_a_legal_stop_reason() {
        for (outcome, expected) in [
            (TurnOutcome::Done, "end_turn"),
            (TurnOutcome::CutShort(Cut::Length), "max_tokens"),
            (TurnOutcome::CutShort(Cut::Withheld), "refusal"),
            (TurnOutcome::CutShort(Cut::Steps), "max_turn_requests"),
            (TurnOutcome::Stopped(StopCause::Person), "cancelled"),
            (TurnOutcome::Stopped(StopCause::Abandoned), "cancelled"),
        ] {
            let reply = reply(&outcome).unwrap();
            assert_eq!(
                serde_json::to_value(reply).unwrap(),
                json!({"stopReason": expected})
            );
        }
    }

    #[test]
    fn every_failure_is_an_error_that_a_program_can_tell() {
        let provider = |source| TurnFailure::Provider { source };
        let rows = [
            (
                provider(ProviderError::Auth { status: 401 }),
                "provider_auth",
                Some(401),
            ),
            (
                provider(ProviderError::Refused { status: 400 }),
                "provider_refused",
                Some(400),
            ),
            (
                provider(ProviderError::Server { status: 503 }),
                "provider_failed",
                Some(503),
            ),
            (provider(ProviderError::Unreachable), "provider_unreachable", None),
            (provider(ProviderError::Timeout), "provider_timeout", None),
            (provider(ProviderError::BrokenStream), "provider_broke_off", None),
            (provider(ProviderError::BadResponse), "provider_unreadable", None),
            (provider(ProviderError::KeyExpired), "key_expired", None),
            (provider(ProviderError::KeyExpiring), "key_expiring", None),
            (TurnFailure::Plugin, "plugin", None),
            (TurnFailure::Disposed, "disposed", None),
            (TurnFailure::Storage, "storage", None),
        ];
        for (failure, cause, status) in rows {
            let error = reply(&TurnOutcome::Failed(failure.clone())).unwrap_err();
            let mut data = json!({"code": "turn_failed", "cause": cause});
            if let Some(status) = status {
                data["httpStatus"] = status.into();
            }
            let expected = (-32603, failure.to_string(), Some(data));
            assert_eq!((error.code, error.message.clone(), error.data), expected);
            assert!(!error.message.is_empty() && error.message.len() <= MESSAGE);
        }
    }
}
