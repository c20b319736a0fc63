//! The browser front: turns frames of the chat contract and of our bridge into calls of the agent, and turn events
//! back into frames. It knows no provider, no tool and no file format.
//!
//! Reading order: a socket is accepted ([`listener`]), its client proves itself ([`handshake`]), frames go both ways
//! ([`connection`], [`desk`], [`writer`]), requests about conversations are answered ([`requests`]), values change shape in one
//! place ([`translate`]).

mod checks;
mod connection;
mod desk;
mod fit;
mod gate;
mod handshake;
mod host_tools;
mod listener;
mod media_read;
mod models;
mod private;
mod requests;
mod translate;
mod writer;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use sidewire_agent::Agent;
use sidewire_agent::store::Store;
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

use crate::mac::Secret;
use crate::media::Library;
pub(crate) use listener::{bind, run};
pub(crate) use models::{ModelDesk, ModelError, ProviderChoice};
use private::PrivateAgents;
use sidewire_contract::model::ModelState;
pub(crate) use translate::model_state;

/// Sockets that have not proved themselves yet, at most.
const STRANGERS: usize = 16;

/// What every connection shares.
pub(crate) struct Front {
    /// The core.
    pub(crate) agent: Arc<Agent>,
    /// The media that conversations show.
    pub(crate) library: Library,
    /// Model choice and set-up.
    pub(crate) models: Arc<dyn ModelDesk>,
    /// Origins that may connect.
    // A std lock: held for one lookup or one swap.
    origins: RwLock<HashSet<String>>,
    /// The secret that proves a process of this user.
    pub(crate) local_secret: Secret,
    /// How long a host tool may be silent.
    pub(crate) host_tool_patience: Duration,
    /// Where clients reach us: the only `Host` we answer to, and part of every proof.
    pub(crate) authority: String,
    /// Fires when connections are to close.
    pub(crate) closing: CancellationToken,
    /// Fires when a newer worker wants to take over.
    pub(crate) hand_over: CancellationToken,
    /// Told to every client when the model changes.
    pub(crate) model_changes: broadcast::Sender<ModelState>,
    strangers: Arc<Semaphore>,
    private: PrivateAgents,
    clients: Clients,
}

/// What a front is made of; `app.rs` fills it.
pub(crate) struct FrontParts {
    pub(crate) agent: Arc<Agent>,
    pub(crate) library: Library,
    pub(crate) models: Arc<dyn ModelDesk>,
    pub(crate) origins: HashSet<String>,
    pub(crate) local_secret: Secret,
    pub(crate) host_tool_patience: Duration,
    pub(crate) port: u16,
}

impl Front {
    /// A front without connections.
    pub(crate) fn new(parts: FrontParts) -> Arc<Self> {
        Arc::new(Self {
            private: PrivateAgents::new(Arc::clone(&parts.agent)),
            agent: parts.agent,
            library: parts.library,
            models: parts.models,
            origins: RwLock::new(parts.origins),
            local_secret: parts.local_secret,
            host_tool_patience: parts.host_tool_patience,
            authority: format!("127.0.0.1:{}", parts.port),
            closing: CancellationToken::new(),
            hand_over: CancellationToken::new(),
            model_changes: broadcast::Sender::new(8),
            strangers: Arc::new(Semaphore::new(STRANGERS)),
            clients: Clients::default(),
        })
    }

    /// From now on these origins may connect.
    pub(crate) fn allow_origins(&self, origins: HashSet<String>) {
        *self.origins.write().unwrap_or_else(PoisonError::into_inner) = origins;
    }

    /// The stores of private windows.
    pub(crate) fn private_stores(&self) -> Vec<Store> {
        self.private.stores()
    }

    fn allows(&self, origin: &str) -> bool {
        self.origins
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(origin)
    }

    /// Clients that have proved themselves, now.
    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }
}

/// Counts clients, so that a worker started by a host knows when it is alone.
#[derive(Default)]
pub(crate) struct Clients {
    count: AtomicUsize,
    changed: Notify,
}

/// One counted client; dropping it counts down.
struct Counted(Arc<Front>);

impl Clients {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Resolves when the number changes after this call, polled or not.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }
}

impl Counted {
    fn new(front: &Arc<Front>) -> Self {
        front.clients.count.fetch_add(1, Ordering::AcqRel);
        front.clients.changed.notify_waiters();
        Self(Arc::clone(front))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.clients.count.fetch_sub(1, Ordering::AcqRel);
        self.0.clients.changed.notify_waiters();
    }
}
