//! Fetches what a model wants to show, from public places only.
//!
//! The address of a model is as untrusted as the page that may have suggested it. So: https only, no credentials;
//! every address of the host must be a public one, and the connection goes to one of those that were checked
//! ([`client`]); each redirect is checked alike; no proxy, since it would look up by itself.

mod address;
mod client;

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use sidewire_contract::media::MimeType;
use url::{Host, Url};

pub(crate) use address::is_public;
pub(crate) use client::Internet;

const REDIRECTS: usize = 5;
const CONNECT_TIME: Duration = Duration::from_secs(10);
const TOTAL_TIME: Duration = Duration::from_secs(60);
const HTTPS_PORT: u16 = 443;

/// Why something was not fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// Not an address at all.
    #[error("the media address cannot be read")]
    NoAddress,
    /// Not https.
    #[error("media is fetched from https addresses only")]
    NotHttps,
    /// A user or password stands in it.
    #[error("a media address must not hold a user or password")]
    Credentials,
    /// It leads into this machine or a private network.
    #[error("the media address leads to a place that is not public")]
    NotPublic,
    /// The host has no address.
    #[error("the host of the media address was not found")]
    NoHost,
    /// It leads from one address to the next.
    #[error("the media address redirects more than {REDIRECTS} times")]
    TooManyRedirects,
    /// It could not be reached.
    #[error("the media address could not be reached")]
    Unreachable,
    /// The server has no such file.
    #[error("the media server answered with status {0}")]
    Status(u16),
    /// Fewer or more bytes came than were promised.
    #[error("the media was truncated on its way")]
    Truncated,
    /// It took too long.
    #[error("the media was not fetched within {} seconds", TOTAL_TIME.as_secs())]
    TooSlow,
    /// The server says it is something else than it is.
    #[error("media MIME mismatch: the server says {said}, the content is {found}")]
    Mismatch {
        /// By the header.
        said: String,
        /// By its bytes.
        found: &'static str,
    },
    /// It could not be kept.
    #[error(transparent)]
    Incoming(#[from] super::incoming::IncomingError),
}

/// What is fetched, its bytes still on their way.
pub(super) struct Fetched {
    /// The last address, after redirects.
    pub(super) url: Url,
    /// What the server says it is.
    pub(super) said: Option<String>,
    expected: Option<u64>,
    came: u64,
    body: BoxStream<'static, Result<Bytes, FetchError>>,
}

/// An answer before its body.
pub(crate) struct Answer {
    /// The status of HTTP.
    pub(crate) status: u16,
    /// What the server says of it.
    pub(crate) headers: HeaderMap,
    /// Its bytes, as they come.
    pub(crate) body: BoxStream<'static, Result<Bytes, FetchError>>,
}

/// What reaches outside.
#[async_trait::async_trait]
pub(crate) trait Outside: Send + Sync {
    /// Asks for a file, when all addresses of its host are public. Follows no redirect. Whoever asks has checked a
    /// host that is an address itself.
    async fn get(&self, url: &Url) -> Result<Answer, FetchError>;
}

/// Runs a whole fetch within its time.
pub(super) async fn in_time<T>(fetch: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
    tokio::time::timeout(TOTAL_TIME, fetch)
        .await
        .unwrap_or(Err(FetchError::TooSlow))
}

/// Asks for a file and follows redirects.
pub(super) async fn open(outside: &dyn Outside, address: &str) -> Result<Fetched, FetchError> {
    let mut url = Url::parse(address).map_err(|_| FetchError::NoAddress)?;
    for _ in 0..=REDIRECTS {
        check(&url)?;
        let answer = outside.get(&url).await?;
        if !is_redirect(answer.status) {
            return Fetched::begin(url, answer);
        }
        let next = text(&answer.headers, &LOCATION).ok_or(FetchError::NoAddress)?;
        url = url.join(&next).map_err(|_| FetchError::NoAddress)?;
    }
    Err(FetchError::TooManyRedirects)
}

/// Whether an address may be fetched, as far as it shows.
fn check(url: &Url) -> Result<(), FetchError> {
    if url.scheme() != "https" {
        return Err(FetchError::NotHttps);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Credentials);
    }
    let is_public = match url.host().ok_or(FetchError::NoHost)? {
        Host::Ipv4(address) => is_public(address.into()),
        Host::Ipv6(address) => is_public(address.into()),
        // Looked up where the connection is made.
        Host::Domain(_) => true,
    };
    if !is_public {
        return Err(FetchError::NotPublic);
    }
    Ok(())
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

impl Fetched {
    fn begin(url: Url, answer: Answer) -> Result<Self, FetchError> {
        if answer.status != 200 {
            return Err(FetchError::Status(answer.status));
        }
        Ok(Self {
            url,
            said: text(&answer.headers, &CONTENT_TYPE),
            expected: text(&answer.headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok()),
            came: 0,
            body: answer.body,
        })
    }

    /// The next bytes; none after the last, when as many came as were promised.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        if let Some(bytes) = self.body.next().await.transpose()? {
            self.came = self.came.saturating_add(bytes.len() as u64);
            return Ok(Some(bytes));
        }
        match self.expected {
            Some(expected) if expected != self.came => Err(FetchError::Truncated),
            _ => Ok(None),
        }
    }
}

/// Whether what the server says is what the bytes say; a server may also say that it does not know.
pub(super) fn check_type(said: Option<&str>, found: MimeType) -> Result<(), FetchError> {
    let Some(said) = said else { return Ok(()) };
    let plain = said.split(';').next().unwrap_or_default();
    let plain = plain.trim().to_ascii_lowercase();
    let usual = match plain.as_str() {
        "" | "application/octet-stream" | "binary/octet-stream" => return Ok(()),
        // Registered nowhere, written often.
        "image/jpg" => MimeType::Jpeg.as_str(),
        other => other,
    };
    if usual == found.as_str() {
        return Ok(());
    }
    Err(FetchError::Mismatch {
        said: plain.chars().take(64).collect(),
        found: found.as_str(),
    })
}

#[cfg(test)]
pub(super) mod tests;
