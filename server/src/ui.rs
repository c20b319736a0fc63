//! The only place where commands write to the terminal.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints one line of a command's result. A reader that went away (`| head`) is no error.
pub(crate) fn say(line: impl Display) {
    let _reader_may_be_gone = writeln!(io::stdout().lock(), "{line}");
}

/// Prints a remark that is not part of the result.
pub(crate) fn note(line: impl Display) {
    let _reader_may_be_gone = writeln!(io::stderr().lock(), "{line}");
}

/// Prints why a command failed, cause by cause.
pub(crate) fn fail(error: &anyhow::Error) {
    note(format_args!("sidewire: {error:#}"));
}

/// Prints a piece of a result at once.
pub(crate) fn stream(piece: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(piece.as_bytes())?;
    out.flush()
}
