//! Which turns run now: one seat per conversation, found by turn or by conversation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::AskError;
use crate::feed::TurnFeed;
use crate::ids::{ConversationId, TurnKey};
use crate::turn::StopSwitch;

/// The running turns of an agent.
#[derive(Default)]
pub(super) struct LiveTurns {
    // A std mutex: lookups and inserts only, never held over an await.
    seats: Mutex<HashMap<TurnKey, LiveTurn>>,
}

#[derive(Clone)]
pub(super) struct LiveTurn {
    pub(super) conversation: ConversationId,
    pub(super) feed: Arc<TurnFeed>,
    pub(super) stop: StopSwitch,
}

/// The right to run a turn in a conversation; dropping it lets the next one in.
pub(super) struct Seat {
    live: Arc<LiveTurns>,
    key: TurnKey,
}

impl LiveTurns {
    pub(super) fn take_seat(
        self: &Arc<Self>,
        key: &TurnKey,
        conversation: ConversationId,
        feed: &Arc<TurnFeed>,
        stop: &StopSwitch,
    ) -> Result<Seat, AskError> {
        let mut seats = self.lock();
        if seats.contains_key(key) {
            return Err(AskError::Duplicate);
        }
        if seats.values().any(|turn| turn.conversation == conversation) {
            return Err(AskError::Busy);
        }
        seats.insert(
            key.clone(),
            LiveTurn {
                conversation,
                feed: Arc::clone(feed),
                stop: stop.clone(),
            },
        );
        Ok(Seat {
            live: Arc::clone(self),
            key: key.clone(),
        })
    }

    pub(super) fn get(&self, key: &TurnKey) -> Option<LiveTurn> {
        self.lock().get(key).cloned()
    }

    pub(super) fn of_conversation(&self, conversation: ConversationId) -> Option<Arc<TurnFeed>> {
        self.lock()
            .values()
            .find(|turn| turn.conversation == conversation)
            .map(|turn| Arc::clone(&turn.feed))
    }

    pub(super) fn dispose_all(&self) {
        for turn in self.lock().values() {
            turn.stop.dispose();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TurnKey, LiveTurn>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.live.lock().remove(&self.key);
    }
}
