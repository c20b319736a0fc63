//! What a server sends, typed; unknown kinds of events and blocks are read over.

use serde::Deserialize;
use serde_json::{Map, Value};
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::Usage;
use sidewire_agent::provider::FinishReason;

use super::super::http::failure;

/// One event of a stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    /// The answer begins.
    MessageStart {
        /// With what is known of it.
        message: Begun,
    },
    /// A block begins.
    ContentBlockStart {
        /// Its number.
        index: u64,
        /// With what is known of it.
        content_block: Block,
    },
    /// More of a block.
    ContentBlockDelta {
        /// Its number.
        index: u64,
        /// What comes.
        delta: Delta,
    },
    /// A block is whole.
    ContentBlockStop {
        /// Its number.
        index: u64,
    },
    /// The answer as a whole has news.
    MessageDelta {
        /// Why it stops.
        delta: End,
        /// Tokens.
        usage: Option<Tokens>,
    },
    /// The stream is over.
    MessageStop,
    /// The server failed in the middle.
    Error {
        /// How.
        error: Fault,
    },
    /// A sign of life, or something newer than this adapter.
    #[serde(other)]
    Other,
}

/// An answer that begins.
#[derive(Debug, Deserialize)]
pub(super) struct Begun {
    /// Tokens that were read.
    pub(super) usage: Option<Tokens>,
}

/// A whole answer, from a server that does not stream.
#[derive(Debug, Deserialize)]
pub(super) struct Whole {
    /// What it says.
    pub(super) content: Vec<Block>,
    /// Why it stops.
    pub(super) stop_reason: Option<String>,
    /// Tokens.
    pub(super) usage: Option<Tokens>,
}

/// A block.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    /// Words.
    Text {
        /// Those that came at once.
        #[serde(default)]
        text: String,
    },
    /// Thinking.
    Thinking {
        /// What came at once.
        #[serde(default)]
        thinking: String,
        /// The seal over it.
        #[serde(default)]
        signature: String,
    },
    /// Thinking that cannot be read.
    RedactedThinking {
        /// The sealed thing.
        data: String,
    },
    /// A tool call.
    ToolUse {
        /// Its id.
        #[serde(default)]
        id: String,
        /// Name of the tool.
        name: String,
        /// Arguments that came at once.
        #[serde(default)]
        input: Map<String, Value>,
    },
    /// Something newer than this adapter.
    #[serde(other)]
    Other,
}

/// More of a block.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    /// Words.
    #[serde(rename = "text_delta")]
    Text {
        /// They.
        text: String,
    },
    /// Thinking.
    #[serde(rename = "thinking_delta")]
    Thinking {
        /// It.
        thinking: String,
    },
    /// The seal over the thinking.
    #[serde(rename = "signature_delta")]
    Signature {
        /// It.
        signature: String,
    },
    /// More of the arguments' JSON text.
    #[serde(rename = "input_json_delta")]
    InputJson {
        /// It.
        partial_json: String,
    },
    /// Something newer than this adapter.
    #[serde(other)]
    Other,
}

/// News of an answer as a whole.
#[derive(Debug, Deserialize)]
pub(super) struct End {
    /// Why it stops.
    pub(super) stop_reason: Option<String>,
}

/// How a server failed in the middle.
#[derive(Debug, Deserialize)]
pub(super) struct Fault {
    r#type: Option<String>,
}

impl Fault {
    /// The failure its kind stands for: each kind has its HTTP status, which a stream can no longer have.
    pub(super) fn failure(&self) -> ProviderError {
        failure(match self.r#type.as_deref() {
            Some("invalid_request_error") => 400,
            Some("authentication_error") => 401,
            Some("billing_error") => 402,
            Some("permission_error") => 403,
            Some("not_found_error") => 404,
            Some("request_too_large") => 413,
            Some("rate_limit_error") => 429,
            Some("timeout_error") => 504,
            Some("overloaded_error") => 529,
            _ => 500,
        })
    }
}

/// Token counts. Later ones replace earlier ones.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

impl Tokens {
    /// Takes over what newer counts say.
    pub(super) fn update(&mut self, newer: Self) {
        let Self {
            input_tokens,
            output_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
        } = newer;
        self.input_tokens = input_tokens.or(self.input_tokens);
        self.output_tokens = output_tokens.or(self.output_tokens);
        self.cache_creation_input_tokens = cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens = cache_read_input_tokens.or(self.cache_read_input_tokens);
    }
}

impl From<Tokens> for Usage {
    /// This API counts apart what it wrote to and read from its cache; all of it was read.
    fn from(tokens: Tokens) -> Self {
        let cached = tokens.cache_read_input_tokens;
        let parts = [tokens.input_tokens, tokens.cache_creation_input_tokens, cached];
        Self {
            input: parts.into_iter().flatten().fold(0, u64::saturating_add),
            output: tokens.output_tokens.unwrap_or(0),
            cached,
            reasoning: None,
        }
    }
}

/// Why the model stopped.
pub(super) fn finish(reason: &str) -> FinishReason {
    match reason {
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::Filtered,
        _ => FinishReason::Stop,
    }
}
