//! Which turns run now: one seat per conversation, found by turn or by conversation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::AskError;
use crate::error::TurnFailure;
use crate::event::TurnOutcome;
use crate::feed::TurnFeed;
use crate::ids::{ConversationId, Owner, TurnKey};
use crate::tool::Toolbox;
use crate::turn::StopSwitch;

/// The running turns of an agent.
#[derive(Default)]
pub(super) struct LiveTurns {
    // A std mutex: lookups and inserts only, never held over an await.
    seats: Mutex<Seats>,
}

#[derive(Default)]
struct Seats {
    turns: HashMap<TurnKey, LiveTurn>,
    closed: bool,
}

#[derive(Clone)]
pub(super) struct LiveTurn {
    pub(super) conversation: ConversationId,
    pub(super) feed: Arc<TurnFeed>,
    pub(super) stop: StopSwitch,
    pub(super) toolbox: Toolbox,
}

/// The right to run a turn in a conversation. Whoever drops it without having left properly (an error or a panic on
/// the way) ends the turn for its readers, so that none waits for ever.
pub(super) struct Seat {
    live: Arc<LiveTurns>,
    key: TurnKey,
    feed: Option<Arc<TurnFeed>>,
}

impl LiveTurns {
    pub(super) fn take_seat(self: &Arc<Self>, key: &TurnKey, turn: LiveTurn) -> Result<Seat, AskError> {
        let mut seats = self.lock();
        if seats.closed {
            return Err(AskError::Disposed);
        }
        if seats.turns.contains_key(key) {
            return Err(AskError::Duplicate);
        }
        if seats
            .turns
            .values()
            .any(|live| live.conversation == turn.conversation)
        {
            return Err(AskError::Busy);
        }
        let feed = Some(Arc::clone(&turn.feed));
        seats.turns.insert(key.clone(), turn);
        Ok(Seat {
            live: Arc::clone(self),
            key: key.clone(),
            feed,
        })
    }

    pub(super) fn get(&self, key: &TurnKey) -> Option<LiveTurn> {
        self.lock().turns.get(key).cloned()
    }

    pub(super) fn of_conversation(&self, conversation: ConversationId) -> Option<Arc<TurnFeed>> {
        let seats = self.lock();
        let turn = seats
            .turns
            .values()
            .find(|turn| turn.conversation == conversation)?;
        Some(Arc::clone(&turn.feed))
    }

    pub(super) fn any_of(&self, owner: &Owner) -> bool {
        self.lock().turns.keys().any(|key| key.owner == *owner)
    }

    /// Takes no more turns.
    pub(super) fn close(&self) {
        self.lock().closed = true;
    }

    /// Ends every turn that runs, and takes no more.
    pub(super) fn dispose_all(&self) {
        let mut seats = self.lock();
        seats.closed = true;
        for turn in seats.turns.values() {
            turn.stop.dispose();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Lets the next turn in; the caller tells the readers how this one ended.
    pub(super) fn leave(mut self) {
        self.feed = None;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.live.lock().turns.remove(&self.key);
        if let Some(feed) = self.feed.take() {
            feed.finish(TurnOutcome::Failed(TurnFailure::Disposed), Vec::new());
        }
    }
}
