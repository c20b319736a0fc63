//! MCP servers of tests: one that is a process of its own, and one that is reached over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
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

/// A server over Streamable HTTP with one tool, `echo`; it remembers the headers it was asked with.
pub struct McpOverHttp {
    port: u16,
    // A std mutex: pushes and clones only.
    asked: Arc<Mutex<Vec<HeaderMap>>>,
    serving: JoinHandle<()>,
}

type Asked = Arc<Mutex<Vec<HeaderMap>>>;

impl McpOverHttp {
    /// Starts it.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Asked::default();
        let router = Router::new()
            .route("/mcp", post(answer))
            .with_state(Arc::clone(&asked));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { port, asked, serving }
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// The values of a header in all requests so far.
    #[must_use]
    pub fn headers(&self, name: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
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

async fn answer(State(asked): State<Asked>, headers: HeaderMap, body: Bytes) -> Response {
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(headers);
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(id) = message.get("id") else {
        return StatusCode::ACCEPTED.into_response();
    };
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "fixture", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{ "name": "echo", "description": "Says it again",
            "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
            "annotations": { "readOnlyHint": true } }] }),
        "tools/call" => {
            let text = format!(
                "over http: {}",
                message["params"]["arguments"]["text"]
                    .as_str()
                    .unwrap_or_default()
            );
            json!({ "content": [{ "type": "text", "text": text }] })
        }
        _ => json!({}),
    };
    let reply = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    ([(header::CONTENT_TYPE, "application/json")], reply.to_string()).into_response()
}
