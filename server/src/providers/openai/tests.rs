use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Part, ResultContent, Role, Usage};
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelRequest, Provider, ToolSpec};
use sidewire_contract::mode::Mode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{Limits, OpenAiConfig, OpenAiProvider, OpenAiSetupError, normalised};
use crate::providers::detect::{LocalPlace, detect_local_servers};

/// What the scripted server does with one connection.
#[derive(Clone)]
enum Reply {
    /// Sends these pieces, then closes.
    Pieces(Vec<Vec<u8>>),
    /// Sends these pieces, then says nothing more.
    Hang(Vec<Vec<u8>>),
    /// Promises more bytes than it sends, then closes.
    Cut(Vec<u8>),
}

/// An HTTP server that follows a script, one reply per connection; the last one repeats.
struct Server {
    url: String,
    port: u16,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(script: Vec<Reply>) -> Self {
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

    fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }

    fn provider(&self) -> OpenAiProvider {
        self.provider_with(quick())
    }

    fn provider_with(&self, limits: Limits) -> OpenAiProvider {
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

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn serve(mut socket: TcpStream, reply: Reply, seen: Arc<Mutex<Vec<(String, Value)>>>) {
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

fn quick() -> Limits {
    Limits {
        first_byte: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        trailer: Duration::from_millis(30),
        back_off: Duration::from_millis(2),
        ..Limits::default()
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn status(line: &str) -> Reply {
    Reply::Pieces(vec![
        format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into(),
    ])
}

fn body(text: &str) -> Vec<u8> {
    format!("{OK}{text}").into()
}

fn stream(text: &str) -> Reply {
    Reply::Pieces(vec![body(text)])
}

fn delta(delta: &Value) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    )
}

fn finish(reason: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "delta": {}, "finish_reason": reason }] })
    )
}

const DONE: &str = "data: [DONE]\n\n";

fn request() -> ModelRequest {
    ModelRequest {
        system: "be brief".into(),
        messages: vec![Message::text(Role::User, "hi")],
        question: "hi".into(),
        page: None,
        mode: Mode::Educational,
        tools: Vec::new(),
        max_output_tokens: 77,
    }
}

type Events = Vec<Result<ModelEvent, ProviderError>>;

async fn run(provider: &OpenAiProvider) -> Events {
    provider.stream(request()).await.unwrap().collect().await
}

async fn answer_to(reply: Reply) -> Events {
    let server = Server::start(vec![reply]).await;
    run(&server.provider()).await
}

fn text(text: &str) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::Text(text.into()))
}

fn finished(reason: FinishReason) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::Finished(reason))
}

/// What is left when the tries themselves do not matter.
fn without_retries(events: Events) -> Events {
    events
        .into_iter()
        .filter(|event| !matches!(event, Ok(ModelEvent::Retrying { .. })))
        .collect()
}

fn hello() -> String {
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

#[tokio::test]
async fn text_streams_with_usage_and_reasoning() {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 4,
        "prompt_tokens_details": { "cached_tokens": 3 } } });
    let stream_text = [
        ": comment\n\n".to_owned(),
        delta(&json!({ "role": "assistant", "content": null, "reasoning_content": "hm" })),
        delta(&json!({ "reasoning": "m" })),
        delta(&json!({ "content": "hello" })),
        finish("length"),
        format!("data: {usage}\n\n"),
        DONE.into(),
    ];
    let events = answer_to(stream(&stream_text.concat())).await;
    assert_eq!(
        events,
        [
            Ok(ModelEvent::Reasoning("hm".into())),
            Ok(ModelEvent::Reasoning("m".into())),
            text("hello"),
            Ok(ModelEvent::Usage(Usage {
                input: 9,
                output: 4,
                cached: Some(3)
            })),
            finished(FinishReason::Length),
        ]
    );
}

