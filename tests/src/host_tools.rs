//! The part of a client that offers tools: an extension of ours, or an add-in of a document.

use serde_json::{Value, json};
use sidewire_contract::bridge::turns::HostToolScope;
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::host_tool::{HostToolCall, HostToolCancel};

use crate::{Peer, Turn};

/// Offers tools of these names with any arguments; a name that begins with `-` is hidden.
///
/// # Panics
/// When the worker does not take them.
pub async fn offer(peer: &mut impl Peer, names: &[&str]) {
    let tool = |name: &&str| {
        let shown = name.trim_start_matches('-');
        json!({ "name": shown, "description": format!("Does {shown}."), "parameters": { "type": "object" },
                "hidden": name.starts_with('-') })
    };
    let tools: Vec<Value> = names.iter().map(tool).collect();
    let taken = offered(peer, &json!(tools)).await;
    let expected = names.iter().map(|name| name.trim_start_matches('-').to_owned());
    assert_eq!(taken, Some(expected.collect()));
}

/// Offers tools as they are; gives the names the worker took, or nothing when it refused.
///
/// # Panics
/// When it answers something else.
pub async fn offered(peer: &mut impl Peer, tools: &Value) -> Option<Vec<String>> {
    let set = json!({ "type": "set_host_tools", "tools": tools });
    peer.send_text(&set.to_string()).await;
    match peer.receive().await {
        WorkerFrame::SetHostToolsAck(ack) => Some(ack.tool_names),
        WorkerFrame::SetHostToolsError(_) => None,
        other => panic!("no answer to a set of tools: {other:?}"),
    }
}

/// A call as it came.
#[derive(Clone, Debug)]
pub struct Called {
    /// What it is about.
    pub scope: HostToolScope,
    /// The call.
    pub call: HostToolCall,
}

/// A turn whose tools are played by the test.
pub struct Hosted {
    /// The turn so far.
    pub turn: Turn,
    /// Calls that were ended early.
    pub cancelled: Vec<HostToolCancel>,
}

impl Hosted {
    /// Asks.
    pub async fn ask(peer: &mut impl Peer, request: ChatRequest) -> Self {
        peer.send(ClientFrame::ChatRequest(Box::new(request))).await;
        Self::empty()
    }

    /// A turn of which nothing is known yet: it is resumed.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            turn: Turn::default(),
            cancelled: Vec::new(),
        }
    }

    /// Takes what comes until a tool is called. Its scope comes immediately before it.
    ///
    /// # Panics
    /// When the turn ends without a call.
    pub async fn called(&mut self, peer: &mut impl Peer) -> Called {
        loop {
            match peer.receive().await {
                WorkerFrame::HostToolScope(scope) => {
                    let WorkerFrame::HostToolCall(call) = peer.receive().await else {
                        panic!("a scope without its call")
                    };
                    assert_eq!(scope.call_id.as_str(), call.id);
                    return Called { scope, call };
                }
                frame => self.take(frame),
            }
            assert!(!self.turn.has_ended(), "no tool was called: {:?}", self.turn);
        }
    }

    /// Takes what comes until this many tools were called.
    pub async fn called_times(&mut self, peer: &mut impl Peer, times: usize) -> Vec<Called> {
        let mut called = Vec::new();
        while called.len() < times {
            called.push(self.called(peer).await);
        }
        called
    }

    /// Takes what comes until a call is ended early.
    pub async fn until_cancelled(&mut self, peer: &mut impl Peer) -> HostToolCancel {
        let before = self.cancelled.len();
        loop {
            let frame = peer.receive().await;
            self.take(frame);
            if let Some(cancel) = self.cancelled.get(before) {
                return cancel.clone();
            }
        }
    }

    /// Takes what comes until a frame of this type has.
    pub async fn until(&mut self, peer: &mut impl Peer, frame_type: &str) {
        loop {
            let frame = peer.receive().await;
            let found = frame.frame_type() == frame_type;
            self.take(frame);
            if found {
                return;
            }
        }
    }

    /// Follows the turn to its end.
    pub async fn ended(mut self, peer: &mut impl Peer) -> Turn {
        while !self.turn.has_ended() {
            let frame = peer.receive().await;
            self.take(frame);
        }
        self.turn
    }

    /// Takes one frame.
    ///
    /// # Panics
    /// When a tool is called.
    pub fn take(&mut self, frame: WorkerFrame) {
        match frame {
            WorkerFrame::HostToolCancel(cancel) => self.cancelled.push(cancel),
            WorkerFrame::HostToolScope(_) | WorkerFrame::HostToolCall(_) => {
                panic!("one call too many: {frame:?}")
            }
            WorkerFrame::ModelChanged(_) => {}
            frame => self.turn.take(frame),
        }
    }
}

/// A result of text, as a frame.
#[must_use]
pub fn result(id: &str, text: &str) -> String {
    settle(
        id,
        &json!({ "result": { "content": [{ "type": "text", "text": text }] } }),
    )
}

/// A result with these members, as a frame.
///
/// # Panics
/// When the members are no object.
#[must_use]
pub fn settle(id: &str, members: &Value) -> String {
    let mut frame = json!({ "type": "host_tool_result", "id": id });
    let members = members.as_object().expect("an object").clone();
    frame.as_object_mut().expect("an object").extend(members);
    frame.to_string()
}

/// What a tool gave so far, as a frame.
#[must_use]
pub fn report(id: &str, text: &str) -> String {
    json!({ "type": "host_tool_update", "id": id, "partialResult": { "content": [{ "type": "text", "text": text }] } })
        .to_string()
}
