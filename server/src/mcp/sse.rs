//! The transport before Streamable HTTP, which the library no longer has: one long GET whose events are the server's
//! messages, and a POST for each of ours, to the address that its first event names.

use std::sync::Arc;

use futures_util::StreamExt as _;
use reqwest::header::HeaderMap;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{StreamableHttpClient as _, StreamableHttpError};
use url::Url;

use super::error::{ConnectError, of_request};
use super::http::{Headers, client, parse};
use super::stdio::LINE_BYTES;

/// A connection to a server that speaks the old way.
pub(super) struct SseTransport {
    /// Gone once closed.
    stream: Option<BoxedSseResponse>,
    client: reqwest::Client,
    endpoint: Url,
    headers: HeaderMap,
}

impl SseTransport {
    /// Opens the stream and waits for the address of our messages.
    pub(super) async fn open(url: &str, headers: Headers) -> Result<Self, ConnectError> {
        let url = parse(url)?;
        let client = client(&url)?;
        let address: Arc<str> = url.as_str().into();
        let opened = client
            .get_stream_with_max_sse_event_size(address, None, None, None, headers.clone(), LINE_BYTES)
            .await;
        let mut stream = opened.map_err(|error| refusal(&error))?;
        let endpoint = endpoint(&url, &mut stream).await?;
        Ok(Self {
            stream: Some(stream),
            client,
            endpoint,
            headers: headers.into_iter().collect(),
        })
    }
}

/// The address that the first event names. It must be on the server that was configured: our headers go there.
async fn endpoint(url: &Url, stream: &mut BoxedSseResponse) -> Result<Url, ConnectError> {
    while let Some(event) = stream.next().await {
        let event = event.map_err(|_| ConnectError::Unreadable)?;
        if event.event.as_deref() != Some("endpoint") {
            continue;
        }
        let address = event.data.as_deref().unwrap_or_default().trim();
        let endpoint = url.join(address).map_err(|_| ConnectError::Unreadable)?;
        return if endpoint.origin() == url.origin() {
            Ok(endpoint)
        } else {
            Err(ConnectError::Unreadable)
        };
    }
    Err(ConnectError::Ended)
}

fn refusal(error: &StreamableHttpError<reqwest::Error>) -> ConnectError {
    match error {
        StreamableHttpError::Client(error) => of_request(error),
        StreamableHttpError::HttpStatus(error) => ConnectError::Status(error.status),
        StreamableHttpError::ServerDoesNotSupportSse => ConnectError::Status(405),
        StreamableHttpError::AuthRequired(_) => ConnectError::Unauthorised,
        StreamableHttpError::InsufficientScope(_) => ConnectError::Status(403),
        StreamableHttpError::ReservedHeaderConflict(name) => ConnectError::Header(name.clone()),
        _ => ConnectError::Unreadable,
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = ConnectError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let request = self
            .client
            .post(self.endpoint.clone())
            .headers(self.headers.clone())
            .json(&message);
        async move {
            let answer = request.send().await.map_err(|error| of_request(&error))?;
            // What it says comes as an event; the body is not read.
            match answer.status().as_u16() {
                200..=299 => Ok(()),
                401 => Err(ConnectError::Unauthorised),
                status => Err(ConnectError::Status(status)),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let event = self.stream.as_mut()?.next().await?.ok()?;
            let is_message = event.event.as_deref().is_none_or(|kind| kind == "message");
            let Some(data) = event.data.filter(|data| is_message && !data.trim().is_empty()) else {
                continue;
            };
            match serde_json::from_str(&data) {
                Ok(message) => return Some(message),
                Err(error) => {
                    tracing::debug!(
                        line = error.line(),
                        "an MCP server sent an event that is no message"
                    );
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.stream = None;
        Ok(())
    }
}
