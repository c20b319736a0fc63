//! Commands in terminals of the editor: created, waited for, read and always released, whatever becomes of the turn.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CreateTerminalRequest, CreateTerminalResponse, EnvVariable, KillTerminalRequest,
    KillTerminalResponse, ReleaseTerminalRequest, ReleaseTerminalResponse, TerminalExitStatus, TerminalId,
    TerminalOutputRequest, TerminalOutputResponse, WaitForTerminalExitRequest, WaitForTerminalExitResponse,
};
use sidewire_agent::workspace::{Program, ShellCommand, ShellEnd, ShellExit, Watch, WorkspaceError};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Client, ClientWorkspace};
use crate::rpc::CallError;

/// Stands behind output of which the editor kept the end only.
const TRUNCATED: &str = "\n…(output truncated by the client terminal)";
/// Most bytes of output that the editor keeps for us.
const OUTPUT: u64 = 1024 * 1024;
/// Whatever an editor is asked to do with a terminal that is there, but waiting for its end, takes less.
const PATIENCE: Duration = Duration::from_secs(10);
/// A command that was killed is over by then.
const DYING: Duration = Duration::from_secs(2);
/// A terminal that is not in view by then will hardly be.
const IN_VIEW: Duration = Duration::from_secs(2);

/// Which of the terminals that are open are in view: a client goes on showing a released one only if it was.
#[derive(Default)]
pub(in crate::acp) struct Terminals {
    in_view: watch::Sender<HashMap<String, bool>>,
}

impl Terminals {
    /// The client has been sent this terminal as part of a tool call.
    pub(in crate::acp) fn show(&self, id: &str) {
        self.in_view.send_if_modified(|open| match open.get_mut(id) {
            Some(in_view) => !std::mem::replace(in_view, true),
            None => false,
        });
    }

    fn open(&self, id: &str) {
        self.in_view
            .send_modify(|open| _ = open.insert(id.to_owned(), false));
    }

    /// Resolves once this terminal is in view.
    async fn shown(&self, id: &str) {
        let mut in_view = self.in_view.subscribe();
        // The sender is `self`, so that it cannot be gone.
        let _always = in_view.wait_for(|open| open.get(id) == Some(&true)).await;
    }

    fn close(&self, id: &str) {
        self.in_view.send_modify(|open| _ = open.remove(id));
    }
}

impl ClientWorkspace {
    /// Runs a command in a terminal; `None` when the editor refuses to create one.
    ///
    /// The run is a task of its own, so that a turn which is dropped leaves no terminal behind, and neither does one
    /// that is over before the editor has created it: the task ends with the command's limit, or with the answer of
    /// the editor when that is later, or with the connection.
    pub(super) async fn run_in_terminal(
        &self,
        command: &ShellCommand,
        program: Program,
        watch: Arc<dyn Watch>,
    ) -> Result<Option<ShellEnd>, WorkspaceError> {
        let stop = command.cancel.child_token();
        let _over_means_stopped = stop.clone().drop_guard();
        let until = Until {
            stop,
            deadline: Instant::now() + command.limit,
        };
        let run = Run {
            client: self.client.clone(),
            terminals: self.terminals(),
            until: until.clone(),
            watch,
        };
        let (answered, answer) = oneshot::channel();
        let creation = self.creation(command, program).await;
        let running = tokio::spawn(run.whole(creation, answered));
        tokio::select! {
            biased;
            _or_failed = answer => {}
            exit = until.fires() => return Ok(Some(never_ran(exit))),
        }
        match running.await {
            Ok(Ok(end)) => Ok(end),
            Ok(Err(CallError::Closed(_))) => Err(WorkspaceError::Cancelled),
            // The command may run, or have run: running it again could do harm.
            Ok(Err(CallError::Cancelled | CallError::Malformed | CallError::Refused { .. })) | Err(_) => {
                Err(WorkspaceError::Editor {
                    action: "run a command in",
                    path: command.folder.clone(),
                })
            }
        }
    }

    /// The command as a program and its arguments: not every editor has a shell of its own between.
    async fn creation(&self, command: &ShellCommand, program: Program) -> CreateTerminalRequest {
        let variables = program.variables.into_iter();
        CreateTerminalRequest::new(self.client.session.clone(), program.program)
            .args(program.arguments)
            .env(
                variables
                    .map(|(name, value)| EnvVariable::new(name, value))
                    .collect(),
            )
            .cwd(self.client.spelling.led_to(&command.folder).await)
            .output_byte_limit(OUTPUT)
    }
}

/// When a command is ended early.
#[derive(Clone)]
struct Until {
    stop: CancellationToken,
    deadline: Instant,
}

