//! The sessions of an editor that are open, by id; and who opens or ends one, in the order of their messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sidewire_agent::ids::ConversationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::order::{Front, Order};
use super::session::Session;
use crate::rpc::Error;

/// Sessions one editor may have open; each has tools, MCP servers and a transcript at hand.
const MOST: usize = 64;

/// All of them.
pub(super) struct Sessions {
    slots: Slots,
    rooms: Arc<Semaphore>,
}

// A std mutex: lookups and inserts only, never held over an await.
type Slots = Arc<Mutex<HashMap<ConversationId, Slot>>>;

/// An id that is open, or about which somebody does something.
#[derive(Default)]
struct Slot {
    open: Option<Open>,
    order: Order,
    /// How many stand in line or are its front.
    people: usize,
}

/// A session that is open.
pub(super) struct Open {
    /// The session itself.
    pub(super) session: Arc<Session>,
    _room: Room,
}

/// Room for one more session.
pub(super) struct Room {
    _permit: OwnedSemaphorePermit,
}

/// The right to open or end the session of an id: nobody else does meanwhile.
pub(super) struct Place {
    ticket: Ticket,
    _front: Front,
}

/// Keeps the slot of an id for as long as somebody stands in its line.
struct Ticket {
    slots: Slots,
    id: ConversationId,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            slots: Slots::default(),
            rooms: Arc::new(Semaphore::new(MOST)),
        }
    }
}

impl Sessions {
    /// An open session.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let slots = lock(&self.slots);
        let open = slots.get(&ConversationId::parse(id)?)?.open.as_ref()?;
        Some(Arc::clone(&open.session))
    }

    /// Stands in line to open or end the session of an id: behind everyone whose message came before.
    pub(super) fn line_up(&self, id: ConversationId) -> impl Future<Output = Place> + Send + use<> {
        let mut slots = lock(&self.slots);
        let slot = slots.entry(id).or_default();
        slot.people += 1;
        let front = slot.order.line_up();
        drop(slots);
        let ticket = Ticket {
            slots: Arc::clone(&self.slots),
            id,
        };
        async move {
            Place {
                _front: front.await,
                ticket,
            }
        }
    }

    /// Takes a session out, so that no message finds it any more.
    pub(super) fn take(&self, id: ConversationId) -> Option<Open> {
        lock(&self.slots).get_mut(&id)?.open.take()
    }

    /// Room for one more.
    pub(super) fn room(&self, method: &str) -> Result<Room, Error> {
        let permit = Arc::clone(&self.rooms).try_acquire_owned();
        let room = permit.map(|permit| Room { _permit: permit });
        room.map_err(|_| Error::invalid_request(format!("{method}: {MOST} sessions are open; close one")))
    }

    /// Every open session.
    pub(super) fn all(&self) -> Vec<Arc<Session>> {
        let slots = lock(&self.slots);
        let open = slots.values().filter_map(|slot| slot.open.as_ref());
        open.map(|open| Arc::clone(&open.session)).collect()
    }

    /// Every id that is open, or about which somebody does something.
    pub(super) fn ids(&self) -> Vec<ConversationId> {
        lock(&self.slots).keys().copied().collect()
    }
}

impl Place {
    /// The id.
    pub(super) fn id(&self) -> ConversationId {
        self.ticket.id
    }

    /// Its session, when it is open.
    pub(super) fn session(&self) -> Option<Arc<Session>> {
        let slots = lock(&self.ticket.slots);
        let open = slots.get(&self.ticket.id)?.open.as_ref()?;
        Some(Arc::clone(&open.session))
    }

    /// It is open from now on.
    pub(super) fn open(&self, session: Arc<Session>, room: Room) {
        if let Some(slot) = lock(&self.ticket.slots).get_mut(&self.ticket.id) {
            slot.open = Some(Open { session, _room: room });
        }
    }

    /// Takes its session out; it is not open any more.
    pub(super) fn take(&self) -> Option<Open> {
        lock(&self.ticket.slots).get_mut(&self.ticket.id)?.open.take()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut slots = lock(&self.slots);
        if let Some(slot) = slots.get_mut(&self.id) {
            slot.people -= 1;
            if slot.people == 0 && slot.open.is_none() {
                slots.remove(&self.id);
            }
        }
    }
}

fn lock(slots: &Slots) -> MutexGuard<'_, HashMap<ConversationId, Slot>> {
    slots.lock().unwrap_or_else(PoisonError::into_inner)
}
