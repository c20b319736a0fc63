//! The hidden process between us and a child: it ends the whole family of the child when its owner is gone.
//!
//! One of its standard streams leads to the owner: whatever ends the owner, `kill -9` too, closes the other end. For a
//! shell command that is its standard input, a pipe into which nothing is written. A program that speaks has that one
//! for itself; its standard error is a socket instead, on which the owner may say that it is to be asked to end. On
//! Linux this process also adopts those of the family that left (daemons), and finds them.
//!
//! The family is a session of its own, away from the terminal that we may have been started in: what asks there (for a
//! password, whether a host is known) finds none and fails, instead of asking on somebody's screen.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpgrp, getpid, kill_current_process_group,
    kill_process, setrlimit, setsid, wait,
};

use super::member;

/// How a command of a family ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(WaitStatus);

/// Becomes the program; returns only when that fails.
pub(crate) fn become_program(program: &OsStr, args: &[OsString]) -> io::Error {
    member(program).args(args).exec()
}

/// Runs a program to its end, then ends whatever it left behind; ends all of it as soon as standard input ends.
pub(crate) fn run_family(program: &OsStr, args: &[OsString]) -> io::Result<End> {
    let mut command = member(program);
    command.args(args).stdin(Stdio::null());
    run(command, |_| {
        let _ended_or_broken = io::copy(&mut io::stdin().lock(), &mut io::sink());
    })
}

/// The same for a program that has all standard streams for itself; the socket behind standard error is the owner.
pub(crate) fn run_speaking(program: &OsStr, args: &[OsString]) -> io::Result<End> {
    let mut command = member(program);
    command.args(args);
    run(command, |child| {
        // Or nobody would see that the program has closed its own.
        let _seen_at_its_end_then = leave_streams();
        obey_owner(child);
    })
}

/// Runs a command to its end; ends it and everything it started once `owned` returns.
fn run(mut command: Command, owned: impl FnOnce(Option<Pid>) + Send + 'static) -> io::Result<End> {
    // Refused to the leader of a group, which we are when somebody at a shell starts us.
    let _session_of_its_own = setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    let child = command.spawn()?;
    let pid = Pid::from_raw(child.id().cast_signed());
    thread::spawn(move || {
        owned(pid);
        end_descendants();
        // Ours too: what is left in the group, and this process. A group that somebody else leads is not ours to end.
        if getpgrp() == getpid() {
            let _nobody_left_to_tell = kill_current_process_group(Signal::KILL);
        }
    });
    let status = wait_for(child.id())?;
    end_descendants();
    Ok(End(status))
}

fn leave_streams() -> io::Result<()> {
    let nowhere = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    Ok(rustix::stdio::dup2_stdout(&nowhere)?)
}

/// Does what the owner says on standard error until nobody is there any more.
fn obey_owner(child: Option<Pid>) {
    let (owner, mut word) = (io::stderr(), [0]);
    loop {
        match rustix::io::read(&owner, &mut word) {
            Ok(1..) => ask_to_end(child),
            Err(Errno::INTR) => {}
            // The program shares it, and may have made it one that does not wait.
            Err(Errno::AGAIN) => {
                let _something_to_read = poll(&mut [PollFd::new(&owner, PollFlags::IN)], None);
            }
            Ok(0) | Err(_) => return,
        }
    }
}

/// Asks every process that descends from this one.
#[cfg(target_os = "linux")]
fn ask_to_end(_child: Option<Pid>) {
    for pid in descendants::living() {
        let _gone_already = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_to_end(child: Option<Pid>) {
    if let Some(child) = child {
        let _gone_already = kill_process(child, Signal::TERM);
    }
}

/// Waits for this child, and buries adopted ones on the way.
fn wait_for(child: u32) -> io::Result<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().cast_unsigned() == child => {
                return Ok(status);
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

impl End {
    /// Ends this process the same way.
    pub(crate) fn repeat(self) -> ExitCode {
        let Some(number) = self.0.terminating_signal() else {
            let code = self.0.exit_status().and_then(|code| u8::try_from(code).ok());
            return ExitCode::from(code.unwrap_or(u8::MAX));
        };
        let no_core = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _one_core_more = setrlimit(Resource::Core, no_core);
        if let Some(signal) = Signal::from_named_raw(number) {
            // Rust's own handler of stack overflows takes the first.
            for _ in 0..2 {
                let _ignored_by_us = kill_process(getpid(), signal);
            }
        }
        // As shells say it.
        ExitCode::from(u8::try_from(128 + number).unwrap_or(u8::MAX))
    }
}

/// Kills every process that descends from this one until none is left.
#[cfg(target_os = "linux")]
fn end_descendants() {
    use std::time::Duration;

    // One that is killed may have started another just before; a kill that takes longer than this is not ours to wait
    // for.
    const ROUNDS: u32 = 200;
    for _ in 0..ROUNDS {
        let left = descendants::living();
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _gone_already = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The owner kills the group instead, of which this process is the leader.
#[cfg(not(target_os = "linux"))]
fn end_descendants() {}

#[cfg(target_os = "linux")]
mod descendants {
    //! Who descends from this process, as `/proc` tells it.

    use std::collections::HashMap;
    use std::fs;

    use super::{Pid, getpid};

    struct Process {
        parent: i32,
        dead: bool,
    }

    pub(super) fn living() -> Vec<Pid> {
        let all = processes();
        let me = getpid().as_raw_nonzero().get();
        let descends = |mut pid: i32| {
            // No longer than there are processes: the picture may hold a circle, since it was not taken at once.
            for _ in 0..all.len() {
                match all.get(&pid) {
                    Some(process) if process.parent == me => return true,
                    Some(process) => pid = process.parent,
                    None => return false,
                }
            }
            false
        };
        let living = all
            .iter()
            .filter(|(pid, process)| !process.dead && descends(**pid));
        living.filter_map(|(pid, _)| Pid::from_raw(*pid)).collect()
    }

    fn processes() -> HashMap<i32, Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let pid = entry.file_name().to_str()?.parse().ok()?;
                let stat = fs::read(entry.path().join("stat")).ok()?;
                Some((pid, parse(&String::from_utf8_lossy(&stat))?))
            })
            .collect()
    }

    /// `pid (name) state parent …`; a name may hold anything, brackets too.
    fn parse(stat: &str) -> Option<Process> {
        let mut rest = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let dead = matches!(rest.next()?, "Z" | "X" | "x");
        let parent = rest.next()?.parse().ok()?;
        Some(Process { parent, dead })
    }

    #[cfg(test)]
    #[test]
    fn names_may_hold_anything() {
        let process = parse("7 (a) b) S 3 7 7 0").unwrap();
        assert!(!process.dead && process.parent == 3);
        assert!(parse("7 (a) Z 3").unwrap().dead);
        assert!(parse("").is_none() && parse("7 (a").is_none());
    }
}
