//! MCP servers of tests: one that is a process of its own, and one that is reached over HTTP.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use super::project::Project;
use crate::program;

/// A server that is started as a process: `well`, `silent` or `dies`; it writes down what happens to it in a file
/// `journal` of the project.
#[must_use]
pub fn mcp_process(name: &str, behaviour: &str, project: &Project) -> Value {
    json!({
        "name": name,
        "command": program("sidewire-test-mcp"),
        "args": [behaviour],
        "env": [{ "name": "MCP_JOURNAL", "value": project.file("journal") }],
    })
}

/// A server with one tool, `echo`, over Streamable HTTP and over the older event stream. It remembers the headers it
/// was asked with.
pub struct McpOverHttp {
    port: u16,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    // A std mutex: pushes and clones only.
    asked: Mutex<Vec<HeaderMap>>,
    /// Answers for those who listen to the event stream.
    events: broadcast::Sender<String>,
}

impl McpOverHttp {
    /// Starts it.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            asked: Mutex::default(),
            events: broadcast::Sender::new(64),
        });
        let router = Router::new()
            .route("/mcp", post(over_http))
            .route("/sse", get(event_stream))
            .route("/messages", post(over_events))
            .with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self {
            port,
            shared,
            serving,
        }
    }

    /// Where it answers over Streamable HTTP.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Where its older event stream is.
    #[must_use]
    pub fn sse_url(&self) -> String {
        format!("http://127.0.0.1:{}/sse", self.port)
    }

    /// The values of a header in all requests so far.
    #[must_use]
    pub fn headers(&self, name: &str) -> Vec<String> {
        let asked = self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let values = asked
            .iter()
            .filter_map(|headers| headers.get(name)?.to_str().ok());
        values.map(str::to_owned).collect()
    }
}

impl Drop for McpOverHttp {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn over_http(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    match answer(&shared, headers, &body) {
        Some(reply) => ([(header::CONTENT_TYPE, "application/json")], reply).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}

async fn over_events(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if let Some(reply) = answer(&shared, headers, &body) {
        let _nobody_listens = shared.events.send(reply);
    }
    StatusCode::ACCEPTED
}

async fn event_stream(
    State(shared): State<Arc<Shared>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let endpoint = stream::once(async { Ok(Event::default().event("endpoint").data("/messages")) });
    let answers = stream::unfold(shared.events.subscribe(), |mut events| async move {
        let reply = events.recv().await.ok()?;
        Some((Ok(Event::default().event("message").data(reply)), events))
    });
    Sse::new(endpoint.chain(answers))
}

/// The answer to a message; none to a notification.
fn answer(shared: &Shared, headers: HeaderMap, body: &[u8]) -> Option<String> {
    let mut asked = shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
    asked.push(headers);
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "fixture", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{ "name": "echo", "description": "Says it again",
            "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
            "annotations": { "readOnlyHint": true } }] }),
        "tools/call" => {
            let text = params["arguments"]["text"].as_str().unwrap_or_default();
            json!({ "content": [{ "type": "text", "text": format!("over http: {text}") }] })
        }
        _ => json!({}),
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
}
