//! A whole front over an in-memory pair: real dispatch, real core, real store in memory; models, tools and MCP servers
//! are played.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use sidewire_agent::error::ProviderError;
use sidewire_agent::hooks::NoHooks;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::permission::Rules;
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};
use sidewire_agent::references::ReferenceKinds;
use sidewire_agent::session::ProviderSlot;
use sidewire_agent::store::{Claim, Store};
use sidewire_agent::tool::Tool;
use sidewire_agent::workspace::{Document, Roots, ShellCommand, ShellEnd, Watch, Workspace, WorkspaceError};
use sidewire_agent::{Agent, AgentParts};
use sidewire_contract::mcp_server::McpServer;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::acp::desks::{
    Jobs, McpDesk, McpPrompt, McpSession, McpState, ModelDesk, ModelEntry, OpenModelError, ToolDesk, ToolKit,
};
use crate::acp::{Parts, Start, serve};

/// Nothing comes for so long: the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the played machine does, and what it saw.
pub(super) struct World {
    /// Ids of configured models; those that end in `+` have efforts.
    pub(super) models: Mutex<Vec<String>>,
    /// Background jobs that run.
    pub(super) jobs: AtomicUsize,
    /// MCP servers that sessions were started with.
    pub(super) servers: Mutex<Vec<McpServer>>,
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
    /// Why the parts cannot be opened.
    pub(super) closed: Mutex<Option<String>>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            models: Mutex::new(vec!["p/one".to_owned(), "p/two+".to_owned()]),
            jobs: AtomicUsize::new(0),
            servers: Mutex::default(),
            prompts: Mutex::default(),
            changed: Mutex::default(),
            ended: AtomicUsize::new(0),
            asked: Mutex::default(),
            answers: Mutex::default(),
            gate: Arc::new(Semaphore::new(0)),
            look: Mutex::default(),
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

struct Models(Arc<World>);

impl ModelDesk for Models {
    fn list(&self) -> Vec<ModelEntry> {
        let ids = self.0.models.lock().unwrap().clone();
        ids.into_iter()
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
            .collect()
    }

