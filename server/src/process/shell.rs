//! Shell commands: started in a group and a family of their own, heard while they run, and ended with everything they
//! started.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use sidewire_agent::workspace::{Program, Reach, ShellExit};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::output::Log;
use super::sandbox::{Bounds, without};

/// A family that is told to end is gone by then; what is not is killed as a group.
const FAREWELL: Duration = Duration::from_secs(1);
/// What was printed before the end is read in this time.
const DRAIN: Duration = Duration::from_millis(300);
/// Bytes that are read at once.
const CHUNK: usize = 16 * 1024;

/// Starts shell commands of one workspace.
#[derive(Clone, Debug)]
pub(crate) struct Launcher {
    /// Ourselves, to stand between us and the command; without it the command runs in its group, but not confined.
    pub(crate) program: Option<PathBuf>,
    /// Our file, for whoever starts us elsewhere.
    pub(crate) file: Option<PathBuf>,
    /// What commands may do to the disk.
    pub(crate) bounds: Bounds,
    /// Of the places to write in, those where commands that only look write too: they keep what they found there.
    pub(crate) caches: Vec<PathBuf>,
    /// Where they do not write, wherever they may.
    pub(crate) protected: Vec<PathBuf>,
}

/// A shell command that runs. Dropping it ends it and everything it started.
pub(crate) struct Running {
    child: Child,
    /// Held as long as the command may run: its family ends when this is closed.
    family: Option<ChildStdin>,
    output: Option<pipe::Receiver>,
    /// Its process group, as long as it is not ended.
    group: Option<Pid>,
    /// A family ends itself, and finds more than the group.
    has_family: bool,
}

/// How a command is confined.
#[derive(Clone, Debug)]
pub(crate) struct Confined {
    /// How far it reaches.
    pub(crate) reach: Reach,
    /// Commands write below these places, all but those that only look.
    pub(crate) write: Vec<PathBuf>,
}

/// When a command is ended early.
#[derive(Clone, Debug)]
pub(crate) struct Until {
    /// After this time.
    pub(crate) limit: Option<Duration>,
    /// When this fires.
    pub(crate) cancel: CancellationToken,
}

impl Launcher {
    /// Whether anything confines commands here.
    pub(crate) fn confines(&self) -> bool {
        self.program.is_some() && super::sandbox().is_some()
    }

    /// How a command of this reach is confined; `None` when it is not.
    pub(crate) fn confined(&self, reach: Reach) -> Option<Confined> {
        let is_confined = reach != Reach::Everything && self.confines();
        is_confined.then(|| Confined {
            reach,
            write: self.bounds.write.clone(),
        })
    }

    /// Starts a command in a folder that is named without links; both its output streams are one, so that they come in
    /// their order. Blocks on the disk.
    pub(crate) fn start(&self, command: &str, folder: &Path, reach: Reach) -> io::Result<Running> {
        if !stays(folder) {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, Moved));
        }
        let (reader, writer) = io::pipe()?;
        let ourselves = self.program.as_deref();
        let between = ourselves.map(|program| self.between(program, reach));
        let has_family = between.is_some();
        let mut words = between.into_iter().flatten().chain(spoken(command));
        let program = words.next().unwrap_or_default();
        let (mut starting, stdin) = if has_family {
            (super::family(&program), Stdio::piped())
        } else {
            (super::command(&program), Stdio::null())
        };
        starting
            .args(words)
            .current_dir(folder)
            .envs(environment(reach))
            .stdin(stdin)
            .stdout(writer.try_clone()?)
            .stderr(writer);
        let mut child = starting.spawn()?;
        // Holds our copies of the writing end: without them the reading end sees the end.
        drop(starting);
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Ok(Running {
            family: child.stdin.take(),
            child,
            output: Some(pipe::Receiver::from_owned_fd(reader.into())?),
            group,
            has_family,
        })
    }

    /// What runs a command when somebody else starts it in this folder; `None` when the folder is no longer where it
    /// was, or we are what confines the command and cannot be started there. Blocks on the disk.
    ///
    /// Whoever starts it may show the command line to a person: it holds the command, and the rest is set for it.
    pub(crate) fn elsewhere(&self, command: &str, folder: &Path, reach: Reach) -> Option<Program> {
        if !stays(folder) {
            return None;
        }
        let mut variables: Vec<_> = environment(reach).collect();
        let mut words = Vec::new();
        if let Some(bounds) = self.bounds(reach).filter(|_| self.confines()) {
            words.extend([self.lasting_file()?.into(), "confined".into(), "--".into()]);
            variables.push((Bounds::VARIABLE.to_owned(), bounds.variable()?));
        }
        variables.sort();
        words.extend(spoken(command));
        let mut words = words.into_iter().map(|word| word.into_string().ok());
        Some(Program {
            program: words.next()??,
            arguments: words.collect::<Option<_>>()?,
            variables,
        })
    }

    /// Our file, unless a command could put another in its place, which would then be started unconfined.
    fn lasting_file(&self) -> Option<&Path> {
        let file = self.file.as_deref()?;
        let is_replaceable = self.bounds.write.iter().any(|place| file.starts_with(place));
        (!is_replaceable).then_some(file)
    }

    /// Ourselves, told what the command behind may do.
    fn between(&self, program: &Path, reach: Reach) -> Vec<OsString> {
        let mut words = vec![program.into(), "confined".into(), "--watch".into()];
        match self.bounds(reach) {
            Some(bounds) => words.extend(bounds.arguments()),
            None => words.push("--anywhere".into()),
        }
        words.push("--".into());
        words
    }

    /// What a command of this reach may do to the disk; `None` for whatever it likes.
    fn bounds(&self, reach: Reach) -> Option<Bounds> {
        Some(Bounds {
            write: without(self.writes(reach)?, &self.protected),
            ..self.bounds.clone()
        })
    }

    fn writes(&self, reach: Reach) -> Option<&[PathBuf]> {
        match reach {
            Reach::Look => Some(&self.caches),
            Reach::Workspace => Some(&self.bounds.write),
            Reach::Everything => None,
        }
    }
}

