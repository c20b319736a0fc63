//! One server of a session over its life: connected when it is needed, kept, lost, connected again.
//!
//! Everything that lasts runs as a task of the session, never inside a turn: a turn that is stopped leaves a connection
//! that is being made alone, and closing the session waits for all of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use sidewire_contract::mcp_server::McpServer;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::cache::Cache;
use super::connect::{Attempt, Connection, FAREWELL};
use super::error::ConnectError;
use super::handler::Handler;
use super::live::Live;
use super::offer::Offer;
use super::retry::Pace;
use super::session::{Permitted, Status, Timing};

/// Between a change and the list that shows it.
const CALM: Duration = Duration::from_millis(100);

/// What all servers of a session share.
pub(super) struct Shared {
    /// The session's folder.
    pub(super) folder: Arc<Path>,
    /// Ourselves, to stand between us and a process.
    pub(super) family: Option<PathBuf>,
    /// Whether a server may still be used.
    pub(super) permitted: Permitted,
    pub(super) timing: Timing,
    /// Called whenever tools, prompts or states have changed.
    pub(super) changed: Arc<dyn Fn() + Send + Sync>,
    /// The session is over.
    pub(super) stop: CancellationToken,
    /// All that lasts.
    pub(super) tasks: TaskTracker,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) status: Status,
    pub(super) error: Option<String>,
}

impl Condition {
    fn new(status: Status, error: Option<&ConnectError>) -> Self {
        Self {
            status,
            error: error.map(ToString::to_string),
        }
    }
}

/// A server of a session.
pub(super) struct Server {
    /// What it is called.
    pub(super) name: String,
    /// How to reach it, with its variables replaced.
    target: Result<McpServer, ConnectError>,
    /// Where its offer is kept, and under which name; nothing for a server that belongs to one session.
    known: Option<(Cache, String)>,
    /// The person believes what it says about its tools.
    pub(super) trusted: bool,
    pub(super) shared: Arc<Shared>,
    pub(super) condition: watch::Sender<Condition>,
    /// It is not used any more; fires with the session's at the latest.
    stop: CancellationToken,
    // A std lock: held for one pointer copy.
    offer: RwLock<Arc<Offer>>,
    // A tokio mutex: held while a connection is made, so that there is one, and who waits finds it.
    place: Mutex<Option<Live>>,
    pace: Pace,
}

