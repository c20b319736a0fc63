//! A turn on the wire: its events as frames of the chat contract, with ours beside them.

use sidewire_agent::event::{ToolEnd, ToolProgress, ToolStart, TurnEvent, TurnOutcome};
use sidewire_agent::feed::News;
use sidewire_agent::message::{Reference, Usage};
use sidewire_agent::record::{shown_input, shown_output};
use sidewire_contract::bridge::turns::{ToolActivity, TurnNotice, TurnReport};
use sidewire_contract::chat::{ChatDelta, ChatDone, ChatKeepalive, ChatToolNotice};
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::ChatId;
use sidewire_contract::limits;
use sidewire_contract::media_asset::ChatMedia;
use sidewire_contract::number::Count;
use sidewire_contract::text::NonEmpty;
use sidewire_contract::turn::{NoticeCode, ToolPhase};

use super::{error, failure_reason, notice_code, reference, usage};

/// Most bytes of text in one delta. Escaping can make six of one, and a frame must stay under its limit.
const DELTA_BYTES: usize = limits::BROWSER_FRAME / 8;

/// What a client has been sent of a turn.
pub(in crate::browser) struct TurnWire {
    pub(in crate::browser) id: ChatId,
    next_seq: u64,
    model: String,
    usage: Option<Usage>,
    is_thinking: bool,
}

impl TurnWire {
    /// A turn of which nothing has been sent.
    pub(in crate::browser) fn new(id: ChatId, model: String) -> Self {
        Self {
            id,
            next_seq: 0,
            model,
            usage: None,
            is_thinking: false,
        }
    }

    /// The number of the next delta.
    pub(in crate::browser) fn next_seq(&self) -> Count {
        Count::from(self.next_seq)
    }

    /// Proof that the turn is still at work.
    pub(in crate::browser) fn keepalive(&self) -> WorkerFrame {
        WorkerFrame::ChatKeepalive(ChatKeepalive { id: self.id.clone() })
    }

    /// Turns news into frames; true when the turn has ended and nothing may follow.
    pub(in crate::browser) fn frames(&mut self, news: News, out: &mut Vec<WorkerFrame>) -> bool {
        match news {
            News::Text(text) => self.deltas(&text, out),
            // Thinking is never shown. That it began is told at once, that it goes on by the writer's clock.
            News::Reasoning(_) => {
                if !std::mem::replace(&mut self.is_thinking, true) {
                    out.push(self.keepalive());
                }
            }
            News::Event(event) => self.event(event, out),
            News::End { outcome, references } => {
                self.end(&outcome, references, out);
                return true;
            }
        }
        false
    }

    fn deltas(&mut self, text: &str, out: &mut Vec<WorkerFrame>) {
        for delta in pieces(text, DELTA_BYTES) {
            out.push(WorkerFrame::ChatDelta(ChatDelta {
                id: self.id.clone(),
                seq: self.next_seq.into(),
                delta: delta.to_owned(),
            }));
            self.next_seq += 1;
        }
    }

    fn event(&mut self, event: TurnEvent, out: &mut Vec<WorkerFrame>) {
        match event {
            TurnEvent::Attempt(attempt) => self.model = attempt.model,
            TurnEvent::Usage(usage) => self.usage = Some(usage.turn),
            TurnEvent::ToolStarted(start) => self.tool_started(start, out),
            TurnEvent::ToolFinished(end) => self.tool_finished(end, out),
            TurnEvent::Notice(notice) => out.push(self.notice(notice_code(notice))),
            TurnEvent::Retrying { attempt, wait_ms } => out.push(WorkerFrame::TurnNotice(TurnNotice {
                id: self.id.clone(),
                code: NoticeCode::Retrying,
                attempt: Some(Count::from(u64::from(attempt))),
                wait_ms: Some(Count::from(wait_ms)),
            })),
            TurnEvent::Media(media) => out.push(WorkerFrame::ChatMedia(Box::new(ChatMedia {
                id: self.id.clone(),
                media: *media,
            }))),
            TurnEvent::ToolProgress(report) => self.tool_progress(report, out),
            // Plans have no place in the chat contract; text came as news of its own.
            TurnEvent::Plan(_) | TurnEvent::Text(_) | TurnEvent::Reasoning(_) => {}
        }
    }

    /// Our own client gets calls with their ids (decision 13), every client the notices of the contract.
    fn tool_started(&self, start: ToolStart, out: &mut Vec<WorkerFrame>) {
        let activity = self.activity(start.call_id, &start.name, ToolPhase::Started);
        out.extend(activity.map(|activity| {
            WorkerFrame::ToolActivity(ToolActivity {
                label: Some(start.title),
                input: shown_input(&start.arguments),
                ..activity
            })
        }));
        let detail = format!("{}: running…", start.name);
        out.push(self.tool_notice(start.name, true, detail));
    }

    /// The contract has no word for it; our own client shows it.
    fn tool_progress(&self, report: ToolProgress, out: &mut Vec<WorkerFrame>) {
        let activity = self.activity(report.call_id, &report.name, ToolPhase::Progress);
        out.extend(activity.map(|activity| {
            WorkerFrame::ToolActivity(ToolActivity {
                input: report.kept_arguments.as_ref().and_then(shown_input),
                output: shown_output(&report.content),
                ..activity
            })
        }));
    }

