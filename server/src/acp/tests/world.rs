//! The machine of a played front: models, tools, jobs and MCP servers that do what a test says, and what they saw.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use futures_util::StreamExt as _;
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};
use sidewire_agent::tool::Tool;
use sidewire_agent::workspace::{Document, Roots, ShellCommand, ShellEnd, Watch, Workspace, WorkspaceError};
use sidewire_contract::mcp_server::McpServer;
use tokio::sync::Semaphore;

use crate::acp::desks::{
    Jobs, McpDesk, McpPrompt, McpSession, McpState, McpStatus, ModelDesk, ModelEntry, OpenModelError,
    ToolDesk, ToolKit, UnreadableModels,
};

/// What the played machine does, and what it saw.
pub(super) struct World {
    /// Ids of configured models; those that end in `+` have efforts.
    pub(super) models: Mutex<Vec<String>>,
    /// The configuration of models cannot be read.
    pub(super) unreadable: AtomicBool,
    /// Background jobs that run.
    pub(super) jobs: AtomicUsize,
    /// MCP servers that sessions were started with.
    pub(super) servers: Mutex<Vec<McpServer>>,
    /// Has a permit unless the MCP servers are late.
    pub(super) settled: Semaphore,
    /// Prompts of the MCP servers.
    pub(super) prompts: Mutex<Vec<McpPrompt>>,
    /// What tells a session that its servers have changed.
    pub(super) changed: Mutex<Vec<Arc<dyn Fn() + Send + Sync>>>,
    /// Sessions whose servers and jobs were ended.
    pub(super) ended: AtomicUsize,
    /// What the model was asked, and with which model and effort.
    pub(super) asked: Mutex<Vec<(String, ModelRequest)>>,
    /// What the model answers next; without, a word.
    pub(super) answers: Mutex<VecDeque<Result<String, ProviderError>>>,
    /// Lets answers end that say `wait`, one each.
    pub(super) gate: Arc<Semaphore>,
    /// The next look at a model waits for this.
    pub(super) look: Mutex<Option<Receiver<()>>>,
    /// The threads on which tools were opened.
    pub(super) opened_on: Mutex<Vec<ThreadId>>,
    /// Why the parts cannot be opened.
    pub(super) closed: Mutex<Option<String>>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            models: Mutex::new(vec!["p/one".to_owned(), "p/two+".to_owned()]),
            unreadable: AtomicBool::new(false),
            jobs: AtomicUsize::new(0),
            servers: Mutex::default(),
            settled: Semaphore::new(1),
            prompts: Mutex::default(),
            changed: Mutex::default(),
            ended: AtomicUsize::new(0),
            asked: Mutex::default(),
            answers: Mutex::default(),
            gate: Arc::new(Semaphore::new(0)),
            look: Mutex::default(),
            opened_on: Mutex::default(),
            closed: Mutex::default(),
        }
    }
}

/// A model that answers as the world says.
struct Played {
    name: String,
    world: Arc<World>,
}

#[async_trait::async_trait]
impl Provider for Played {
    fn describe(&self) -> ModelInfo {
        ModelInfo {
            provider: "played".to_owned(),
            model: self.name.clone(),
            label: self.name.clone(),
            offline: false,
            window: Some(100_000),
        }
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        self.world
            .asked
            .lock()
            .unwrap()
            .push((self.name.clone(), request));
        let answer = self.world.answers.lock().unwrap().pop_front();
        let text = answer.unwrap_or_else(|| Ok("word".to_owned()))?;
        let gate = Arc::clone(&self.world.gate);
        let waits = text.contains("wait");
        let events = [ModelEvent::Text(text), ModelEvent::Finished(FinishReason::Stop)];
        let events = futures_util::stream::iter(events).enumerate();
        Ok(events
            .then(move |(at, event)| {
                let gate = Arc::clone(&gate);
                async move {
                    if at == 1 && waits {
                        gate.acquire().await.unwrap().forget();
                    }
                    Ok(event)
                }
            })
            .boxed())
    }
}

/// A model that never answers.
pub(in crate::acp) struct Silent;

#[async_trait::async_trait]
impl Provider for Silent {
    fn describe(&self) -> ModelInfo {
        ModelInfo {
            provider: "silent".to_owned(),
            model: "silent".to_owned(),
            label: "Silent".to_owned(),
            offline: false,
            window: None,
        }
    }

