//! Programs that tests write and run.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program. Another process does it: a child that this one starts meanwhile for another test would hold the
/// file open for writing, and what is open for writing cannot be run.
#[expect(clippy::disallowed_methods, reason = "it is waited for at once")]
pub(crate) fn write(path: &Path, text: &str) {
    let mut writing = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writing.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(writing.wait().unwrap().success());
}
