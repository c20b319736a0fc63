//! The sessions of an editor that are open, by id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sidewire_agent::ids::ConversationId;

use super::session::Session;
use crate::rpc::Error;

/// Sessions one editor may have open; each has tools, MCP servers and a transcript at hand.
const MOST: usize = 64;

/// All of them.
#[derive(Default)]
pub(super) struct Sessions {
    // A std mutex: lookups and inserts only, never held over an await.
    slots: Arc<Mutex<HashMap<ConversationId, Slot>>>,
}

enum Slot {
    /// Somebody is about to open it.
    Opening,
    Open(Arc<Session>),
}

/// What is known of an id.
pub(super) enum Found {
    /// It is open.
    Open(Arc<Session>),
    /// It is not, and now nobody else opens it.
    Free(Reserved),
}

/// The right to open a session. Dropped without having opened it, it lets the next one try.
pub(super) struct Reserved {
    slots: Arc<Mutex<HashMap<ConversationId, Slot>>>,
    id: ConversationId,
}

impl Sessions {
    /// An open session.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        match self.lock().get(&ConversationId::parse(id)?)? {
            Slot::Open(session) => Some(Arc::clone(session)),
            Slot::Opening => None,
        }
    }

    /// An open session, or the right to open it.
    pub(super) fn find(&self, method: &str, id: ConversationId) -> Result<Found, Error> {
        let mut slots = self.lock();
        match slots.get(&id) {
            Some(Slot::Open(session)) => return Ok(Found::Open(Arc::clone(session))),
            Some(Slot::Opening) => {
                let text = format!("{method}: the session is being opened; retry");
                return Err(Error::invalid_request(text));
            }
            None => {}
        }
        if slots.len() >= MOST {
            let text = format!("{method}: {MOST} sessions are open; close one");
            return Err(Error::invalid_request(text));
        }
        slots.insert(id, Slot::Opening);
        Ok(Found::Free(Reserved {
            slots: Arc::clone(&self.slots),
            id,
        }))
    }

    /// Takes a session out; it is not open any more.
    pub(super) fn remove(&self, id: ConversationId) -> Option<Arc<Session>> {
        let mut slots = self.lock();
        match slots.remove(&id)? {
            Slot::Open(session) => Some(session),
            Slot::Opening => {
                slots.insert(id, Slot::Opening);
                None
            }
        }
    }

    /// Every open session.
    pub(super) fn all(&self) -> Vec<Arc<Session>> {
        let slots = self.lock();
        let open = slots.values().filter_map(|slot| match slot {
            Slot::Open(session) => Some(Arc::clone(session)),
            Slot::Opening => None,
        });
        open.collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reserved {
    /// It is open from now on.
    pub(super) fn open(self, session: Arc<Session>) {
        self.lock().insert(self.id, Slot::Open(session));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut slots = self.lock();
        if matches!(slots.get(&self.id), Some(Slot::Opening)) {
            slots.remove(&self.id);
        }
    }
}
