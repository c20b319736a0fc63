//! What is worth keeping of a turn that may never end: the messages of its finished steps, and what it says now.

use super::{FeedState, Revision, TurnFeed};
use crate::message::{Message, Role};
use crate::store::PartialTurn;

/// Finished steps of a turn.
#[derive(Default)]
pub(super) struct Steps {
    messages: Vec<Message>,
    /// Bytes of the answer that are in them.
    text: usize,
}

/// How much of a turn was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    revision: Revision,
    steps: usize,
}

impl TurnFeed {
    /// A step is over: these are its messages, and all that was said so far is in them or in those before.
    pub(crate) fn keep_step(&self, messages: &[Message]) {
        let mut state = self.lock();
        state.steps.messages.extend_from_slice(messages);
        state.steps.text = state.record.text.len();
        state.revision.0 += 1;
    }

    /// What has come since this much was kept, when anything has.
    pub(crate) fn partial_since(&self, then: Saved) -> Option<(Saved, PartialTurn)> {
        let state = self.lock();
        let partial = (state.revision != then.revision).then(|| PartialTurn {
            record: state.record.clone(),
            kept: then.steps,
            messages: state.messages_after(then.steps),
        })?;
        let saved = Saved {
            revision: state.revision,
            steps: state.steps.messages.len(),
        };
        Some((saved, partial))
    }

    /// All messages so far.
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.lock().messages_after(0)
    }
}

impl FeedState {
    fn messages_after(&self, steps: usize) -> Vec<Message> {
        let finished = self.steps.messages.iter().skip(steps).cloned();
        let running = self.record.text.get(self.steps.text..);
        let running = running.filter(|text| !text.is_empty());
        finished
            .chain(running.map(|text| Message::text(Role::Assistant, text)))
            .collect()
    }
}
