//! An editor in memory, played by the test: what the agent sends is read from it, and answered as the test likes.

use std::sync::Arc;

use agent_client_protocol_schema::v1::SessionId;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::rpc::{self, Call, Error, Handling, Params, Peer, Service};

/// Bytes that may be on their way.
const PIPE: usize = 1024 * 1024;

/// The editor's end of a connection.
pub(super) struct Editor {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    _serving: DropGuard,
}

/// A connection and the editor at its other end.
pub(super) fn editor() -> (Peer, Editor) {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (input, output) = tokio::io::split(ours);
    let (peer, connection) = rpc::open(input, output);
    let stop = CancellationToken::new();
    tokio::spawn(connection.run(Arc::new(Deaf), stop.clone()));
    let (lines, output) = tokio::io::split(theirs);
    let editor = Editor {
        lines: BufReader::new(lines).lines(),
        output,
        _serving: stop.drop_guard(),
    };
    (peer, editor)
}

/// The session of these tests.
pub(super) fn session() -> SessionId {
    SessionId::new("s")
}

impl Editor {
    /// The next message of the agent.
    pub(super) async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    }

    /// The update of the next message, which has to be one.
    pub(super) async fn update(&mut self) -> Value {
        let mut message = self.next().await;
        assert_eq!(
            (&message["method"], &message["params"]["sessionId"]),
            (&json!("session/update"), &json!("s"))
        );
        message["params"]["update"].take()
    }

    /// The next message, which has to be a request of this method: its id and its parameters.
    pub(super) async fn request(&mut self, method: &str) -> (Value, Value) {
        let mut message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        (message["id"].take(), message["params"].take())
    }

    /// Answers a request.
    pub(super) async fn answer(&mut self, id: &Value, result: Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    /// Refuses a request.
    pub(super) async fn refuse(&mut self, id: &Value) {
        let error = json!({"code": -32603, "message": "no"});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
            .await;
    }

    /// Waits for a request of this method and answers it; gives its parameters.
    pub(super) async fn serve(&mut self, method: &str, result: Value) -> Value {
        let (id, params) = self.request(method).await;
        self.answer(&id, result).await;
        params
    }

    /// The agent gives this request up and asks for `method`, in any order; gives the parameters of that.
    pub(super) async fn given_up_for(&mut self, id: &Value, method: &str) -> Value {
        let (one, other) = (self.next().await, self.next().await);
        let (given_up, mut request) = if one["method"] == method {
            (other, one)
        } else {
            (one, other)
        };
        assert_eq!(given_up["params"]["requestId"], *id, "{given_up}");
        assert_eq!(request["method"], method);
        self.answer(&request["id"], json!({})).await;
        request["params"].take()
    }

    /// Waits until the agent gives this request up.
    pub(super) async fn given_up(&mut self, id: &Value) {
        let message = self.next().await;
        assert_eq!(message["method"], "$/cancel_request", "{message}");
        assert_eq!(&message["params"]["requestId"], id);
    }

    async fn say(&mut self, message: &Value) {
        self.output
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }
}

/// Answers nothing the editor could ask.
struct Deaf;

impl Service for Deaf {
    fn request(&self, call: Call) -> Handling {
        Handling::Done(Err(Error::new(Error::METHOD_NOT_FOUND, call.method)))
    }

    fn notification(&self, _method: &str, _params: Params) {}
}
