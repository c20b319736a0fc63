//! Where the agent's values become wire values and back: the only place of the browser front that knows both.

use std::sync::Arc;

use serde_json::Value;
use sidewire_agent::error::{ProviderError, TurnFailure};
use sidewire_agent::event::{ToolEnd, ToolStart, TurnEvent, TurnOutcome};
use sidewire_agent::feed::News;
use sidewire_agent::ids::{Owner, TurnId, TurnKey};
use sidewire_agent::message::{Notice, Reference, Usage};
use sidewire_agent::provider::ModelInfo;
use sidewire_agent::record::{ConversationRecord, Origin, TurnRecord, TurnState};
use sidewire_agent::session::{Ask, AskError, now_ms};
use sidewire_agent::store::Lookup;
use sidewire_contract::bridge::turns::{ToolActivity, TurnNotice, TurnReport};
use sidewire_contract::chat::{ChatDelta, ChatDone, ChatError, ChatKeepalive, ChatRequest, ChatToolNotice};
use sidewire_contract::conversation::ConversationItem;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::{ChatId, ConversationId};
use sidewire_contract::limits;
use sidewire_contract::media::Media;
use sidewire_contract::media_asset::ChatMedia;
use sidewire_contract::model::ModelState;
use sidewire_contract::number::Count;
use sidewire_contract::page::PageContext;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::text::NonEmpty;
use sidewire_contract::turn::{self as wire, NoticeCode, ToolPhase};

use super::handshake::Client;

/// Most bytes of text in one delta. Escaping can make six of one, and a frame must stay under its limit.
const DELTA_BYTES: usize = limits::BROWSER_FRAME / 8;
/// Most bytes a record's answer and question may take once escaped; together with the rest they fit one frame.
const RECORD_TEXT_BYTES: usize = limits::BROWSER_FRAME * 5 / 8;
const RECORD_PROMPT_BYTES: usize = limits::BROWSER_FRAME / 8;
/// Most tool rows of a record; the newest ones.
const RECORD_TOOL_ROWS: usize = 256;

/// Who asks for what, from a request.
pub(super) fn ask(client: &Client, request: ChatRequest) -> Ask {
    let page = request
        .context
        .map(|snapshot| Arc::new(PageContext::from(snapshot)));
    Ask {
        key: turn_key(&client.owner, &request.id),
        place: Lookup {
            owner: client.owner.clone(),
            origin: Origin::Browser,
            hint: request.history_hint,
            session_key: request.session_key.as_str().to_owned(),
            tab: request.tab_id.clamp_i64(i64::MIN, i64::MAX),
            browser_run: client.browser_run.clone(),
            now_ms: now_ms(),
        },
        text: request.text,
        page,
        mode: request.mode,
        tools: Vec::new(),
    }
}

/// A turn id is the client's own; the owner makes it unreachable for others (S20).
pub(super) fn turn_key(owner: &Owner, id: &ChatId) -> TurnKey {
    TurnKey {
        owner: owner.clone(),
        id: TurnId(id.as_str().to_owned()),
    }
}

/// Why a question was refused, as the chat contract says it.
pub(super) fn refusal(error: &AskError) -> ErrorReason {
    match error {
        AskError::Busy | AskError::Duplicate => ErrorReason::SessionBusy,
        AskError::Disposed | AskError::Store(_) => ErrorReason::SessionDisposed,
        AskError::Provider(error) => provider_reason(error),
    }
}

/// Why a turn failed, as the chat contract says it.
fn failure_reason(failure: &TurnFailure) -> ErrorReason {
    match failure {
        TurnFailure::Provider { source } => provider_reason(source),
        TurnFailure::Plugin => ErrorReason::Provider5xx,
        TurnFailure::Disposed | TurnFailure::Storage => ErrorReason::SessionDisposed,
    }
}

fn provider_reason(error: &ProviderError) -> ErrorReason {
    match error {
        ProviderError::Auth { .. } => ErrorReason::ProviderAuth,
        ProviderError::Refused { .. } => ErrorReason::Provider4xx,
        ProviderError::Server { .. }
        | ProviderError::Unreachable
        | ProviderError::Timeout
        | ProviderError::BrokenStream
        | ProviderError::BadResponse => ErrorReason::Provider5xx,
        ProviderError::KeyExpired => ErrorReason::TokenExpired,
        ProviderError::KeyExpiring => ErrorReason::TokenExpiring,
    }
}

/// What a client has been sent of a turn.
pub(super) struct TurnWire {
    pub(super) id: ChatId,
    next_seq: u64,
    model: String,
    usage: Option<Usage>,
}

