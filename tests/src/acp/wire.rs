//! The two streams of an agent: what was sent, what came, and who waits for it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};

use super::desk::{Desk, Reaction};
use super::rules::Rules;
use crate::within;

/// A frame of the agent and the number it came as.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its number, from 0.
    pub at: usize,
    /// What it says.
    pub json: Value,
    /// How it was written, without its end of line.
    pub line: String,
}

impl Frame {
    /// The method of a request or notification; empty for an answer.
    #[must_use]
    pub fn method(&self) -> &str {
        self.json["method"].as_str().unwrap_or_default()
    }

    /// The update of this session that it carries.
    #[must_use]
    pub fn update_of(&self, session: &str) -> Option<&Value> {
        let params = &self.json["params"];
        (self.method() == "session/update" && params["sessionId"] == session).then(|| &params["update"])
    }
}

/// An error that was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Its number.
    pub code: i64,
    /// What it says to people.
    pub message: String,
    /// What it says to programs; null when it says nothing.
    pub data: Value,
}

/// An answer and the number it came as.
pub(super) type Answer = (usize, Result<Value, Refusal>);

/// A request that is on its way.
pub struct Waiting {
    /// Its id.
    pub id: Value,
    answer: oneshot::Receiver<Answer>,
}

impl Waiting {
    pub(super) async fn numbered(self) -> Answer {
        within("an answer of the agent", self.answer)
            .await
            .expect("the agent ended without an answer")
    }

    /// Its answer.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn answer(self) -> Result<Value, Refusal> {
        self.numbered().await.1
    }

    /// Whether it has not been answered yet.
    pub fn is_open(&mut self) -> bool {
        matches!(self.answer.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }
}

