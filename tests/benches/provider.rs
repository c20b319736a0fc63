//! A model that streams as fast, or as evenly, as a benchmark wants. Each delta says when it was sent.

use std::convert::Infallible;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Json;
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// What a model is asked to do, written in its name: how many deltas, how many microseconds apart (0: at once).
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) deltas: u32,
    pub(crate) apart_us: u64,
}

impl Pace {
    pub(crate) fn name(self) -> String {
        format!("{}-{}", self.deltas, self.apart_us)
    }

    fn of(name: &str) -> Self {
        let (deltas, apart_us) = name.split_once('-').expect("a pace");
        Self {
            deltas: deltas.parse().unwrap(),
            apart_us: apart_us.parse().unwrap(),
        }
    }
}

/// Nanoseconds since this program began: what deltas are stamped with.
pub(crate) fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGAN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

/// How long ago the stamps in a text were made, in microseconds.
pub(crate) fn delays_us(text: &str) -> impl Iterator<Item = f64> {
    let now = now();
    let stamps = text.split('|').filter_map(|stamp| stamp.parse::<u64>().ok());
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a delay")]
    stamps.map(move |stamp| now.saturating_sub(stamp) as f64 / 1_000.0)
}

/// Starts the provider; its base URL.
pub(crate) async fn start() -> String {
    let app = Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/responses", post(respond))
        .route("/v1/models", get(models));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // Small events must not wait for an acknowledgement: that would measure the kernel's timers.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://127.0.0.1:{port}/v1")
}

async fn models() -> Json<Value> {
    Json(json!({ "object": "list", "data": [] }))
}

async fn complete(Json(request): Json<Value>) -> Response {
    stream_as(Dialect::Completions, &request)
}

async fn respond(Json(request): Json<Value>) -> Response {
    stream_as(Dialect::Responses, &request)
}

/// How a server writes its events down.
#[derive(Clone, Copy)]
enum Dialect {
    /// Chat completions.
    Completions,
    /// The responses API, the only one that codex-acp speaks.
    Responses,
}

impl Dialect {
    fn begin(self) -> Bytes {
        match self {
            Self::Completions => Bytes::new(),
            Self::Responses => [
                json!({ "type": "response.created", "response": { "id": "r" } }),
                json!({
                    "type": "response.output_item.added", "output_index": 0,
                    "item": { "type": "message", "id": "m", "role": "assistant", "content": [] }
                }),
            ]
            .iter()
            .map(event)
            .collect::<String>()
            .into(),
        }
    }

    fn delta(self, content: &str) -> String {
        event(&match self {
            Self::Completions => json!({ "choices": [{ "index": 0, "delta": { "content": content } }] }),
            Self::Responses => json!({
                "type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0,
                "delta": content
            }),
        })
    }

    fn end(self) -> Bytes {
        match self {
            Self::Completions => {
                let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
                format!("{}data: [DONE]\n\n", event(&last)).into()
            }
            Self::Responses => [
                json!({
                    "type": "response.output_item.done", "output_index": 0,
                    "item": {
                        "type": "message", "id": "m", "role": "assistant",
                        "content": [{ "type": "output_text", "text": "" }]
                    }
                }),
                json!({
                    "type": "response.completed",
                    "response": {
                        "id": "r", "usage": { "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 }
                    }
                }),
            ]
            .iter()
            .map(event)
            .collect::<String>()
            .into(),
        }
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn stream_as(dialect: Dialect, request: &Value) -> Response {
    let pace = Pace::of(request.get("model").and_then(Value::as_str).unwrap());
    let events = if pace.apart_us == 0 {
        burst(dialect, pace.deltas).boxed()
    } else {
        paced(dialect, pace).boxed()
    };
    let events = stream::once(async move { dialect.begin() }).chain(events);
    let body = Body::from_stream(events.map(Ok::<_, Infallible>));
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(body)
        .unwrap()
}

/// One character each, many to a packet, as a model that cannot be outrun would.
fn burst(dialect: Dialect, deltas: u32) -> impl futures_util::Stream<Item = Bytes> + Send {
    let packet = Bytes::from(dialect.delta("x").repeat(64));
    stream::iter((0..deltas / 64).map(move |_| packet.clone()))
        .chain(stream::once(async move { dialect.end() }))
}

fn paced(dialect: Dialect, pace: Pace) -> impl futures_util::Stream<Item = Bytes> + Send {
    let mut ticks = tokio::time::interval(Duration::from_micros(pace.apart_us));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    stream::unfold((ticks, 0), move |(mut ticks, sent)| async move {
        if sent > pace.deltas {
            return None;
        }
        if sent == pace.deltas {
            return Some((dialect.end(), (ticks, sent + 1)));
        }
        ticks.tick().await;
        let piece = dialect.delta(&format!("|{}", now()));
        Some((Bytes::from(piece), (ticks, sent + 1)))
    })
}