impl Until {
    /// Resolves when the command is to be ended, and says why.
    async fn fires(&self) -> ShellExit {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => ShellExit::Cancelled,
            () = tokio::time::sleep_until(self.deadline) => ShellExit::TimedOut,
        }
    }
}

/// A command of which the editor had not yet said that it runs when it was to end.
fn never_ran(exit: ShellExit) -> ShellEnd {
    ShellEnd {
        output: String::new(),
        truncated: false,
        exit,
    }
}

/// A command that runs in a terminal.
struct Run {
    client: Client,
    terminals: Arc<Terminals>,
    until: Until,
    watch: Arc<dyn Watch>,
}

impl Run {
    /// From its creation to its release; `None` when the editor creates none. Creating is waited for however long it
    /// takes: nobody else would know what to end and release.
    async fn whole(
        self,
        request: CreateTerminalRequest,
        answered: oneshot::Sender<()>,
    ) -> Result<Option<ShellEnd>, CallError> {
        let method = CLIENT_METHOD_NAMES.terminal_create;
        let never = CancellationToken::new();
        let created = self.client.peer.request(method, &request, &never).await;
        let id = match created {
            Ok(CreateTerminalResponse { terminal_id, .. }) => terminal_id,
            Err(CallError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let _over_already = answered.send(());
        self.terminals.open(&id.0);
        self.watch.terminal(&id.0);
        let exit = self.wait(&id).await;
        let end = self.read(&id, exit).await;
        // Before it is gone; not when nobody is there any more who would be shown it.
        tokio::select! {
            () = self.until.stop.cancelled() => {}
            () = tokio::time::sleep(IN_VIEW) => {}
            () = self.terminals.shown(&id.0) => {}
        }
        self.release(&id).await;
        end.map(Some)
    }

    /// Waits for the end of the command, and makes one when it takes too long or is stopped.
    async fn wait(&self, id: &TerminalId) -> Result<ShellExit, CallError> {
        let request = WaitForTerminalExitRequest::new(self.client.session.clone(), id.clone());
        let method = CLIENT_METHOD_NAMES.terminal_wait_for_exit;
        let never = CancellationToken::new();
        let waiting = self.client.peer.request(method, &request, &never);
        let mut waiting = std::pin::pin!(waiting);
        let ended: Result<WaitForTerminalExitResponse, _> = tokio::select! {
            biased;
            ended = &mut waiting => ended,
            forced = self.until.fires() => {
                self.kill(id).await;
                // It ends now, with all that it printed.
                let _killed = tokio::time::timeout(DYING, waiting).await;
                return Ok(forced);
            }
        };
        match ended {
            Ok(ended) => Ok(exit(ended.exit_status)),
            Err(error) => {
                self.kill(id).await;
                Err(error)
            }
        }
    }

    async fn kill(&self, id: &TerminalId) {
        let request = KillTerminalRequest::new(self.client.session.clone(), id.clone());
        let method = CLIENT_METHOD_NAMES.terminal_kill;
        let killed: Result<KillTerminalResponse, _> = self.client.ask(method, &request, PATIENCE).await;
        if let Err(error) = killed {
            tracing::debug!(%error, "the editor did not kill a command");
        }
    }

    /// What it printed. Output that cannot be read is missing output, not a command that failed.
    async fn read(&self, id: &TerminalId, exit: Result<ShellExit, CallError>) -> Result<ShellEnd, CallError> {
        let request = TerminalOutputRequest::new(self.client.session.clone(), id.clone());
        let method = CLIENT_METHOD_NAMES.terminal_output;
        let output: Result<TerminalOutputResponse, _> = self.client.ask(method, &request, PATIENCE).await;
        let exit = exit?;
        let (output, truncated) = match output {
            Ok(read) if read.truncated => (read.output + TRUNCATED, true),
            Ok(read) => (read.output, false),
            Err(_) => (String::new(), true),
        };
        Ok(ShellEnd {
            output,
            truncated,
            exit,
        })
    }

    async fn release(&self, id: &TerminalId) {
        self.terminals.close(&id.0);
        let request = ReleaseTerminalRequest::new(self.client.session.clone(), id.clone());
        let method = CLIENT_METHOD_NAMES.terminal_release;
        let released: Result<ReleaseTerminalResponse, _> = self.client.ask(method, &request, PATIENCE).await;
        if let Err(error) = released {
            tracing::debug!(%error, "the editor did not release a terminal");
        }
    }
}

/// How a command ended by itself. An editor that says neither has lost it.
fn exit(status: TerminalExitStatus) -> ShellExit {
    match (status.signal, status.exit_code) {
        (Some(signal), _) => ShellExit::Signal(signal),
        (None, Some(code)) => ShellExit::Code(code.cast_signed()),
        (None, None) => ShellExit::Signal("unknown".to_owned()),
    }
}
