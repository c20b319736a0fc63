//! The one place of the worker that starts processes (invariant 5): each in its own group, each with an end.

use std::ffi::OsStr;
use std::io;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::Command;

/// Runs a program to its end and gives what it printed; killed after `limit`.
pub(crate) async fn run_briefly(program: &OsStr, args: &[&OsStr], limit: Duration) -> io::Result<Output> {
    let mut command = command(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let running = command.spawn()?.wait_with_output();
    tokio::time::timeout(limit, running)
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Starts a worker that outlives us (the exception of invariant 5: it has its own lock, log and end).
pub(crate) fn start_worker(program: &OsStr) -> io::Result<()> {
    let mut command = command(program);
    command
        .args(["serve", "--detached"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().map(drop)
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that the lint points to"
)]
fn command(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    #[cfg(unix)]
    command.process_group(0);
    command
}
