//! The one place of the worker that starts processes (invariant 5): each in its own group or session, each with an end.
//!
//! Shell commands ([`shell`]) and programs that speak with us ([`piped`]) run below a process of ours ([`family`]) that
//! ends them all when we are gone, however we went; commands are confined by the kernel ([`sandbox`]) where it can.

mod family;
mod output;
mod piped;
mod sandbox;
mod shell;
#[cfg(test)]
pub(crate) mod test_program;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use bytes::Bytes;

pub(crate) use family::{become_program, run_family, run_speaking};
pub(crate) use output::Log;
pub(crate) use piped::{Piped, PipedChild};
pub(crate) use sandbox::{Bounds, confine, real, sandbox};
pub(crate) use shell::{Confined, Launcher, Running, Until};

use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdout, Command};

/// Ourselves, to stand between us and a child: as the system knows us even when our file has been replaced by a newer
/// one meanwhile.
pub(crate) fn ourselves() -> Option<PathBuf> {
    const OURSELVES: &str = "/proc/self/exe";
    let known = Some(PathBuf::from(OURSELVES)).filter(|ourselves| ourselves.exists());
    known.or_else(our_file)
}

/// Our file, for whoever starts us elsewhere (which [`Launcher::elsewhere`] does not let happen where commands could
/// replace it); one that was replaced is named as one that does not exist.
pub(crate) fn our_file() -> Option<PathBuf> {
    std::env::current_exe().ok().filter(|file| file.exists())
}

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

/// Most memory of a filter, where the system can be told so after its start (Linux).
#[cfg(target_os = "linux")]
const FILTER_MEMORY: u64 = 1024 * 1024 * 1024;

/// Whether a filter can read what it is given in any order, as a file that lies nowhere; else it is a pipe.
pub(crate) const INPUT_IS_FILE: bool = cfg!(target_os = "linux");

/// A program that turns its input into output which is read as it comes. Dropping it kills it and its children.
pub(crate) struct Filter {
    child: Child,
    /// What it prints.
    pub(crate) output: BufReader<ChildStdout>,
}

/// Starts a filter with nothing of our environment but the search path; what it complains about is not kept.
pub(crate) async fn start_filter(
    program: &OsStr,
    args: &[OsString],
    input: Option<Bytes>,
) -> io::Result<Filter> {
    let (stdin, piped) = match input {
        None => (Stdio::null(), None),
        Some(bytes) if INPUT_IS_FILE => (file_of(bytes).await?, None),
        Some(bytes) => (Stdio::piped(), Some(bytes)),
    };
    let mut command = command(program);
    command
        .args(args)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = command.spawn()?;
    #[cfg(target_os = "linux")]
    bound_memory(&child);
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    if let (Some(mut stdin), Some(bytes)) = (child.stdin.take(), piped) {
        // Ends with the filter: then nobody reads the pipe any more.
        tokio::spawn(async move {
            let _it_may_stop_reading = stdin.write_all(&bytes).await;
        });
    }
    let output = BufReader::with_capacity(64 * 1024, output);
    Ok(Filter { child, output })
}

/// A file in memory, which no folder names and no disk holds.
#[cfg(target_os = "linux")]
async fn file_of(bytes: Bytes) -> io::Result<Stdio> {
    use std::io::{Seek as _, Write as _};
    let writing = tokio::task::spawn_blocking(move || {
        let file = rustix::fs::memfd_create("input", rustix::fs::MemfdFlags::CLOEXEC)?;
        let mut file = std::fs::File::from(file);
        file.write_all(&bytes)?;
        file.rewind()?;
        Ok(file.into())
    });
    writing.await.map_err(io::Error::other)?
}

#[cfg(not(target_os = "linux"))]
async fn file_of(_: Bytes) -> io::Result<Stdio> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Between fork and exec nothing may be set without `unsafe`; just after its start is soon enough.
#[cfg(target_os = "linux")]
fn bound_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let Some(id) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) else {
        return;
    };
    let limit = Rlimit {
        current: Some(FILTER_MEMORY),
        maximum: Some(FILTER_MEMORY),
    };
    if let Err(error) = prlimit(Some(id), Resource::As, limit) {
        tracing::debug!(%error, "the memory of a filter is not bounded");
    }
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

/// A program in our own group, waited for by this thread.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that the lint points to"
)]
fn member(program: &OsStr) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    // It is for us.
    command.env_remove(Bounds::VARIABLE);
    command
}

/// A program in a group of its own.
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

/// Ourselves, to become a family: that makes a session of its own, which the leader of a group could not.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that the lint points to"
)]
fn family(ourselves: &OsStr) -> Command {
    Command::new(ourselves)
}