impl Server {
    /// A server that is not connected yet.
    pub(super) fn new(
        name: String,
        target: Result<McpServer, ConnectError>,
        known: Option<(Cache, String)>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            name,
            target,
            known,
            trusted: false,
            stop: shared.stop.child_token(),
            shared,
            condition: watch::Sender::new(Condition::new(Status::Idle, None)),
            offer: RwLock::default(),
            place: Mutex::default(),
            pace: Pace::default(),
        }
    }

    /// Begins its life in a session: with what it offered last time, else by connecting.
    pub(super) fn begin(self: &Arc<Self>) {
        if let Err(error) = &self.target {
            return self.rest(Status::Failed, Some(error));
        }
        let known = self.known.as_ref().and_then(|(cache, key)| cache.load(key));
        if let Some(offer) = known.filter(|offer| !offer.tools.is_empty()) {
            *self.offer.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(offer);
            return self.rest(Status::Standby, None);
        }
        self.rest(Status::Connecting, None);
        self.shared.tasks.spawn(Arc::clone(self).connect());
    }

    /// Takes it down once the person has taken its permission back: it offers nothing and is not connected again.
    pub(super) fn heed(&self) {
        if !self.stop.is_cancelled() && !(self.shared.permitted)(&self.name) {
            self.stop.cancel();
            self.turn(Status::Pending, None);
        }
    }

    /// Tries one again that has failed and offers nothing, so that no call would: in the background, and seldom.
    pub(super) fn try_again(self: &Arc<Self>) {
        let has_failed = self.condition.borrow().status == Status::Failed;
        if has_failed && self.offer().is_empty() && self.pace.take_turn() {
            self.shared.tasks.spawn(Arc::clone(self).connect());
        }
    }

    /// What it offers, as far as is known.
    pub(super) fn offer(&self) -> Arc<Offer> {
        if self.is_withdrawn() {
            return Arc::default();
        }
        Arc::clone(&self.offer.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_withdrawn(&self) -> bool {
        self.stop.is_cancelled() && !self.shared.stop.is_cancelled()
    }

    /// Its connection; it is made when there is none.
    pub(super) async fn live(self: &Arc<Self>) -> Result<Live, ConnectError> {
        if let Some(live) = self.place.lock().await.as_ref().filter(|live| !live.is_lost()) {
            return Ok(live.clone());
        }
        let connecting = self.shared.tasks.spawn(Arc::clone(self).connect());
        connecting.await.unwrap_or(Err(ConnectError::Ended))
    }

    async fn connect(self: Arc<Self>) -> Result<Live, ConnectError> {
        let mut place = self.place.lock().await;
        if let Some(live) = place.as_ref().filter(|live| !live.is_lost()) {
            return Ok(live.clone());
        }
        self.heed();
        if self.stop.is_cancelled() {
            return Err(ConnectError::Closed);
        }
        // A turn that begins waits for who says so; not for one that is tried again.
        if !self.offer().is_empty() {
            self.turn(Status::Connecting, None);
        }
        let opened = self.open().await;
        match &opened {
            Ok(live) => {
                *place = Some(live.clone());
                self.turn(Status::Ready, None);
            }
            Err(ConnectError::Closed) if self.shared.stop.is_cancelled() => self.turn(Status::Idle, None),
            Err(ConnectError::Closed) => self.turn(Status::Pending, None),
            Err(error) => {
                tracing::warn!(server = self.name, %error, "an MCP server is not available");
                self.fail(error);
            }
        }
        opened
    }

    async fn open(self: &Arc<Self>) -> Result<Live, ConnectError> {
        let stop = self.stop.child_token();
        let handler = Handler::new(Arc::clone(&self.shared.folder));
        let attempt = Attempt {
            server: self.target.as_ref().map_err(Clone::clone)?,
            folder: &self.shared.folder,
            family: self.shared.family.as_deref(),
            handler: &handler,
            stop: &stop,
            deadline: Instant::now() + self.shared.timing.start,
            limit: self.shared.timing.start,
        };
        let connection = attempt.connect().await?;
        let live = Live::new(&self.name, &connection, stop.clone());
        match attempt.in_time(live.list()).await {
            Ok(Ok(offer)) => self.learn(offer),
            Ok(Err(error)) | Err(error) => {
                let error = match error {
                    ConnectError::Ended => connection.fault.reason(),
                    other => other,
                };
                return Err(error.with_status(connection.end().await));
            }
        }
        let keeping = Arc::clone(self).keep(connection, live.clone());
        self.shared.tasks.spawn(keeping);
        Ok(live)
    }

    /// Stays with a connection until it ends, and sees that nothing is left of it.
    async fn keep(self: Arc<Self>, connection: Connection, live: Live) {
        let Connection {
            running,
            child,
            fault,
        } = connection;
        tokio::select! {
            _how_it_ended = running.waiting() => {}
            () = self.follow(&live) => {}
            () = farewell(&live.stop) => {}
        }
        // First the state, then the mark that lets the next call connect again.
        if !self.stop.is_cancelled() {
            self.fail(&fault.reason());
        }
        live.lost.cancel();
        if let Some(child) = child {
            child.end().await;
        }
    }

    /// Asks again what there is whenever the server says that it has changed.
    async fn follow(&self, live: &Live) {
        let mut subscription = live.subscribe().await;
        loop {
            match &mut subscription {
                None => live.handler.changed.notified().await,
                Some(news) => {
                    if !matches!(news.next().await, Ok(Some(_))) {
                        subscription = None;
                        continue;
                    }
                }
            }
            // One list for a burst of changes, and no more than so many from a server that never stops.
            sleep(CALM).await;
            if let Ok(Ok(offer)) = timeout(self.shared.timing.start, live.list()).await {
                self.learn(offer);
            }
        }
    }

    fn learn(&self, offer: Offer) {
        if let Some((cache, key)) = &self.known {
            cache.keep(key, &offer);
        }
        {
            let mut known = self.offer.write().unwrap_or_else(PoisonError::into_inner);
            if **known == offer {
                return;
            }
            *known = Arc::new(offer);
        }
        (self.shared.changed)();
    }

    fn fail(&self, error: &ConnectError) {
        self.pace.failed();
        self.turn(Status::Failed, Some(error));
    }

    /// What is said about it before anybody has asked.
    pub(super) fn rest(&self, status: Status, error: Option<&ConnectError>) {
        self.condition.send_replace(Condition::new(status, error));
    }

    /// Changes what is said about it.
    pub(super) fn turn(&self, status: Status, error: Option<&ConnectError>) {
        let now = Condition::new(status, error);
        let changed = self.condition.send_if_modified(|known| {
            let differs = *known != now;
            *known = now;
            differs
        });
        if changed {
            (self.shared.changed)();
        }
    }
}

/// Resolves a little after a connection was told to end.
async fn farewell(stop: &CancellationToken) {
    stop.cancelled().await;
    sleep(FAREWELL).await;
}
