//! One editor: what its messages reach, and what all of its sessions share.
//!
//! The parts of the agent are opened while the editor introduces itself; who needs them waits for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

use super::Parts;
use super::controls::Start;
use super::initialize::Client;
use super::sessions::Sessions;
use crate::rpc::{Error, Peer};

/// The parts, once they are open, or why they are not.
pub(super) type Opening = Shared<BoxFuture<'static, Result<Arc<Parts>, Arc<str>>>>;
/// Begins to open the parts.
type Open = Box<dyn Fn() -> Opening + Send + Sync>;

/// An editor that is connected.
pub(super) struct Editor {
    /// The way to it.
    pub(super) peer: Peer,
    /// How this process was started.
    pub(super) start: Start,
    /// Its sessions that are open.
    pub(super) sessions: Sessions,
    open: Open,
    // Std mutexes: held for a copy.
    opening: Mutex<Opening>,
    client: Mutex<Option<Client>>,
}

impl Editor {
    /// An editor at the other end, with nothing open yet. `open` begins to open the parts, at once.
    pub(super) fn new<O>(peer: Peer, start: Start, open: impl Fn() -> O + Send + Sync + 'static) -> Self
    where
        O: Future<Output = Result<Parts, String>> + Send + 'static,
    {
        let open: Open = Box::new(move || {
            let opening = open().map(|opened| opened.map(Arc::new).map_err(Arc::from));
            opening.boxed().shared()
        });
        Self {
            peer,
            start,
            sessions: Sessions::default(),
            opening: Mutex::new(open()),
            open,
            client: Mutex::default(),
        }
    }

    /// The parts of the agent; waits until they are open.
    pub(super) async fn parts(&self) -> Result<Arc<Parts>, Error> {
        let opened = self.retried().await;
        opened.map_err(|why| Error::internal(&*why))
    }

    /// Opens the parts again when that failed before: the person may have seen to it meanwhile.
    fn retried(&self) -> Opening {
        let mut opening = lock(&self.opening);
        if opening.peek().is_some_and(Result::is_err) {
            *opening = (self.open)();
        }
        opening.clone()
    }

    /// The parts, however opening them goes; nothing is tried again.
    pub(super) fn opening(&self) -> Opening {
        lock(&self.opening).clone()
    }

    /// What the editor said about itself; nothing before that.
    pub(super) fn client(&self) -> Option<Client> {
        *lock(&self.client)
    }

    /// The editor introduced itself.
    pub(super) fn introduce(&self, client: Client) {
        *lock(&self.client) = Some(client);
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
