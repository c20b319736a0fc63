//! Where the agent's values become wire values and back: the only place of the browser front that knows both.

mod media;
mod room;
mod turn_wire;

use std::sync::Arc;

use sidewire_agent::error::{ProviderError, TurnFailure};
use sidewire_agent::ids::{Owner, TurnId, TurnKey};
use sidewire_agent::message::{Notice, Reference, Usage};
use sidewire_agent::provider::ModelInfo;
use sidewire_agent::record::{ConversationRecord, Origin, TurnRecord, TurnState};
use sidewire_agent::session::{Ask, AskError, Place, now_ms};
use sidewire_agent::setting::Setting;
use sidewire_agent::store::Lookup;
use sidewire_agent::tool::ToolShelf;
use sidewire_contract::chat::{ChatError, ChatRequest};
use sidewire_contract::conversation::ConversationItem;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::{ChatId, ConversationId};
use sidewire_contract::limits;
use sidewire_contract::model::ModelState;
use sidewire_contract::number::Count;
use sidewire_contract::page::PageContext;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::text::NonEmpty;
use sidewire_contract::turn::{self as wire, NoticeCode, ToolPhase};

use super::handshake::Client;
pub(super) use turn_wire::TurnWire;

/// Most bytes the parts of a record may take once escaped; together with the rest they fit one frame.
const RECORD_TEXT_BYTES: usize = limits::BROWSER_FRAME * 3 / 8;
const RECORD_PROMPT_BYTES: usize = limits::BROWSER_FRAME / 8;
const RECORD_TOOL_BYTES: usize = limits::BROWSER_FRAME / 8;
const RECORD_MEDIA_BYTES: usize = limits::BROWSER_FRAME / 4;
/// Most tool rows of a record; the newest ones.
const RECORD_TOOL_ROWS: usize = 256;

/// Who asks for what, from a request.
pub(super) fn ask(client: &Client, request: ChatRequest, tools: ToolShelf) -> Ask {
    let page = request
        .context
        .map(|snapshot| Arc::new(PageContext::from(snapshot)));
    Ask {
        key: turn_key(&client.owner, &request.id),
        place: Place::Found(Lookup {
            owner: client.owner.clone(),
            origin: Origin::Browser,
            hint: request.history_hint,
            session_key: request.session_key.as_str().to_owned(),
            tab: request.tab_id.clamp_i64(i64::MIN, i64::MAX),
            browser_run: client.browser_run.clone(),
            now_ms: now_ms(),
        }),
        text: request.text,
        parts: Vec::new(),
        pictures: Vec::new(),
        shown: None,
        page,
        setting: Setting::panel(request.mode),
        tools,
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
        AskError::Busy | AskError::Held { .. } | AskError::Duplicate => ErrorReason::SessionBusy,
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

/// The terminal frame of a turn that failed.
pub(super) fn error(id: ChatId, reason: ErrorReason) -> WorkerFrame {
    WorkerFrame::ChatError(ChatError { id, reason })
}

/// A turn as the panel shows it again.
pub(super) fn record(record: TurnRecord) -> Option<wire::TurnRecord> {
    let (text, text_clipped) = clip(record.text, RECORD_TEXT_BYTES);
    let (prompt, prompt_clipped) = clip(record.prompt, RECORD_PROMPT_BYTES);
    let old_rows = record.tools.len().saturating_sub(RECORD_TOOL_ROWS);
    let rows = record.tools.into_iter().skip(old_rows).filter_map(tool_row);
    let (tools, tools_clipped) = room::newest(rows.collect(), RECORD_TOOL_BYTES);
    let (media, media_clipped) = media::fitting(record.media, RECORD_MEDIA_BYTES);
    let clipped = text_clipped || prompt_clipped || old_rows > 0 || tools_clipped || media_clipped;
    Some(wire::TurnRecord {
        id: record.id.0.parse().ok()?,
        prompt,
        mode: record.mode,
        started_at: millis(record.started_at_ms),
        state: turn_state(record.state),
        reason: record.failure.as_ref().map(failure_reason),
        text,
        clipped: clipped.then_some(true),
        tools,
        references: record.references.into_iter().map(reference).collect(),
        media,
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
        Notice::HistoryTrimmed | Notice::GuessedWindow => NoticeCode::HistoryTrimmed,
        Notice::PageTrimmed => NoticeCode::PageTrimmed,
        Notice::AnswerClipped => NoticeCode::AnswerClipped,
        Notice::StepLimit => NoticeCode::StepLimit,
        Notice::Withheld => NoticeCode::Withheld,
        Notice::Compacted { .. } => NoticeCode::Compacted,
    }
}

fn tool_row(row: sidewire_agent::record::ToolRow) -> Option<wire::ToolRow> {
    Some(wire::ToolRow {
        call_id: NonEmpty::new(row.call_id).ok()?,
        tool: NonEmpty::new(row.tool).ok()?,
        label: Some(row.label),
        phase: match (row.ok, &row.output) {
            (Some(_), _) => ToolPhase::Finished,
            (None, Some(_)) => ToolPhase::Progress,
            (None, None) => ToolPhase::Started,
        },
        ok: row.ok,
        ms: row.ms.map(Count::from),
        input: row.input,
        output: row.output,
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

#[cfg(test)]
mod tests;
