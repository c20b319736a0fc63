//! The line of one connection: which of its calls run, how their results find them, and that none outlives it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sidewire_agent::event::ToolContent;
use sidewire_contract::host_tool::{HostToolCancel, HostToolResult};
use tokio::sync::{Semaphore, SemaphorePermit, mpsc, oneshot, watch};
use uuid::Uuid;

use super::super::writer::{Cancels, Post};

/// Calls of one connection that are out at once, over all its conversations; our extension takes no more.
pub(super) const CALLS: usize = 8;

/// Why a call could not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// The connection is over.
    #[error("the browser or document that offers this tool is no longer connected")]
    Gone,
    /// The client offers other tools now.
    #[error("this tool is no longer offered")]
    Withdrawn,
}

/// How the client answered a call.
pub(super) enum Outcome {
    /// With a result.
    Came(HostToolResult),
    /// With one beyond the limit.
    TooLarge,
    /// With one that is none.
    Unreadable,
}

/// What all calls of one connection share.
pub(super) struct Line {
    post: mpsc::Sender<Post>,
    cancels: Arc<Cancels>,
    /// How long a call may be silent.
    pub(super) patience: Duration,
    /// Places for calls; closed with the connection.
    places: Semaphore,
    // A std mutex: lookups only, never held over an await.
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    closed: bool,
    /// Counts sets of tools.
    generation: u64,
    running: HashMap<String, Waiting>,
    /// Results and reports of calls that do not run.
    ignored: u64,
}

/// How a call is told.
struct Waiting {
    outcome: oneshot::Sender<Outcome>,
    report: watch::Sender<Report>,
}

/// What a call gave so far.
#[derive(Clone, Default)]
pub(super) struct Report {
    /// For the person; replaces what was shown before.
    pub(super) shown: Vec<ToolContent>,
    /// The call's arguments hold a secret; once said, this stays.
    pub(super) secret: bool,
}

/// A running call: whoever drops it without a result tells the client to stop, if it has heard of it.
pub(super) struct Running {
    /// Its name on the wire; fresh and not to be guessed.
    pub(super) id: String,
    /// Its result; an error when the connection is over.
    pub(super) outcome: oneshot::Receiver<Outcome>,
    /// Its newest report.
    pub(super) report: watch::Receiver<Report>,
    /// The client hears of it.
    pub(super) is_out: bool,
    line: Arc<Line>,
}

impl Line {
    pub(super) fn new(post: mpsc::Sender<Post>, cancels: Arc<Cancels>, patience: Duration) -> Arc<Self> {
        Arc::new(Self {
            post,
            cancels,
            patience,
            places: Semaphore::new(CALLS),
            calls: Mutex::default(),
        })
    }

    /// Sends; false when the connection is over. Waits while the writer is behind.
    pub(super) async fn post(&self, post: Post) -> bool {
        self.post.send(post).await.is_ok()
    }

    /// Waits for a place; calls get theirs in the order they came.
    pub(super) async fn place(&self) -> Result<SemaphorePermit<'_>, Refused> {
        self.places.acquire().await.map_err(|_closed| Refused::Gone)
    }

    /// A new set of tools: `publish` gets its number, unless the connection is over.
    pub(super) fn next_generation(&self, publish: impl FnOnce(u64)) {
        let mut calls = self.lock();
        if !calls.closed {
            calls.generation += 1;
            publish(calls.generation);
        }
    }

    /// Begins a call of a tool that was offered in this generation.
    pub(super) fn begin(self: &Arc<Self>, generation: u64) -> Result<Running, Refused> {
        let mut calls = self.lock();
        if calls.closed {
            return Err(Refused::Gone);
        }
        if calls.generation != generation {
            return Err(Refused::Withdrawn);
        }
        let id = Uuid::new_v4().simple().to_string();
        let (outcome, outcome_comes) = oneshot::channel();
        let (report, reports_come) = watch::channel(Report::default());
        calls.running.insert(id.clone(), Waiting { outcome, report });
        Ok(Running {
            id,
            outcome: outcome_comes,
            report: reports_come,
            is_out: false,
            line: Arc::clone(self),
        })
    }

    /// Gives a call its result; the first one counts.
    pub(super) fn settle(&self, id: &str, outcome: Outcome) {
        let mut calls = self.lock();
        match calls.running.remove(id) {
            Some(waiting) => {
                // Whoever waited has just been stopped; its result is as good as ignored.
                if waiting.outcome.send(outcome).is_err() {
                    calls.ignored += 1;
                }
            }
            None => calls.ignored += 1,
        }
    }

    /// Shows what a call gave so far, in the place of what it showed before.
    pub(super) fn update(&self, id: &str, Report { shown, secret }: Report) {
        let mut calls = self.lock();
        match calls.running.get(id) {
            Some(waiting) => {
                waiting.report.send_modify(|report| {
                    report.shown = shown;
                    report.secret |= secret;
                });
            }
            None => calls.ignored += 1,
        }
    }

    /// Counts something that belongs to no call.
    pub(super) fn ignore(&self) {
        self.lock().ignored += 1;
    }

    /// Results and reports so far that belonged to no running call.
    #[cfg(test)]
    pub(super) fn ignored(&self) -> u64 {
        self.lock().ignored
    }

    /// Calls that run.
    #[cfg(test)]
    pub(super) fn running(&self) -> usize {
        self.lock().running.len()
    }

    /// Ends every call at once, without a word to the client; `clear` runs before any new set could come. Gives how
    /// much was ignored.
    pub(super) fn close(&self, clear: impl FnOnce()) -> u64 {
        let mut calls = self.lock();
        calls.closed = true;
        self.places.close();
        calls.running.clear();
        clear();
        calls.ignored
    }

    /// Forgets a call; true when it was running.
    fn end(&self, id: &str) -> bool {
        self.lock().running.remove(id).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.line.end(&self.id) && self.is_out {
            self.line.cancels.push(HostToolCancel {
                id: Uuid::new_v4().simple().to_string(),
                target_id: self.id.clone(),
            });
        }
    }
}
