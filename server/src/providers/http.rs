//! What the adapters for model servers share: one connection, one way to ask and to fail, one provider around an [`Api`].
//!
//! A call is a lazy stream (`call.rs`): it asks, reads server-sent events (`reader.rs`, `sse.rs`), and retries as long as
//! nothing of an answer was told. Errors come from status codes and transport facts only; what a server writes about an error
//! is never read. The key is never logged, never part of an error and never follows a redirect. What a request and an
//! answer look like is not known here: that is the [`Api`], one for each folder beside this one.

mod arguments;
mod ask;
mod call;
mod connection;
mod key;
mod limits;
mod models;
mod names;
mod pictures;
mod provider;
mod reader;
mod retry;
#[cfg(test)]
pub(crate) mod scripted;
mod sse;
mod status;
mod thinking;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::SystemTime;

use reqwest::header::{HeaderName, HeaderValue};
use secrecy::SecretString;
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{ModelEvent, ModelRequest};
use url::Url;

pub(crate) use arguments::proper_arguments;
pub(crate) use connection::{Connection, Tried};
pub(crate) use key::secret_header;
pub(crate) use limits::Limits;
pub(crate) use models::{Listed, read as list_from};
pub(crate) use names::{proper_id, proper_name, short_id};
pub(crate) use pictures::{Pictures, encoded};
pub(crate) use provider::{HttpProvider, ModelServer};
pub(crate) use reader::Asked;
pub(crate) use status::failure;
pub(crate) use thinking::room_to_think;

/// What is peculiar to one API; made once for each server, so it keeps what it learns of that server.
#[async_trait::async_trait]
pub(crate) trait Api: Send + Sync + Sized + 'static {
    /// What the adapter is called.
    const NAME: &'static str;
    /// The query that makes the list of models a whole one.
    const LIST_QUERY: Option<&'static str>;
    /// An answer as it is put together.
    type Answer: Answer;

    /// A server of which nothing is known but this.
    fn new(base: &Url, settings: &Settings) -> Self;

    /// The base of all endpoints, from an address as people paste it.
    fn base(address: Url) -> Url;

    /// The header that carries the key.
    fn credentials(key: &SecretString) -> Result<(HeaderName, HeaderValue), SetupError>;

    /// Headers that every request carries.
    fn headers() -> Vec<(HeaderName, HeaderValue)> {
        Vec::new()
    }

    /// Asks once, in the form the server takes.
    async fn ask(&self, asking: &Asking<'_>) -> Result<Asked, ProviderError>;

    /// The empty beginning of an answer.
    fn answer(self: &Arc<Self>) -> Self::Answer;
}

/// What is to be asked.
pub(crate) struct Asking<'a> {
    /// Where.
    pub(crate) connection: &'a Connection,
    /// What.
    pub(crate) request: &'a ModelRequest,
    /// How hard the model is to think; `None` leaves it to the server.
    pub(crate) effort: Option<&'a str>,
    /// The pictures it is shown.
    pub(crate) pictures: &'a Pictures<'a>,
}

/// An answer as it is put together from what a server sends.
pub(crate) trait Answer: Send + 'static {
    /// Events that can be told.
    fn events(&mut self) -> &mut VecDeque<ModelEvent>;

    /// Reads one event of the stream; true when the server says that the stream is over.
    fn read(&mut self, event: &[u8]) -> Result<bool, ProviderError>;

    /// Reads a whole answer, from a server that does not stream.
    fn read_whole(&mut self, json: &[u8]) -> Result<(), ProviderError>;

    /// The model said why it stops; only a token count may follow.
    fn is_finished(&self) -> bool;

    /// Closes the answer: what is still open, then its end.
    fn end(&mut self) -> Result<(), ProviderError>;
}

/// Why a provider cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    /// Not an address this adapter can use.
    #[error("the base URL must be an http or https address without user name")]
    BaseUrl,
    /// The key has characters no header can carry.
    #[error("the key has characters that cannot be sent")]
    Key,
    /// A configured header cannot be sent.
    #[error("the header {0:?} cannot be sent")]
    Header(String),
    /// The HTTP client could not start, for example without a usable certificate store.
    #[error("the HTTP client could not start")]
    Client(#[source] reqwest::Error),
}

/// How to reach a model.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Where its API begins, as a person writes it.
    pub(crate) base_url: String,
    /// The model's id.
    pub(crate) model: String,
    /// The key, for servers that want one.
    pub(crate) key: Option<SecretString>,
    /// When the key stops to work, if that is known from elsewhere.
    pub(crate) key_expires: Option<SystemTime>,
    /// Context window in tokens, when the person configured one.
    pub(crate) window: Option<u64>,
    /// Context window in tokens to go by until the server tells another.
    pub(crate) usual_window: Option<u64>,
    /// Most tokens of one answer the model can give, when that is known.
    pub(crate) most_output: Option<u64>,
    /// The model sees no pictures.
    pub(crate) blind: bool,
    /// Sent with every request beside what the API asks for.
    pub(crate) headers: Vec<(String, String)>,
    /// Waiting and retrying.
    pub(crate) limits: Limits,
}

impl Settings {
    /// Settings of which only the necessary is known.
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
            usual_window: None,
            most_output: None,
            blind: false,
            headers: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// A connection and what speaks over it; what every call needs.
pub(crate) struct Shared<A> {
    connection: Connection,
    api: Arc<A>,
    /// The server was asked what it tells of its models.
    asked: AtomicU8,
}
