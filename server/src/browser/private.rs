//! Agents of private (incognito) windows: one per browser run, kept in memory, gone a while after the last client.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sidewire_agent::Agent;
use sidewire_agent::store::{OpenError, Store};

/// A private window's service worker may die and come back; this long its conversation waits for it.
const LINGER: Duration = Duration::from_secs(60);

/// Which private window: instance and browser run.
pub(super) type PrivateKey = (String, String);

/// The private agents in use.
pub(super) struct PrivateAgents {
    model: Arc<Agent>,
    // A std mutex: lookups only.
    rooms: Arc<Mutex<HashMap<PrivateKey, Room>>>,
}

struct Room {
    agent: Arc<Agent>,
    guests: usize,
    /// Counts arrivals, so that a leaving guest's timer knows whether anyone came since.
    arrivals: u64,
}

/// A client's stay; dropping it lets the conversation fade.
pub(super) struct Stay {
    rooms: Arc<Mutex<HashMap<PrivateKey, Room>>>,
    key: PrivateKey,
}

impl PrivateAgents {
    /// Private agents are made like `model`, with a store of their own.
    pub(super) fn new(model: Arc<Agent>) -> Self {
        Self {
            model,
            rooms: Arc::default(),
        }
    }

    /// The agent of a private window; made when it is its first client.
    pub(super) fn enter(&self, key: PrivateKey) -> Result<(Arc<Agent>, Stay), OpenError> {
        let mut rooms = lock(&self.rooms);
        let room = match rooms.entry(key.clone()) {
            Entry::Occupied(room) => room.into_mut(),
            Entry::Vacant(place) => place.insert(Room {
                agent: self.model.ephemeral()?,
                guests: 0,
                arrivals: 0,
            }),
        };
        room.guests += 1;
        room.arrivals += 1;
        let agent = Arc::clone(&room.agent);
        drop(rooms);
        Ok((
            agent,
            Stay {
                rooms: Arc::clone(&self.rooms),
                key,
            },
        ))
    }

    /// The stores of all private windows that are there.
    pub(super) fn stores(&self) -> Vec<Store> {
        let rooms = lock(&self.rooms);
        rooms.values().map(|room| room.agent.store().clone()).collect()
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let Some(left_at) = self.leave() else { return };
        let (rooms, key) = (Arc::clone(&self.rooms), self.key.clone());
        // Ends by itself after the linger; at shutdown the runtime drops it, and the memory with it.
        tokio::spawn(async move {
            tokio::time::sleep(LINGER).await;
            lock(&rooms).retain(|at, room| *at != key || room.guests > 0 || room.arrivals != left_at);
        });
    }
}

impl Stay {
    /// Counts the guest out; the arrivals so far when it was the last.
    fn leave(&self) -> Option<u64> {
        let mut rooms = lock(&self.rooms);
        let room = rooms.get_mut(&self.key)?;
        room.guests -= 1;
        (room.guests == 0).then_some(room.arrivals)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use sidewire_contract::ids::BlobRef;
    use sidewire_contract::layout::Layout;

    use crate::app::{App, clear_away};

    #[tokio::test]
    async fn media_that_a_private_window_no_longer_shows_is_cleared_away_too() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        let mut app = App::open(&layout).unwrap();
        let front = app.front(&layout, [7; 32], 1).unwrap();
        let (agent, _stay) = front.private.enter(("a".into(), "run".into())).unwrap();
        let files = agent.store().memory_files().unwrap();
        assert!(files.put(BlobRef::from_sha256([7; 32]), Bytes::from_static(b"x")));
        clear_away(&front).await;
        assert_eq!(files.names(), []);
        app.close();
    }
}
