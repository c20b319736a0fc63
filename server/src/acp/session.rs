//! One open session: what belongs to it, what it is set to, and whether a turn runs in it.

mod servers;
mod state;
mod tell;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol_schema::v1::{AvailableCommand, SessionId};
use sidewire_agent::ids::ConversationId;
use sidewire_agent::permission::Gate;
use sidewire_agent::store::StoreError;
use sidewire_agent::tool::ToolShelf;
use sidewire_agent::workspace::Roots;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Parts;
use super::cards::Cards;
use super::client_workspace::ClientWorkspace;
use super::controls::Start;
use super::desks::ToolKit;
use super::line::SessionLine;
use super::order::Order;
use super::queued;
use super::slash::Commands;
use super::spelling::Spelling;
use crate::rpc::{Call, Error};
pub(super) use servers::{InUse, Servers};
pub(super) use state::{Queued, State};

/// An open session.
pub(super) struct Session {
    /// Its conversation.
    pub(super) id: ConversationId,
    /// What belongs to it and stays as it is.
    pub(super) has: Furniture,
    /// Tools of its turns.
    pub(super) shelf: ToolShelf,
    /// Where prompts and choices of a model stand in line.
    pub(super) order: Order,
    // A std mutex: sections are a few copies and never await.
    state: Mutex<State>,
    /// Notified when a turn has ended.
    idle: Notify,
    // A tokio mutex: held over the write, so that the newest controls are written last.
    saving: tokio::sync::Mutex<()>,
    // A tokio mutex: held while the editor is told, so that it ends with the newest; nothing was told at first.
    told_commands: tokio::sync::Mutex<Option<Vec<AvailableCommand>>>,
    /// Holds a permit when the slash commands may have changed.
    commands_changed: Notify,
    /// Fires when it ends.
    over: CancellationToken,
    /// What tells the editor of changes that nobody asked for.
    tasks: TaskTracker,
}

/// What belongs to a session and stays as it is.
pub(super) struct Furniture {
    /// The agent and the desks.
    pub(super) parts: Arc<Parts>,
    /// How this process was started.
    pub(super) start: Start,
    /// The way to the editor.
    pub(super) line: SessionLine,
    /// Folders it works in.
    pub(super) roots: Roots,
    /// How the editor writes them.
    pub(super) spelling: Spelling,
    /// Files and shell, through the editor where it offers that.
    pub(super) workspace: ClientWorkspace,
    /// The editor shows notices beside the conversation.
    pub(super) notices: bool,
    /// Tools and background jobs of this machine.
    pub(super) kit: ToolKit,
    /// What lets calls run.
    pub(super) gate: Arc<Gate>,
    /// The person, who is asked one thing at a time.
    pub(super) person: Arc<Cards>,
    /// Slash commands, and what the project says about itself.
    pub(super) commands: Commands,
}

impl Session {
    /// A session with nothing running in it.
    pub(super) fn new(id: ConversationId, has: Furniture, state: State) -> Self {
        Self {
            id,
            has,
            shelf: ToolShelf::default(),
            order: Order::default(),
            state: Mutex::new(state),
            idle: Notify::new(),
            saving: tokio::sync::Mutex::default(),
            told_commands: tokio::sync::Mutex::default(),
            commands_changed: Notify::new(),
            over: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Its id as the editor writes it.
    pub(super) fn wire_id(&self) -> SessionId {
        SessionId::new(self.id.to_string())
    }

    /// What changes; held for a moment only.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what it is set to with its conversation.
    pub(super) async fn keep_controls(&self) -> Result<(), StoreError> {
        let _newest_last = self.saving.lock().await;
        let kept = self.state().axes.kept();
        self.has.parts.agent.store().set_controls(self.id, kept).await
    }

    /// Takes a place for the turn of a call, unless one runs that nobody has stopped. It also ends when the call is
    /// given up.
    pub(super) fn begin_turn(self: &Arc<Self>, method: &str, call: &Call) -> Result<RunningTurn, Error> {
        let mut state = self.state();
        if state.gone {
            return Err(Error::invalid_request(format!("{method}: session is closed")));
        }
        if !state.admits() {
            let text = format!("{method}: session already has an active prompt");
            return Err(Error::invalid_request(text));
        }
        let stop = call.cancel.child_token();
        let (number, before) = state.let_in(stop.clone(), call.answered.clone());
        Ok(RunningTurn {
            session: Arc::clone(self),
            stop,
            number,
            before,
            is_over: false,
        })
    }

    /// Stops the turn that runs, if any does, and what stands behind it.
    pub(super) fn stop_turn(&self) {
        self.state().stop_turns();
    }

    /// Takes no more turns and stops the one that runs.
    pub(super) fn leave(&self) {
        self.state().gone = true;
        self.stop_turn();
    }

    async fn until_idle(&self) {
        loop {
            let ended = self.idle.notified();
            if !self.state().is_busy() {
                return;
            }
            ended.await;
        }
    }

    /// Takes no more turns and waits for the end of the one that runs; then ends what it started. Nothing is told
    /// about it any more.
    pub(super) async fn end(&self) {
        self.leave();
        self.until_idle().await;
        self.over.cancel();
        self.tasks.close();
        let mcp = self.mcp();
        tokio::join!(self.tasks.wait(), self.has.kit.jobs.end(), mcp.close());
    }
}

/// A turn in progress, or one that waits for the one before. Dropping it lets the next one in.
pub(super) struct RunningTurn {
    /// Where it runs.
    pub(super) session: Arc<Session>,
    /// Fires when it is to end.
    pub(super) stop: CancellationToken,
    number: u64,
    /// Fires once the turn before it is answered.
    before: Option<CancellationToken>,
    is_over: bool,
}

impl RunningTurn {
    /// Waits until the editor has been told everything of the turn before. That one has ended, or is being stopped.
    pub(super) async fn its_time(&self) {
        if let Some(before) = &self.before {
            before.cancelled().await;
        }
    }

    /// What the work gives, unless the turn is to end first.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.stop.run_until_cancelled(work).await
    }

    /// Ends it, with everything in use that was chosen meanwhile; what is chosen later is used at once.
    pub(super) async fn finish(mut self) {
        let number = self.number;
        queued::settle(&self.session, |state| state.end_turn(number)).await;
        self.is_over = true;
    }
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        // After `finish` the next one may run already.
        if !self.is_over {
            self.session.state().end_turn(self.number);
        }
        self.session.idle.notify_waiters();
    }
}
