//! Earlier turns as a model reads them again.

use super::fence;
use crate::budget::weight;
use crate::call_names::tell_apart;
use crate::message::{Message, Part, ResultContent, Role};
use crate::page_block::text::clip;

/// Most bytes of a tool's result that a later turn beside a page still sees.
const OLD_RESULT: usize = 1024;
/// What the model is made to say to a summary, so that person and model keep taking turns: some models insist on it.
const NOTED: &str = "Understood. I go on from there.";
/// What it is made to have said, for the same reason, in a turn that ended without an answer: it was stopped, failed, or
/// was a command of the person's own.
const UNANSWERED: &str = "(No answer followed.)";

/// A turn that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierTurn {
    /// Its number in its conversation.
    pub number: i64,
    /// What was said in it, the question first.
    pub messages: Vec<Message>,
}

/// What of a request's messages are earlier turns; they come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Past {
    /// Messages of the summary.
    pub(crate) summary: usize,
    /// Number of each turn that follows, and how many messages it has.
    pub(crate) turns: Vec<(i64, usize)>,
    /// Tokens of all of it, as the provider counted them at the end of the last turn.
    pub(crate) measured: Option<u64>,
    /// Most tokens that the model is known to have taken.
    pub(crate) held: u64,
}

impl Past {
    /// How many messages it is; the question follows them.
    pub(crate) fn len(&self) -> usize {
        self.summary + self.turns.iter().map(|(_, messages)| messages).sum::<usize>()
    }
}

/// A summary as it opens a request.
pub(crate) fn opening(summary: Message) -> [Message; 2] {
    [summary, Message::text(Role::Assistant, NOTED)]
}

/// How stored messages are read again.
pub(super) struct Reading<'a> {
    /// Fences what pages say.
    pub(super) marker: &'a str,
    /// Results of tools stay whole, and so do the thoughts that some providers want back with their calls.
    pub(super) whole: bool,
}

/// What is left of earlier turns.
pub(super) struct Recalled {
    pub(super) messages: Vec<Message>,
    pub(super) past: Past,
    /// Some were left out.
    pub(super) cut: bool,
}

impl Reading<'_> {
    /// The summary and the newest turns that fit into `room` bytes, whole.
    pub(super) fn recall(&self, summary: Option<&Message>, history: &[EarlierTurn], room: usize) -> Recalled {
        let opening = summary.map(|summary| opening(summary.clone()));
        let mut messages: Vec<Message> = opening.into_iter().flatten().collect();
        let mut past = Past {
            summary: messages.len(),
            ..Past::default()
        };
        let mut left = room.saturating_sub(messages.iter().map(weight).sum());
        let mut kept = Vec::new();
        for turn in history.iter().rev() {
            let read = self.turn(turn);
            let size: usize = read.iter().map(weight).sum();
            let Some(rest) = left.checked_sub(size) else { break };
            left = rest;
            past.turns.insert(0, (turn.number, read.len()));
            kept.push(read);
        }
        let cut = kept.len() < history.len();
        messages.extend(kept.into_iter().rev().flatten());
        tell_apart(&mut messages);
        Recalled { messages, past, cut }
    }

    /// A turn that was stopped or failed may end with a question or with results.
    fn turn(&self, turn: &EarlierTurn) -> Vec<Message> {
        let mut read: Vec<Message> = turn.messages.iter().filter_map(|said| self.again(said)).collect();
        if read.last().is_some_and(|last| last.role != Role::Assistant) {
            read.push(Message::text(Role::Assistant, UNANSWERED));
        }
        read
    }

    /// A stored message as the model reads it again: an earlier page is one fenced line, notices, media and thoughts
    /// that no provider wants back are gone.
    fn again(&self, message: &Message) -> Option<Message> {
        let is_call = |part: &Part| matches!(part, Part::ToolCall { .. });
        let thoughts = self.whole && message.parts.iter().any(is_call);
        let parts: Vec<Part> = message
            .parts
            .iter()
            .filter_map(|part| self.part(part, thoughts))
            .collect();
        // Thinking alone is no message: the turn broke off before a word.
        let is_thought = |part: &Part| matches!(part, Part::Reasoning { .. });
        (!parts.iter().all(is_thought)).then_some(Message {
            role: message.role,
            parts,
        })
    }

    fn part(&self, part: &Part, thoughts: bool) -> Option<Part> {
        match part {
            Part::Page { title, url, .. } => {
                let page = format!("an earlier page: {}, at {}", one_line(title), one_line(url));
                Some(Part::Text {
                    text: format!("{}\n\n", fence(&page, self.marker)),
                })
            }
            Part::Notice { .. } | Part::Media { .. } => None,
            Part::Reasoning { signature: None, .. } => thoughts.then(|| part.clone()),
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } if !self.whole => Some(Part::ToolResult {
                call_id: call_id.clone(),
                content: content.iter().map(old_result).collect(),
                is_error: *is_error,
            }),
            Part::Text { .. }
            | Part::Reasoning { .. }
            | Part::ToolCall { .. }
            | Part::ToolResult { .. }
            | Part::Image { .. } => Some(part.clone()),
        }
    }
}

/// What a tool gave in an earlier turn is outdated and can be asked for again; its beginning is enough to remember it.
fn old_result(content: &ResultContent) -> ResultContent {
    match content {
        ResultContent::Text { text } if text.len() > OLD_RESULT => ResultContent::Text {
            text: format!("{}\n(cut: an earlier result)", clip(text, OLD_RESULT)),
        },
        other => other.clone(),
    }
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect()
}