#[tokio::test]
async fn the_request_carries_transcript_tools_and_limits() {
    let server = Server::start(vec![stream(&hello())]).await;
    let call = |arguments| Part::ToolCall {
        call_id: "c1".into(),
        name: "read".into(),
        arguments,
    };
    let result = Part::ToolResult {
        call_id: "c1".into(),
        content: vec![ResultContent::Text { text: "42".into() }],
        is_error: false,
    };
    let mut asked = request();
    asked.messages = vec![
        Message::text(Role::User, "hi"),
        Message {
            role: Role::Assistant,
            parts: vec![call(json!({ "a": 1 }))],
        },
        Message {
            role: Role::Tool,
            parts: vec![result],
        },
        Message {
            role: Role::Assistant,
            parts: vec![Part::Text { text: "t".into() }, call(json!("{broken"))],
        },
        Message {
            role: Role::Assistant,
            parts: vec![],
        },
    ];
    asked.tools = vec![ToolSpec {
        name: "read".into(),
        description: "reads".into(),
        parameters: json!({ "type": "object" }),
    }];
    let provider = server.provider();
    let _: Events = provider.stream(asked).await.unwrap().collect().await;
    let (head, body) = server.requests().remove(0);
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains("authorization: bearer sk-secret"));
    let called = |arguments: &str| json!([{ "id": "c1", "type": "function", "function": { "name": "read", "arguments": arguments } }]);
    assert_eq!(
        body,
        json!({
            "model": "m1", "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 77,
            "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": "hi" },
                { "role": "assistant", "content": null, "tool_calls": called("{\"a\":1}") },
                { "role": "tool", "content": "42", "tool_call_id": "c1" },
                { "role": "assistant", "content": "t", "tool_calls": called("{broken") },
            ],
            "tools": [{ "type": "function", "function": { "name": "read", "description": "reads", "parameters": { "type": "object" } } }],
        })
    );
}

#[tokio::test]
async fn tool_calls_are_put_together_by_index() {
    let piece = |index: usize, id: Option<&str>, name: Option<&str>, arguments: &str| {
        delta(
            &json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }] }),
        )
    };
    let stream_text = [
        piece(0, Some("a"), Some("one"), ""),
        piece(0, None, None, "{\"x\":"),
        piece(1, None, Some("two"), "{oops"),
        piece(0, None, None, "1}"),
        piece(2, Some("c"), Some("three"), ""),
        finish("tool_calls"),
        DONE.into(),
    ];
    let events = answer_to(stream(&stream_text.concat())).await;
    let call = |id: &str, name: &str, arguments| {
        Ok(ModelEvent::ToolCall {
            call_id: id.into(),
            name: name.into(),
            arguments,
        })
    };
    let told: Events = events
        .into_iter()
        .filter(|event| *event != Ok(ModelEvent::Alive))
        .collect();
    assert_eq!(
        told,
        [
            call("a", "one", json!({ "x": 1 })),
            call("call_1", "two", json!("{oops")),
            call("c", "three", json!({})),
            finished(FinishReason::ToolCalls),
        ]
    );
}

