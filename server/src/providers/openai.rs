//! Chat completions over HTTP: OpenAI, DeepSeek, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter and others.
//!
//! A call is a lazy stream (`call.rs`): it asks, retries before the first byte, then reads server-sent events
//! (`sse.rs`, `answer.rs`). Errors come from status codes and transport facts only; what a provider writes about an
//! error is never read. The key is never logged, never part of an error and never follows a redirect.

mod answer;
mod call;
mod key;
mod models;
mod pictures;
mod request;
mod retry;
mod sse;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use reqwest::header::HeaderValue;
use secrecy::SecretString;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Role};
use sidewire_agent::provider::{ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};
use sidewire_contract::mode::Mode;
use url::Url;

use call::Call;
pub(super) use models::{Listed, read as list_from};
use pictures::Sight;

/// Why a provider cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenAiSetupError {
    /// Not an address this adapter can use.
    #[error("the base URL must be an http or https address without user name")]
    BaseUrl,
    /// The key has characters no header can carry.
    #[error("the key has characters that cannot be sent")]
    Key,
    /// The HTTP client could not start, for example without a usable certificate store.
    #[error("the HTTP client could not start")]
    Client(#[source] reqwest::Error),
}

/// How to reach a provider.
#[derive(Clone, Debug)]
pub(crate) struct OpenAiConfig {
    /// With or without `/v1`; without any path, `/v1` is added.
    pub(crate) base_url: String,
    /// The model's id.
    pub(crate) model: String,
    /// The key, for providers that want one.
    pub(crate) key: Option<SecretString>,
    /// When the key stops to work, if that is known from elsewhere.
    pub(crate) key_expires: Option<SystemTime>,
    /// Context window in tokens, when the person configured one.
    pub(crate) window: Option<u64>,
    /// Waiting and retrying.
    pub(crate) limits: Limits,
}

impl OpenAiConfig {
    /// A configuration with the usual limits.
    #[must_use]
    pub(crate) fn new(
        base_url: impl Into<String>,
        model: impl Into<String>,
        key: Option<SecretString>,
    ) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            key,
            key_expires: None,
            window: None,
            limits: Limits::default(),
        }
    }
}

/// How long to wait, and for how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Until a connection stands.
    pub(crate) connect: Duration,
    /// From the request to the first byte of the answer.
    pub(crate) first_byte: Duration,
    /// Between two pieces of an answer.
    pub(crate) idle: Duration,
    /// After the model said why it stopped, for its token count.
    pub(crate) trailer: Duration,
    /// Tries altogether.
    pub(crate) tries: u32,
    /// First wait between two tries; doubled each time.
    pub(crate) back_off: Duration,
    /// Longest wait between two tries, whatever the provider asks for.
    pub(crate) longest_wait: Duration,
    /// No new try begins later than this after the first.
    pub(crate) retry_window: Duration,
    /// Largest single event.
    pub(crate) event_bytes: usize,
    /// Largest answer.
    pub(crate) answer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            trailer: Duration::from_secs(5),
            tries: 3,
            back_off: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            retry_window: Duration::from_secs(60),
            event_bytes: 1 << 20,
            answer_bytes: 32 << 20,
        }
    }
}

/// A server with the chat completions API.
pub(crate) struct OpenAiProvider {
    shared: Arc<Shared>,
    key_expires: Option<SystemTime>,
}

/// What every call needs.
struct Shared {
    client: reqwest::Client,
    base: Url,
    authorization: Option<HeaderValue>,
    model: String,
    limits: Limits,
    /// The form of requests this server accepts; see [`request::Form`].
    form: AtomicU8,
    sight: Sight,
    /// Window in tokens, 0 when unknown.
    window: AtomicU64,
}

/// What a test request showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// From the request to the first sign of an answer.
    pub(crate) first_sign: Duration,
    /// Context window in tokens, when the server tells.
    pub(crate) window: Option<u64>,
}

