//! The API response as indented `key: value` lines, small values on one line.

use serde_json::Value;
use sidewire_contract::page::ApiResource;

use super::lines::{Kind, Line, Lines};

/// Levels that are opened; what is deeper is counted.
const MOST_DEPTH: usize = 24;
/// Longest object or list that stays on one line, as a field and as an entry of a list.
const INLINE: usize = 120;
const INLINE_ENTRY: usize = 220;
/// Importance of the first level, and how much less each further level matters.
const TOP_SCORE: i32 = 66;
const STEP: i32 = 4;
const LEAST: i32 = 26;
/// What the platform writes about a resource matters less than what a person configured.
const SYSTEM: i32 = -12;
/// Entries of a long list that are neither first nor last.
const MIDDLE_ENTRY: i32 = -14;

/// Adds the response.
pub(super) fn add(lines: &mut Lines, resource: &ApiResource) {
    let kind = resource
        .resource_type
        .as_deref()
        .map(|kind| lines.text(kind))
        .unwrap_or_default();
    let url = lines.text(&resource.url);
    let cut = if resource.truncated {
        ", cut by the browser"
    } else {
        ""
    };
    let text = format!("API response {kind} (HTTP {}{cut}) {url}", resource.status);
    let root = lines.push(line(None, text, Kind::Outline, 0));
    let place = Place {
        parent: root,
        depth: 0,
        bonus: 0,
    };
    if let Some(fields) = resource.body.as_object().filter(|fields| !fields.is_empty()) {
        add_fields(lines, fields, place);
    } else if let Some(items) = resource.body.as_array().filter(|items| !items.is_empty()) {
        add_items(lines, items, place);
    } else {
        let text = inline(lines, &resource.body, usize::MAX).unwrap_or_default();
        lines.push(line(root, text, Kind::Field, TOP_SCORE));
    }
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place {
    parent: Option<usize>,
    depth: usize,
    bonus: i32,
}

impl Place {
    fn below(self, parent: Option<usize>) -> Self {
        Self {
            parent,
            depth: self.depth + 1,
            ..self
        }
    }

    fn score(self) -> i32 {
        let depth = i32::try_from(self.depth.min(MOST_DEPTH)).unwrap_or(0);
        (TOP_SCORE - STEP * depth).max(LEAST) + self.bonus
    }
}

fn add_fields(lines: &mut Lines, fields: &serde_json::Map<String, Value>, place: Place) {
    for (key, value) in fields {
        let minor = key.starts_with("system_") || value.is_null();
        let bonus = place.bonus + if minor { SYSTEM } else { 0 };
        let key = lines.text(key);
        add_value(lines, &format!("{key}:"), value, Place { bonus, ..place });
    }
}

fn add_items(lines: &mut Lines, items: &[Value], place: Place) {
    for (index, item) in items.iter().enumerate() {
        let middle = index >= 3 && index + 1 < items.len();
        let bonus = place.bonus + if middle { MIDDLE_ENTRY } else { 0 };
        add_value(lines, "-", item, Place { bonus, ..place });
    }
}

/// One field or list entry: on one line when it is small, opened otherwise.
fn add_value(lines: &mut Lines, label: &str, value: &Value, place: Place) {
    let room = if label == "-" { INLINE_ENTRY } else { INLINE };
    let room = if value.is_string() { usize::MAX } else { room };
    if let Some(text) = inline(lines, value, room) {
        lines.push(line(
            place.parent,
            format!("{label} {text}"),
            Kind::Field,
            place.score(),
        ));
        return;
    }
    if place.depth >= MOST_DEPTH {
        lines.unread += 1;
        return;
    }
    match value {
        Value::Object(fields) => {
            let open = lines.push(line(place.parent, label.to_owned(), Kind::Outline, 0));
            add_fields(lines, fields, place.below(open));
        }
        Value::Array(items) => {
            let text = format!("{label} ({} entries)", items.len());
            let open = lines.push(line(place.parent, text, Kind::Outline, 0));
            add_items(lines, items, place.below(open));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A value as one short piece of text, or nothing when it is longer than `room`.
fn inline(lines: &mut Lines, value: &Value, room: usize) -> Option<String> {
    match value {
        Value::String(text) => Some(lines.text(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(items) => join(lines, ["[", "]"], items.iter().map(|item| (None, item)), room),
        Value::Object(fields) => join(
            lines,
            ["{", "}"],
            fields.iter().map(|(key, item)| (Some(key), item)),
            room,
        ),
    }
}

fn join<'v>(
    lines: &mut Lines,
    brackets: [&str; 2],
    parts: impl Iterator<Item = (Option<&'v String>, &'v Value)>,
    room: usize,
) -> Option<String> {
    let [open, close] = brackets;
    let mut text = open.to_owned();
    for (key, item) in parts {
        if text.len() > open.len() {
            text.push_str(", ");
        }
        if let Some(key) = key {
            text.push_str(&super::text::flat(key, INLINE));
            text.push_str(": ");
        }
        let left = room.checked_sub(text.len())?;
        if item.as_str().is_some_and(|string| string.len() > left) {
            return None;
        }
        text.push_str(&inline(lines, item, left)?);
    }
    text.push_str(close);
    (text.len() <= room).then_some(text)
}

fn line(parent: Option<usize>, text: String, kind: Kind, score: i32) -> Line {
    Line {
        parent,
        depth: 0,
        text,
        kind,
        score,
        offscreen: false,
    }
}
