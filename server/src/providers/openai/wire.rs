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

/// What servers that give no number call a failure that may pass, and one that is the request's.
const KINDS: [(&str, u16); 7] = [
    ("overload", 503),
    ("unavailable", 503),
    ("server_error", 500),
    ("timeout", 504),
    ("rate_limit", 429),
    ("invalid_request", 400),
    ("context_length", 400),
];

/// The failure an error object in a stream stands for: its numeric code, read like a status, or else its kind. What has
/// neither is not asked for again: nobody says that it would go better.
pub(super) fn stream_failure(error: &Value) -> ProviderError {
    let number = ["code", "status", "status_code"].iter().find_map(|key| {
        let code = error.get(*key)?;
        code.as_u64().or_else(|| code.as_str()?.parse().ok())
    });
    let number = number.and_then(|number| u16::try_from(number).ok());
    let kind = || {
        let kinds = ["type", "code"].iter();
        let mut kinds = kinds.filter_map(|key| error.get(*key)?.as_str());
        kinds.find_map(|kind| {
            let known = KINDS.iter().find(|(words, _)| kind.contains(words));
            known.map(|(_, status)| *status)
        })
    };
    let status = number.filter(|status| (400..600).contains(status)).or_else(kind);
    status.map_or(ProviderError::BadResponse, failure)
}