    fn tool_finished(&self, end: ToolEnd, out: &mut Vec<WorkerFrame>) {
        let activity = self.activity(end.call_id, &end.name, ToolPhase::Finished);
        out.extend(activity.map(|activity| {
            WorkerFrame::ToolActivity(ToolActivity {
                ok: Some(end.ok),
                ms: Some(Count::from(end.ms)),
                input: end.kept_arguments.as_ref().and_then(shown_input),
                output: shown_output(&end.content),
                ..activity
            })
        }));
        let detail = format!("{}: {}", end.name, if end.ok { "done" } else { "failed" });
        out.push(self.tool_notice(end.name, end.ok, detail));
    }

    fn activity(&self, call_id: String, tool: &str, phase: ToolPhase) -> Option<ToolActivity> {
        Some(ToolActivity {
            chat_id: self.id.clone(),
            call_id: NonEmpty::new(call_id).ok()?,
            tool: NonEmpty::new(tool).ok()?,
            label: None,
            phase,
            ok: None,
            ms: None,
            input: None,
            output: None,
        })
    }

    fn tool_notice(&self, tool: String, ok: bool, detail: String) -> WorkerFrame {
        WorkerFrame::ChatToolNotice(ChatToolNotice {
            id: self.id.clone(),
            tool,
            ok,
            detail: Some(detail),
        })
    }

    fn notice(&self, code: NoticeCode) -> WorkerFrame {
        WorkerFrame::TurnNotice(TurnNotice {
            id: self.id.clone(),
            code,
            attempt: None,
            wait_ms: None,
        })
    }

    fn end(&self, outcome: &TurnOutcome, references: Vec<Reference>, out: &mut Vec<WorkerFrame>) {
        out.push(WorkerFrame::TurnReport(TurnReport {
            id: self.id.clone(),
            model: self.model.clone(),
            usage: self.usage.map(usage),
            stopped: matches!(outcome, TurnOutcome::Stopped(_)).then_some(true),
        }));
        out.push(match outcome {
            TurnOutcome::Failed(failure) => error(self.id.clone(), failure_reason(failure)),
            TurnOutcome::Done | TurnOutcome::CutShort(_) | TurnOutcome::Stopped(_) => {
                WorkerFrame::ChatDone(ChatDone {
                    id: self.id.clone(),
                    references: (!references.is_empty())
                        .then(|| references.into_iter().map(reference).collect()),
                })
            }
        });
    }
}

/// Cuts text into pieces of at most `limit` bytes, never inside a character.
fn pieces(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at_checked(rest.floor_char_boundary(limit))?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use sidewire_agent::error::{ProviderError, TurnFailure};
    use sidewire_contract::reason::ErrorReason;

    use super::*;

    fn turn() -> TurnWire {
        TurnWire::new("c-1".parse().unwrap(), "m".into())
    }

    fn frames(turn: &mut TurnWire, news: News) -> Vec<WorkerFrame> {
        let mut out = Vec::new();
        turn.frames(news, &mut out);
        out
    }

    #[test]
    fn deltas_are_numbered_without_gaps_and_never_too_large() {
        let mut turn = turn();
        let text = "\u{1}é".repeat(limits::BROWSER_FRAME);
        let sent = frames(&mut turn, News::Text(text.clone()));
        let mut joined = String::new();
        for (at, frame) in sent.iter().enumerate() {
            assert!(frame.encode().len() <= limits::BROWSER_FRAME);
            let WorkerFrame::ChatDelta(delta) = frame else {
                panic!("{frame:?}")
            };
            assert_eq!(delta.seq.as_i64(), Some(i64::try_from(at).unwrap()));
            joined.push_str(&delta.delta);
        }
        assert_eq!(joined, text);
    }

    #[test]
    fn every_end_is_one_terminal_frame_and_comes_last() {
        for (outcome, reason) in [
            (TurnOutcome::Done, None),
            (TurnOutcome::CutShort(sidewire_agent::event::Cut::Length), None),
            (
                TurnOutcome::Stopped(sidewire_agent::event::StopCause::Person),
                None,
            ),
            (
                TurnOutcome::Failed(TurnFailure::Disposed),
                Some(ErrorReason::SessionDisposed),
            ),
            (
                TurnOutcome::Failed(ProviderError::Refused { status: 429 }.into()),
                Some(ErrorReason::Provider4xx),
            ),
            (
                TurnOutcome::Failed(ProviderError::Auth { status: 403 }.into()),
                Some(ErrorReason::ProviderAuth),
            ),
            (
                TurnOutcome::Failed(ProviderError::BrokenStream.into()),
                Some(ErrorReason::Provider5xx),
            ),
        ] {
            let sent = frames(
                &mut turn(),
                News::End {
                    outcome,
                    references: Vec::new(),
                },
            );
            assert_eq!(sent.len(), 2, "a report and a terminal: {sent:?}");
            match (sent.last().unwrap(), reason) {
                (WorkerFrame::ChatDone(done), None) => {
                    assert_eq!(done.references, None, "omitted when empty");
                }
                (WorkerFrame::ChatError(error), Some(reason)) => assert_eq!(error.reason, reason),
                other => panic!("{other:?}"),
            }
        }
    }
}
