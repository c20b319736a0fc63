//! The scripted server of these tests, and what they say again and again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Role};
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelRequest, Provider};
use sidewire_contract::mode::Mode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::super::{Limits, OpenAiConfig, OpenAiProvider};

/// What the scripted server does with one connection.
#[derive(Clone)]
pub(super) enum Reply {
    /// Sends these pieces, then closes.
    Pieces(Vec<Vec<u8>>),
    /// Sends these pieces, then says nothing more.
    Hang(Vec<Vec<u8>>),
    /// Promises more bytes than it sends, then closes.
    Cut(Vec<u8>),
}

/// An HTTP server that follows a script, one reply per connection; the last one repeats.
pub(super) struct Server {
    pub(super) url: String,
    pub(super) port: u16,
    pub(super) requests: Arc<Mutex<Vec<(String, Value)>>>,
    pub(super) task: JoinHandle<()>,
}

impl Server {
    pub(super) async fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            let mut served = 0;
            let mut open = Vec::new();
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let reply = script[served.min(script.len() - 1)].clone();
                served += 1;
                let seen = Arc::clone(&seen);
                open.push(AbortOnDrop(tokio::spawn(serve(socket, reply, seen))));
            }
        });
        Self {
            url: format!("http://127.0.0.1:{port}"),
            port,
            requests,
            task,
        }
    }

    pub(super) fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }

    pub(super) fn provider(&self) -> OpenAiProvider {
        self.provider_with(quick())
    }

    pub(super) fn provider_with(&self, limits: Limits) -> OpenAiProvider {
        let config = OpenAiConfig {
            limits,
            ..OpenAiConfig::new(&self.url, "m1", Some("sk-secret".into()))
        };
        OpenAiProvider::new(config).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(super) struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(super) async fn serve(mut socket: TcpStream, reply: Reply, seen: Arc<Mutex<Vec<(String, Value)>>>) {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        let mut piece = [0; 4096];
        let read = socket.read(&mut piece).await.unwrap();
        if read == 0 {
            return;
        }
        bytes.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head
            .split("content-length: ")
            .nth(1)
            .and_then(|rest| rest.lines().next()?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break (head, body.to_owned());
        }
    };
    seen.lock()
        .unwrap()
        .push((head, serde_json::from_str(&body).unwrap_or(Value::Null)));
    let (pieces, hang) = match reply {
        Reply::Pieces(pieces) => (pieces, false),
        Reply::Hang(pieces) => (pieces, true),
        Reply::Cut(piece) => (vec![piece], false),
    };
    for piece in pieces {
        if socket.write_all(&piece).await.is_err() || socket.flush().await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    if hang {
        std::future::pending::<()>().await;
    }
}

pub(super) fn quick() -> Limits {
    Limits {
        first_byte: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        trailer: Duration::from_millis(30),
        back_off: Duration::from_millis(2),
        ..Limits::default()
    }
}

pub(super) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

pub(super) fn status(line: &str) -> Reply {
    Reply::Pieces(vec![
        format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into(),
    ])
}

pub(super) fn body(text: &str) -> Vec<u8> {
    format!("{OK}{text}").into()
}

pub(super) fn stream(text: &str) -> Reply {
    Reply::Pieces(vec![body(text)])
}

pub(super) fn delta(delta: &Value) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    )
}

pub(super) fn finish(reason: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "delta": {}, "finish_reason": reason }] })
    )
}

pub(super) const DONE: &str = "data: [DONE]\n\n";

pub(super) fn request() -> ModelRequest {
    ModelRequest {
        system: "be brief".into(),
        messages: vec![Message::text(Role::User, "hi")],
        question: "hi".into(),
        page: None,
        mode: Mode::Educational,
        tools: Vec::new(),
        pictures: Vec::new(),
        max_output_tokens: 77,
    }
}

pub(super) type Events = Vec<Result<ModelEvent, ProviderError>>;

pub(super) async fn run(provider: &OpenAiProvider) -> Events {
    provider.stream(request()).await.unwrap().collect().await
}

pub(super) async fn answer_to(reply: Reply) -> Events {
    let server = Server::start(vec![reply]).await;
    run(&server.provider()).await
}

pub(super) fn text(text: &str) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::Text(text.into()))
}

pub(super) fn finished(reason: FinishReason) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::Finished(reason))
}

/// What is left when the tries themselves do not matter.
pub(super) fn without_retries(events: Events) -> Events {
    events
        .into_iter()
        .filter(|event| !matches!(event, Ok(ModelEvent::Retrying { .. })))
        .collect()
}

pub(super) fn hello() -> String {
    let first = json!({ "role": "assistant", "content": null });
    [
        delta(&first),
        delta(&json!({ "content": "grüß" })),
        delta(&json!({ "content": " dich" })),
        finish("stop"),
        DONE.into(),
    ]
    .concat()
}
