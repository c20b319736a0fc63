//! `bash`: a shell command, waited for or left running in the background.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::event::{ToolContent, ToolProgress, TurnEvent};
use sidewire_agent::feed::TurnFeed;
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Reach, Roots, ShellCommand, ShellEnd, ShellExit, Watch, Workspace as _};

use super::call::{self, CallError, Described, clip_line};
use super::command_output::{ending, for_model, for_person, hint};
use super::jobs::JobTable;
use super::local_workspace::LocalWorkspace;
use super::shell::classify::{classify, looks};
use crate::process::Confined;

const NAME: &str = "bash";
const SECONDS: u64 = 120;
const MOST_SECONDS: u64 = 600;
/// Most bytes of a command: the system takes no longer argument.
const COMMAND: usize = 100 * 1024;

const OUTSIDE_SANDBOX: &str = "Run it without the sandbox, in which commands write only in the workspace, temporary folders \
                               and folders that the person configured (those that only read: nowhere), and do not read \
                               Sidewire's own. The person may be asked, so set it only for a command that failed for \
                               lack of it, or surely will";

/// The tool.
pub(crate) struct Bash {
    meta: ToolMeta,
    workspace: LocalWorkspace,
    jobs: Arc<JobTable>,
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
    #[serde(default)]
    run_in_background: bool,
    #[serde(default, deserialize_with = "call::number")]
    timeout_seconds: Option<u64>,
    #[serde(default)]
    outside_sandbox: bool,
}

impl Bash {
    /// The tool.
    pub(crate) fn new(workspace: LocalWorkspace, jobs: Arc<JobTable>) -> Self {
        let described = Described {
            name: NAME,
            label: "Run",
            description: "Runs a shell command in the working folder and gives what it printed, both streams as they came, \
                          and its exit status. Each call is a shell of its own: `cd` and variables do not last. It gets \
                          no input and no terminal, and whatever it leaves running is ended with it. For servers and \
                          long builds set `run_in_background`, then use bash_output, wait and kill_shell. To read, \
                          find, search or edit files use the other tools.",
            kind: ToolKind::Execute,
            read_only: false,
        };
        let meta = described.taking(&["command"], &arguments(workspace.confines()));
        Self {
            meta,
            workspace,
            jobs,
        }
    }

    async fn run(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        if asked.command.trim().is_empty() || asked.command.len() > COMMAND || asked.command.contains('\0') {
            return Err(CallError::Arguments(format!(
                "command must be text of 1 to {COMMAND} bytes"
            )));
        }
        let reach = self.reach(&asked);
        if asked.run_in_background {
            return self.start(&asked.command, reach).await;
        }
        let seconds = asked.timeout_seconds.unwrap_or(SECONDS).clamp(1, MOST_SECONDS);
        let workspace = call::workspace(call)?;
        let command = ShellCommand {
            command: asked.command,
            folder: workspace.roots().folder().to_owned(),
            reach,
            limit: Duration::from_secs(seconds),
            cancel: call.cancel.clone(),
        };
        let limit = command.limit;
        let watch = Arc::new(Progress::of(call));
        let end = workspace
            .run(command, Arc::clone(&watch) as Arc<dyn Watch>)
            .await?;
        let text = told(&end, limit, self.workspace.confined(reach).as_ref());
        Ok(output(text, &end.exit, watch.terminal_shown()))
    }

    /// How far a command may reach: as far as the gate was told.
    fn reach(&self, asked: &Arguments) -> Reach {
        if asked.outside_sandbox && self.workspace.confines() {
            return Reach::Everything;
        }
        // What nobody waits for is never just a look.
        if !asked.run_in_background && looks(&asked.command) {
            return Reach::Look;
        }
        Reach::Workspace
    }

