//! Where the updates of one session go out.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{CLIENT_METHOD_NAMES, SessionId, SessionUpdate};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::spelling::Spelling;
use super::told_calls::ToldCalls;
use crate::rpc::{Closed, Peer};

/// The way to the editor for one session. Cheap to clone.
#[derive(Clone)]
pub(super) struct SessionLine {
    peer: Peer,
    session: SessionId,
    told: Arc<ToldCalls>,
    spelling: Spelling,
}

impl SessionLine {
    /// The way for this session.
    pub(super) fn new(peer: Peer, session: SessionId) -> Self {
        Self {
            peer,
            session,
            told: Arc::default(),
            spelling: Spelling::default(),
        }
    }

    /// The same for an editor that writes the folders in its own way.
    pub(super) fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// The calls of the running turn that went this way.
    pub(super) fn told(&self) -> Arc<ToldCalls> {
        Arc::clone(&self.told)
    }

    /// Sends an update; waits for room.
    pub(super) async fn send(&self, update: &SessionUpdate) -> Result<(), Closed> {
        let notification = Notification {
            session_id: &self.session,
            update: Explicit(&self.spelling.update(update)),
        };
        let method = CLIENT_METHOD_NAMES.session_update;
        let sent = self.peer.notify(method, &notification).await;
        // An editor that is gone is told nothing; whoever waits for it learns that from what it asks.
        self.told.tell(update);
        sent
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification<'a> {
    session_id: &'a SessionId,
    update: Explicit<'a>,
}

/// An update with the defaults of a tool call written out: the types leave them away, and not every client adds them.
struct Explicit<'a>(&'a SessionUpdate);

impl Serialize for Explicit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !matches!(self.0, SessionUpdate::ToolCall(_)) {
            return self.0.serialize(serializer);
        }
        let mut update = serde_json::to_value(self.0).map_err(S::Error::custom)?;
        if let Value::Object(members) = &mut update {
            members.entry("kind").or_insert_with(|| "other".into());
            members.entry("status").or_insert_with(|| "pending".into());
        }
        update.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol_schema::v1::{ContentChunk, ToolCall, ToolKind};
    use serde_json::json;

    use super::*;
    use crate::acp::testing::editor;

    #[tokio::test]
    async fn what_the_types_leave_away_is_written_out() {
        let (peer, mut editor) = editor();
        let line = SessionLine::new(peer, SessionId::new("s"));
        let rows = [
            (
                ToolCall::new("c", "Look"),
                json!({"kind": "other", "status": "pending"}),
            ),
            (
                ToolCall::new("c", "Look").kind(ToolKind::Read),
                json!({"kind": "read", "status": "pending"}),
            ),
        ];
        for (call, expected) in rows {
            line.send(&SessionUpdate::ToolCall(call)).await.unwrap();
            let update = editor.update().await;
            assert_eq!(
                (&update["kind"], &update["status"]),
                (&expected["kind"], &expected["status"])
            );
            assert_eq!(update["sessionUpdate"], "tool_call");
        }
        line.send(&SessionUpdate::AgentMessageChunk(ContentChunk::new("hi".into())))
            .await
            .unwrap();
        let expected =
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}});
        assert_eq!(editor.update().await, expected);
    }
}
