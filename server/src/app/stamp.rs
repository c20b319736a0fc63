//! Whether the files of the configuration are still the ones that were read.

use std::path::PathBuf;
use std::time::SystemTime;

use sidewire_contract::layout::Layout;

/// What tells the files of one moment from those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp([Option<Mark>; 3]);

/// What tells a file: one that is replaced is another one, and one that is written in place is younger or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    number: u64,
    changed: SystemTime,
    bytes: u64,
}

impl Stamp {
    /// The files as they are now.
    pub(super) fn of(layout: &Layout) -> Self {
        Self([layout.config_file(), layout.key_file(), layout.extensions()].map(mark))
    }
}

fn mark(path: PathBuf) -> Option<Mark> {
    let found = std::fs::metadata(path).ok()?;
    Some(Mark {
        number: number(&found),
        changed: found.modified().ok()?,
        bytes: found.len(),
    })
}

#[cfg(unix)]
fn number(found: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn number(_: &std::fs::Metadata) -> u64 {
    0
}