    async fn start(&self, command: &str, reach: Reach) -> Result<ToolOutput, CallError> {
        let folder: PathBuf = self.workspace.roots().folder().to_owned();
        let id = self.jobs.start(command, &folder, reach).await?;
        Ok(ToolOutput::text(format!(
            "started in the background as {id}; bash_output reads what it prints, wait waits for it, kill_shell ends it"
        )))
    }
}

/// What it takes. Where nothing confines commands there is nothing to leave.
fn arguments(confines: bool) -> Value {
    let mut arguments = json!({
        "command": { "type": "string", "description": "What the shell is given" },
        "run_in_background": { "type": "boolean", "description": "Return at once and let it run" },
        "timeout_seconds": {
            "type": "integer", "minimum": 1, "maximum": MOST_SECONDS,
            "description": "It is killed after so long, 120 if not given; not in the background",
        },
    });
    if let Some(known) = arguments.as_object_mut().filter(|_| confines) {
        let leaving = json!({ "type": "boolean", "description": OUTSIDE_SANDBOX });
        known.insert("outside_sandbox".to_owned(), leaving);
    }
    arguments
}

/// What the model reads of a command that ended, and of what confined it.
fn told(end: &ShellEnd, limit: Duration, confined: Option<&Confined>) -> String {
    let output = for_model(&end.output);
    let mut text = output.trim_end_matches('\n').to_owned();
    if text.is_empty() {
        text.push_str("(no output)");
    }
    if end.truncated && !text.contains(" bytes left out ") {
        text.push_str("\n[some of the output is missing]");
    }
    let failed = end.exit != ShellExit::Code(0);
    let hint = confined.and_then(|confined| hint(confined, failed, &text));
    let ending = failed.then(|| ending(&end.exit, Some(limit)));
    let lines = [Some(text.as_str()), ending.as_deref(), hint];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The result, with what the person sees of it.
fn output(text: String, exit: &ShellExit, terminal: Option<String>) -> ToolOutput {
    let shown = terminal.map_or_else(|| for_person(&text), ToolContent::Terminal);
    ToolOutput {
        shown: vec![shown],
        is_error: *exit != ShellExit::Code(0),
        ..ToolOutput::text(text)
    }
}

/// Shows a command while it runs.
struct Progress {
    feed: Arc<TurnFeed>,
    call_id: String,
    // A std mutex: held to copy a name.
    terminal: Mutex<Option<String>>,
}

impl Progress {
    fn of(call: &ToolCallContext) -> Self {
        Self {
            feed: Arc::clone(&call.feed),
            call_id: call.call_id.clone(),
            terminal: Mutex::default(),
        }
    }

    fn show(&self, content: ToolContent) {
        self.feed.push(TurnEvent::ToolProgress(ToolProgress {
            call_id: self.call_id.clone(),
            name: NAME.to_owned(),
            content: vec![content],
            kept_arguments: None,
        }));
    }

    fn terminal_shown(&self) -> Option<String> {
        self.terminal
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Watch for Progress {
    fn output(&self, so_far: &str) {
        if self.terminal_shown().is_none() {
            self.show(for_person(so_far));
        }
    }

    fn terminal(&self, id: &str) {
        *self.terminal.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.to_owned());
        self.show(ToolContent::Terminal(id.to_owned()));
    }
}

#[async_trait::async_trait]
impl Tool for Bash {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        clip_line(call::word(arguments, "command").unwrap_or("Run a command"), 200)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        let command = call::word(arguments, "command").unwrap_or_default();
        let roots = roots.unwrap_or_else(|| self.workspace.roots());
        let mut intent = classify(command, roots, self.workspace.protected());
        // Arguments that cannot be read run nothing.
        let reach = call::read(arguments).map_or(Reach::Look, |asked| self.reach(&asked));
        if reach != Reach::Look && intent.class == Class::Read {
            intent.class = Class::Execute;
        }
        intent.unconfined = reach == Reach::Everything;
        intent
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.run(&call).await.unwrap_or_else(Into::into)
    }
}