#[tokio::test]
async fn calls_without_index_are_told_apart_by_id() {
    let piece = |id: &str| {
        delta(&json!({ "tool_calls": [{ "id": id, "function": { "name": id, "arguments": "{}" } }] }))
    };
    let events = answer_to(stream(&[piece("a"), piece("b"), finish("stop")].concat())).await;
    let names: Vec<String> = events
        .iter()
        .filter_map(|event| {
            if let Ok(ModelEvent::ToolCall { name, .. }) = event {
                Some(name.clone())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(events.last(), Some(&finished(FinishReason::ToolCalls)));
}

#[tokio::test]
async fn endless_tool_calls_are_refused() {
    let many: String = (0..200)
        .map(|n| delta(&json!({ "tool_calls": [{ "index": n, "id": n.to_string() }] })))
        .collect();
    assert_eq!(
        answer_to(stream(&many)).await.pop(),
        Some(Err(ProviderError::BadResponse))
    );
}

#[tokio::test]
async fn bytes_may_be_cut_anywhere() {
    let whole = body(&hello().replace('\n', "\r\n"));
    let head = OK.len();
    for cut in head + 1..whole.len() {
        let (one, other) = whole.split_at(cut);
        let events = answer_to(Reply::Pieces(vec![one.to_vec(), other.to_vec()])).await;
        assert_eq!(
            events,
            [text("grüß"), text(" dich"), finished(FinishReason::Stop)],
            "cut at {cut}"
        );
    }
    let single: Vec<Vec<u8>> = whole.chunks(1).map(<[u8]>::to_vec).collect();
    let events = answer_to(Reply::Pieces(single)).await;
    assert_eq!(
        events,
        [text("grüß"), text(" dich"), finished(FinishReason::Stop)]
    );
}

#[tokio::test]
async fn statuses_become_typed_errors() {
    for (line, expected) in [
        ("401 Unauthorized", ProviderError::Auth { status: 401 }),
        ("403 Forbidden", ProviderError::Auth { status: 403 }),
        ("404 Not Found", ProviderError::Refused { status: 404 }),
        ("400 Bad Request", ProviderError::Refused { status: 400 }),
        ("429 Too Many Requests", ProviderError::Refused { status: 429 }),
        ("500 Oops", ProviderError::Server { status: 500 }),
        ("503 Busy", ProviderError::Server { status: 503 }),
        ("302 Found", ProviderError::BadResponse),
    ] {
        assert_eq!(
            without_retries(answer_to(status(line)).await),
            [Err(expected)],
            "{line}"
        );
    }
}

#[tokio::test]
async fn failures_before_the_first_byte_are_tried_again() {
    let server = Server::start(vec![status("500 Oops"), Reply::Pieces(vec![]), stream(&hello())]).await;
    let events = run(&server.provider()).await;
    let attempts: Vec<u32> = events
        .iter()
        .filter_map(|event| {
            if let Ok(ModelEvent::Retrying { attempt, .. }) = event {
                Some(*attempt)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(attempts, [2, 3]);
    assert_eq!(
        without_retries(events),
        [text("grüß"), text(" dich"), finished(FinishReason::Stop)]
    );
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_client_error_is_not_tried_again() {
    let server = Server::start(vec![status("401 Unauthorized")]).await;
    run(&server.provider()).await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn retry_after_is_followed_and_told_at_once() {
    let busy = Reply::Pieces(vec![
        b"HTTP/1.1 429 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n".to_vec(),
    ]);
    let server = Server::start(vec![busy]).await;
    let mut events = server.provider().stream(request()).await.unwrap();
    assert_eq!(
        events.next().await,
        Some(Ok(ModelEvent::Retrying {
            attempt: 2,
            wait_ms: 7000
        }))
    );
}

#[tokio::test]
async fn a_server_without_stream_options_is_learned() {
    let server = Server::start(vec![
        status("400 Bad Request"),
        stream(&hello()),
        stream(&hello()),
    ])
    .await;
    let provider = server.provider();
    for _ in 0..2 {
        assert_eq!(run(&provider).await.last(), Some(&finished(FinishReason::Stop)));
    }
    let asked: Vec<bool> = server
        .requests()
        .iter()
        .map(|(_, body)| body["stream_options"].is_object())
        .collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn a_refusal_of_a_known_form_is_told_at_once() {
    let server = Server::start(vec![stream(&hello()), status("400 Bad Request")]).await;
    let provider = server.provider();
    run(&provider).await;
    assert_eq!(
        run(&provider).await,
        [Err(ProviderError::Refused { status: 400 })]
    );
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn silence_is_a_timeout_before_and_within_an_answer() {
    let limits = Limits {
        first_byte: Duration::from_millis(40),
        idle: Duration::from_millis(40),
        ..quick()
    };
    for (sent, told) in [
        (vec![], vec![]),
        (vec![OK.into()], vec![]),
        (vec![body(&delta(&json!({ "content": "a" })))], vec![text("a")]),
    ] {
        let server = Server::start(vec![Reply::Hang(sent)]).await;
        let mut expected = told;
        expected.push(Err(ProviderError::Timeout));
        assert_eq!(run(&server.provider_with(limits)).await, expected);
    }
}

#[tokio::test]
async fn a_finished_answer_does_not_wait_for_its_trailer() {
    let sent = body(&[delta(&json!({ "content": "a" })), finish("stop")].concat());
    assert_eq!(
        answer_to(Reply::Hang(vec![sent])).await,
        [text("a"), finished(FinishReason::Stop)]
    );
}

#[tokio::test]
async fn a_cut_answer_is_an_error_never_a_silent_end() {
    let half = delta(&json!({ "content": "a" }));
    let promised = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let in_chunk = format!("{chunked}{:x}\r\n{half}\r\n", half.len());
    for reply in [
        stream(&half),
        Reply::Cut(format!("{promised}{half}").into()),
        Reply::Cut(in_chunk.into()),
        stream(&format!("{half}data: {{\"choi")),
    ] {
        assert_eq!(
            answer_to(reply).await,
            [text("a"), Err(ProviderError::BrokenStream)]
        );
    }
    assert_eq!(answer_to(stream("")).await, [Err(ProviderError::BrokenStream)]);
}

#[tokio::test]
async fn an_error_inside_the_stream_is_read_by_its_code() {
    for (error, expected) in [
        (
            json!({ "message": "x", "code": 401 }),
            ProviderError::Auth { status: 401 },
        ),
        (json!({ "code": "429" }), ProviderError::Refused { status: 429 }),
        (json!({ "code": 503 }), ProviderError::Server { status: 503 }),
        (
            json!({ "code": "context_length_exceeded", "message": "401" }),
            ProviderError::Server { status: 500 },
        ),
        (json!("text"), ProviderError::Server { status: 500 }),
    ] {
        let sent = format!(
            "{}event: error\ndata: {}\n\n",
            delta(&json!({ "content": "a" })),
            json!({ "error": error })
        );
        assert_eq!(answer_to(stream(&sent)).await, [text("a"), Err(expected)]);
    }
}

#[tokio::test]
async fn what_is_not_the_protocol_is_refused() {
    for odd in [
        "<html>sign in</html>",
        "data: not json\n\n",
        "data: [1]\n\n",
        "data: {\"choices\":7}\n\n",
        "nonsense",
    ] {
        assert_eq!(
            answer_to(stream(odd)).await,
            [Err(ProviderError::BadResponse)],
            "{odd}"
        );
    }
    for odd in ["{\"models\":[]}", "{\"choices\":[]}", "{\"choices\":"] {
        assert_eq!(
            answer_to(stream(odd)).await,
            [Err(ProviderError::BadResponse)],
            "{odd}"
        );
    }
}

#[tokio::test]
async fn a_plain_completion_is_one_answer() {
    let whole = json!({ "choices": [{ "message": { "role": "assistant", "content": "all at once" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 } });
    let events = answer_to(stream(&whole.to_string())).await;
    let usage = Usage {
        input: 1,
        output: 2,
        cached: None,
    };
    assert_eq!(
        events,
        [
            text("all at once"),
            Ok(ModelEvent::Usage(usage)),
            finished(FinishReason::Stop)
        ]
    );
}

#[tokio::test]
async fn events_and_answers_are_bounded() {
    let limits = Limits {
        event_bytes: 1000,
        answer_bytes: 5000,
        ..quick()
    };
    let run = |text: String| async move {
        let server = Server::start(vec![stream(&text)]).await;
        run(&server.provider_with(limits)).await.pop()
    };
    let event = |length: usize| delta(&json!({ "content": "x".repeat(length) }));
    assert_eq!(run(event(1000)).await, Some(Err(ProviderError::BadResponse)));
    assert_eq!(
        run(format!("data: {}", "x".repeat(2000))).await,
        Some(Err(ProviderError::BadResponse))
    );
    assert_eq!(
        run(event(500).repeat(12)).await,
        Some(Err(ProviderError::BadResponse))
    );
    assert_eq!(run(event(500) + DONE).await, Some(finished(FinishReason::Stop)));
    let whole = json!({ "choices": [{ "message": { "content": "x".repeat(9000) } }] });
    assert_eq!(
        run(whole.to_string()).await,
        Some(Err(ProviderError::BadResponse))
    );
}

/// S28: the key does not follow a redirect.
#[tokio::test]
async fn s28_a_redirect_is_not_followed() {
    let other = Server::start(vec![stream(&hello())]).await;
    for code in [
        "301 Moved",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let to = format!(
            "HTTP/1.1 {code}\r\nlocation: {}/v1/chat/completions\r\ncontent-length: 0\r\n\r\n",
            other.url
        );
        let server = Server::start(vec![Reply::Pieces(vec![to.into()])]).await;
        assert_eq!(run(&server.provider()).await, [Err(ProviderError::BadResponse)]);
        assert_eq!(server.provider().models().await, Err(ProviderError::BadResponse));
    }
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let server = Server::start(vec![stream("")]).await;
    let provider = server.provider();
    server.task.abort();
    drop(server);
    // The port is free once the listener is gone; until then connections are reset, which is the same to a caller.
    assert_eq!(
        without_retries(run(&provider).await),
        [Err(ProviderError::Unreachable)]
    );
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let config = OpenAiConfig {
        limits: quick(),
        ..OpenAiConfig::new(url, "m1", None)
    };
    let mut events = OpenAiProvider::new(config)
        .unwrap()
        .stream(request())
        .await
        .unwrap();
    let serve = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        assert!(socket.read(&mut request).await.unwrap() > 0);
        socket
            .write_all(&body(&delta(&json!({ "content": "a" }))))
            .await
            .unwrap();
        socket
    };
    let (mut socket, first) = tokio::join!(serve, events.next());
    assert_eq!(first, Some(text("a")));
    drop(events);
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(5), socket.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "the connection stayed open");
}

#[tokio::test]
async fn models_tell_their_windows() {
    let list = json!({ "object": "list", "data": [
        { "id": "m1", "meta": { "n_ctx": 4096 } }, { "id": "b", "max_model_len": 8192 },
        { "id": "c", "context_length": 16384 }, { "id": "d", "owned_by": "library" }, { "id": "e", "context_length": "big" },
    ] });
    let server = Server::start(vec![stream(&list.to_string())]).await;
    let provider = server.provider();
    let windows: Vec<Option<u64>> = provider
        .models()
        .await
        .unwrap()
        .iter()
        .map(|model| model.window)
        .collect();
    assert_eq!(windows, [Some(4096), Some(8192), Some(16384), None, None]);
    assert_eq!(provider.describe().window, Some(4096));
    assert!(server.requests()[0].0.starts_with("get /v1/models"));
}

#[tokio::test]
async fn a_probe_is_one_real_request() {
    let server = Server::start(vec![stream(&hello())]).await;
    let probe = server.provider().probe().await.unwrap();
    assert_eq!(probe.window, None);
    assert_eq!(server.requests()[0].1["max_tokens"], 16);
    let server = Server::start(vec![status("500 Oops")]).await;
    assert_eq!(
        server.provider().probe().await,
        Err(ProviderError::Server { status: 500 })
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn base_urls_are_taken_as_people_paste_them() {
    for (pasted, expected) in [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        (" https://api.example.com/v1/ ", "https://api.example.com/v1"),
        (
            "https://api.example.com/v1/chat/completions",
            "https://api.example.com/v1",
        ),
        (
            "https://api.example.com/api/v1?x=1#y",
            "https://api.example.com/api/v1",
        ),
    ] {
        assert_eq!(normalised(pasted).unwrap().as_str(), expected);
    }
    for odd in [
        "",
        "localhost:11434",
        "ftp://x/",
        "file:///etc/passwd",
        "https://user:pw@api.example.com",
        "http://",
    ] {
        assert!(normalised(odd).is_none(), "{odd}");
    }
}

#[test]
fn the_key_is_never_shown() {
    let provider =
        |key: &str| OpenAiProvider::new(OpenAiConfig::new("http://localhost", "m1", Some(key.into())));
    assert!(!format!("{:?}", provider("sk-secret").unwrap()).contains("secret"));
    let config = OpenAiConfig::new("http://localhost", "m1", Some("sk-secret".into()));
    assert!(!format!("{config:?}").contains("sk-secret"));
    assert!(matches!(provider("sk\nx"), Err(OpenAiSetupError::Key)));
}

#[tokio::test]
async fn local_servers_are_found_by_their_list_only() {
    let list = |owner: &str| stream(&json!({ "data": [{ "id": "m1", "owned_by": owner }] }).to_string());
    let proper = Server::start(vec![list("me")]).await;
    let vllm = Server::start(vec![list("vllm")]).await;
    let web = Server::start(vec![stream("<html>hello</html>")]).await;
    let other = Server::start(vec![stream("{\"ok\":true}")]).await;
    let hanging = Server::start(vec![Reply::Hang(vec![])]).await;
    let places = [&proper, &vllm, &web, &other, &hanging].map(|server| LocalPlace {
        label: "Ollama",
        port: server.port,
    });
    let found = detect_local_servers(&places).await;
    let labels: Vec<(&str, &str)> = found
        .iter()
        .map(|server| (server.label.as_str(), server.base_url.as_str()))
        .collect();
    let base = |server: &Server| format!("{}/v1", server.url);
    assert_eq!(
        labels,
        [("Ollama", base(&proper).as_str()), ("vLLM", base(&vllm).as_str())]
    );
    assert_eq!(found[0].models, ["m1"]);
    assert!(!proper.requests()[0].0.contains("authorization"));
}
