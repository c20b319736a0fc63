//! The scripted server of the adapters' tests, and what those say again and again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Role};
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelRequest, Provider};
use sidewire_contract::mode::Mode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{Api, HttpProvider, Limits, Settings};

/// What the scripted server does with one connection.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these pieces, then closes.
    Pieces(Vec<Vec<u8>>),
    /// Sends these pieces, then says nothing more.
    Hang(Vec<Vec<u8>>),
    /// Promises more bytes than it sends, then closes.
    Cut(Vec<u8>),
}

/// An HTTP server that follows a script, one reply per connection; the last one repeats.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) port: u16,
    pub(crate) requests: Arc<Mutex<Vec<(String, Value)>>>,
    pub(crate) task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(script: Vec<Reply>) -> Self {
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

    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn provider<A: Api>(&self) -> HttpProvider<A> {
        self.provider_with(|_| {})
    }

    pub(crate) fn provider_with<A: Api>(&self, change: impl FnOnce(&mut Settings)) -> HttpProvider<A> {
        let mut settings = Settings::new(&self.url, "m1", Some("sk-secret".into()));
        settings.limits = quick();
        change(&mut settings);
        HttpProvider::new(settings).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) async fn serve(mut socket: TcpStream, reply: Reply, seen: Arc<Mutex<Vec<(String, Value)>>>) {
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

pub(crate) fn quick() -> Limits {
    Limits {
        first_byte: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        trailer: Duration::from_millis(30),
        back_off: Duration::from_millis(2),
        ..Limits::default()
    }
}

pub(crate) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

pub(crate) fn status(line: &str) -> Reply {
    Reply::Pieces(vec![
        format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into(),
    ])
}

pub(crate) fn body(text: &str) -> Vec<u8> {
    format!("{OK}{text}").into()
}

pub(crate) fn stream(text: &str) -> Reply {
    Reply::Pieces(vec![body(text)])
}

pub(crate) fn request() -> ModelRequest {
    ModelRequest {
        system: "be brief".into(),
        messages: vec![Message::text(Role::User, "hi")],
        question: "hi".into(),
        page: None,
        mode: Some(Mode::Educational),
        tools: Vec::new(),
        pictures: Vec::new(),
        input_tokens: 0,
        max_output_tokens: Some(77),
    }
}

pub(crate) type Events = Vec<Result<ModelEvent, ProviderError>>;

pub(crate) async fn run(provider: &impl Provider) -> Events {
    ask(provider, request()).await
}

pub(crate) async fn ask(provider: &impl Provider, request: ModelRequest) -> Events {
    provider.stream(request).await.unwrap().collect().await
}

pub(crate) fn text(text: &str) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::Text(text.into()))
}

pub(crate) fn finished(reason: FinishReason) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::Finished(reason))
}

/// What is left when the tries themselves do not matter.
pub(crate) fn without_retries(events: Events) -> Events {
    events
        .into_iter()
        .filter(|event| !matches!(event, Ok(ModelEvent::Retrying { .. })))
        .collect()
}