    fn open(&self, id: &str, effort: Option<&str>) -> Result<Arc<dyn Provider>, OpenModelError> {
        let look = self.0.look.lock().unwrap().take();
        if let Some(look) = look {
            look.recv().unwrap();
        }
        if !self.0.models.lock().unwrap().iter().any(|known| known == id) {
            return Err(OpenModelError::Unknown(id.to_owned()));
        }
        let name = effort.map_or_else(|| id.to_owned(), |effort| format!("{id} {effort}"));
        Ok(Arc::new(Played {
            name,
            world: Arc::clone(&self.0),
        }))
    }
}

struct Tools(Arc<World>);

impl ToolDesk for Tools {
    fn open(&self, roots: Roots) -> ToolKit {
        ToolKit {
            workspace: Arc::new(Bare(roots)),
            tools: Vec::new(),
            jobs: Arc::new(PlayedJobs(Arc::clone(&self.0))),
            sandbox: "none".to_owned(),
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

struct Servers(Arc<World>);

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
        Vec::new()
    }

    async fn settled(&self) {}

    async fn close(&self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// An editor and the front it speaks to.
pub(super) struct Editor {
    pub(super) world: Arc<World>,
    pub(super) folder: TempDir,
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
    served: JoinHandle<()>,
    store: Store,
    next: u64,
    /// Notifications and requests of the agent, in order, since they were last taken.
    seen: Vec<Value>,
}

/// An editor that has said nothing yet, of an agent that was started so.
pub(super) fn silent(start: Start, store: Store, folder: TempDir) -> Editor {
    silent_in(Arc::default(), start, (store, folder))
}

/// The same in a world that is known already.
pub(super) fn silent_in(world: Arc<World>, start: Start, (store, folder): (Store, TempDir)) -> Editor {
    let (ours, theirs) = tokio::io::duplex(1024 * 1024);
    let open = {
        let (world, store, folder) = (Arc::clone(&world), store.clone(), folder.path().to_owned());
        move || {
            let closed = world.closed.lock().unwrap().clone();
            let parts = parts(&world, store.clone(), &folder);
            async move { closed.map_or(Ok(parts), Err) }
        }
    };
    let stop = CancellationToken::new();
    let served = tokio::spawn(serve(tokio::io::split(theirs), start, open, stop));
    let (input, output) = tokio::io::split(ours);
    Editor {
        world,
        folder,
        input: BufReader::new(input),
        output,
        served,
        store,
        next: 0,
        seen: Vec::new(),
    }
}

fn parts(world: &Arc<World>, store: Store, folder: &Path) -> Parts {
    let agent = Agent::new(AgentParts {
        store,
        provider: ProviderSlot::new(Arc::new(Silent)),
        hooks: Arc::new(NoHooks),
        tools: Vec::new(),
        reference_kinds: Arc::new(ReferenceKinds::default()),
        grace: Duration::from_secs(30),
    });
    Parts {
        agent,
        models: Arc::new(Models(Arc::clone(world))),
        tools: Arc::new(Tools(Arc::clone(world))),
        mcp: Arc::new(Servers(Arc::clone(world))),
        rules: Rules::default(),
        user_folder: folder.join("user"),
        browser_folder: folder.join("browser"),
        private: vec![folder.join("private")],
    }
}

/// An editor that has introduced itself.
pub(super) async fn editor(start: Start) -> Editor {
    let store = Store::in_memory().unwrap();
    let mut editor = silent(start, store, tempfile::tempdir().unwrap());
    editor.introduce().await;
    editor
}

impl Editor {
    pub(super) async fn introduce(&mut self) {
        let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
        self.ask("initialize", params).await.unwrap();
    }

    /// Another editor on the same conversations, once this one has left.
    pub(super) async fn after(self, start: Start) -> Self {
        let (store, folder) = (self.store.clone(), self.folder);
        drop((self.input, self.output));
        self.served.await.unwrap();
        let mut editor = silent(start, store, folder);
        editor.introduce().await;
        editor
    }

    /// Sends a request; gives its id.
    pub(super) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.say(&request).await;
        self.next
    }

    /// Sends a notification.
    pub(super) async fn tell(&mut self, method: &str, params: Value) {
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Answers a request of the agent.
    pub(super) async fn respond(&mut self, id: &Value, result: Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    async fn say(&mut self, message: &Value) {
        self.output
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    /// The next message of the agent.
    pub(super) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        let reading = self.input.read_line(&mut line);
        tokio::time::timeout(PATIENCE, reading)
            .await
            .expect("nothing came")
            .unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to this request; what comes before it is kept.
    pub(super) async fn answer(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            let mut message = self.hear().await;
            if message["method"].is_string() {
                self.seen.push(message);
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return match message.get_mut("error") {
                Some(error) => Err(error.take()),
                None => Ok(message["result"].take()),
            };
        }
    }

    /// Asks and waits for the answer.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// The same where a refusal is expected: its code and its words.
    pub(super) async fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let error = self.ask(method, params).await.unwrap_err();
        (
            error["code"].as_i64().unwrap(),
            error["message"].as_str().unwrap().to_owned(),
        )
    }

    /// Waits for the next update of this kind.
    pub(super) async fn update(&mut self, kind: &str) -> Value {
        loop {
            let at = self
                .seen
                .iter()
                .position(|message| message["params"]["update"]["sessionUpdate"] == kind);
            if let Some(at) = at {
                return self.seen.remove(at)["params"]["update"].take();
            }
            let message = self.hear().await;
            assert!(message["method"].is_string(), "{message} instead of {kind}");
            self.seen.push(message);
        }
    }

    /// Kinds of the updates that came since the last look.
    pub(super) fn kinds(&mut self) -> Vec<String> {
        let kinds = self.seen.drain(..).map(|message| {
            let kind = message["params"]["update"]["sessionUpdate"].as_str();
            kind.or(message["method"].as_str()).unwrap().to_owned()
        });
        kinds.collect()
    }

    pub(super) fn cwd(&self) -> String {
        self.folder.path().to_str().unwrap().to_owned()
    }

    /// Opens a session and waits until everything was said about it.
    pub(super) async fn open(&mut self) -> String {
        let params = json!({"cwd": self.cwd(), "mcpServers": []});
        let opened = self.ask("session/new", params).await.unwrap();
        self.update("available_commands_update").await;
        self.update("usage_update").await;
        opened["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt; gives its id.
    pub(super) async fn begin(&mut self, session: &str, text: &str) -> u64 {
        let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        self.send("session/prompt", params).await
    }

    /// Asks something and waits for the end; gives the stop reason.
    pub(super) async fn prompt(&mut self, session: &str, text: &str) -> String {
        let id = self.begin(session, text).await;
        let answer = self.answer(id).await.unwrap();
        answer["stopReason"].as_str().unwrap().to_owned()
    }

    /// Sets a control; gives all of them.
    pub(super) async fn set(&mut self, session: &str, id: &str, value: &str) -> Result<Value, Value> {
        let params = json!({"sessionId": session, "configId": id, "value": value});
        let answer = self.ask("session/set_config_option", params).await?;
        Ok(answer["configOptions"].clone())
    }

    /// Another program deletes a conversation.
    pub(super) async fn delete_elsewhere(&self, session: &str) {
        let id = ConversationId::parse(session).unwrap();
        self.store.delete(&Owner::editor(), id, 0).await.unwrap();
    }

    /// Another program has a conversation open until the claim is dropped.
    pub(super) fn hold_elsewhere(&self, session: &str) -> Claim {
        self.store.claim(ConversationId::parse(session).unwrap()).unwrap()
    }

    /// Closes the pipe and waits for the end of everything; gives what was still said.
    pub(super) async fn leave(mut self) -> Vec<Value> {
        self.output.shutdown().await.unwrap();
        let mut said = Vec::new();
        let mut line = String::new();
        while self.input.read_line(&mut line).await.unwrap() > 0 {
            said.push(serde_json::from_str(&line).unwrap());
            line.clear();
        }
        self.served.await.unwrap();
        said
    }
}

/// The value of a control among all of them.
pub(super) fn value_of(options: &Value, id: &str) -> String {
    let option = options
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["id"] == id);
    option.unwrap()["currentValue"].as_str().unwrap().to_owned()
}
