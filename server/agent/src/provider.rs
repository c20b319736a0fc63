//! First of the five traits: what answers a model request.

use std::fmt;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidewire_contract::mode::Mode;
use sidewire_contract::page::PageContext;

use crate::error::ProviderError;
use crate::message::{Message, Usage};

/// A model, or something that answers like one.
#[async_trait::async_trait]
pub trait Provider: Send + Sync {
    /// What it is; cheap, called for every turn and for every client that asks.
    fn describe(&self) -> ModelInfo;

    /// Facts known before a request: an expired or expiring key (decision 22).
    fn check(&self) -> Result<(), ProviderError> {
        Ok(())
    }

    /// Finds out what a first request has to know, such as the window of a local model; [`Self::describe`] tells it
    /// afterwards. It takes seconds at most, and finding nothing is no fault.
    async fn learn(&self) {}

    /// Starts one model call. Dropping the stream cancels it. Retries happen inside, before the answer begins,
    /// and are told as [`ModelEvent::Retrying`]; an error ends the stream.
    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError>;

    /// Models that can be chosen, when the provider can tell.
    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        Ok(vec![self.describe()])
    }
}

/// The answer as it arrives.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, ProviderError>>;

/// What a model is called and what it can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Which adapter serves it: `openai`, `offline`, …
    pub provider: String,
    /// The model's id at the provider.
    pub model: String,
    /// What to call it.
    pub label: String,
    /// Nothing leaves the machine and no model is used.
    pub offline: bool,
    /// Context window in tokens, when known.
    pub window: Option<u64>,
}

/// One call of a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// What the assistant is told about its job; never holds page text.
    pub system: String,
    /// The transcript, oldest first; the last one is the question with the fenced page block before it.
    pub messages: Vec<Message>,
    /// The question alone, for providers that do not read prose.
    pub question: String,
    /// The page as data, for providers that do not read prose.
    pub page: Option<Arc<PageContext>>,
    /// What the person wants from an answer beside a page; `None` where there is no page to be beside, as in an editor.
    pub mode: Option<Mode>,
    /// Tools that are offered.
    pub tools: Vec<ToolSpec>,
    /// Bytes of the pictures that messages name and that the model may see; the others are only mentioned.
    pub pictures: Vec<Picture>,
    /// Tokens that all of this takes, as far as that can be told; 0 when nobody counted.
    pub input_tokens: u64,
    /// Most tokens of the answer; `None` where the model's window is unknown and nobody can say what is too much.
    pub max_output_tokens: Option<u64>,
}

/// Most bytes of the pictures of one request together; a larger one is never shown to a model.
pub const PICTURE_BYTES: usize = 6 * 1024 * 1024;

/// A picture with its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its name in messages.
    pub blob: String,
    /// Its type.
    pub mime_type: String,
    /// What it holds.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({} bytes)", self.blob, self.bytes.len())
    }
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// One thing a model sends.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// More of the answer.
    Text(String),
    /// More of its thinking.
    Reasoning(String),
    /// The seal over the thinking so far.
    Signature(String),
    /// A complete tool call.
    ToolCall {
        /// The model's id of the call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// Arguments; what could not be parsed comes as a JSON string.
        arguments: Value,
    },
    /// A source the provider itself cites.
    Citation {
        /// Title, when it gives one.
        title: Option<String>,
        /// Address.
        url: String,
    },
    /// Tokens of this call.
    Usage(Usage),
    /// A try failed before its answer began; the next one comes after the wait.
    Retrying {
        /// Which try comes next, from 1.
        attempt: u32,
        /// Milliseconds until then.
        wait_ms: u64,
    },
    /// Nothing to show, but the model is at work.
    Alive,
    /// The last event of every good stream.
    Finished(FinishReason),
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It wants its tool calls answered.
    ToolCalls,
    /// It ran out of room.
    Length,
    /// The provider withheld the rest.
    Filtered,
}
