//! What the tests of the workspace tools share: a workspace in a folder of its own, and calls of its tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use sidewire_agent::event::ToolContent;
use sidewire_agent::feed::{News, TurnFeed};
use sidewire_agent::ids::{Owner, TurnId, TurnKey};
use sidewire_agent::message::ResultContent;
use sidewire_agent::person::{Nobody, Person};
use sidewire_agent::record::{Origin, TurnRecord};
use sidewire_agent::store::{Lookup, Store};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolOutput};
use sidewire_agent::workspace::{Roots, Workspace};
use sidewire_contract::mode::Mode;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{JobTable, LocalWorkspace, Protected, workspace_tools};
use crate::process::{Bounds, Launcher};

/// A workspace and its tools.
pub(super) struct Bench {
    _place: tempfile::TempDir,
    /// Beside the root.
    pub(super) outside: PathBuf,
    pub(super) root: PathBuf,
    pub(super) disk: LocalWorkspace,
    /// What tools are given; the disk, unless a test puts something in between.
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) jobs: Arc<JobTable>,
    pub(super) person: Arc<dyn Person>,
    pub(super) cancel: CancellationToken,
    tools: Vec<Arc<dyn Tool>>,
}

impl Bench {
    pub(super) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        let (root, outside) = (real.join("root"), real.join("outside"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&outside).unwrap();
        let launcher = Launcher {
            program: None,
            file: None,
            bounds: Bounds {
                write: vec![root.clone()],
                ..Bounds::default()
            },
            caches: Vec::new(),
            protected: Vec::new(),
        };
        let protected = Protected::new(None, [root.join("keys")]);
        let jobs = Arc::new(JobTable::new(launcher.clone()));
        let disk = LocalWorkspace::new(Roots::new(root.clone(), []), protected, launcher);
        Self {
            _place: place,
            outside,
            root,
            tools: workspace_tools(&disk, &jobs),
            workspace: Arc::new(disk.clone()),
            disk,
            jobs,
            person: Arc::new(Nobody),
            cancel: CancellationToken::new(),
        }
    }

    /// A file in the workspace.
    pub(super) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The bytes of a file in the workspace.
    pub(super) fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root.join(path)).unwrap()
    }

    pub(super) fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        self.tools.iter().find(|tool| tool.meta().name == name).unwrap()
    }

    pub(super) fn all_tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    /// Calls a tool.
    pub(super) async fn call(&self, name: &str, arguments: Value) -> ToolOutput {
        let feed = Arc::new(TurnFeed::new(record()));
        self.call_with(name, arguments, &feed).await
    }

    /// Calls a tool; the feed hears of it.
    pub(super) async fn call_with(&self, name: &str, arguments: Value, feed: &Arc<TurnFeed>) -> ToolOutput {
        self.tool(name).call(self.context(arguments, feed).await).await
    }

    /// What a person is shown of a call before it is made.
    pub(super) async fn preview(&self, name: &str, arguments: Value) -> Result<Vec<ToolContent>, ToolOutput> {
        let context = self.context(arguments, &feed()).await;
        self.tool(name).preview(&context).await
    }

    pub(super) async fn context(&self, arguments: Value, feed: &Arc<TurnFeed>) -> ToolCallContext {
        let store = Store::in_memory().unwrap();
        let owner = Owner("ann".to_owned());
        let lookup = Lookup {
            owner: owner.clone(),
            origin: Origin::Browser,
            hint: None,
            session_key: "tenant".to_owned(),
            tab: 1,
            browser_run: None,
            now_ms: 0,
        };
        let conversation = store.conversation_for(lookup).await.unwrap().id;
        let id = TurnId("c-1".to_owned());
        ToolCallContext {
            call_id: "call_1".to_owned(),
            arguments,
            turn: TurnKey { owner, id },
            conversation,
            store,
            tab: 0,
            workspace: Some(Arc::clone(&self.workspace)),
            allowed: Vec::new(),
            person: Arc::clone(&self.person),
            feed: Arc::clone(feed),
            cancel: self.cancel.clone(),
        }
    }

    /// What a call that goes well says.
    pub(super) async fn ok(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await;
        assert!(!output.is_error, "{output:?}");
        said(&output)
    }

    /// What a call that does not says.
    pub(super) async fn fails(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await;
        assert!(output.is_error, "{output:?}");
        said(&output)
    }
}

/// A feed and all it heard.
pub(super) fn feed() -> Arc<TurnFeed> {
    Arc::new(TurnFeed::new(record()))
}

/// What a feed heard from its beginning.
pub(super) fn heard(feed: &Arc<TurnFeed>) -> Vec<News> {
    feed.subscribe(Arc::new(Notify::new())).take()
}

fn record() -> TurnRecord {
    TurnRecord::begun(TurnId("c-1".to_owned()), "", Mode::Educational, 0)
}

/// The text that a model reads.
pub(super) fn said(output: &ToolOutput) -> String {
    let texts = output.content.iter().map(|content| match content {
        ResultContent::Text { text } => text.as_str(),
        ResultContent::Image { .. } => "(picture)",
    });
    texts.collect()
}

/// A path as arguments name it.
pub(super) fn named(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
