//! What a server sends, typed; unknown fields are read over.

use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::Usage;

use super::super::http::failure;

/// One event of a stream, or a whole completion.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    /// Only the first is asked for.
    pub(super) choices: Option<Vec<Choice>>,
    /// Tokens, in the last chunk.
    pub(super) usage: Option<Tokens>,
    /// The provider failed in the middle.
    pub(super) error: Option<Value>,
}

/// One answer.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    /// More of it.
    pub(super) delta: Option<Delta>,
    /// All of it, from a server that does not stream.
    pub(super) message: Option<Delta>,
    /// Why it ends.
    pub(super) finish_reason: Option<String>,
}

/// A piece of an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    /// Words.
    pub(super) content: Option<String>,
    /// The words with which it declines.
    pub(super) refusal: Option<String>,
    /// Thinking.
    pub(super) reasoning_content: Option<String>,
    /// Thinking, as some servers call it.
    pub(super) reasoning: Option<String>,
    /// Pieces of tool calls.
    pub(super) tool_calls: Option<Vec<ToolDelta>>,
}

/// A piece of a tool call.
#[derive(Debug, Deserialize)]
pub(super) struct ToolDelta {
    /// Which call it belongs to.
    pub(super) index: Option<usize>,
    /// Id of the call, in its first piece.
    pub(super) id: Option<String>,
    /// What is called.
    pub(super) function: Option<FunctionDelta>,
}

impl ToolDelta {
    /// Whether it says what is called.
    pub(super) fn has_name(&self) -> bool {
        let name = self.function.as_ref().and_then(|function| function.name.as_ref());
        name.is_some_and(|name| !name.is_empty())
    }
}

/// A piece of a call's name and arguments.
#[derive(Debug, Deserialize)]
pub(super) struct FunctionDelta {
    /// Name, in the first piece.
    pub(super) name: Option<String>,
    /// More of the arguments' JSON text.
    pub(super) arguments: Option<String>,
}

/// Token counts.
#[derive(Debug, Deserialize)]
pub(super) struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    /// What DeepSeek calls the cached ones.
    prompt_cache_hit_tokens: Option<u64>,
    completion_tokens_details: Option<AnswerDetails>,
}

#[derive(Debug, Deserialize)]
struct AnswerDetails {
    reasoning_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        let cached = tokens
            .prompt_tokens_details
            .and_then(|details| details.cached_tokens);
        Self {
            input: tokens.prompt_tokens.unwrap_or(0),
            output: tokens.completion_tokens.unwrap_or(0),
            cached: cached.or(tokens.prompt_cache_hit_tokens),
            reasoning: tokens
                .completion_tokens_details
                .and_then(|details| details.reasoning_tokens),
        }
    }
}

/// The failure an error object in a stream stands for: its numeric code, read like a status.
pub(super) fn stream_failure(error: &Value) -> ProviderError {
    let code = ["code", "status", "status_code"].iter().find_map(|key| {
        let code = error.get(*key)?;
        code.as_u64().or_else(|| code.as_str()?.parse().ok())
    });
    match code.and_then(|code| u16::try_from(code).ok()) {
        Some(status @ 400..=599) => failure(status),
        _ => ProviderError::Server { status: 500 },
    }
}
