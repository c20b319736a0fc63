//! All servers of one session.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use sha2::{Digest as _, Sha256};
use sidewire_agent::tool::Tool;
use sidewire_contract::mcp_server::McpServer;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::cache::Cache;
use super::error::ConnectError;
use super::prompt::{self, PromptEntry};
use super::roster::{Entry, Origin, Permit};
use super::server::{Server, Shared};
use super::tool::McpTool;
use crate::media::Library;

/// Servers of one session.
const SERVERS: usize = 64;
/// Tools of one session.
const TOOLS: usize = 512;
/// What closing may take; an editor waits a second for us to end.
const CLOSING: Duration = Duration::from_millis(850);

/// How long a server may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// Until it is connected and has said what it offers.
    pub(crate) start: Duration,
    /// For one call.
    pub(crate) call: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            call: Duration::from_secs(300),
        }
    }
}

/// What a session begins with.
pub(crate) struct SessionParts {
    /// Its folder: where child processes run, and the one root that servers are told.
    pub(crate) folder: Arc<Path>,
    /// Ourselves, to stand between us and its child processes.
    pub(crate) family: Option<PathBuf>,
    /// Its servers, by name.
    pub(crate) entries: Vec<Entry>,
    /// Whether one of them may still be used.
    pub(crate) permitted: Permitted,
    /// Replaces the variables of a definition that may start; the text says why not.
    pub(crate) expand: Expand,
    /// What servers offered last time.
    pub(crate) cache: Cache,
    /// Where pictures of results go.
    pub(crate) library: Library,
    /// How long servers may take.
    pub(crate) timing: Timing,
    /// Called whenever tools, prompts or states have changed; must return at once.
    pub(crate) changed: Arc<dyn Fn() + Send + Sync>,
}

/// Says of a server, by its name, whether the person still allows it; asked before each turn and each connection.
pub(crate) type Permitted = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Replaces the variables of a definition.
pub(crate) type Expand = fn(McpServer) -> Result<McpServer, String>;

/// How a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Connected.
    Ready,
    /// About to be.
    Connecting,
    /// It could not be started or was lost.
    Failed,
    /// The person has not allowed it.
    Pending,
    /// Switched off.
    Disabled,
    /// Its tools are known from last time; the first call connects it.
    Standby,
    /// Not connected, on purpose.
    Idle,
}

/// How a server is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Its name.
    pub(crate) name: String,
    /// How it is.
    pub(crate) status: Status,
    /// Why it failed, without secrets.
    pub(crate) error: Option<String>,
    /// How many tools it has.
    pub(crate) tools: usize,
}

/// The servers of a session. Dropping it ends them, closing it waits for that.
pub(crate) struct Session {
    servers: Vec<Arc<Server>>,
    shared: Arc<Shared>,
    library: Library,
}

