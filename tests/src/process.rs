//! Starts the programs under test and ends them again, exactly those.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::within;

/// The program of this name that was built beside the test.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test has no file");
    // target/debug/deps/it-… → target/debug/NAME
    let folder = test.ancestors().nth(2).expect("the test lies in target/…/deps");
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} is missing; run `cargo build --workspace` first",
        path.display()
    );
    path
}

/// Puts a copy of a program that was built beside the test where it may be executed.
///
/// Another program copies it: a child that this process starts meanwhile would hold our own writing descriptor until it
/// is the program it is to be, and what is open for writing cannot be executed.
///
/// # Panics
/// When it cannot be copied.
#[expect(clippy::disallowed_methods, reason = "this is where tests start processes")]
pub async fn copy_program(name: &str, to: &Path) {
    let copied = Command::new("cp").arg(program(name)).arg(to).status().await;
    assert!(
        copied.is_ok_and(|status| status.success()),
        "{name} is not copied"
    );
}

/// A command that inherits nothing that could reach the person's own Sidewire.
#[expect(clippy::disallowed_methods, reason = "this is where tests start processes")]
pub(crate) fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    for name in [
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "SIDEWIRE_LOG",
    ] {
        command.env_remove(name);
    }
    command
        .env("SIDEWIRE_HOME", home)
        .env("HOME", home)
        // What programs say is compared in English.
        .env("LC_ALL", "C")
        .env_remove("LANGUAGE")
        .env_remove("XDG_CONFIG_HOME")
        .kill_on_drop(true);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A running program: killed when dropped, its standard error shown when the test fails.
pub struct Process {
    child: Child,
    what: String,
    errors: Arc<Mutex<Vec<u8>>>,
    reading: Option<JoinHandle<()>>,
}

impl Process {
    pub(crate) fn spawn(mut command: Command) -> Self {
        let what = format!("{:?}", command.as_std().get_program());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("failed to start {what}: {error}"));
        let errors = Arc::new(Mutex::new(Vec::new()));
        let stderr = child.stderr.take().expect("standard error is piped");
        let reading = Some(tokio::spawn(collect(stderr, Arc::clone(&errors))));
        Self {
            child,
            what,
            errors,
            reading,
        }
    }

    pub(crate) fn take_stdin(&mut self) -> ChildStdin {
        self.child
            .stdin
            .take()
            .expect("standard input is piped and not yet taken")
    }

    pub(crate) fn take_stdout(&mut self) -> ChildStdout {
        self.child
            .stdout
            .take()
            .expect("standard output is piped and not yet taken")
    }

    /// Its process id.
    ///
    /// # Panics
    /// When it has ended.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id().expect("the process has ended")
    }

    /// Sends a signal, as a person or the system would.
    ///
    /// # Panics
    /// When it has ended.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.pid())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.expect("a process id"), signal).expect("failed to send a signal");
    }

    /// Waits for its end.
    pub async fn ended(&mut self) -> ExitStatus {
        within("the end of a process", self.child.wait())
            .await
            .expect("failed to wait for a process")
    }

    /// Kills it and waits until it is gone.
    pub async fn kill(&mut self) {
        self.child.start_kill().expect("failed to kill a process");
        self.ended().await;
    }

    /// What it has written to standard error; complete once it has ended.
    pub async fn errors(&mut self) -> String {
        if let Some(reading) = self.reading.take() {
            within("the end of standard error", reading)
                .await
                .expect("reading standard error failed");
        }
        self.errors_so_far()
    }

    fn errors_so_far(&self) -> String {
        let bytes = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if std::thread::panicking() {
            show(&format!(
                "--- {} wrote to standard error:\n{}",
                self.what,
                self.errors_so_far()
            ));
        }
    }
}

#[expect(clippy::print_stderr, reason = "this is how a failed test explains itself")]
fn show(text: &str) {
    eprintln!("{text}");
}

async fn collect(mut stream: ChildStderr, into: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 4096];
    while let Ok(len @ 1..) = stream.read(&mut piece).await {
        let mut bytes = into.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(piece.get(..len).unwrap_or_default());
    }
}

/// Everything a stream still holds.
pub(crate) async fn read_all(mut stream: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut bytes = Vec::new();
    within("the end of an output", stream.read_to_end(&mut bytes))
        .await
        .expect("failed to read an output");
    bytes
}

/// Whether a process of this id runs.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    // A zombie waits for its parent to look; it runs no more.
    state.is_ok_and(|stat| {
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| !rest.trim_start().starts_with('Z'))
    })
}

/// Everything that a process has started, and what those have started.
#[must_use]
pub fn descendants(pid: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|child| parent_of(child).map(|parent| (child, parent)))
        .collect();
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(child, _)| *child),
        );
        at += 1;
    }
    found.split_off(1)
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; state and parent follow.
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// Kills every process that was started, by us or by one of ours, for this home: its path is in their environment.
pub(crate) fn kill_all_of(home: &Path) {
    let mark = [b"SIDEWIRE_HOME=", home.as_os_str().as_encoded_bytes()].concat();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let ours = environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark);
        if let Some(pid) = rustix::process::Pid::from_raw(pid).filter(|_| ours) {
            let _ended_meanwhile = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// A whole command line at once.
pub(crate) fn arguments<'a>(args: &'a [&'a str]) -> impl Iterator<Item = &'a OsStr> {
    args.iter().map(OsStr::new)
}
