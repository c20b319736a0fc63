//! Around every transport: a server that asks and never reads our answers is cut off, since each would wait in memory.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, RequestId, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::error::ConnectError;

/// Requests of a server that may be unanswered at once.
const OPEN: usize = 64;

/// Why a connection ended, where we know better than the library. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Fault(Arc<OnceLock<ConnectError>>);

impl Fault {
    /// The first reason counts.
    pub(super) fn set(&self, error: ConnectError) {
        let _first_one_counts = self.0.set(error);
    }

    /// The reason, when there is one.
    pub(super) fn known(&self) -> Option<ConnectError> {
        self.0.get().cloned()
    }

    /// The reason; a server that says nothing has ended.
    pub(super) fn reason(&self) -> ConnectError {
        self.known().unwrap_or(ConnectError::Ended)
    }
}

/// A transport that ends where too much is unanswered.
pub(super) struct Guarded<T> {
    inner: T,
    fault: Fault,
    // A std mutex: held for one look-up.
    open: Arc<Mutex<HashSet<RequestId>>>,
}

impl<T> Guarded<T> {
    /// Guards a transport; `fault` is told when it has to be cut off.
    pub(super) fn new(inner: T, fault: Fault) -> Self {
        Self {
            inner,
            fault,
            open: Arc::default(),
        }
    }

    /// Takes note of what a server sends; false when it is to be cut off.
    fn may_go_on(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                let mut open = lock(&self.open);
                open.insert(request.id.clone());
                open.len() <= OPEN
            }
            JsonRpcMessage::Notification(notification) => {
                // What it takes back is not answered.
                if let ServerNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    lock(&self.open).remove(id);
                }
                true
            }
            _ => true,
        }
    }
}

fn lock(open: &Mutex<HashSet<RequestId>>) -> MutexGuard<'_, HashSet<RequestId>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Guarded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let open = Arc::clone(&self.open);
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            if let Some(id) = answered {
                lock(&open).remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        if self.may_go_on(&message) {
            return Some(message);
        }
        self.fault.set(ConnectError::Flood);
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
