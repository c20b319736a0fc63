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
    let pace = Pace::of(request.get("model").and_then(Value::as_str).unwrap());
    let events = if pace.apart_us == 0 {
        burst(pace.deltas).boxed()
    } else {
        paced(pace).boxed()
    };
    let body = Body::from_stream(events.map(Ok::<_, Infallible>));
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(body)
        .unwrap()
}

/// One character each, many to a packet, as a model that cannot be outrun would.
fn burst(deltas: u32) -> impl futures_util::Stream<Item = Bytes> + Send {
    let event = format!(
        "data: {}\n\n",
        json!({ "choices": [{ "index": 0, "delta": { "content": "x" } }] })
    );
    let packet = Bytes::from(event.repeat(64));
    stream::iter((0..deltas / 64).map(move |_| packet.clone())).chain(stream::once(async { end() }))
}

fn paced(pace: Pace) -> impl futures_util::Stream<Item = Bytes> + Send {
    let mut ticks = tokio::time::interval(Duration::from_micros(pace.apart_us));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    stream::unfold((ticks, 0), move |(mut ticks, sent)| async move {
        if sent > pace.deltas {
            return None;
        }
        if sent == pace.deltas {
            return Some((end(), (ticks, sent + 1)));
        }
        ticks.tick().await;
        let content = format!("|{}", now());
        let event = json!({ "choices": [{ "index": 0, "delta": { "content": content } }] });
        Some((Bytes::from(format!("data: {event}\n\n")), (ticks, sent + 1)))
    })
}

fn end() -> Bytes {
    let event = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    Bytes::from(format!("data: {event}\n\ndata: [DONE]\n\n"))
}