impl Session {
    /// Starts what may start, and returns at once.
    pub(crate) fn start(parts: SessionParts) -> Self {
        let shared = Arc::new(Shared {
            folder: parts.folder,
            family: parts.family,
            permitted: parts.permitted,
            timing: parts.timing,
            changed: parts.changed,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        if parts.entries.len() > SERVERS {
            tracing::warn!(
                servers = parts.entries.len(),
                "only {SERVERS} MCP servers of a session are used"
            );
        }
        let entries = parts.entries.into_iter().take(SERVERS);
        let servers = entries
            .map(|entry| begin(entry, &shared, (parts.expand, &parts.cache)))
            .collect();
        Self {
            servers,
            shared,
            library: parts.library,
        }
    }

    /// Its servers; those that may not be used any more are taken down and offer nothing.
    fn servers(&self) -> &[Arc<Server>] {
        self.servers.iter().for_each(|server| server.heed());
        &self.servers
    }

    /// Tools of all servers, in a stable order, for a turn that begins. A server that failed before it offered anything
    /// is tried again meanwhile, for the turns to come.
    pub(crate) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let (mut names, mut tools): (HashSet<String>, Vec<Arc<dyn Tool>>) = Default::default();
        for server in self.servers() {
            server.try_again();
            for offered in &server.offer().tools {
                let tool = McpTool::new(Arc::clone(server), offered, self.library.clone());
                if tools.len() == TOOLS || !names.insert(tool.meta().name.clone()) {
                    tracing::debug!(server = server.name, "a tool of an MCP server is left out");
                    continue;
                }
                tools.push(Arc::new(tool));
            }
        }
        tools
    }

    /// Prompts of all servers.
    pub(crate) fn prompts(&self) -> Vec<PromptEntry> {
        let of_server = |server: &Arc<Server>| {
            let offer = server.offer();
            let prompts = offer.prompts.iter();
            prompts
                .map(|offered| prompt::entry(&server.name, offered))
                .collect::<Vec<_>>()
        };
        self.servers().iter().flat_map(of_server).collect()
    }

    /// The text of a prompt with these arguments.
    pub(crate) async fn expand(&self, name: &str, arguments: &str) -> Result<String, String> {
        let found = self.servers().iter().find_map(|server| {
            let own = name.strip_prefix(server.name.as_str())?.strip_prefix(':')?;
            let offer = server.offer();
            let prompt = offer.prompts.iter().find(|prompt| prompt.name == own)?;
            Some((server, prompt.clone()))
        });
        let (server, prompt) = found.ok_or_else(|| format!("there is no MCP prompt {name:?}"))?;
        prompt::expand(server, &prompt, arguments)
            .await
            .map_err(|error| error.to_string())
    }

    /// How each server is.
    pub(crate) fn states(&self) -> Vec<State> {
        let state = |server: &Arc<Server>| {
            let condition = server.condition.borrow().clone();
            State {
                name: server.name.clone(),
                status: condition.status,
                error: condition.error,
                tools: server.offer().tools.len(),
            }
        };
        self.servers().iter().map(state).collect()
    }

    /// Resolves once no server is about to be connected.
    pub(crate) async fn settled(&self) {
        let waiting = self.servers.iter().map(|server| async {
            let mut condition = server.condition.subscribe();
            let _its_server_lives = condition
                .wait_for(|condition| condition.status != Status::Connecting)
                .await;
        });
        let limit = self.shared.timing.start + Duration::from_secs(1);
        let _all_or_late = timeout(limit, join_all(waiting)).await;
    }

    /// Ends all servers; their processes are gone when this returns.
    pub(crate) async fn close(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        if timeout(CLOSING, self.shared.tasks.wait()).await.is_err() {
            tracing::warn!("an MCP server did not end in time");
        }
        for server in &self.servers {
            server.turn(Status::Idle, None);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.stop.cancel();
    }
}

fn begin(entry: Entry, shared: &Arc<Shared>, (expand, cache): (Expand, &Cache)) -> Arc<Server> {
    let name = entry.server.name.clone();
    let is_given = entry.permit == Permit::Given;
    // An editor means what it says, and what it brings belongs to this session alone.
    let (target, known) = match entry.origin {
        Origin::Editor => (Ok(entry.server), None),
        _ if is_given => {
            let target = expand(entry.server.clone()).map_err(ConnectError::Definition);
            (target, Some((cache.clone(), known_as(&entry, &shared.folder))))
        }
        _ => (Err(ConnectError::Closed), None),
    };
    let mut server = Server::new(name, target, known, Arc::clone(shared));
    server.trusted = entry.trusted;
    let server = Arc::new(server);
    match entry.permit {
        Permit::Given => server.begin(),
        Permit::Pending => server.rest(Status::Pending, None),
        Permit::Off => server.rest(Status::Disabled, None),
    }
    server
}

/// Under which name an offer is kept: a program of a project may be another one in another project.
fn known_as(entry: &Entry, folder: &Path) -> String {
    let place = match entry.origin {
        Origin::Project => folder.as_os_str().as_encoded_bytes(),
        Origin::Editor | Origin::Person => &[],
    };
    let hash = Sha256::new().chain_update(&entry.fingerprint).chain_update(place);
    hex::encode(hash.finalize())
}
