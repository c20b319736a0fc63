//! A transcript as messages of blocks.
//!
//! What the API insists on: the two sides take turns, results follow the calls at once, no text is blank, ids and names
//! are proper, arguments are objects.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use sidewire_agent::message::{Message, Part, ResultContent, Role};
use sidewire_agent::provider::Picture;

use super::super::http::{Pictures, encoded, proper_arguments, proper_id, proper_name};
use super::seal::{Seal, Sealer};

/// One side's words, until the other side speaks.
#[derive(Serialize)]
pub(super) struct Spoken<'a> {
    pub(super) role: &'static str,
    pub(super) content: Vec<Marked<'a>>,
}

/// A block, and perhaps the wish that the server keeps everything up to it.
#[derive(Serialize)]
pub(super) struct Marked<'a> {
    #[serde(flatten)]
    block: Block<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<Mark>,
}

/// The wish to keep everything up to here for a while.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Mark {
    r#type: &'static str,
}

/// The only kind of mark.
pub(super) const MARK: Mark = Mark { r#type: "ephemeral" };

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Cow<'a, Value>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: String,
}

/// What a transcript is read with.
pub(super) struct Reading<'a> {
    pub(super) pictures: &'a Pictures<'a>,
    pub(super) sealer: &'a Sealer,
    /// Sealed thinking is given back.
    pub(super) thoughts: bool,
}

impl<'a> Reading<'a> {
    /// The messages, those of one side in a row as one.
    pub(super) fn of(&self, messages: &'a [Message]) -> Vec<Spoken<'a>> {
        let mut spoken: Vec<Spoken<'a>> = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            let role = match message.role {
                Role::User | Role::Tool => "user",
                Role::Assistant => "assistant",
            };
            let blocks = self.blocks(message, at);
            if blocks.is_empty() {
                continue;
            }
            if spoken.last().is_none_or(|last| last.role != role) {
                spoken.push(Spoken {
                    role,
                    content: Vec::new(),
                });
            }
            let marked = blocks.into_iter().map(|block| Marked {
                block,
                cache_control: None,
            });
            if let Some(last) = spoken.last_mut() {
                last.content.extend(marked);
            }
        }
        spoken
    }

    fn blocks(&self, message: &'a Message, at: usize) -> Vec<Block<'a>> {
        let mut shown = Shown {
            pictures: self.pictures,
            at,
            // A picture that several parts mention is shown once.
            left: self.pictures.beside(message, at),
        };
        let blocks: Vec<Block<'a>> = message
            .parts
            .iter()
            .filter_map(|part| self.block(part, &mut shown))
            .collect();
        // Thinking alone is no message: the turn broke off before a word.
        if blocks.iter().all(Block::is_thought) {
            return Vec::new();
        }
        blocks
    }

    fn block(&self, part: &'a Part, shown: &mut Shown<'a>) -> Option<Block<'a>> {
        match part {
            Part::Text { text } => Block::text(text),
            Part::Reasoning {
                text,
                signature: Some(kept),
            } if self.thoughts => Some(match self.sealer.read(kept)? {
                Seal::Signature(signature) => Block::Thinking {
                    thinking: text,
                    signature,
                },
                Seal::Redacted(data) => Block::RedactedThinking { data },
            }),
            Part::ToolCall {
                call_id,
                name,
                arguments,
            } => Some(Block::ToolUse {
                id: proper_id(call_id),
                name: proper_name(name),
                input: proper_arguments(arguments),
            }),
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } => Some(Block::ToolResult {
                tool_use_id: proper_id(call_id),
                content: content.iter().filter_map(|block| shown.result(block)).collect(),
                is_error: *is_error,
            }),
            Part::Image { blob, .. } => Some(shown.picture(blob)),
            Part::Reasoning { .. } | Part::Media { .. } | Part::Page { .. } | Part::Notice { .. } => None,
        }
    }
}

/// The pictures of one message that still have to be shown.
struct Shown<'a> {
    pictures: &'a Pictures<'a>,
    at: usize,
    left: Vec<&'a Picture>,
}

impl<'a> Shown<'a> {
    fn result(&mut self, block: &'a ResultContent) -> Option<Block<'a>> {
        match block {
            ResultContent::Text { text } => Block::text(text),
            ResultContent::Image { blob, .. } => Some(self.picture(blob)),
        }
    }

    fn picture(&mut self, blob: &str) -> Block<'a> {
        let Some(number) = self.left.iter().position(|picture| picture.blob == blob) else {
            return Block::Text {
                text: self.pictures.instead(blob, self.at),
            };
        };
        let picture = self.left.swap_remove(number);
        Block::Image {
            source: Source {
                r#type: "base64",
                media_type: &picture.mime_type,
                data: encoded(picture),
            },
        }
    }
}

impl<'a> Block<'a> {
    /// Blank text is refused.
    fn text(text: &'a str) -> Option<Self> {
        (!text.trim().is_empty()).then_some(Self::Text { text })
    }

    fn is_thought(&self) -> bool {
        matches!(self, Self::Thinking { .. } | Self::RedactedThinking { .. })
    }
}
