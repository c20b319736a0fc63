//! The sending half as everyone uses it: notifications, requests and their answers, all through one bounded queue.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::message::{self, RequestId};
use super::{CallError, Closed, Error};

/// The other side. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Peer {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    /// Lines that wait for the writer. Full: whoever sends waits, in the order of asking.
    outgoing: mpsc::Sender<String>,
    // A std mutex: lookups and inserts only, never held over an await.
    calls: Mutex<Calls>,
    /// Tells the peer about calls that were given up.
    tasks: TaskTracker,
}

/// How a request of ours ended.
type Outcome = Result<Box<RawValue>, CallError>;

#[derive(Default)]
struct Calls {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Outcome>>,
    closed: bool,
}

/// A request of ours that has no answer yet. Dropping it tells the peer to give it up.
struct Waiting {
    peer: Peer,
    id: u64,
}

impl Peer {
    pub(super) fn new(outgoing: mpsc::Sender<String>) -> Self {
        Self {
            shared: Arc::new(Shared {
                outgoing,
                calls: Mutex::default(),
                tasks: TaskTracker::new(),
            }),
        }
    }

    /// Sends a notification; waits for room in the queue.
    pub(crate) async fn notify(&self, method: &'static str, params: &impl Serialize) -> Result<(), Closed> {
        match message::notification(method, params) {
            Ok(line) => self.send(line).await,
            Err(error) => {
                tracing::error!(%error, method, "a notification cannot be written");
                Ok(())
            }
        }
    }

    /// Sends a request and waits for its answer. Once `cancel` fires, the peer is told and nothing is waited for.
    pub(crate) async fn request<R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        cancel: &CancellationToken,
    ) -> Result<R, CallError> {
        let (answer, waiting) = self.wait_for_answer()?;
        let line = message::request(waiting.id, method, params).map_err(|error| {
            tracing::error!(%error, method, "a request cannot be written");
            CallError::Malformed
        })?;
        let asked = async {
            self.send(line).await?;
            answer.await.unwrap_or(Err(CallError::Closed(Closed)))
        };
        let result = tokio::select! {
            // An answer that is there counts, cancelled or not.
            biased;
            result = asked => result?,
            () = cancel.cancelled() => return Err(CallError::Cancelled),
        };
        serde_json::from_str(result.get()).map_err(|_| CallError::Malformed)
    }

    fn wait_for_answer(&self) -> Result<(oneshot::Receiver<Outcome>, Waiting), CallError> {
        let (sender, receiver) = oneshot::channel();
        let mut calls = self.calls();
        if calls.closed {
            return Err(CallError::Closed(Closed));
        }
        calls.last += 1;
        let id = calls.last;
        calls.waiting.insert(id, sender);
        let peer = self.clone();
        Ok((receiver, Waiting { peer, id }))
    }

    /// Puts an answer in the line.
    pub(super) async fn answer(
        &self,
        id: &RequestId,
        answer: Result<&RawValue, &Error>,
    ) -> Result<(), Closed> {
        match message::answer(id, answer) {
            Ok(line) => self.send(line).await,
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written");
                Ok(())
            }
        }
    }

    async fn send(&self, line: String) -> Result<(), Closed> {
        self.shared.outgoing.send(line).await.map_err(|_| Closed)
    }

    /// An answer came. One that nobody waits for is late or made up, and ignored.
    pub(super) fn take_answer(&self, id: &RequestId, result: Result<Box<RawValue>, Error>) {
        let waiting = id.number().and_then(|id| self.calls().waiting.remove(&id));
        if let Some(waiting) = waiting {
            let result = result.map_err(|error| CallError::Refused {
                code: error.code,
                message: error.message,
            });
            let _given_up_meanwhile = waiting.send(result);
        }
    }

    /// An answer came that is none; false when nobody waits for it.
    pub(super) fn spoil(&self, id: &RequestId) -> bool {
        let waiting = id.number().and_then(|id| self.calls().waiting.remove(&id));
        let Some(waiting) = waiting else { return false };
        let _given_up_meanwhile = waiting.send(Err(CallError::Malformed));
        true
    }

    /// Nothing comes any more: every call that waits fails now.
    pub(super) fn close(&self) {
        let mut calls = self.calls();
        calls.closed = true;
        calls.waiting.clear();
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.peer.calls().waiting.remove(&self.id).is_none() {
            return;
        }
        let Ok(line) = message::notification(message::CANCEL, &json!({ "requestId": self.id })) else {
            return;
        };
        // Before anything that is sent from now on, where there is room.
        let Err(TrySendError::Full(line)) = self.peer.shared.outgoing.try_send(line) else {
            return;
        };
        let peer = self.peer.clone();
        // Waits for room like everything else; ends with the connection.
        self.peer.shared.tasks.spawn(async move {
            let _closed_anyway = peer.send(line).await;
        });
    }
}
