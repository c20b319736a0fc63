//! Messages as plain text for the model that sums them up, cut until they fit.

use crate::message::{Message, Part, ResultContent, Role};
use crate::page_block::text::clip;

/// How long single pieces may be, in bytes: words, arguments of calls, results. Tried in this order.
const LIMITS: [Limits; 5] = [
    Limits::new(32_000, 4_000, 4_000),
    Limits::new(16_000, 2_000, 1_000),
    Limits::new(8_000, 600, 300),
    Limits::new(2_000, 200, 100),
    Limits::new(400, 80, 40),
];

#[derive(Clone, Copy)]
struct Limits {
    words: usize,
    arguments: usize,
    results: usize,
}

impl Limits {
    const fn new(words: usize, arguments: usize, results: usize) -> Self {
        Self {
            words,
            arguments,
            results,
        }
    }
}

/// At most `room` bytes; what is too much goes at the beginning, which later messages mostly repeat.
pub(super) fn write(messages: &[Message], room: usize) -> String {
    let mut text = String::new();
    for limits in LIMITS {
        text = render(messages, limits);
        if text.len() <= room {
            return text;
        }
    }
    const LEFT_OUT: &str = "(the beginning is left out)\n";
    let over = text.len().saturating_sub(room.saturating_sub(LEFT_OUT.len()));
    let from = (over..=text.len()).find(|at| text.is_char_boundary(*at));
    let end = from.and_then(|from| text.get(from..)).unwrap_or_default();
    format!("{LEFT_OUT}{end}")
}

fn render(messages: &[Message], limits: Limits) -> String {
    let mut text = String::new();
    for message in messages {
        let who = match message.role {
            Role::User => "person",
            Role::Assistant => "agent",
            Role::Tool => "results",
        };
        let parts: Vec<String> = message
            .parts
            .iter()
            .filter_map(|part| piece(part, limits))
            .collect();
        if !parts.is_empty() {
            text.push_str(&format!("[{who}]\n{}\n", parts.join("\n")));
        }
    }
    text
}

/// Thoughts are left out: what came of them follows.
fn piece(part: &Part, limits: Limits) -> Option<String> {
    match part {
        Part::Text { text } => (!text.trim().is_empty()).then(|| cut(text.trim(), limits.words)),
        Part::ToolCall { name, arguments, .. } => {
            let arguments = cut(&arguments.to_string(), limits.arguments);
            Some(format!("(calls {name} {arguments})"))
        }
        Part::ToolResult {
            content, is_error, ..
        } => {
            let failed = if *is_error { "(failed) " } else { "" };
            let words: Vec<&str> = content.iter().map(words).collect();
            Some(format!(
                "{failed}{}",
                cut(words.join("\n").trim(), limits.results)
            ))
        }
        Part::Image { .. } => Some("(a picture)".to_owned()),
        Part::Page { title, url, .. } => Some(format!("(a page: {} at {})", cut(title, 200), cut(url, 200))),
        Part::Reasoning { .. } | Part::Media { .. } | Part::Notice { .. } => None,
    }
}

fn words(content: &ResultContent) -> &str {
    match content {
        ResultContent::Text { text } => text,
        ResultContent::Image { .. } => "(a picture)",
    }
}

/// The beginning and the end, since results often tell the outcome last.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = clip(text, limit / 3 * 2);
    let tail_from = text.len() - limit / 3;
    let from = (tail_from..=text.len()).find(|at| text.is_char_boundary(*at));
    let tail = from.and_then(|from| text.get(from..)).unwrap_or_default();
    format!("{head} … {tail}")
}
