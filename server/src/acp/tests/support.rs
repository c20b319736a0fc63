//! A whole front over an in-memory pair: real dispatch, real core, real store in memory; models, tools and MCP servers
//! are played.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sidewire_agent::hooks::NoHooks;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::permission::Rules;
use sidewire_agent::references::ReferenceKinds;
use sidewire_agent::session::ProviderSlot;
use sidewire_agent::store::{Claim, Store};
use sidewire_agent::turn::STEP_CEILING;
use sidewire_agent::{Agent, AgentParts};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::world::{Models, Servers, Silent, Tools, World};
use crate::acp::{Parts, Start, serve};

/// Nothing comes for so long: the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

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
        steps: STEP_CEILING,
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