    async fn stream(&self, _request: ModelRequest) -> Result<ModelStream, ProviderError> {
        Err(ProviderError::Unreachable)
    }
}

/// Its models.
pub(super) struct Models(pub(super) Arc<World>);

impl ModelDesk for Models {
    fn list(&self) -> Result<Vec<ModelEntry>, UnreadableModels> {
        if self.0.unreadable.load(Ordering::SeqCst) {
            return Err(UnreadableModels);
        }
        let ids = self.0.models.lock().unwrap().clone();
        let entries = ids
            .into_iter()
            .map(|id| ModelEntry {
                name: id.to_uppercase(),
                provider: "Played".to_owned(),
                efforts: if id.ends_with('+') {
                    vec!["low".into(), "high".into()]
                } else {
                    Vec::new()
                },
                vision: false,
                id,
            })
            .collect();
        Ok(entries)
    }

    fn resolve(&self, name: &str) -> String {
        let models = self.0.models.lock().unwrap();
        let meant = models.iter().find(|id| id.strip_prefix("p/") == Some(name));
        meant.map_or_else(|| name.to_owned(), Clone::clone)
    }

    fn open(&self, id: &str, effort: Option<&str>) -> Result<Arc<dyn Provider>, OpenModelError> {
        let look = self.0.look.lock().unwrap().take();
        if let Some(look) = look {
            look.recv().unwrap();
        }
        self.list()?;
        let id = self.resolve(id);
        if !self.0.models.lock().unwrap().contains(&id) {
            return Err(OpenModelError::Unknown(id));
        }
        let name = effort.map_or_else(|| id.clone(), |effort| format!("{id} {effort}"));
        Ok(Arc::new(Played {
            name,
            world: Arc::clone(&self.0),
        }))
    }
}

/// Its tools.
pub(super) struct Tools(pub(super) Arc<World>);

impl ToolDesk for Tools {
    fn open(&self, roots: Roots) -> ToolKit {
        self.0.opened_on.lock().unwrap().push(std::thread::current().id());
        ToolKit {
            workspace: Arc::new(Bare(roots)),
            tools: Vec::new(),
            jobs: Arc::new(PlayedJobs(Arc::clone(&self.0))),
            sandbox: None,
        }
    }
}

/// A workspace in which nothing can be done.
struct Bare(Roots);

#[async_trait::async_trait]
impl Workspace for Bare {
    fn roots(&self) -> &Roots {
        &self.0
    }

    async fn open(&self, path: &Path, _limit: u64) -> Result<Document, WorkspaceError> {
        Err(WorkspaceError::Missing(path.to_owned()))
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        Err(WorkspaceError::Missing(document.path.clone()))
    }

    async fn run(&self, _command: ShellCommand, _watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        Err(WorkspaceError::Cancelled)
    }
}

struct PlayedJobs(Arc<World>);

#[async_trait::async_trait]
impl Jobs for PlayedJobs {
    fn running(&self) -> usize {
        self.0.jobs.load(Ordering::SeqCst)
    }

    async fn end(&self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// Its servers.
pub(super) struct Servers(pub(super) Arc<World>);

impl McpDesk for Servers {
    fn start(
        &self,
        _folder: &Path,
        passed: Vec<McpServer>,
        changed: Arc<dyn Fn() + Send + Sync>,
    ) -> Arc<dyn McpSession> {
        self.0.servers.lock().unwrap().extend(passed);
        self.0.changed.lock().unwrap().push(changed);
        Arc::new(OpenServers(Arc::clone(&self.0)))
    }
}

struct OpenServers(Arc<World>);

#[async_trait::async_trait]
impl McpSession for OpenServers {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    fn prompts(&self) -> Vec<McpPrompt> {
        self.0.prompts.lock().unwrap().clone()
    }

    async fn expand(&self, name: &str, arguments: &str) -> Result<String, String> {
        Ok(format!("{name} of the server, with {arguments}"))
    }

    fn states(&self) -> Vec<McpState> {
        let late = self.0.settled.available_permits() == 0;
        let late = late.then(|| McpState {
            name: "slow".to_owned(),
            status: McpStatus::Connecting,
            error: None,
            tools: 0,
        });
        late.into_iter().collect()
    }

    async fn settled(&self) {
        drop(self.0.settled.acquire().await.unwrap());
    }

    async fn close(&self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}