struct Pending {
    method: String,
    params: Value,
    answer: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct State {
    record: Vec<Frame>,
    pending: HashMap<String, Pending>,
    next_id: u64,
    desk: Desk,
    rules: Rules,
    out: Option<mpsc::Sender<String>>,
}

/// What both halves of an editor share.
pub(super) struct Wire {
    // A std mutex: nothing waits while it is held.
    state: Mutex<State>,
    seen: watch::Sender<usize>,
    reads: watch::Sender<bool>,
}

impl Wire {
    pub(super) fn new(stdin: ChildStdin) -> Self {
        let (out, lines) = mpsc::channel(4096);
        tokio::spawn(write(stdin, lines));
        let state = State {
            out: Some(out),
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            seen: watch::Sender::new(0),
            reads: watch::Sender::new(true),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line as it is.
    pub(super) async fn line(&self, line: String) {
        let out = self.lock().out.clone();
        let out = out.expect("standard input is open");
        within("room for a line", out.send(line))
            .await
            .expect("the agent reads");
    }

    /// Sends a request; its answer comes later.
    pub(super) async fn request(&self, method: &str, params: &Value) -> Waiting {
        let (answer, waiting) = oneshot::channel();
        let (id, line) = {
            let mut state = self.lock();
            state.next_id += 1;
            let id = json!(state.next_id);
            state.rules.sent(method, params);
            let pending = Pending {
                method: method.to_owned(),
                params: params.clone(),
                answer,
            };
            state.pending.insert(id.to_string(), pending);
            let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            (id, line.to_string())
        };
        self.line(line).await;
        Waiting { id, answer: waiting }
    }

    /// Expects an answer to a request that the test writes itself.
    pub(super) fn expect(&self, id: &Value, method: &str) -> Waiting {
        let (answer, waiting) = oneshot::channel();
        let pending = Pending {
            method: method.to_owned(),
            params: Value::Null,
            answer,
        };
        self.lock().pending.insert(id.to_string(), pending);
        Waiting {
            id: id.clone(),
            answer: waiting,
        }
    }

    /// Answers a request of the agent.
    pub(super) fn answer(&self, id: &Value, reply: &Result<Value, (i64, String)>) {
        let mut state = self.lock();
        state.rules.answered(id, reply.is_ok());
        let line = match reply {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        // A process that is gone needs no answer; a full queue is a fault of the test.
        if let Some(out) = &state.out {
            let _agent_is_gone = out.try_send(line.to_string());
        }
    }

    /// Closes the agent's standard input.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.out = None;
        state.rules.left = true;
    }

    /// Does something with the editor's desk.
    pub(super) fn desk<T>(&self, act: impl FnOnce(&mut Desk) -> T) -> T {
        act(&mut self.lock().desk)
    }

    /// All frames from this number on.
    pub(super) fn since(&self, from: usize) -> Vec<Frame> {
        self.lock().record.get(from..).unwrap_or_default().to_vec()
    }

    /// How many frames came.
    pub(super) fn count(&self) -> usize {
        self.lock().record.len()
    }

    /// Rules that were broken so far.
    pub(super) fn faults(&self) -> Vec<String> {
        self.lock().rules.faults.clone()
    }

    /// Reads on, or leaves everything in the pipe.
    pub(super) fn reads(&self, on: bool) {
        self.reads.send_replace(on);
    }

    /// Notes what the editor said it can do.
    pub(super) fn allow(&self, capabilities: &Value) {
        self.lock().rules.capabilities = capabilities.clone();
    }

    /// Looks at what is there, and again after each frame, until there is something to see.
    pub(super) async fn until<T>(&self, what: &'static str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let mut seen = self.seen.subscribe();
        let looking = async {
            loop {
                seen.mark_unchanged();
                if let Some(found) = look(self) {
                    return found;
                }
                assert!(
                    seen.changed().await.is_ok() && *seen.borrow() != usize::MAX,
                    "the agent ended before {what}"
                );
            }
        };
        within(what, looking).await
    }

    /// Reads frames until the agent ends.
    pub(super) async fn read(&self, stdout: ChildStdout) {
        let mut lines = BufReader::new(stdout);
        let mut line = Vec::new();
        let mut reads = self.reads.subscribe();
        while reads.wait_for(|on| *on).await.is_ok()
            && lines.read_until(b'\n', &mut line).await.is_ok_and(|len| len > 0)
        {
            self.take(&line);
            line.clear();
        }
        // Whoever waits for an answer learns that none will come.
        self.lock().pending.clear();
        self.seen.send_replace(usize::MAX);
    }

    fn take(&self, line: &[u8]) {
        let mut state = self.lock();
        let at = state.record.len();
        let frame = state
            .rules
            .frame(line)
            .map(|(json, line)| Frame { at, json, line });
        let Some(frame) = frame else { return };
        let json = frame.json.clone();
        state.record.push(frame);
        match (json["method"].as_str(), json.get("id")) {
            (Some(method), Some(id)) => {
                state.rules.asked(id, method, &json["params"]);
                let reaction = state.desk.take(id, method, &json["params"]);
                drop(state);
                if let Reaction::Now(replies) = reaction {
                    for (id, reply) in replies {
                        self.answer(&id, &reply);
                    }
                }
            }
            (Some(method), None) => state.rules.told(method, &json["params"]),
            (None, _) => Self::answered(&mut state, at, &json),
        }
        self.seen.send_modify(|count| *count = at + 1);
    }

    fn answered(state: &mut State, at: usize, json: &Value) {
        let id = &json["id"];
        let Some(pending) = state.pending.remove(&id.to_string()) else {
            if !id.is_null() {
                state
                    .rules
                    .faults
                    .push(format!("an answer to nothing that was asked: {json}"));
            }
            return;
        };
        state.rules.answer(&pending.method, &pending.params, json);
        let result = match json.get("error") {
            None => Ok(json["result"].clone()),
            Some(error) => Err(Refusal {
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
                data: error["data"].clone(),
            }),
        };
        let _nobody_waits = pending.answer.send((at, result));
    }
}

async fn write(mut stdin: ChildStdin, mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.recv().await {
        // An agent that has ended reads nothing more; the test sees that elsewhere.
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.write_all(b"\n").await.is_err() {
            return;
        }
    }
}
