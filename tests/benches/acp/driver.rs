//! Drives an agent over its standard streams as fast as an editor could, and looks at the clock.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use sidewire_tests::{Home, descendants};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::agent::Agent;
use crate::provider::{self, Pace};

/// An agent that has not ended by then is killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running agent.
pub(crate) struct Driver {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    began: Instant,
    calls: u64,
}

/// How an agent came up.
pub(crate) struct Opened {
    pub(crate) session: String,
    pub(crate) initialize: Duration,
    pub(crate) new: Duration,
}

/// How a turn went.
#[derive(Default)]
pub(crate) struct TurnSeen {
    pub(crate) first: Option<Duration>,
    pub(crate) took: Duration,
    pub(crate) characters: usize,
    pub(crate) chunks: usize,
    pub(crate) delays_us: Vec<f64>,
}

impl Driver {
    #[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
    pub(crate) async fn start(agent: Agent, home: &Home, url: &str, pace: Pace) -> Self {
        agent.configure(home, url, pace);
        let (program, args) = agent.program().expect("the agent is installed");
        let began = Instant::now();
        let mut child = Command::new(program)
            .args(args)
            .current_dir(home.path())
            .env("HOME", home.path())
            .envs(agent.environment(home.path()))
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("the agent starts");
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            began,
            calls: 0,
        }
    }

    /// `initialize` and `session/new`.
    pub(crate) async fn open(&mut self, folder: &Path) -> Opened {
        let client = json!({ "protocolVersion": 1, "clientCapabilities": {} });
        self.call("initialize", client, |_| {}).await;
        let initialize = self.began.elapsed();
        let began = Instant::now();
        let place = json!({ "cwd": folder, "mcpServers": [] });
        let answer = self.call("session/new", place, |_| {}).await;
        let new = began.elapsed();
        let session = answer.get("sessionId").and_then(Value::as_str);
        Opened {
            session: session.expect("a session").to_owned(),
            initialize,
            new,
        }
    }

    /// One turn.
    pub(crate) async fn prompt(&mut self, session: &str) -> TurnSeen {
        let mut seen = TurnSeen::default();
        let began = Instant::now();
        let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "go" }] });
        self.call("session/prompt", prompt, |update| seen.take(update, began))
            .await;
        seen.took = began.elapsed();
        seen
    }

    async fn call(&mut self, method: &str, params: Value, mut on_update: impl FnMut(&Value)) -> Value {
        self.calls += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params });
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line).await.unwrap();
            assert!(read > 0, "the agent ended during {method}");
            let mut frame: Value = serde_json::from_str(&line).unwrap();
            if frame.get("method").is_some() {
                on_update(&frame);
            } else if frame.get("id").and_then(Value::as_u64) == Some(self.calls) {
                assert!(frame.get("error").is_none(), "{method}: {frame}");
                return frame.get_mut("result").map(Value::take).unwrap_or_default();
            }
        }
    }

    /// The most memory that it and all it started have held, added up, in MiB.
    pub(crate) fn peak_mib(&self) -> f64 {
        let own = self.child.id().unwrap();
        let all = std::iter::once(own).chain(descendants(own));
        all.filter_map(peak_kib).sum::<f64>() / 1_024.0
    }

    /// Ends its input; how long it went on, `None` when it had to be killed.
    pub(crate) async fn end(mut self) -> Option<Duration> {
        let group = self.child.id();
        let began = Instant::now();
        drop(self.input.take());
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await.is_ok();
        let took = began.elapsed();
        if let Some(group) = group.and_then(|id| Pid::from_raw(id.cast_signed())) {
            let _nothing_is_left = rustix::process::kill_process_group(group, Signal::KILL);
        }
        ended.then_some(took)
    }
}

impl TurnSeen {
    fn take(&mut self, notification: &Value, began: Instant) {
        let Some(update) = notification.pointer("/params/update") else {
            return;
        };
        if update.get("sessionUpdate").and_then(Value::as_str) != Some("agent_message_chunk") {
            return;
        }
        let text = update
            .pointer("/content/text")
            .and_then(Value::as_str)
            .unwrap_or_default();
        // An agent may say something of its own first; the model says `x` or a stamp.
        if !text.starts_with(['x', '|']) {
            return;
        }
        self.first.get_or_insert_with(|| began.elapsed());
        self.chunks += 1;
        self.characters += text.len();
        self.delays_us.extend(provider::delays_us(text));
    }
}

fn peak_kib(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").trim().parse().ok()
}
