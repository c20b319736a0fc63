//! What some tests need of the machine. Where it is missing they test nothing, and say so where a person sees it: what a
//! test that passes prints is thrown away, what is written to standard error itself is not.

use std::io::Write as _;
use std::path::PathBuf;

use crate::{Home, program};

/// Says that something is not tested here, and why.
pub fn skipped(why: &str) {
    let test = std::thread::current();
    let name = test.name().unwrap_or_default();
    let _nobody_reads_it = writeln!(std::io::stderr(), "SKIPPED {name}: {why}");
}

/// Whether this kernel confines commands, by what doctor says of it.
///
/// # Panics
/// When doctor says nothing of it.
pub async fn is_confined(home: &Home) -> bool {
    let found = home.run(&["doctor", "--json"]).await.out;
    assert!(found.contains("shell commands in an editor"), "{found}");
    let is_confined = found.contains("Landlock (ABI ");
    if !is_confined {
        skipped("this kernel has no Landlock, so nothing confines commands");
    }
    is_confined
}

/// Whether this was built where no command may write. An editor starts no program that a command could replace, so that
/// elsewhere nothing runs in its terminals.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn is_built_apart() -> bool {
    let program = program("sidewire").canonicalize().unwrap();
    let temporary = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let mut temporary = temporary.into_iter().chain([std::env::temp_dir()]);
    let is_temporary = temporary.any(|folder| program.starts_with(folder));
    if is_temporary {
        skipped("this is built in a temporary folder, where every command may write");
    }
    !is_temporary
}

/// Whether this runs as the one user who may give files away.
#[must_use]
pub fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped("only root can give a folder to another user");
    }
    is_root
}
