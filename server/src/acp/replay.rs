//! A stored turn as the updates that show it again, in the order it happened. Notices were of their moment and are not
//! told again; nothing here has a message id, because no attempt is in progress.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, MessageId, ResourceLink, SessionUpdate, ToolCall, ToolCallContent,
    ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::Value;
use sidewire_agent::event::{PlanEntry, PlanStatus, ToolContent};
use sidewire_agent::message::{Message, Part, ResultContent};
use sidewire_agent::record::{CallDiff, PageStub, ToolRow, TurnRecord};
use sidewire_agent::store::StoredTurn;

use super::translate::{calls, media_link, plan, words};

/// The updates of a turn.
pub(super) fn updates(turn: &StoredTurn) -> Vec<SessionUpdate> {
    let replay = Replay {
        record: &turn.record,
        rows: turn
            .record
            .tools
            .iter()
            .map(|row| (row.call_id.as_str(), row))
            .collect(),
        failed: failed_calls(&turn.messages),
        diffs: &turn.diffs,
    };
    let mut updates = replay.question();
    // The first message is the question as the model read it, with what was put around it.
    let parts = turn.messages.iter().skip(1).flat_map(|message| &message.parts);
    updates.extend(parts.flat_map(|part| replay.part(part)));
    updates.extend(turn.record.media.iter().filter_map(media_link));
    updates
}

struct Replay<'a> {
    record: &'a TurnRecord,
    rows: HashMap<&'a str, &'a ToolRow>,
    failed: HashMap<&'a str, bool>,
    diffs: &'a [CallDiff],
}

impl Replay<'_> {
    /// What the person wrote, and the page it was about.
    fn question(&self) -> Vec<SessionUpdate> {
        // Its own id: a question that was never answered is not joined to the next one.
        let id = MessageId::new(format!("{}/question", self.record.id));
        let page = self.record.page.iter().filter(|page| !page.url.is_empty());
        words::pieces(&self.record.prompt)
            .map(ContentBlock::from)
            .chain(page.map(page_link))
            .map(|block| ContentChunk::new(block).message_id(id.clone()))
            .map(SessionUpdate::UserMessageChunk)
            .collect()
    }

    fn part(&self, part: &Part) -> Vec<SessionUpdate> {
        match part {
            Part::Text { text } => chunks(text, SessionUpdate::AgentMessageChunk),
            Part::Reasoning { text, .. } => chunks(text, SessionUpdate::AgentThoughtChunk),
            Part::ToolCall {
                call_id,
                name,
                arguments,
            } => self.call(call_id, name, arguments),
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } => vec![self.result(call_id, content, *is_error)],
            Part::Image { .. } | Part::Media { .. } | Part::Page { .. } | Part::Notice { .. } => Vec::new(),
        }
    }

    fn call(&self, call_id: &str, name: &str, arguments: &Value) -> Vec<SessionUpdate> {
        let row = self.rows.get(call_id);
        let title = row.map_or(name, |row| row.label.as_str());
        let ok = !self.failed.get(call_id).copied().unwrap_or_default();
        let mut call = ToolCall::new(calls::id(&self.record.id, call_id), title)
            .name(name)
            .status(calls::ended(ok))
            .raw_input(calls::raw_input(arguments));
        if let Some(row) = row {
            call = call.locations(calls::locations(&row.locations));
            call.kind = row.kind.map(calls::kind).unwrap_or_default();
        }
        let plan = (name == calls::PLAN_TOOL && ok).then(|| plan(&entries(arguments)));
        // The plan is told first, as it was.
        plan.into_iter().chain([SessionUpdate::ToolCall(call)]).collect()
    }

    fn result(&self, call_id: &str, content: &[ResultContent], is_error: bool) -> SessionUpdate {
        let mut shown = self.changes(call_id);
        if shown.is_empty() {
            shown = texts(content);
        }
        let fields = ToolCallUpdateFields::new()
            .status(calls::ended(!is_error))
            .content(shown);
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(calls::id(&self.record.id, call_id), fields))
    }

    /// The changed files that a call showed, as far as they were kept.
    fn changes(&self, call_id: &str) -> Vec<ToolCallContent> {
        let shown = self.diffs.iter().filter(|diff| diff.call_id == call_id);
        let block = |diff: &CallDiff| ToolContent::Diff {
            path: diff.path.clone(),
            before: diff.before.clone(),
            after: diff.after.clone(),
        };
        calls::content(&shown.map(block).collect::<Vec<_>>(), words::first_of)
    }
}

/// What the model read of a call, as far as it is words.
fn texts(content: &[ResultContent]) -> Vec<ToolCallContent> {
    let shown = content.iter().filter_map(|block| match block {
        ResultContent::Text { text } => (!text.is_empty()).then(|| calls::text_block(words::first_of(text))),
        ResultContent::Image { .. } => None,
    });
    shown.collect()
}

fn chunks(text: &str, update: fn(ContentChunk) -> SessionUpdate) -> Vec<SessionUpdate> {
    words::pieces(text)
        .map(|piece| update(ContentChunk::new(piece.into())))
        .collect()
}

fn page_link(page: &PageStub) -> ContentBlock {
    let name = if page.title.is_empty() {
        &page.url
    } else {
        &page.title
    };
    ContentBlock::ResourceLink(ResourceLink::new(name.as_str(), page.url.as_str()))
}

/// Which calls failed, by their results.
fn failed_calls(messages: &[Message]) -> HashMap<&str, bool> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let results = parts.filter_map(|part| match part {
        Part::ToolResult {
            call_id, is_error, ..
        } => Some((call_id.as_str(), *is_error)),
        _ => None,
    });
    results.collect()
}

/// The plan that a call wrote down; what cannot be read of it counts as not begun.
fn entries(arguments: &Value) -> Vec<PlanEntry> {
    let todos = arguments.get("todos").and_then(Value::as_array);
    let entry = |todo: &Value| {
        Some(PlanEntry {
            content: todo.get("content")?.as_str()?.to_owned(),
            status: match todo.get("status").and_then(Value::as_str) {
                Some("completed") => PlanStatus::Completed,
                Some("in_progress") => PlanStatus::InProgress,
                _ => PlanStatus::Pending,
            },
            top_level: todo.get("level").and_then(Value::as_u64).unwrap_or_default() == 0,
        })
    };
    todos.into_iter().flatten().filter_map(entry).collect()
}

#[cfg(test)]
mod tests;
