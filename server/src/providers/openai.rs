//! Chat completions over HTTP: OpenAI, DeepSeek, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter and others.
//!
//! Servers share the API and differ in what they refuse and insist on; `manners.rs` learns that of each. What all HTTP
//! adapters have in common is in `http`.

mod answer;
mod content;
mod manners;
mod request;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::SecretString;
use sidewire_agent::error::ProviderError;
use url::Url;

use super::http::{Api, Asked, Asking, HttpProvider, Settings, SetupError, Tried, secret_header};
use answer::Completion;
use manners::{Manners, Wants};

/// A model of a server with the chat completions API.
pub(crate) type OpenAiProvider = HttpProvider<OpenAi>;

/// The chat completions API of one server.
pub(crate) struct OpenAi {
    manners: Arc<Manners>,
}

#[async_trait::async_trait]
impl Api for OpenAi {
    const NAME: &'static str = "openai";
    const LIST_QUERY: Option<&'static str> = None;
    type Answer = Completion;

    fn new(base: &Url, settings: &Settings) -> Self {
        Self {
            manners: Arc::new(Manners::of(base, &settings.model)),
        }
    }

    /// With or without `/v1`, or with the whole endpoint; without any path, `/v1` is added.
    fn base(mut address: Url) -> Url {
        let path = address
            .path()
            .trim_end_matches('/')
            .trim_end_matches("/chat/completions")
            .trim_end_matches('/')
            .to_owned();
        address.set_path(if path.is_empty() { "/v1" } else { &path });
        address
    }

    fn credentials(key: &SecretString) -> Result<(HeaderName, HeaderValue), SetupError> {
        Ok((AUTHORIZATION, secret_header("Bearer ", key)?))
    }

    /// Asks in the form this server accepts, or finds out which that is.
    async fn ask(&self, asking: &Asking<'_>) -> Result<Asked, ProviderError> {
        let wants = Wants::of(asking, &self.manners);
        let ways = self.manners.ways(&wants);
        let forms = ways.iter().map(|way| Tried {
            extras: way.extras(),
            body: request::body(asking, &self.manners.shape(*way, &wants)),
        });
        let (asked, taken) = asking
            .connection
            .post_until_taken("chat/completions", forms)
            .await?;
        if let (Asked::Opened(_), Some(way)) = (&asked, ways.get(taken)) {
            self.manners.took(*way, &wants);
        }
        Ok(asked)
    }

    fn answer(self: &Arc<Self>) -> Completion {
        Completion::of(Arc::clone(&self.manners))
    }
}
