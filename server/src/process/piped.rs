//! A child that speaks on its standard streams as long as its owner wants: how it starts, and how it ends.
//!
//! Ourselves stand between ([`super::family`]), so that it ends with its family whatever ends us. What it complains on
//! is a socket, whose other direction tells the one in between to ask it to end, and that we are gone.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// How long a child may take to end by itself once its input is closed. All of it together is below a second, which
/// is what an editor waits for us.
const BY_ITSELF: Duration = Duration::from_millis(300);
/// How long it may take to end once it is asked to.
const WHEN_ASKED: Duration = Duration::from_millis(200);
/// A family that is told to end is gone by then; what is not is killed as a group.
const FAREWELL: Duration = Duration::from_secs(1);
/// What the one in between understands as the wish that the program ends; any byte would do.
const END: &[u8] = b"e";

/// What to start.
pub(crate) struct Piped<'a> {
    /// Ourselves, to stand between; without it the child is in a group of its own and nothing more.
    pub(crate) family: Option<&'a Path>,
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
    pub(crate) stderr: OwnedReadHalf,
}

/// A running child with everything it started. Dropping it ends all of them.
pub(crate) struct PipedChild {
    child: Child,
    /// The id of its group; known even after the child itself is gone.
    group: Option<u32>,
    /// The way to the one in between: its family ends when this is closed.
    family: Option<OwnedWriteHalf>,
}

impl Piped<'_> {
    /// Starts it.
    pub(crate) fn start(&self) -> io::Result<(PipedChild, Streams)> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let (stderr, owner) = UnixStream::from_std(ours)?.into_split();
        let mut command = self.command()?;
        command
            .args(self.args)
            .envs(self.env)
            .current_dir(self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(OwnedFd::from(theirs)));
        let mut child = command.spawn()?;
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let streams = Streams {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: child.stdout.take().ok_or_else(missing)?,
            stderr,
        };
        let child = PipedChild {
            group: child.id(),
            child,
            family: self.family.map(|_| owner),
        };
        Ok((child, streams))
    }

    /// The program itself, or ourselves with the program.
    fn command(&self) -> io::Result<Command> {
        let Some(family) = self.family else {
            return Ok(super::command(self.program));
        };
        if !self.is_found() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let mut command = super::family(family.as_os_str());
        command.args(["confined", "--speaks", "--"]).arg(self.program);
        Ok(command)
    }

    /// Whether there is such a program. The one in between would find out too, but could not say so.
    fn is_found(&self) -> bool {
        let program = Path::new(self.program);
        if program.components().count() > 1 {
            return self.folder.join(program).exists();
        }
        let path = self.env.get("PATH").map(Into::into);
        let path = path.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        std::env::split_paths(&path).any(|place| self.folder.join(place).join(program).is_file())
    }
}

impl PipedChild {
    /// Ends it, step by step; its input must be closed already. Nothing of it is left when this returns, which is the
    /// exit status of one that ended by itself.
    pub(crate) async fn end(mut self) -> Option<i32> {
        let by_itself = self.is_gone(BY_ITSELF).await;
        if !by_itself {
            self.ask_to_end().await;
            if !self.is_gone(WHEN_ASKED).await && self.family.take().is_some() {
                self.is_gone(FAREWELL).await;
            }
        }
        // What a family did not end: a program may have killed the one in between. And what a program leaves behind.
        self.signal(Signal::Kill);
        let status = self.child.wait().await.ok()?;
        status.code().filter(|_| by_itself)
    }

    async fn is_gone(&mut self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.child.wait()).await.is_ok()
    }

    async fn ask_to_end(&mut self) {
        match &mut self.family {
            // One byte always has room.
            Some(family) => drop(family.write_all(END).await),
            None => self.signal(Signal::Terminate),
        }
    }

    fn signal(&self, signal: Signal) {
        use rustix::process::{Pid, kill_process_group};
        let group = self.group.and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = group {
            let _gone_already = kill_process_group(group, signal.into());
        }
    }
}

impl Drop for PipedChild {
    fn drop(&mut self) {
        // A family ends by itself as this is dropped, and finds more than the group.
        if self.family.is_none() {
            self.signal(Signal::Kill);
        }
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

impl From<Signal> for rustix::process::Signal {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Terminate => Self::TERM,
            Signal::Kill => Self::KILL,
        }
    }
}
