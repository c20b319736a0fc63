//! The messages API over HTTP: Anthropic, and servers that speak it too.
//!
//! A transcript becomes blocks (`blocks.rs`), a request also says what the server may keep in its cache (`request.rs`).
//! Sealed thinking goes back unchanged to the server that sealed it, and to no other (`seal.rs`). Models differ in how
//! they are told to think; `manners.rs` learns that. What all HTTP adapters have in common is in `http`.

mod answer;
mod blocks;
mod manners;
mod request;
mod seal;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};
use secrecy::SecretString;
use sidewire_agent::error::ProviderError;
use url::Url;

use super::http::{Api, Asked, Asking, HttpProvider, Settings, SetupError, Tried, secret_header};
use answer::Reply;
use manners::{Manners, Wants};
use seal::Sealer;

/// A model of a server with the messages API.
pub(crate) type AnthropicProvider = HttpProvider<Anthropic>;

/// The version of the API that is spoken here.
const VERSION: &str = "2023-06-01";

/// The messages API of one server.
pub(crate) struct Anthropic {
    manners: Manners,
    sealer: Sealer,
}

#[async_trait::async_trait]
impl Api for Anthropic {
    const NAME: &'static str = "anthropic";
    const LIST_QUERY: Option<&'static str> = Some("limit=1000");
    type Answer = Reply;

    fn new(base: &Url, _settings: &Settings) -> Self {
        Self {
            manners: Manners::default(),
            sealer: Sealer::of(base),
        }
    }

    /// With or without `/v1`, or with the whole endpoint; `/v1` follows any path, as this API's clients have it.
    fn base(mut address: Url) -> Url {
        let path = address
            .path()
            .trim_end_matches('/')
            .trim_end_matches("/messages")
            .trim_end_matches("/v1")
            .trim_end_matches('/')
            .to_owned();
        address.set_path(&format!("{path}/v1"));
        address
    }

    fn credentials(key: &SecretString) -> Result<(HeaderName, HeaderValue), SetupError> {
        Ok((HeaderName::from_static("x-api-key"), secret_header("", key)?))
    }

    fn headers() -> Vec<(HeaderName, HeaderValue)> {
        let name = HeaderName::from_static("anthropic-version");
        vec![(name, HeaderValue::from_static(VERSION))]
    }

    /// Asks in the form this model accepts, or finds out which that is.
    async fn ask(&self, asking: &Asking<'_>) -> Result<Asked, ProviderError> {
        let wants = Wants::of(asking, &self.sealer);
        let ways = self.manners.ways(&wants);
        let forms = ways.iter().map(|way| Tried {
            extras: way.extras(),
            body: request::body(asking, *way, &self.sealer),
        });
        let (asked, taken) = asking.connection.post_until_taken("messages", forms).await?;
        if let (Asked::Opened(_), Some(way)) = (&asked, ways.get(taken)) {
            self.manners.took(*way, &wants);
        }
        Ok(asked)
    }

    fn answer(self: &Arc<Self>) -> Reply {
        Reply::new(self.sealer.clone())
    }
}
