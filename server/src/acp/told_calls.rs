//! The calls of the running turn that its editor has been told of: a card about a call never comes before it.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallId, ToolCallStatus};
use sidewire_agent::ids::TurnId;
use tokio::sync::watch;

use super::translate::calls;

/// What an editor has been told of the turn that runs in a session.
#[derive(Default)]
pub(super) struct ToldCalls {
    turn: watch::Sender<Told>,
}

#[derive(Default)]
struct Told {
    turn: Option<TurnId>,
    calls: HashMap<ToolCallId, Stage>,
}

/// How far a call has come, as the editor was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It waits to be let through.
    Pending,
    /// It runs.
    Running,
}

impl ToldCalls {
    /// A turn begins, of which nothing has been told.
    pub(super) fn begin(&self, turn: TurnId) {
        self.turn.send_replace(Told {
            turn: Some(turn),
            calls: HashMap::new(),
        });
    }

    /// The editor has been sent this.
    pub(super) fn tell(&self, update: &SessionUpdate) {
        let (call, stage) = match update {
            SessionUpdate::ToolCall(call) => (&call.tool_call_id, Stage::Pending),
            SessionUpdate::ToolCallUpdate(update)
                if update.fields.status == Some(ToolCallStatus::InProgress) =>
            {
                (&update.tool_call_id, Stage::Running)
            }
            _ => return,
        };
        self.turn.send_if_modified(|told| {
            told.owns(call) && told.calls.insert(call.clone(), stage) != Some(stage)
        });
    }

    /// Resolves to the id of a call of the running turn, once the editor has been told that it has come this far.
    pub(super) async fn shown(&self, call_id: &str, stage: Stage) -> ToolCallId {
        let mut turn = self.turn.subscribe();
        loop {
            if let Some(id) = turn.borrow_and_update().find(call_id, stage) {
                return id;
            }
            if turn.changed().await.is_err() {
                // Its sender is `self`, so that it never ends.
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Told {
    /// Whether a call is one of the running turn: those of a replay are of earlier ones.
    fn owns(&self, call: &ToolCallId) -> bool {
        let turn = self.turn.as_ref();
        turn.is_some_and(|turn| calls::is_of(turn, call))
    }

    fn find(&self, call_id: &str, stage: Stage) -> Option<ToolCallId> {
        let id = calls::id(self.turn.as_ref()?, call_id);
        self.calls
            .get(&id)
            .is_some_and(|told| *told >= stage)
            .then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol_schema::v1::{ToolCall, ToolCallUpdate, ToolCallUpdateFields};
    use futures_util::FutureExt as _;

    use super::*;

    impl ToldCalls {
        /// A turn in which the editor was told of this call.
        pub(in crate::acp) fn begin_with(&self, turn: &str, call_id: &str) {
            let turn = TurnId(turn.into());
            self.begin(turn.clone());
            self.tell(&begins(&turn, call_id));
        }
    }

    fn begins(turn: &TurnId, call_id: &str) -> SessionUpdate {
        SessionUpdate::ToolCall(ToolCall::new(calls::id(turn, call_id), "Run"))
    }

    fn runs(turn: &TurnId, call_id: &str) -> SessionUpdate {
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(calls::id(turn, call_id), fields))
    }

    #[tokio::test]
    async fn a_call_is_known_once_it_was_told_in_this_turn() {
        let told = ToldCalls::default();
        let [first, second] = ["t1", "t2"].map(|turn| TurnId(turn.into()));
        told.begin_with("t1", "1");
        assert_eq!(told.shown("1", Stage::Pending).await, calls::id(&first, "1"));
        // Some models number their calls anew in every turn.
        told.begin(second.clone());
        let mut shown = Box::pin(told.shown("1", Stage::Pending));
        assert!(shown.as_mut().now_or_never().is_none());
        told.tell(&begins(&second, "2"));
        assert!(shown.as_mut().now_or_never().is_none());
        told.tell(&begins(&second, "1"));
        assert_eq!(shown.await, calls::id(&second, "1"));
        let mut running = Box::pin(told.shown("1", Stage::Running));
        assert!(running.as_mut().now_or_never().is_none());
        told.tell(&runs(&second, "1"));
        assert_eq!(running.await, calls::id(&second, "1"));
        assert_eq!(told.shown("1", Stage::Pending).await, calls::id(&second, "1"));
    }
}
