//! News of a running turn as updates of its session: the one place that knows both (decision 24).
//!
//! It is pure: it neither sends nor waits. [`calls`] and [`words`] also serve whoever shows a turn again.

pub(super) mod calls;
mod reports;
pub(super) mod words;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, MessageId, Notice as NoticeUpdate, NoticeSeverity, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, ResourceLink, SessionUpdate, ToolCall, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, UsageUpdate,
};
use serde_json::json;
use sidewire_agent::event::{self, PlanStatus, ToolEnd, ToolProgress, ToolStart, TurnEvent, UsageReport};
use sidewire_agent::feed::News;
use sidewire_agent::ids::TurnId;
use sidewire_contract::media::Media;
use tokio::time::Instant;

use reports::Reports;

/// A wait for a provider or a server that is shorter is not told: it is over before anyone wonders.
pub(super) const TOLD_WAIT_MS: u64 = 2_000;

/// What an editor has been told of a turn.
pub(super) struct TurnUpdates {
    turn: TurnId,
    /// The client shows notices beside the conversation; without, they stand in the text.
    notices: bool,
    /// The message that the attempt in progress produces.
    message: Option<String>,
    /// Calls that make a plan; they are told behind it.
    planning: Vec<ToolStart>,
    reports: Reports,
}

impl TurnUpdates {
    /// A turn of which nothing has been told, for a client that shows notices or does not.
    pub(super) fn new(turn: TurnId, notices: bool) -> Self {
        Self {
            turn,
            notices,
            message: None,
            planning: Vec::new(),
            reports: Reports::default(),
        }
    }

    /// News as updates, in order; none where there is nothing to show, or where it is held back for a moment.
    pub(super) fn take(&mut self, news: News) -> Vec<SessionUpdate> {
        match news {
            News::Text(text) => self.chunks(&text, "", SessionUpdate::AgentMessageChunk),
            // Its own id: an answer never continues a thought.
            News::Reasoning(text) => self.chunks(&text, "/thought", SessionUpdate::AgentThoughtChunk),
            News::Event(TurnEvent::ToolStarted(start)) if start.name == calls::PLAN_TOOL => {
                self.planning.push(start);
                Vec::new()
            }
            News::Event(TurnEvent::Plan(entries)) => {
                let plan = plan(&entries);
                std::iter::once(plan).chain(self.planned(|_| true)).collect()
            }
            News::Event(TurnEvent::ToolFinished(end)) => {
                let mut updates = self.planned(|start| start.call_id == end.call_id);
                updates.push(self.finished(&end));
                updates
            }
            News::Event(event) => self.event(event).into_iter().collect(),
            News::End { .. } => Vec::new(),
        }
    }

    /// When something that is held back is to be told, if anything is.
    pub(super) fn due(&self) -> Option<Instant> {
        self.reports.due()
    }

    /// What was held back until now.
    pub(super) fn overdue(&mut self) -> Vec<SessionUpdate> {
        let overdue = self.reports.overdue(Instant::now());
        overdue.iter().map(|report| self.progress(report)).collect()
    }

    fn chunks(
        &self,
        text: &str,
        suffix: &str,
        update: fn(ContentChunk) -> SessionUpdate,
    ) -> Vec<SessionUpdate> {
        let id = self
            .message
            .as_ref()
            .map(|id| MessageId::new(format!("{id}{suffix}")));
        words::pieces(text)
            .map(|piece| update(ContentChunk::new(piece.into()).message_id(id.clone())))
            .collect()
    }

    fn event(&mut self, event: TurnEvent) -> Option<SessionUpdate> {
        match event {
            TurnEvent::Attempt(attempt) => {
                self.message = Some(attempt.message_id);
                None
            }
            TurnEvent::ToolStarted(start) => Some(self.started(start)),
            TurnEvent::ToolProgress(report) => {
                let report = self.reports.take(report, Instant::now())?;
                Some(self.progress(&report))
            }
            TurnEvent::Usage(report) => usage(report),
            TurnEvent::Notice(notice) => Some(aside(words::notice(notice), self.notices)),
            TurnEvent::Media(media) => media_link(&media),
            TurnEvent::Retrying { attempt, wait_ms } => {
                (wait_ms >= TOLD_WAIT_MS).then(|| aside(words::retrying(attempt, wait_ms), self.notices))
            }
            // They are news of their own, or taken above.
            TurnEvent::Text(_)
            | TurnEvent::Reasoning(_)
            | TurnEvent::ToolFinished(_)
            | TurnEvent::Plan(_) => None,
        }
    }

