//! The list of models, with their windows where a server tells them.

use reqwest::header::AUTHORIZATION;
use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::error::ProviderError;
use tokio::time::timeout;

use super::{Shared, wire};

/// Largest list that is read.
const MOST_BYTES: usize = 4 << 20;
/// Models that are told.
const MOST_MODELS: usize = 1000;

/// A model of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::providers) struct Listed {
    /// Its id.
    pub(in crate::providers) id: String,
    /// Context window in tokens.
    pub(in crate::providers) window: Option<u64>,
    /// Who serves it, as the server says.
    pub(in crate::providers) owned_by: String,
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
    owned_by: Option<Value>,
    /// llama.cpp.
    meta: Option<Value>,
    /// vLLM.
    max_model_len: Option<Value>,
    /// OpenRouter and LM Studio.
    context_length: Option<Value>,
    /// LM Studio.
    max_context_length: Option<Value>,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        let meta = entry.meta.as_ref().and_then(|meta| meta.get("n_ctx")).cloned();
        let hints = [
            meta,
            entry.max_model_len,
            entry.context_length,
            entry.max_context_length,
        ];
        let window = hints
            .into_iter()
            .flatten()
            .find_map(|hint| hint.as_u64().filter(|window| *window > 0));
        let owned_by = entry
            .owned_by
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        Self {
            id: entry.id,
            window,
            owned_by,
        }
    }
}

/// Asks for the list.
pub(super) async fn list(shared: &Shared) -> Result<Vec<Listed>, ProviderError> {
    let mut request = shared.client.get(shared.endpoint("models"));
    if let Some(authorization) = &shared.authorization {
        request = request.header(AUTHORIZATION, authorization.clone());
    }
    timeout(shared.limits.connect, read(request))
        .await
        .map_err(|_| ProviderError::Timeout)?
}

/// Sends a request for a list and reads the answer.
pub(in crate::providers) async fn read(
    request: reqwest::RequestBuilder,
) -> Result<Vec<Listed>, ProviderError> {
    let mut response = request.send().await.map_err(|_| ProviderError::Unreachable)?;
    if !response.status().is_success() {
        return Err(wire::failure(response.status().as_u16()));
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
