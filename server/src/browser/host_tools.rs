//! The tools that the client of one connection offers, and their use (chat-worker.md §5).
//!
//! A set replaces the one before or is rejected whole ([`set`], [`schema`]). Each tool of it is a tool of turns
//! ([`tool`]); its calls travel the connection's [`line`], and what comes back becomes a result a model reads
//! ([`result`]). It knows no page, no document and no consent: that is the client's.

mod line;
mod result;
mod schema;
mod set;
mod tool;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sidewire_agent::tool::{Tool, ToolShelf};
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::host_tool::{
    HostToolResult, HostToolUpdate, HostToolsRejected, SetHostTools, SetHostToolsAck, SetHostToolsError,
};
use sidewire_contract::limits;
use tokio::sync::mpsc;

use super::writer::{Cancels, Post};
use crate::media::Library;
use line::{Line, Outcome};
use set::{Offered, SetFault};
use tool::HostTool;

/// Most bytes of a frame that offers tools.
const SET_FRAME: usize = 1024 * 1024;

/// The tools of one connection.
pub(super) struct HostTools {
    line: Arc<Line>,
    library: Library,
    shelf: ToolShelf,
    /// Sets in order of arrival; `None` for one that could not be read.
    // A std mutex: one push or pop. Never longer than the handlers of the connection are many.
    sets: Mutex<VecDeque<Option<SetHostTools>>>,
    /// Held while a set is checked and answered, so that answers come in the order of the sets.
    registering: tokio::sync::Mutex<()>,
}

impl HostTools {
    /// No tools yet. Frames go to `post`, ends of calls to `cancels`; a call may be silent for `patience`; pictures go
    /// to `library`.
    pub(super) fn new(
        (post, cancels): (mpsc::Sender<Post>, Arc<Cancels>),
        patience: Duration,
        library: Library,
    ) -> Arc<Self> {
        Arc::new(Self {
            line: Line::new(post, cancels, patience),
            library,
            shelf: ToolShelf::default(),
            sets: Mutex::default(),
            registering: tokio::sync::Mutex::default(),
        })
    }

    /// Where turns find them.
    pub(super) fn shelf(&self) -> ToolShelf {
        self.shelf.clone()
    }

    /// A set came, in a frame of so many bytes. Its handler calls [`Self::register`] next.
    pub(super) fn queue(&self, set: SetHostTools, bytes: usize) {
        self.sets().push_back((bytes <= SET_FRAME).then_some(set));
    }

    /// A set came that could not be read.
    pub(super) fn queue_unreadable(&self) {
        self.sets().push_back(None);
    }

    /// Puts the oldest waiting set in force and answers it; names of `built_in` tools are taken.
    pub(super) async fn register(&self, built_in: &[Arc<dyn Tool>]) {
        let _in_order = self.registering.lock().await;
        let Some(set) = self.sets().pop_front() else {
            return;
        };
        let taken: Vec<String> = built_in.iter().map(|tool| tool.meta().name.clone()).collect();
        let answer = match self.adopt(set, taken).await {
            Ok(tool_names) => WorkerFrame::SetHostToolsAck(SetHostToolsAck { tool_names }),
            Err(fault) => {
                tracing::warn!(%fault, "a set of host tools was rejected");
                WorkerFrame::SetHostToolsError(SetHostToolsError {
                    reason: HostToolsRejected,
                })
            }
        };
        self.line.post(Post::Frame(Box::new(answer))).await;
    }

    async fn adopt(&self, set: Option<SetHostTools>, taken: Vec<String>) -> Result<Vec<String>, SetFault> {
        let set = set.ok_or(SetFault::Unreadable)?;
        // Schemas are compiled, which takes a while for large sets; a panic in there rejects the set.
        let checked = tokio::task::spawn_blocking(move || set::check(set, &taken))
            .await
            .unwrap_or(Err(SetFault::Unreadable))?;
        let names = checked.iter().map(|offered| offered.meta.name.clone()).collect();
        let tools = |generation| {
            let tool = |offered: Offered| {
                Arc::new(HostTool {
                    meta: offered.meta,
                    parameters: offered.parameters,
                    line: Arc::clone(&self.line),
                    library: self.library.clone(),
                    generation,
                }) as Arc<dyn Tool>
            };
            checked.into_iter().map(tool).collect()
        };
        self.line
            .next_generation(|generation| self.shelf.replace(tools(generation)));
        Ok(names)
    }

    /// What a tool gave so far.
    pub(super) fn update(&self, update: &HostToolUpdate) {
        self.line
            .update(&update.id, result::report(&update.partial_result));
    }

    /// What a tool gave, in a frame of so many bytes.
    pub(super) fn result(&self, result: HostToolResult, bytes: usize) {
        let id = result.id.clone();
        let outcome = if bytes > limits::HOST_TOOL_RESULT {
            Outcome::TooLarge
        } else {
            Outcome::Came(result)
        };
        self.line.settle(&id, outcome);
    }

    /// A result or report came that could not be read: nobody waits for that result any longer.
    pub(super) fn unreadable(&self, frame_type: &str, id: &str) {
        if frame_type == "host_tool_result" {
            self.line.settle(id, Outcome::Unreadable);
        } else {
            self.line.ignore();
        }
    }

    /// Closes everything once the returned guard is dropped: the connection is over.
    pub(super) fn close_on_drop(self: &Arc<Self>) -> Closing {
        Closing(Arc::clone(self))
    }

    fn close(&self) {
        // The line first, and the shelf under its lock: a set that is being checked finds it closed.
        let ignored = self.line.close(|| self.shelf.replace(Vec::new()));
        if ignored > 0 {
            tracing::info!(ignored, "results and reports of no running call were ignored");
        }
    }

    fn sets(&self) -> MutexGuard<'_, VecDeque<Option<SetHostTools>>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the use of a connection's tools when it is dropped.
pub(super) struct Closing(Arc<HostTools>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}
