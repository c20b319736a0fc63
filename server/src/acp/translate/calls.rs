//! Tool calls as the protocol shows them: live, in a card and when a turn is shown again.

use agent_client_protocol_schema::v1::{
    Content, ContentBlock, Diff, ImageContent, Terminal, ToolCallContent, ToolCallId, ToolCallLocation,
    ToolCallStatus, ToolKind as Kind,
};
use serde_json::Value;
use sidewire_agent::event::ToolContent;
use sidewire_agent::ids::TurnId;
use sidewire_agent::tool::{Location, ToolKind};

use super::words;

/// The tool whose calls are plans.
pub(in crate::acp) const PLAN_TOOL: &str = "todo_write";

/// The id of a call within its session: some models number their calls anew in every turn.
pub(in crate::acp) fn id(turn: &TurnId, call_id: &str) -> ToolCallId {
    ToolCallId::new(format!("{turn}:{call_id}"))
}

/// Whether a call is one of this turn.
pub(in crate::acp) fn is_of(turn: &TurnId, call: &ToolCallId) -> bool {
    let rest = call.0.strip_prefix(turn.0.as_str());
    rest.is_some_and(|rest| rest.starts_with(':'))
}

/// The kind of a tool.
pub(in crate::acp) fn kind(kind: ToolKind) -> Kind {
    match kind {
        ToolKind::Read => Kind::Read,
        ToolKind::Edit => Kind::Edit,
        ToolKind::Delete => Kind::Delete,
        ToolKind::Move => Kind::Move,
        ToolKind::Search => Kind::Search,
        ToolKind::Execute => Kind::Execute,
        ToolKind::Think => Kind::Think,
        ToolKind::Fetch => Kind::Fetch,
        ToolKind::Other => Kind::Other,
    }
}

/// How a call ended.
pub(in crate::acp) fn ended(ok: bool) -> ToolCallStatus {
    if ok {
        ToolCallStatus::Completed
    } else {
        ToolCallStatus::Failed
    }
}

/// The places a call touches.
pub(in crate::acp) fn locations(locations: &[Location]) -> Vec<ToolCallLocation> {
    let place = |place: &Location| ToolCallLocation::new(&place.path).line(place.line);
    locations.iter().map(place).collect()
}

/// Arguments as a client may show them, long texts cut; nothing when they are no JSON, which comes as a plain string.
pub(in crate::acp) fn raw_input(arguments: &Value) -> Option<Value> {
    match arguments {
        Value::Null | Value::String(_) => None,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(cut(arguments)),
    }
}

fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) => words::first_of(text).into(),
        Value::Array(items) => items.iter().map(cut).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), cut(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// What is shown of a call, its texts cut by `cut_text`. Tools keep their diffs small enough to be shown.
pub(in crate::acp) fn content(blocks: &[ToolContent], cut_text: fn(&str) -> String) -> Vec<ToolCallContent> {
    let shown = blocks.iter().filter_map(|block| match block {
        ToolContent::Text(text) => (!text.is_empty()).then(|| text_block(cut_text(text))),
        ToolContent::Diff { path, before, after } => {
            let diff = Diff::new(path, after.clone()).old_text(before.clone());
            Some(ToolCallContent::Diff(diff))
        }
        ToolContent::Terminal(id) => Some(ToolCallContent::Terminal(Terminal::new(id.clone()))),
        ToolContent::Picture(picture) => {
            let data = base64_simd::STANDARD.encode_to_string(&picture.bytes);
            let image = ImageContent::new(data, picture.mime_type.clone());
            Some(ToolCallContent::Content(Content::new(ContentBlock::Image(image))))
        }
    });
    shown.collect()
}

/// A text that a call shows.
pub(in crate::acp) fn text_block(text: String) -> ToolCallContent {
    ToolCallContent::Content(Content::new(ContentBlock::from(text)))
}