/// Why a command is not started in a folder.
#[derive(Debug, thiserror::Error)]
#[error("the folder is no longer where it was")]
struct Moved;

/// Whether a folder that is named without links is where its name says. A command may have moved it and put a link in
/// its place, to have the next one run where the link leads.
fn stays(folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|real| real == folder)
}

/// The shell and what it is given.
fn spoken(command: &str) -> [OsString; 3] {
    [shell().into(), "-c".into(), command.into()]
}

/// What is set for a command. They cannot answer questions, and nobody turns pages for them or edits a message. They
/// mean what their words say: nothing is read first, `cd` goes nowhere else, patterns stand for no more.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("SIDEWIRE", "1"),
    ("BASH_ENV", ""),
    ("ENV", ""),
    ("CDPATH", ""),
    ("BASHOPTS", ""),
    ("SHELLOPTS", ""),
    ("GLOBIGNORE", ""),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// Git runs no program that a folder in the workspace names for a look, also not one that poses as a repository.
const LOOKING_GIT: [(&str, &str); 2] = [("safe.bareRepository", "explicit"), ("core.fsmonitor", "false")];

/// The variables of a command: for one that looks with those for git, behind what the person has set that way.
fn environment(reach: Reach) -> impl Iterator<Item = (String, String)> {
    const COUNT: &str = "GIT_CONFIG_COUNT";
    let named = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let known = std::env::var(COUNT).ok().and_then(|count| count.parse().ok());
    let first: usize = known.unwrap_or(0);
    let looking = LOOKING_GIT.iter().zip(first..).flat_map(|((key, value), at)| {
        [
            (format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()),
            (format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()),
        ]
    });
    let count = (COUNT.to_owned(), (first + LOOKING_GIT.len()).to_string());
    let for_git = (reach == Reach::Look).then(|| looking.chain([count]));
    ENVIRONMENT.iter().map(named).chain(for_git.into_iter().flatten())
}

/// The shell that commands are written for: bash where there is one.
pub(crate) fn shell() -> &'static str {
    const BASH: &str = "/bin/bash";
    if Path::new(BASH).exists() { BASH } else { "/bin/sh" }
}

impl Running {
    /// Follows the command to its end, which comes early when `until` says so. Everything it started is gone then.
    pub(crate) async fn follow(mut self, until: Until, log: &Log) -> ShellExit {
        let mut chunk = vec![0; CHUNK];
        let deadline = until.limit.map(|limit| Instant::now() + limit);
        let late = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(late);
        let exit = loop {
            tokio::select! {
                biased;
                () = until.cancel.cancelled() => break ShellExit::Cancelled,
                () = &mut late => break ShellExit::TimedOut,
                read = read(&mut self.output, &mut chunk) => match read {
                    Some(bytes) => log.push(bytes),
                    None => self.output = None,
                },
                ended = self.child.wait() => break ended.map_or(ShellExit::Signal("unknown".to_owned()), exit_of),
            }
        };
        self.end().await;
        let _as_much_as_came = timeout(DRAIN, async {
            while let Some(bytes) = read(&mut self.output, &mut chunk).await {
                log.push(bytes);
            }
        })
        .await;
        exit
    }

    /// Ends the command and everything it started.
    async fn end(&mut self) {
        drop(self.family.take());
        if !self.has_family {
            self.kill_group();
        }
        if timeout(FAREWELL, self.child.wait()).await.is_err() {
            let _gone_meanwhile = self.child.kill().await;
        }
        // What a family did not end: a command may have killed the one in between.
        self.kill_group();
    }

    /// What is left in the group holds its number, so that it is still the right one.
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            let _gone_already = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_family {
            self.kill_group();
        }
    }
}

/// The next bytes; `None` when there will be none. Waits for ever once that was said.
async fn read<'a>(output: &mut Option<pipe::Receiver>, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
    let Some(pipe) = output else {
        return std::future::pending().await;
    };
    match pipe.read(chunk).await {
        Ok(0) | Err(_) => None,
        Ok(count) => chunk.get(..count),
    }
}

fn exit_of(status: ExitStatus) -> ShellExit {
    use std::os::unix::process::ExitStatusExt as _;

    match (status.code(), status.signal().and_then(Signal::from_named_raw)) {
        (Some(code), _) => ShellExit::Code(code),
        (None, Some(signal)) => ShellExit::Signal(name_of(signal)),
        (None, None) => ShellExit::Signal("unknown".to_owned()),
    }
}

fn name_of(signal: Signal) -> String {
    let known = [
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::HUP, "SIGHUP"),
        (Signal::ILL, "SIGILL"),
        (Signal::INT, "SIGINT"),
        (Signal::KILL, "SIGKILL"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::TERM, "SIGTERM"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::XCPU, "SIGXCPU"),
    ];
    let name = known.iter().find(|(known, _)| *known == signal);
    name.map_or_else(
        || format!("signal {}", signal.as_raw()),
        |(_, name)| (*name).to_owned(),
    )
}

#[cfg(test)]
mod tests;
