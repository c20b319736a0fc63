//! Calls of tools that are to be ended early. Ending one waits for nobody, so it works however slow the client is.

use std::sync::{Arc, Mutex, PoisonError};

use sidewire_contract::host_tool::HostToolCancel;
use tokio::sync::Notify;

/// Ends of calls on their way to the writer. Never more than calls were sent, and those take turns.
pub(in crate::browser) struct Cancels {
    // A std mutex: pushes and takes only.
    waiting: Mutex<Vec<HostToolCancel>>,
    wake: Arc<Notify>,
}

impl Cancels {
    /// None yet; `wake` wakes the writer.
    pub(in crate::browser) fn new(wake: Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            waiting: Mutex::default(),
            wake,
        })
    }

    /// Ends a call, which has been posted before.
    pub(in crate::browser) fn push(&self, cancel: HostToolCancel) {
        self.lock().push(cancel);
        self.wake.notify_one();
    }

    /// Takes what is to be ended.
    pub(in crate::browser) fn take(&self) -> Vec<HostToolCancel> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<HostToolCancel>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
