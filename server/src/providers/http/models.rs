//! The list of models, with their windows where a server tells them.

use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::error::ProviderError;
use tokio::time::timeout;

use super::{Connection, failure};

/// Largest list that is read.
const MOST_BYTES: usize = 4 << 20;
/// Models that are told.
const MOST_MODELS: usize = 1000;

/// A model of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its id.
    pub(crate) id: String,
    /// What to call it, where the server says.
    pub(crate) label: Option<String>,
    /// Context window in tokens.
    pub(crate) window: Option<u64>,
    /// Who serves it, as the server says.
    pub(crate) owned_by: String,
}

#[derive(Deserialize)]
struct List {
    /// Null where nothing is installed; a body without it is no list.
    #[serde(deserialize_with = "Option::deserialize")]
    data: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    /// Anthropic.
    display_name: Option<Value>,
    owned_by: Option<Value>,
    /// llama.cpp.
    meta: Option<Value>,
    /// vLLM.
    max_model_len: Option<Value>,
    /// OpenRouter and LM Studio.
    context_length: Option<Value>,
    /// LM Studio and Mistral.
    max_context_length: Option<Value>,
    /// Groq.
    context_window: Option<Value>,
    /// Anthropic.
    max_input_tokens: Option<Value>,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        let meta = entry.meta.as_ref().and_then(|meta| meta.get("n_ctx")).cloned();
        let hints = [
            meta,
            entry.max_model_len,
            entry.context_length,
            entry.max_context_length,
            entry.context_window,
            entry.max_input_tokens,
        ];
        let window = hints
            .into_iter()
            .flatten()
            .find_map(|hint| hint.as_u64().filter(|window| *window > 0));
        let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
        Self {
            id: entry.id,
            label: text(entry.display_name),
            window,
            owned_by: text(entry.owned_by).unwrap_or_default(),
        }
    }
}

/// Asks for the list.
pub(super) async fn list(connection: &Connection, query: Option<&str>) -> Result<Vec<Listed>, ProviderError> {
    timeout(connection.limits.connect, read(connection.get("models", query)))
        .await
        .map_err(|_| ProviderError::Timeout)?
}

/// Sends a request for a list and reads the answer.
pub(crate) async fn read(request: reqwest::RequestBuilder) -> Result<Vec<Listed>, ProviderError> {
    let mut response = request.send().await.map_err(|_| ProviderError::Unreachable)?;
    if !response.status().is_success() {
        return Err(failure(response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|_| ProviderError::BrokenStream)? {
        if body.len() + piece.len() > MOST_BYTES {
            return Err(ProviderError::BadResponse);
        }
        body.extend_from_slice(&piece);
    }
    let list: List = serde_json::from_slice(&body).map_err(|_| ProviderError::BadResponse)?;
    Ok(list
        .data
        .into_iter()
        .flatten()
        .take(MOST_MODELS)
        .map(Listed::from)
        .collect())
}
