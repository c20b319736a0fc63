//! What the scripted model does with one request.

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::Response;
use futures_util::stream;
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Closed until the test opens it.
#[derive(Clone, Debug, Default)]
pub struct Gate(CancellationToken);

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets through what waits, and whatever comes later.
    pub fn open(&self) {
        self.0.cancel();
    }

    /// Waits until it is open.
    pub async fn passed(&self) {
        self.0.cancelled().await;
    }
}

/// One step of an answer.
#[derive(Clone, Debug)]
enum Step {
    Bytes(Bytes),
    Wait(Gate),
    Cut,
}

/// An answer to one request.
#[derive(Clone, Debug)]
pub struct Script {
    status: StatusCode,
    headers: Vec<(&'static str, String)>,
    before: Option<Gate>,
    steps: Vec<Step>,
    left: Gate,
    /// Tool calls so far.
    calls: usize,
}

impl Script {
    fn new(status: StatusCode) -> Self {
        Self {
            status,
            headers: Vec::new(),
            before: None,
            steps: Vec::new(),
            left: Gate::new(),
            calls: 0,
        }
    }

    /// A whole answer of one piece.
    #[must_use]
    pub fn says(text: &str) -> Self {
        Self::stream().text(text).done()
    }

    /// The beginning of a stream; what follows is added to it.
    #[must_use]
    pub fn stream() -> Self {
        Self::new(StatusCode::OK).header(header::CONTENT_TYPE.as_str(), "text/event-stream")
    }

    /// A refusal. Its body holds words that must never leave the worker.
    ///
    /// # Panics
    /// When the status is none.
    #[must_use]
    pub fn fails(status: u16) -> Self {
        let mut script = Self::new(StatusCode::from_u16(status).unwrap());
        script.steps.push(Step::Bytes(Bytes::from_static(
            b"{\"error\":{\"message\":\"PROVIDER-TEXT sk-live\"}}",
        )));
        script
    }

    /// Never answers; the test sees the end of the request by [`Self::left`].
    #[must_use]
    pub fn hangs() -> Self {
        let mut script = Self::stream();
        script.before = Some(Gate::new());
        script
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Answers only once the gate is open.
    #[must_use]
    pub fn after(mut self, gate: &Gate) -> Self {
        self.before = Some(gate.clone());
        self
    }

    /// A piece of answer.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.event(&json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
    }

    /// A piece of thinking.
    #[must_use]
    pub fn thinks(self, text: &str) -> Self {
        self.event(&json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": text } }] }))
    }

    /// Pieces of answer, one event each.
    #[must_use]
    pub fn texts<'a>(self, pieces: impl IntoIterator<Item = &'a str>) -> Self {
        pieces.into_iter().fold(self, Self::text)
    }

    /// Any event.
    #[must_use]
    pub fn event(self, json: &Value) -> Self {
        self.bytes(format!("data: {json}\n\n"))
    }

    /// Any bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: impl Into<Bytes>) -> Self {
        self.steps.push(Step::Bytes(bytes.into()));
        self
    }

    /// Goes on only once the gate is open.
    #[must_use]
    pub fn wait(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Wait(gate.clone()));
        self
    }

    /// The model wants a tool to be called.
    #[must_use]
    pub fn call(self, id: &str, tool: &str, arguments: &Value) -> Self {
        let function = json!({ "name": tool, "arguments": arguments.to_string() });
        let call = json!({ "index": self.calls, "id": id, "type": "function", "function": function });
        let mut script =
            self.event(&json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }));
        script.calls += 1;
        script
    }

    /// The proper end: why, the count of tokens, the last word.
    #[must_use]
    pub fn done(self) -> Self {
        let reason = if self.calls > 0 { "tool_calls" } else { "stop" };
        self.event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
            .event(&json!({ "choices": [], "usage": { "prompt_tokens": 11, "completion_tokens": 7 } }))
            .bytes("data: [DONE]\n\n")
    }

    /// Breaks the connection half-way.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self
    }

    /// Opens when the worker has let go of the request, whether it was answered or not.
    #[must_use]
    pub fn left(&self) -> Gate {
        self.left.clone()
    }

    pub(crate) async fn play(self) -> Response {
        // Kept by the handler first and by the body afterwards: dropped when the worker lets go.
        let left = self.left.0.clone().drop_guard();
        if let Some(gate) = &self.before {
            gate.passed().await;
        }
        let mut response = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            response = response.header(*name, value);
        }
        response.body(body(self.steps, left)).expect("a response")
    }
}

fn body(steps: Vec<Step>, left: DropGuard) -> Body {
    let playing = (steps.into_iter(), left);
    Body::from_stream(stream::unfold(playing, |(mut steps, left)| async move {
        loop {
            match steps.next()? {
                Step::Bytes(bytes) => return Some((Ok(bytes), (steps, left))),
                Step::Wait(gate) => gate.passed().await,
                Step::Cut => {
                    // Having nothing to write makes the server flush first, or the cut would swallow what was said.
                    tokio::task::yield_now().await;
                    return Some((Err(std::io::Error::other("cut")), (steps, left)));
                }
            }
        }
    }))
}
