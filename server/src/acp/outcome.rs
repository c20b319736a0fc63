//! How a turn ended, as the answer to its `session/prompt`: a stop reason, or an error that tells no secret.

use agent_client_protocol_schema::v1::{PromptResponse, StopReason};
use serde_json::{Value, json};
use sidewire_agent::error::{ProviderError, TurnFailure};
use sidewire_agent::event::TurnOutcome;
use sidewire_agent::message::Notice;
use sidewire_agent::page_block::text::clip;
use sidewire_agent::record::TurnRecord;

use crate::rpc::Error;

/// Most bytes of the text of a failure.
const MESSAGE: usize = 2_048;

/// The answer to the prompt of a turn that ended so.
pub(super) fn reply(outcome: &TurnOutcome, record: &TurnRecord) -> Result<PromptResponse, Error> {
    match outcome {
        TurnOutcome::Done => Ok(PromptResponse::new(stop_reason(&record.notices))),
        // Whoever stopped it: a client expects `cancelled`, never an error.
        TurnOutcome::Stopped(_) => Ok(PromptResponse::new(StopReason::Cancelled)),
        TurnOutcome::Failed(failure) => Err(failed(failure)),
    }
}

/// Why a turn that did not fail is over: what ended it was told as a notice.
fn stop_reason(notices: &[Notice]) -> StopReason {
    let told = |notice| notices.contains(&notice);
    if told(Notice::StepLimit) {
        StopReason::MaxTurnRequests
    } else if told(Notice::Withheld) {
        StopReason::Refusal
    } else if told(Notice::AnswerClipped) {
        StopReason::MaxTokens
    } else {
        StopReason::EndTurn
    }
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
    use sidewire_agent::ids::TurnId;
    use sidewire_contract::mode::Mode;

    use super::*;

    fn record(notices: &[Notice]) -> TurnRecord {
        TurnRecord {
            notices: notices.to_vec(),
            ..TurnRecord::begun(TurnId("t".into()), "hi", Mode::Educational, 0)
        }
    }

    #[test]
    fn a_turn_that_did_not_fail_has_a_legal_stop_reason() {
        let compacted = Notice::Compacted { messages: 3 };
        let rows: [(TurnOutcome, &[Notice], &str); 8] = [
            (TurnOutcome::Done, &[], "end_turn"),
            (
                TurnOutcome::Done,
                &[compacted, Notice::HistoryTrimmed, Notice::PageTrimmed],
                "end_turn",
            ),
            (TurnOutcome::Done, &[Notice::AnswerClipped], "max_tokens"),
            (TurnOutcome::Done, &[Notice::Withheld], "refusal"),
            (TurnOutcome::Done, &[Notice::StepLimit], "max_turn_requests"),
            (
                TurnOutcome::Done,
                &[Notice::AnswerClipped, Notice::StepLimit],
                "max_turn_requests",
            ),
            (
                TurnOutcome::Stopped(StopCause::Person),
                &[Notice::StepLimit],
                "cancelled",
            ),
            (TurnOutcome::Stopped(StopCause::Abandoned), &[], "cancelled"),
        ];
        for (outcome, notices, expected) in rows {
            let reply = reply(&outcome, &record(notices)).unwrap();
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
            let error = reply(&TurnOutcome::Failed(failure.clone()), &record(&[])).unwrap_err();
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
