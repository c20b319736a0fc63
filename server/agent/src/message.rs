//! What a transcript is made of. The same parts are stored, sent to providers and shown by both fronts.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidewire_contract::media::Media;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// Results of the tools that the assistant called.
    Tool,
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// Markdown from the model, plain text from the person.
        text: String,
    },
    /// The model's thinking; kept because some providers refuse a later call without it.
    Reasoning {
        /// What it thought.
        text: String,
        /// The provider's seal over it, returned to the provider unchanged.
        signature: Option<String>,
    },
    /// A call the model asked for.
    ToolCall {
        /// The model's id of the call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// Arguments as the model wrote them.
        arguments: Value,
    },
    /// What a call gave.
    ToolResult {
        /// The model's id of the call.
        call_id: String,
        /// What the model reads.
        content: Vec<ResultContent>,
        /// The tool failed.
        is_error: bool,
    },
    /// A picture the person or a tool supplied.
    Image {
        /// Its type, from its magic bytes.
        mime_type: String,
        /// Name of the stored bytes.
        blob: String,
    },
    /// Media that was shown to the person.
    Media {
        /// Its descriptor.
        descriptor: Box<Media>,
    },
    /// Which page a question was about; the snapshot itself is kept only while it is the newest.
    Page {
        /// Title of the page.
        title: String,
        /// Its address without query.
        url: String,
        /// When it was read, in milliseconds since 1970.
        captured_at_ms: i64,
    },
    /// Something the person was told about this turn.
    Notice {
        /// What.
        notice: Notice,
    },
}

/// One block of a tool's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ResultContent {
    /// Words.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Its type.
        mime_type: String,
        /// Name of the stored bytes.
        blob: String,
    },
}

/// Things a person is told about a turn beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// Older turns did not fit the model's window.
    HistoryTrimmed,
    /// The page did not fit its share of the window.
    PageTrimmed,
    /// The answer reached the size limit and was ended.
    AnswerClipped,
    /// The turn reached its step ceiling.
    StepLimit,
    /// The provider withheld the rest of the answer.
    Withheld,
    /// Room was made although nobody knows how large the model's window is.
    GuessedWindow,
    /// Earlier turns were summed up to make room.
    Compacted {
        /// How many messages the summary stands for.
        messages: u32,
    },
}

/// A message of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A message of one text part.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            parts: vec![Part::Text { text: text.into() }],
        }
    }

    /// All text parts, joined; reasoning and tools left out.
    #[must_use]
    pub fn plain_text(&self) -> String {
        plain_text(&self.parts)
    }
}

/// All text parts, joined; reasoning and tools left out.
pub(crate) fn plain_text(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| {
            if let Part::Text { text } = part {
                Some(text.as_str())
            } else {
                None
            }
        })
        .collect()
}

/// Tokens a turn used, as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Of those read, the ones the provider had cached.
    pub cached: Option<u64>,
    /// Of those written, the ones that were thinking.
    #[serde(default)]
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Adds the usage of a further model call of the same turn.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        let sum = |mine: Option<u64>, more: Option<u64>| match (mine, more) {
            (None, None) => None,
            (mine, more) => Some(mine.unwrap_or(0).saturating_add(more.unwrap_or(0))),
        };
        self.cached = sum(self.cached, other.cached);
        self.reasoning = sum(self.reasoning, other.reasoning);
    }
}

/// A link an answer cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// `console` or `doc`.
    pub kind: String,
    /// What to call it.
    pub title: String,
    /// Where it leads.
    pub url: String,
}
