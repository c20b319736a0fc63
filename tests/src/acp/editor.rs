//! An editor and the agent process it runs.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::desk::{Asked, chosen};
use super::terminals::TerminalScript;
use super::wire::{Frame, Refusal, Waiting, Wire};
use crate::guard::pause;
use crate::process::descendants;
use crate::{Home, Process, is_alive, within};

/// An editor that can do nothing for its agent.
#[must_use]
pub fn plain_editor() -> Value {
    json!({})
}

/// An editor with files, terminals and a place to set the agent up.
#[must_use]
pub fn full_editor() -> Value {
    json!({
        "fs": { "readTextFile": true, "writeTextFile": true },
        "terminal": true,
        "auth": { "terminal": true },
    })
}

/// A running `sidewire acp` and the editor that speaks to it. When it is dropped, every frame must have kept the rules.
pub struct Editor {
    pub(super) wire: Arc<Wire>,
    process: Process,
    reading: JoinHandle<()>,
}

/// How an agent left.
#[derive(Debug)]
pub struct Left {
    /// How it ended.
    pub status: ExitStatus,
    /// How long it took after its input had ended.
    pub took: Duration,
    /// What it wrote to standard error.
    pub errors: String,
    /// Its children that still run, long after.
    pub survivors: Vec<u32>,
}

impl Editor {
    /// An editor that can do nothing for its agent, introduced.
    pub async fn start(home: &Home) -> Self {
        Self::with(home, &[], &plain_editor()).await
    }

    /// An editor with files and terminals, introduced.
    pub async fn full(home: &Home) -> Self {
        Self::with(home, &[], &full_editor()).await
    }

    /// An editor that runs the agent with these arguments and says that it can do this.
    ///
    /// # Panics
    /// When the agent does not answer as one.
    pub async fn with(home: &Home, args: &[&str], capabilities: &Value) -> Self {
        let editor = Self::silent(home, args);
        editor
            .initialize(capabilities)
            .await
            .expect("the agent introduces itself");
        editor
    }

    /// An editor that starts the agent with a variable in its environment, introduced.
    ///
    /// # Panics
    /// When the agent does not answer as one.
    pub async fn with_variable(home: &Home, name: &str, value: &str) -> Self {
        let mut command = home.sidewire(&["acp"]);
        command.env(name, value);
        let editor = Self::of(Process::spawn(command));
        editor
            .initialize(&plain_editor())
            .await
            .expect("the agent introduces itself");
        editor
    }

    /// An editor that has not said anything yet.
    #[must_use]
    pub fn silent(home: &Home, args: &[&str]) -> Self {
        Self::of(home.start(&[&["acp"], args].concat()))
    }

    fn of(mut process: Process) -> Self {
        let wire = Arc::new(Wire::new(process.take_stdin()));
        let (reader, stdout) = (Arc::clone(&wire), process.take_stdout());
        let reading = tokio::spawn(async move { reader.read(stdout).await });
        Self {
            wire,
            process,
            reading,
        }
    }

    /// The agent's process.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// What the agent has started and still runs.
    #[must_use]
    pub fn children(&self) -> Vec<u32> {
        let mut children = descendants(self.process.pid());
        children.retain(|child| is_alive(*child));
        children
    }

    /// Waits until nothing runs any more that the agent has started.
    pub async fn childless(&self) {
        let left = survivors(self.children()).await;
        assert!(left.is_empty(), "these were to end: {left:?}");
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, Refusal> {
        self.begin(method, params).await.answer().await
    }

    /// Sends a request; its answer is awaited later.
    pub async fn begin(&self, method: &str, params: Value) -> Waiting {
        self.wire.request(method, &params).await
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        let line = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.line(line.to_string()).await;
    }

    /// Writes a line as it is.
    pub async fn line(&self, line: impl Into<String>) {
        self.wire.line(line.into()).await;
    }

    /// Writes a request as it is and waits for the answer to this id.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn raw(&self, id: &Value, method: &str, line: impl Into<String>) -> Result<Value, Refusal> {
        let waiting = self.wire.expect(id, method);
        self.line(line).await;
        waiting.answer().await
    }

    /// Expects an answer to a request that is sent as a line.
    #[must_use]
    pub fn expect(&self, id: &Value, method: &str) -> Waiting {
        self.wire.expect(id, method)
    }