impl TurnWire {
    /// A turn of which nothing has been sent.
    pub(super) fn new(id: ChatId, model: String) -> Self {
        Self {
            id,
            next_seq: 0,
            model,
            usage: None,
        }
    }

    /// The number of the next delta.
    pub(super) fn next_seq(&self) -> Count {
        Count::from(self.next_seq)
    }

    /// Proof that the turn is still at work.
    pub(super) fn keepalive(&self) -> WorkerFrame {
        WorkerFrame::ChatKeepalive(ChatKeepalive { id: self.id.clone() })
    }

    /// Turns news into frames; true when the turn has ended and nothing may follow.
    pub(super) fn frames(&mut self, news: News, out: &mut Vec<WorkerFrame>) -> bool {
        match news {
            News::Text(text) => self.deltas(&text, out),
            // Thinking is never shown; that something was sent is what matters.
            News::Reasoning(_) => out.push(self.keepalive()),
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
            TurnEvent::Usage(usage) => self.usage = Some(usage),
            TurnEvent::ToolStarted(start) => self.tool_started(start, out),
            TurnEvent::ToolFinished(end) => self.tool_finished(end, out),
            TurnEvent::Notice(notice) => out.push(self.notice(notice_code(notice))),
            TurnEvent::Retrying { attempt, wait_ms } => out.push(WorkerFrame::TurnNotice(TurnNotice {
                id: self.id.clone(),
                code: NoticeCode::Retrying,
                attempt: Some(Count::from(u64::from(attempt))),
                wait_ms: Some(Count::from(wait_ms)),
            })),
            TurnEvent::Media(descriptor) => out.extend(self.media(descriptor)),
            // Plans and partial tool output have no place in the chat contract; text came as news of its own.
            TurnEvent::Plan(_)
            | TurnEvent::ToolProgress(_)
            | TurnEvent::Text(_)
            | TurnEvent::Reasoning(_) => {}
        }
    }

    fn tool_started(&self, start: ToolStart, out: &mut Vec<WorkerFrame>) {
        let (Ok(call_id), Ok(tool)) = (NonEmpty::new(start.call_id), NonEmpty::new(start.name.clone()))
        else {
            return;
        };
        out.push(WorkerFrame::ToolActivity(ToolActivity {
            chat_id: self.id.clone(),
            call_id,
            tool,
            label: Some(start.title),
            phase: ToolPhase::Started,
            ok: None,
            ms: None,
        }));
        let detail = Some(format!("{}: running…", start.name));
        out.push(WorkerFrame::ChatToolNotice(ChatToolNotice {
            id: self.id.clone(),
            tool: start.name,
            ok: true,
            detail,
        }));
    }

    fn tool_finished(&self, end: ToolEnd, out: &mut Vec<WorkerFrame>) {
        let (Ok(call_id), Ok(tool)) = (NonEmpty::new(end.call_id), NonEmpty::new(end.name.clone())) else {
            return;
        };
        out.push(WorkerFrame::ToolActivity(ToolActivity {
            chat_id: self.id.clone(),
            call_id,
            tool,
            label: None,
            phase: ToolPhase::Finished,
            ok: Some(end.ok),
            ms: Some(Count::from(end.ms)),
        }));
        let detail = Some(format!(
            "{}: {}",
            end.name,
            if end.ok { "done" } else { "failed" }
        ));
        out.push(WorkerFrame::ChatToolNotice(ChatToolNotice {
            id: self.id.clone(),
            tool: end.name,
            ok: end.ok,
            detail,
        }));
    }

    fn media(&self, descriptor: Value) -> Option<WorkerFrame> {
        let media: Media = serde_json::from_value(descriptor).ok()?;
        Some(WorkerFrame::ChatMedia(Box::new(ChatMedia {
            id: self.id.clone(),
            media,
        })))
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
            TurnOutcome::Done | TurnOutcome::Stopped(_) => WorkerFrame::ChatDone(ChatDone {
                id: self.id.clone(),
                references: (!references.is_empty()).then(|| references.into_iter().map(reference).collect()),
            }),
        });
    }
}

/// The terminal frame of a turn that failed.
pub(super) fn error(id: ChatId, reason: ErrorReason) -> WorkerFrame {
    WorkerFrame::ChatError(ChatError { id, reason })
}

