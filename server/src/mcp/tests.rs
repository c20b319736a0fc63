mod calls;
mod hostile;
mod life;
mod remote;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use sidewire_agent::event::{ToolStart, TurnEvent};
use sidewire_agent::feed::{News, TurnFeed};
use sidewire_agent::ids::{ConversationId, Owner, TurnId, TurnKey};
use sidewire_agent::message::ResultContent;
use sidewire_agent::person::Nobody;
use sidewire_agent::record::{Origin, TurnRecord};
use sidewire_agent::store::{Lookup, Store};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolOutput};
use sidewire_contract::mcp_server::{McpServer, McpTransport};
use sidewire_contract::mode::Mode;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::retry::REST;
use super::roster::fingerprint;
use super::session::State;
use super::{Cache, Entry, Permit, Session, SessionParts, Status, Timing, roster};
use crate::media::{Library, LibraryConfig};

/// Guards against a hang; nothing here takes that long.
const GUARD: Duration = Duration::from_secs(60);

/// A folder to work in, and what a session needs.
struct Rig {
    folder: tempfile::TempDir,
    changed: Arc<Notify>,
    /// The person allows its servers.
    allowed: Arc<AtomicBool>,
    timing: Timing,
    store: Store,
    feed: Arc<TurnFeed>,
    cancel: CancellationToken,
}

impl Rig {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            changed: Arc::default(),
            allowed: Arc::new(AtomicBool::new(true)),
            timing: Timing::default(),
            store: Store::in_memory().unwrap(),
            feed: Arc::new(TurnFeed::new(TurnRecord::begun(
                TurnId("t".into()),
                "q",
                Mode::Educational,
                1,
            ))),
            cancel: CancellationToken::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether a server was told anything.
    fn was_started(&self) -> bool {
        self.path("notes").exists()
    }

    /// What the server was told so far.
    async fn notes(&self, session: &Session) -> String {
        let mut context = self.context(json!({}));
        context.cancel = CancellationToken::new();
        let tool = find(session, "mcp__s__notes");
        let output = timeout(GUARD, tool.call(context)).await.unwrap();
        text(&output).to_owned()
    }

    /// Begins a call that waits to be cancelled; it waits when this returns.
    async fn wait(&self, session: &Session, cancel: &CancellationToken) -> JoinHandle<ToolOutput> {
        let wake = Arc::new(Notify::new());
        let mut news = self.feed.subscribe(Arc::clone(&wake));
        self.feed.push(TurnEvent::ToolStarted(ToolStart {
            call_id: "call_1".into(),
            name: "mcp__s__wait".into(),
            title: "Wait".into(),
            kind: ToolKind::Other,
            arguments: json!({}),
            locations: Vec::new(),
        }));
        let tool = find(session, "mcp__s__wait");
        let mut context = self.context(json!({}));
        context.cancel = cancel.clone();
        let running = tokio::spawn(async move { tool.call(context).await });
        let is_report = |news: &News| matches!(news, News::Event(TurnEvent::ToolProgress(_)));
        let reported = async {
            while !news.take().iter().any(is_report) {
                wake.notified().await;
            }
        };
        timeout(GUARD, reported).await.unwrap();
        running
    }

    /// The server of the fixtures, as a child process that behaves so.
    fn child(&self, name: &str, mode: &str) -> McpServer {
        let env = [("MCP_NOTES".to_owned(), self.path("notes").display().to_string())];
        McpServer {
            name: name.into(),
            transport: McpTransport::Stdio {
                command: "node".into(),
                args: vec![FIXTURE.into(), mode.into()],
                env: env.into(),
            },
        }
    }

    /// A session with these servers; they are connected, or failed.
    async fn session(&self, entries: Vec<Entry>) -> Session {
        let session = self.start(entries);
        timeout(GUARD, session.settled()).await.unwrap();
        session
    }

    fn start(&self, entries: Vec<Entry>) -> Session {
        let (changed, allowed) = (Arc::clone(&self.changed), Arc::clone(&self.allowed));
        let library = Library::open(LibraryConfig {
            folder: self.path("media"),
            quota: 1 << 30,
            search_path: None,
        });
        Session::start(SessionParts {
            folder: self.folder.path().into(),
            // Only the whole program can stand between (`tests/it/acp_mcp.rs`).
            family: None,
            entries,
            permitted: Arc::new(move |_| allowed.load(Ordering::Relaxed)),
            expand: Ok,
            cache: self.cache(),
            library: library.unwrap(),
            timing: self.timing,
            changed: Arc::new(move || changed.notify_one()),
        })
    }

    fn cache(&self) -> Cache {
        Cache::in_folder(self.path("known"))
    }

    /// A session with one server that an editor passed.
    async fn one(&self, mode: &str) -> Session {
        self.session(vec![passed(self.child("s", mode))]).await
    }

    async fn call(&self, session: &Session, tool: &str, arguments: Value) -> ToolOutput {
        let tool = find(session, tool);
        timeout(GUARD, tool.call(self.context(arguments))).await.unwrap()
    }

    /// A conversation that is stored.
    async fn conversation(&self) -> ConversationId {
        let lookup = Lookup {
            owner: Owner("me".into()),
            origin: Origin::Browser,
            hint: None,
            session_key: "here".into(),
            tab: 1,
            browser_run: None,
            now_ms: 0,
        };
        self.store.conversation_for(lookup).await.unwrap().id
    }

    fn context(&self, arguments: Value) -> ToolCallContext {
        ToolCallContext {
            call_id: "call_1".into(),
            arguments,
            turn: TurnKey {
                owner: Owner("me".into()),
                id: TurnId("t".into()),
            },
            conversation: ConversationId::mint(),
            store: self.store.clone(),
            tab: 0,
            workspace: None,
            allowed: Vec::new(),
            person: Arc::new(Nobody),
            feed: Arc::clone(&self.feed),
            cancel: self.cancel.clone(),
        }
    }
}

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/mcp-server.mjs");

/// A server that an editor passed.
fn passed(server: McpServer) -> Entry {
    entry(server, roster::Origin::Editor, Permit::Given)
}

fn entry(server: McpServer, origin: roster::Origin, permit: Permit) -> Entry {
    Entry {
        fingerprint: fingerprint(&server),
        server,
        origin,
        permit,
        trusted: false,
    }
}

fn find(session: &Session, name: &str) -> Arc<dyn Tool> {
    let tools = session.tools();
    let found = tools.iter().find(|tool| tool.meta().name == name);
    Arc::clone(found.unwrap_or_else(|| panic!("{name} is not among {:?}", names(session))))
}

fn names(session: &Session) -> Vec<String> {
    let tools = session.tools();
    tools.iter().map(|tool| tool.meta().name.clone()).collect()
}

/// The only server's state.
fn state(session: &Session) -> State {
    let mut states = session.states();
    assert_eq!(states.len(), 1);
    states.remove(0)
}

fn failure(session: &Session) -> String {
    let state = state(session);
    assert_eq!(state.status, Status::Failed);
    state.error.unwrap()
}

fn text(output: &ToolOutput) -> &str {
    match output.content.first() {
        Some(ResultContent::Text { text }) => text,
        other => panic!("{other:?}"),
    }
}

/// Waits until something holds that a session's changes lead to.
async fn until(rig: &Rig, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            rig.changed.notified().await;
        }
    };
    timeout(GUARD, waiting).await.unwrap();
}