    /// How many frames came so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.wire.count()
    }

    /// All frames from this number on.
    #[must_use]
    pub fn since(&self, from: usize) -> Vec<Frame> {
        self.wire.since(from)
    }

    /// The first frame from this number on in which there is something to see.
    pub async fn until<T>(&self, what: &'static str, from: usize, look: impl Fn(&Frame) -> Option<T>) -> T {
        self.wire
            .until(what, |wire| wire.since(from).iter().find_map(&look))
            .await
    }

    /// Everything that is on its way: what comes before the answer to a request that means nothing.
    ///
    /// # Panics
    /// When the agent answers such a request in another way than with an error.
    pub async fn quiet(&self, from: usize) -> Vec<Frame> {
        let (at, answer) = self
            .begin("_sidewire.test/nothing", json!({}))
            .await
            .numbered()
            .await;
        let refusal = answer.expect_err("an unknown method is refused");
        assert_eq!(refusal.code, -32601, "{refusal:?}");
        let mut frames = self.since(from);
        frames.retain(|frame| frame.at < at);
        frames
    }

    /// The error that answers what has no id.
    ///
    /// # Panics
    /// When it is no error.
    pub async fn error_without_id(&self, from: usize) -> i64 {
        self.until("an error without id", from, |frame| {
            let is_error = frame.json["id"].is_null() && frame.json.get("error").is_some();
            is_error.then(|| frame.json["error"]["code"].as_i64().expect("a code"))
        })
        .await
    }

    /// Leaves what the agent says in its pipe from now on.
    pub fn stop_reading(&self) {
        self.wire.reads(false);
    }

    /// Reads again.
    pub fn go_on_reading(&self) {
        self.wire.reads(true);
    }

    /// From now on the test answers requests of this method.
    pub fn hold(&self, method: &str) {
        self.wire.desk(|desk| desk.held.insert(method.to_owned()));
    }

    /// From now on requests of this method are refused.
    pub fn refuse(&self, method: &str) {
        self.wire.desk(|desk| desk.refused.insert(method.to_owned()));
    }

    /// From now on requests of this method are answered as usual again.
    pub fn resume(&self, method: &str) {
        self.wire.desk(|desk| {
            desk.held.remove(method);
            desk.refused.remove(method);
        });
    }

    /// Opens a text in the editor that is not saved.
    pub fn open(&self, path: &str, text: &str) {
        self.wire
            .desk(|desk| desk.buffers.insert(path.to_owned(), text.to_owned()));
    }

    /// What the editor shows of a file that is open in it.
    #[must_use]
    pub fn shows(&self, path: &str) -> Option<String> {
        self.wire.desk(|desk| desk.buffers.get(path).cloned())
    }

    /// How the next terminal behaves.
    pub fn terminal(&self, script: TerminalScript) {
        self.wire.desk(|desk| desk.terminals.script(script));
    }

    /// What the person chooses on the next card: a kind of option, `cancelled`, or any option id.
    pub fn choose(&self, choice: &str) {
        self.wire.desk(|desk| desk.choices.push_back(choice.to_owned()));
    }

    /// The next request of this method that the test has to answer.
    pub async fn asked(&self, method: &'static str) -> Asked {
        self.wire
            .until("a request of the agent", |wire| {
                wire.desk(|desk| desk.next(method))
            })
            .await
    }

    /// The next card.
    pub async fn card(&self) -> Asked {
        self.asked("session/request_permission").await
    }

    /// Answers a request that the test has to answer.
    pub fn answer(&self, asked: &Asked, result: Value) {
        self.wire.answer(&asked.id, &Ok(result));
    }

    /// Answers a card with a kind of option, `cancelled`, or any option id.
    pub fn decide(&self, card: &Asked, choice: &str) {
        self.answer(card, chosen(&card.params, choice));
    }

    /// Answers a request with an error.
    pub fn fail(&self, asked: &Asked, code: i64) {
        self.wire
            .answer(&asked.id, &Err((code, "the editor says no".to_owned())));
    }

    /// All requests of the agent of this method, in order.
    #[must_use]
    pub fn requests(&self, method: &str) -> Vec<Value> {
        let frames = self.since(0).into_iter();
        frames
            .filter(|frame| frame.method() == method)
            .map(|frame| frame.json["params"].clone())
            .collect()
    }

    /// Rules that were broken so far; a test that expects one looks here.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.wire.faults()
    }

    /// Closes the agent's input and waits for its end.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn leave(mut self) -> Left {
        let children = descendants(self.process.pid());
        let began = Instant::now();
        self.wire.close();
        let status = self.process.ended().await;
        let took = began.elapsed();
        within("the end of the agent's output", &mut self.reading)
            .await
            .expect("reading goes well");
        Left {
            status,
            took,
            errors: self.process.errors().await,
            survivors: survivors(children).await,
        }
    }

    /// Kills the agent as a crash would.
    pub async fn kill(mut self) {
        self.process.kill().await;
    }
}

/// Far more than the second that is promised, and far less than a child that nobody ends would live.
const DYING: Duration = Duration::from_secs(20);

/// Those that do not end. Whoever was killed still needs a moment of the processor for it.
async fn survivors(mut children: Vec<u32>) -> Vec<u32> {
    let began = Instant::now();
    children.retain(|child| is_alive(*child));
    while !children.is_empty() && began.elapsed() < DYING {
        pause().await;
        children.retain(|child| is_alive(*child));
    }
    children
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.reading.abort();
        let faults = self.wire.faults();
        if !faults.is_empty() && !std::thread::panicking() {
            panic!("the agent broke rules: {faults:#?}");
        }
    }
}