/// A turn as the panel shows it again.
pub(super) fn record(record: TurnRecord) -> Option<wire::TurnRecord> {
    let (text, text_clipped) = clip(record.text, RECORD_TEXT_BYTES);
    let (prompt, prompt_clipped) = clip(record.prompt, RECORD_PROMPT_BYTES);
    let old_rows = record.tools.len().saturating_sub(RECORD_TOOL_ROWS);
    let clipped = text_clipped || prompt_clipped || old_rows > 0;
    Some(wire::TurnRecord {
        id: record.id.0.parse().ok()?,
        prompt,
        mode: record.mode,
        started_at: millis(record.started_at_ms),
        state: turn_state(record.state),
        reason: record.failure.as_ref().map(failure_reason),
        text,
        clipped: clipped.then_some(true),
        tools: record
            .tools
            .into_iter()
            .skip(old_rows)
            .filter_map(tool_row)
            .collect(),
        references: record.references.into_iter().map(reference).collect(),
        media: record.media.into_iter().filter_map(object).collect(),
        notices: record.notices.into_iter().map(notice_code).collect(),
        page: record.page.map(|page| wire::PageStub {
            title: page.title,
            url: page.url,
        }),
        model: record.model,
        usage: record.usage.map(usage),
    })
}

/// A conversation as a row of a list.
pub(super) fn conversation(record: ConversationRecord, running: bool) -> Option<ConversationItem> {
    Some(ConversationItem {
        id: conversation_id(record.id)?,
        title: record.title,
        mode: record.mode,
        host: record.host,
        created_at: millis(record.created_at_ms),
        updated_at: millis(record.updated_at_ms),
        turns: Count::from(record.turns),
        running,
        branch_of: record.branch_of.and_then(conversation_id),
    })
}

/// The agent's id on the wire.
pub(super) fn conversation_id(id: sidewire_agent::ids::ConversationId) -> Option<ConversationId> {
    id.to_string().parse().ok()
}

/// The model in use as clients see it.
pub(crate) fn model_state(info: ModelInfo) -> ModelState {
    let name = |text: String| NonEmpty::new(text).unwrap_or_else(|_| NonEmpty::clipped("unnamed"));
    ModelState {
        provider: name(info.provider),
        model: name(info.model),
        label: name(info.label),
        offline: info.offline,
        window: info.window.map(Count::from),
    }
}

fn turn_state(state: TurnState) -> wire::TurnState {
    match state {
        TurnState::Running => wire::TurnState::Running,
        TurnState::Done => wire::TurnState::Done,
        TurnState::Stopped => wire::TurnState::Stopped,
        TurnState::Failed => wire::TurnState::Failed,
    }
}

fn notice_code(notice: Notice) -> NoticeCode {
    match notice {
        Notice::HistoryTrimmed => NoticeCode::HistoryTrimmed,
        Notice::PageTrimmed => NoticeCode::PageTrimmed,
        Notice::AnswerClipped => NoticeCode::AnswerClipped,
        Notice::StepLimit => NoticeCode::StepLimit,
    }
}

fn tool_row(row: sidewire_agent::record::ToolRow) -> Option<wire::ToolRow> {
    Some(wire::ToolRow {
        call_id: NonEmpty::new(row.call_id).ok()?,
        tool: NonEmpty::new(row.tool).ok()?,
        label: Some(row.label),
        phase: if row.ok.is_some() {
            ToolPhase::Finished
        } else {
            ToolPhase::Started
        },
        ok: row.ok,
        ms: row.ms.map(Count::from),
    })
}

fn reference(reference: Reference) -> wire::Reference {
    wire::Reference {
        kind: reference.kind,
        title: reference.title,
        url: reference.url,
    }
}

fn usage(usage: Usage) -> wire::Usage {
    wire::Usage {
        input_tokens: Count::from(usage.input),
        output_tokens: Count::from(usage.output),
        cached_tokens: usage.cached.map(Count::from),
    }
}

fn object(value: Value) -> Option<serde_json::Map<String, Value>> {
    if let Value::Object(members) = value {
        Some(members)
    } else {
        None
    }
}

fn millis(ms: i64) -> Count {
    Count::from(u64::try_from(ms).unwrap_or(0))
}

/// Cuts a text so that it takes at most `limit` bytes as a JSON string.
fn clip(mut text: String, limit: usize) -> (String, bool) {
    let mut escaped = 0;
    let end = text.char_indices().find(|(_, c)| {
        escaped += escaped_len(*c);
        escaped > limit
    });
    let Some((end, _)) = end else { return (text, false) };
    text.truncate(end);
    (text, true)
}

fn escaped_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if c.is_ascii_control() => 6,
        c => c.len_utf8(),
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
                    assert_eq!(done.references, None, "omitted when empty")
                }
                (WorkerFrame::ChatError(error), Some(reason)) => assert_eq!(error.reason, reason),
                other => panic!("{other:?}"),
            }
        }
    }
}