impl OpenAiProvider {
    /// Prepares the client; sends nothing.
    pub(crate) fn new(config: OpenAiConfig) -> Result<Self, OpenAiSetupError> {
        let base = normalised(&config.base_url).ok_or(OpenAiSetupError::BaseUrl)?;
        let authorization = config.key.as_ref().map(key::authorization).transpose()?;
        let client = client(&base, &config.limits).map_err(OpenAiSetupError::Client)?;
        let known = config.key.as_ref().and_then(key::expiry);
        let key_expires = [known, config.key_expires].into_iter().flatten().min();
        let shared = Shared {
            client,
            base,
            authorization,
            model: config.model,
            limits: config.limits,
            form: AtomicU8::new(request::UNPROVEN),
            sight: Sight::default(),
            window: AtomicU64::new(config.window.unwrap_or(0)),
        };
        Ok(Self {
            shared: Arc::new(shared),
            key_expires,
        })
    }

    /// Sends one small real request, as set-up does before it stores anything.
    pub(crate) async fn probe(&self) -> Result<Probe, ProviderError> {
        self.check()?;
        let begun = tokio::time::Instant::now();
        let mut answer = Call::once(Arc::clone(&self.shared), probe_request()).into_stream();
        while let Some(event) = answer.next().await {
            if matches!(
                event?,
                ModelEvent::Text(_) | ModelEvent::Reasoning(_) | ModelEvent::Finished(_)
            ) {
                break;
            }
        }
        let first_sign = begun.elapsed();
        // The list is a convenience: a server without one is no failure.
        let _ = self.models().await;
        Ok(Probe {
            first_sign,
            window: self.shared.window(),
        })
    }
}

#[async_trait::async_trait]
impl Provider for OpenAiProvider {
    fn describe(&self) -> ModelInfo {
        self.shared.info(self.shared.model.clone(), self.shared.window())
    }

    fn check(&self) -> Result<(), ProviderError> {
        key::check(self.key_expires, SystemTime::now())
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        Ok(Box::pin(
            Call::new(Arc::clone(&self.shared), request).into_stream(),
        ))
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let listed = models::list(&self.shared).await?;
        let own = listed
            .iter()
            .find(|entry| entry.id == self.shared.model)
            .and_then(|entry| entry.window);
        if let Some(window) = own.filter(|_| self.shared.window().is_none()) {
            self.shared.window.store(window, Ordering::Relaxed);
        }
        Ok(listed
            .into_iter()
            .map(|entry| self.shared.info(entry.id, entry.window))
            .collect())
    }
}

impl Shared {
    fn window(&self) -> Option<u64> {
        Some(self.window.load(Ordering::Relaxed)).filter(|window| *window > 0)
    }

    fn info(&self, model: String, window: Option<u64>) -> ModelInfo {
        ModelInfo {
            provider: "openai".into(),
            label: model.clone(),
            model,
            offline: false,
            window,
        }
    }

    /// An address below the base.
    fn endpoint(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }
}

impl fmt::Debug for OpenAiProvider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = &self.shared;
        formatter
            .debug_struct("OpenAiProvider")
            .field("host", &shared.base.host_str())
            .field("model", &shared.model)
            .finish_non_exhaustive()
    }
}

fn client(base: &Url, limits: &Limits) -> Result<reqwest::Client, reqwest::Error> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("sidewire/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(limits.connect)
        .tcp_nodelay(true)
        // A redirect could carry the key and the page to another host.
        .redirect(reqwest::redirect::Policy::none());
    if is_loopback(base) {
        // A proxy of the company cannot reach this machine's loopback.
        builder = builder.no_proxy();
    }
    if base.scheme() == "http" {
        // Reading the platform's certificates takes longer than the rest of the worker's start.
        builder = builder.tls_certs_only([]);
    }
    builder.build()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The base of all endpoints. People paste it with and without `/v1`, or with the whole endpoint.
fn normalised(text: &str) -> Option<Url> {
    let mut url = Url::parse(text.trim()).ok()?;
    let plain = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || !plain {
        return None;
    }
    url.set_query(None);
    url.set_fragment(None);
    let path = url
        .path()
        .trim_end_matches('/')
        .trim_end_matches("/chat/completions")
        .trim_end_matches('/')
        .to_owned();
    url.set_path(if path.is_empty() { "/v1" } else { &path });
    Some(url)
}

fn probe_request() -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: vec![Message::text(Role::User, "Answer with the single word: ready")],
        question: String::new(),
        page: None,
        mode: Mode::Educational,
        tools: Vec::new(),
        pictures: Vec::new(),
        max_output_tokens: 16,
    }
}
