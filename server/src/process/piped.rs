//! A child that speaks on its standard streams as long as its owner wants: how it starts, and how it ends.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// How long a child may take to end by itself once its input is closed. All of it together is below a second, which
/// is what an editor waits for us.
const BY_ITSELF: Duration = Duration::from_millis(300);
/// How long it may take to end once it is asked to.
const WHEN_ASKED: Duration = Duration::from_millis(200);

/// What to start.
pub(crate) struct Piped<'a> {
    /// The program, looked up in the search path.
    pub(crate) program: &'a OsStr,
    /// Its arguments.
    pub(crate) args: &'a [String],
    /// What is added to our environment.
    pub(crate) env: &'a BTreeMap<String, String>,
    /// Where it runs.
    pub(crate) folder: &'a Path,
}

/// The three streams of a child.
pub(crate) struct Streams {
    /// What it reads.
    pub(crate) stdin: ChildStdin,
    /// What it says.
    pub(crate) stdout: ChildStdout,
    /// What it complains about; somebody has to read it.
    pub(crate) stderr: ChildStderr,
}

/// A running child with its group. Dropping it kills both.
pub(crate) struct PipedChild {
    child: Child,
    /// The id of its group; known even after the child itself is gone.
    group: Option<u32>,
}

impl Piped<'_> {
    /// Starts it in a group of its own.
    pub(crate) fn start(&self) -> io::Result<(PipedChild, Streams)> {
        let mut command = super::command(self.program);
        command
            .args(self.args)
            .envs(self.env)
            .current_dir(self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        let group = child.id();
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let streams = Streams {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: child.stdout.take().ok_or_else(missing)?,
            stderr: child.stderr.take().ok_or_else(missing)?,
        };
        Ok((PipedChild { child, group }, streams))
    }
}

impl PipedChild {
    /// Ends it, step by step; its input must be closed already. Nothing of its group is left when this returns.
    pub(crate) async fn end(mut self) {
        if !self.is_gone(BY_ITSELF).await {
            self.signal(Signal::Terminate);
            if !self.is_gone(WHEN_ASKED).await {
                self.signal(Signal::Kill);
                let _what_it_returned = self.child.wait().await;
            }
        }
        // The child is gone; what it started may not be. That happens on dropping.
    }

    async fn is_gone(&mut self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.child.wait()).await.is_ok()
    }

    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        use rustix::process::{Pid, kill_process_group};
        let group = self.group.and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = group {
            let _gone_already = kill_process_group(group, signal.into());
        }
    }

    #[cfg(not(unix))]
    fn signal(&mut self, _: Signal) {
        let _gone_already = self.child.start_kill();
    }
}

impl Drop for PipedChild {
    fn drop(&mut self) {
        self.signal(Signal::Kill);
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

#[cfg(unix)]
impl From<Signal> for rustix::process::Signal {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Terminate => Self::TERM,
            Signal::Kill => Self::KILL,
        }
    }
}