    /// The calls that were held back for their plan, as far as they are to be told now.
    fn planned(&mut self, now: impl Fn(&ToolStart) -> bool) -> Vec<SessionUpdate> {
        let (told, held) = std::mem::take(&mut self.planning).into_iter().partition(now);
        self.planning = held;
        let told: Vec<ToolStart> = told;
        told.into_iter().map(|start| self.started(start)).collect()
    }

    fn started(&mut self, start: ToolStart) -> SessionUpdate {
        self.reports.begin(&start.call_id);
        let call = ToolCall::new(calls::id(&self.turn, &start.call_id), start.title)
            .name(start.name)
            .kind(calls::kind(start.kind))
            .status(ToolCallStatus::Pending)
            .locations(calls::locations(&start.locations))
            .raw_input(calls::raw_input(&start.arguments));
        SessionUpdate::ToolCall(call)
    }

    fn progress(&self, report: &ToolProgress) -> SessionUpdate {
        let content = calls::content(&report.content, words::last_of);
        let fields = ToolCallUpdateFields::new()
            .status(ToolCallStatus::InProgress)
            .content((!content.is_empty()).then_some(content))
            .raw_input(report.kept_arguments.as_ref().and_then(calls::raw_input));
        self.call_update(&report.call_id, fields)
    }

    fn finished(&mut self, end: &ToolEnd) -> SessionUpdate {
        // A terminal stays on show as it is: it was given back by now, and clients do not find it by its name again.
        let content = match self.reports.end(&end.call_id) {
            Some(_terminal) => Vec::new(),
            None => calls::content(&end.content, words::first_of),
        };
        let locations = calls::locations(&end.locations);
        let fields = ToolCallUpdateFields::new()
            .status(calls::ended(end.ok))
            .content((!content.is_empty()).then_some(content))
            .locations((!locations.is_empty()).then_some(locations))
            .raw_input(end.kept_arguments.as_ref().and_then(calls::raw_input));
        self.call_update(&end.call_id, fields)
    }

    fn call_update(&self, call_id: &str, fields: ToolCallUpdateFields) -> SessionUpdate {
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(calls::id(&self.turn, call_id), fields))
    }
}

/// Something a person is told beside the answer: as a notice where the client shows those, else in the text.
pub(super) fn aside(told: words::Told, notices: bool) -> SessionUpdate {
    let meta = words::meta(json!({ "notice": { "code": told.code } }));
    if notices {
        let severity = if told.is_warning {
            NoticeSeverity::Warning
        } else {
            NoticeSeverity::Info
        };
        return SessionUpdate::Notice(NoticeUpdate::new(severity, told.text).meta(meta));
    }
    let text = ContentBlock::from(told.in_text());
    SessionUpdate::AgentMessageChunk(ContentChunk::new(text).meta(meta))
}

/// A plan; an empty one clears what was shown.
pub(super) fn plan(entries: &[event::PlanEntry]) -> SessionUpdate {
    let entries = entries.iter().map(|entry| {
        let priority = if entry.top_level {
            PlanEntryPriority::High
        } else {
            PlanEntryPriority::Medium
        };
        let status = match entry.status {
            PlanStatus::Pending => PlanEntryStatus::Pending,
            PlanStatus::InProgress => PlanEntryStatus::InProgress,
            PlanStatus::Completed => PlanEntryStatus::Completed,
        };
        PlanEntry::new(entry.content.clone(), priority, status)
    });
    SessionUpdate::Plan(Plan::new(entries.collect()))
}

/// How full the window is; nothing while its size is unknown.
pub(super) fn usage(report: UsageReport) -> Option<SessionUpdate> {
    let size = report.window.filter(|size| *size > 0)?;
    Some(SessionUpdate::UsageUpdate(UsageUpdate::new(report.context, size)))
}

/// Media by its name; frames of text have no file and are not shown.
pub(super) fn media_link(media: &Media) -> Option<SessionUpdate> {
    let asset = media.original.as_ref().or(media.poster.as_ref())?;
    let name = media
        .filename_hint
        .as_ref()
        .map_or(media.id.as_str(), |name| name.as_str());
    let link = ResourceLink::new(name, asset.reference.as_str())
        .mime_type(asset.mime_type.as_str())
        .size(i64::try_from(asset.bytes.get()).ok())
        .description(media.caption.clone().or_else(|| media.alt.clone()));
    Some(SessionUpdate::AgentMessageChunk(ContentChunk::new(
        ContentBlock::ResourceLink(link),
    )))
}

#[cfg(test)]
mod tests;
