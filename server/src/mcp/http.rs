//! A server behind HTTP: the client that reaches it, and the library's transport for Streamable HTTP.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use url::Url;

use super::error::ConnectError;
use super::stdio::LINE_BYTES;
use crate::http_client;

/// Until a connection stands.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes of an error page; nobody reads it.
const ERROR_BYTES: usize = 4 * 1024;
/// Redirects of one request.
const REDIRECTS: usize = 5;

/// Headers of every request, as the library wants them.
pub(super) type Headers = HashMap<HeaderName, HeaderValue>;

/// The transport of a server that speaks Streamable HTTP.
pub(super) fn streamable(
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, ConnectError> {
    let url = parse(url)?;
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(read_headers(headers)?)
        .max_sse_event_size(LINE_BYTES)
        .max_json_response_size(LINE_BYTES)
        .max_error_response_size(ERROR_BYTES);
    Ok(StreamableHttpClientTransport::with_client(client(&url)?, config))
}

/// An address that can be asked.
pub(super) fn parse(url: &str) -> Result<Url, ConnectError> {
    let url = Url::parse(url).map_err(|_| ConnectError::Url)?;
    let usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    usable.then_some(url).ok_or(ConnectError::Url)
}

/// Headers as they are written down; one that cannot be sent is named, not shown.
pub(super) fn read_headers(headers: &BTreeMap<String, String>) -> Result<Headers, ConnectError> {
    let read = |(name, value): (&String, &String)| {
        let unfit = || ConnectError::Header(name.clone());
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| unfit())?;
        value.set_sensitive(true);
        Ok((header, value))
    };
    headers.iter().map(read).collect()
}

/// A client that waits for a connection and follows redirects within bounds.
pub(super) fn client(url: &Url) -> Result<reqwest::Client, ConnectError> {
    let builder = http_client::builder(url)
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(redirect));
    builder.build().map_err(|_| ConnectError::Unreachable)
}

/// Follows what keeps the message, the headers and the server as they are (`/mcp` to `/mcp/`), and nothing else.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_message = matches!(attempt.status().as_u16(), 307 | 308);
    let first = attempt.previous().first();
    let keeps_server = first.is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps_message && keeps_server && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_headers_that_cannot_be_used_are_refused() {
        for url in ["", "x", "file:///x", "ftp://x", "http://"] {
            assert_eq!(parse(url), Err(ConnectError::Url), "{url}");
        }
        assert!(parse("https://user:pw@a.example/mcp?key=1").is_ok());
        for (name, value) in [("a b", "c"), ("", "c"), ("a", "b\nc")] {
            let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            assert_eq!(read_headers(&headers), Err(ConnectError::Header(name.into())));
        }
    }
}
