//! The one place of the worker that starts processes (invariant 5): each in its own group, each with an end.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Output, Stdio};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdout, Command};

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

/// A program that turns its input into output which is read as it comes. Dropping it kills it and its children.
pub(crate) struct Filter {
    child: Child,
    /// What it prints.
    pub(crate) output: ChildStdout,
}

/// Starts a filter with nothing of our environment but the search path; what it complains about is not kept.
pub(crate) fn start_filter(program: &OsStr, args: &[OsString], input: Option<Bytes>) -> io::Result<Filter> {
    let mut command = command(program);
    command
        .args(args)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = command.spawn()?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // Ends with the filter: then nobody reads the pipe any more.
        tokio::spawn(async move {
            let _it_may_stop_reading = stdin.write_all(&input).await;
        });
    }
    Ok(Filter { child, output })
}

impl Filter {
    /// Waits for its end; whether it went well.
    pub(crate) async fn ended_well(&mut self) -> io::Result<bool> {
        Ok(self.child.wait().await?.success())
    }
}

impl Drop for Filter {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self
            .child
            .id()
            .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()))
        {
            // Its children, if it has any; the filter itself is killed by its handle all the same.
            let _gone_already = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
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
