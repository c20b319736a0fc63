//! Starts the worker, detached: it outlives the host and serves every other one too.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::time::Instant;

/// A worker that found another one running ends at once; this is how long the other one is given before the next try.
const PAUSE: Duration = Duration::from_millis(500);

const PROGRAM: &str = "sidewire";

/// Why the worker was not started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// It is neither beside the host nor on the search path.
    #[error("program {PROGRAM} was not found")]
    NotInstalled,
    /// The system refused.
    #[error("failed to start {PROGRAM}")]
    Refused(#[source] io::Error),
    /// It ended with an error.
    #[error("worker ended at once")]
    Failed,
}

/// The one that starts workers while none is there.
#[derive(Default)]
pub(crate) struct Starter {
    started: Option<(Child, Instant)>,
}

impl Starter {
    /// Starts a worker, unless the last one that was started may still come up.
    pub(crate) fn ensure(&mut self) -> Result<(), StartError> {
        if let Some((child, since)) = &mut self.started {
            match child.try_wait().map_err(StartError::Refused)? {
                Some(status) if !status.success() => return Err(StartError::Failed),
                Some(_) if since.elapsed() >= PAUSE => {}
                Some(_) | None => return Ok(()),
            }
        }
        self.started = Some((spawn()?, Instant::now()));
        Ok(())
    }

    /// Whether the worker that was started ended because another one runs, and that one had time to come up.
    pub(crate) fn was_superfluous(&mut self) -> bool {
        self.started.as_mut().is_some_and(|(child, since)| {
            since.elapsed() >= PAUSE && child.try_wait().is_ok_and(|status| status.is_some())
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the detached worker is the one process that does not die with its owner"
)]
fn spawn() -> Result<Child, StartError> {
    let mut command = Command::new(program());
    command.args(["serve", "--detached"]);
    // A group of its own: browsers end the host with its whole group.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    command.spawn().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            StartError::NotInstalled
        } else {
            StartError::Refused(error)
        }
    })
}

/// The worker beside us is the one we were installed with; otherwise the search path decides.
fn program() -> PathBuf {
    let host = std::env::current_exe().and_then(std::fs::canonicalize);
    let beside = host
        .map(|host| host.with_file_name(PROGRAM))
        .ok()
        .filter(|path| path.is_file());
    beside.unwrap_or_else(|| PROGRAM.into())
}
