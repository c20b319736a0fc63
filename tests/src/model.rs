//! An OpenAI-compatible server that follows a script and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::{Script, within};

/// A model that does as it is told.
pub struct ScriptedModel {
    port: u16,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
}

impl Recorded {
    /// The texts of one role, in order.
    #[must_use]
    pub fn texts(&self, role: &str) -> Vec<String> {
        let messages = self
            .body
            .get("messages")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        messages
            .iter()
            .filter(|message| message.get("role").and_then(Value::as_str) == Some(role))
            .map(|message| {
                message
                    .get("content")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect()
    }

    /// The names of the tools it offers.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body.get("tools").and_then(Value::as_array);
        tools
            .into_iter()
            .flatten()
            .filter_map(|tool| tool.pointer("/function/name")?.as_str().map(str::to_owned))
            .collect()
    }

    /// What a strict server refuses in it: a call without its result, or a result without its call.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let mut open: Vec<&Value> = Vec::new();
        for message in self.body.get("messages").and_then(Value::as_array)? {
            if message.get("role").and_then(Value::as_str) == Some("tool") {
                let id = message.get("tool_call_id")?;
                let Some(at) = open.iter().position(|one| *one == id) else {
                    return Some(format!("a result without its call: {message}"));
                };
                open.remove(at);
                continue;
            }
            if !open.is_empty() {
                return Some(format!("calls without results: {open:?}"));
            }
            let calls = message.get("tool_calls").and_then(Value::as_array);
            open = calls
                .into_iter()
                .flatten()
                .filter_map(|call| call.get("id"))
                .collect();
        }
        (!open.is_empty()).then(|| format!("calls without results: {open:?}"))
    }

    /// The last text of the person.
    #[must_use]
    pub fn question(&self) -> String {
        self.texts("user").pop().unwrap_or_default()
    }
}

#[derive(Default)]
struct Shared {
    // A std mutex: pushes and clones only.
    state: Mutex<Asked>,
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Asked {
    key: Option<String>,
    scripts: VecDeque<Script>,
    otherwise: Option<Script>,
    requests: Vec<Recorded>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ScriptedModel {
    /// A server that answers `ok` to whatever has no script.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::<Shared>::default();
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/v1/models", get(models))
            .with_state(Arc::clone(&shared));
        let serving =
            tokio::spawn(async move { axum::serve(listener, router).await.expect("the model serves") });
        Self {
            port,
            shared,
            serving,
        }
    }

    /// A server that follows one script first.
    pub async fn playing(script: Script) -> Self {
        let model = Self::start().await;
        model.script(script);
        model
    }

    /// Where its API begins.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// What to do with the next request that has no script yet.
    pub fn script(&self, script: Script) {
        self.shared.lock().scripts.push_back(script);
    }

    /// What to do from now on with every request that has no script.
    pub fn otherwise(&self, script: Script) {
        self.shared.lock().otherwise = Some(script);
    }

    /// From now on every request must bring this key.
    pub fn require_key(&self, key: &str) {
        self.shared.lock().key = Some(format!("Bearer {key}"));
    }

    /// All requests for an answer so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.lock().requests.clone()
    }

    /// The request of this number, from 0, once it has come.
    ///
    /// # Panics
    /// When it never comes.
    pub async fn request(&self, number: usize) -> Recorded {
        let mut count = self.shared.count.subscribe();
        within("a request to the model", count.wait_for(|count| *count > number))
            .await
            .expect("the model serves");
        self.requests().get(number).cloned().expect("it was counted")
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.serving.abort();
        let faults: Vec<String> = self.requests().iter().filter_map(Recorded::fault).collect();
        if !faults.is_empty() && !std::thread::panicking() {
            panic!("a strict model server would have refused: {faults:?}");
        }
    }
}

async fn complete(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 * 1024 * 1024)
        .await
        .expect("a request of usual size");
    let body = serde_json::from_slice(&body).expect("a request is JSON");
    let allowed = is_allowed(&shared, &parts.headers);
    let script = {
        let mut asked = shared.lock();
        asked.requests.push(Recorded {
            headers: parts.headers,
            body,
        });
        if allowed {
            let next = asked.scripts.pop_front().or_else(|| asked.otherwise.clone());
            next.unwrap_or_else(|| Script::says("ok"))
        } else {
            Script::fails(401)
        }
    };
    shared.count.send_modify(|count| *count += 1);
    script.play().await
}

async fn models(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    if !is_allowed(&shared, &headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    axum::Json(json!({ "object": "list", "data": [{ "id": "scripted" }] })).into_response()
}

fn is_allowed(shared: &Shared, headers: &HeaderMap) -> bool {
    let sent = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    shared.lock().key.as_deref().is_none_or(|key| sent == Some(key))
}
