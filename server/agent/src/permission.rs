//! Whether a tool call may run: postures, rules and what a person said, in one place for every front.

mod gate;
mod posture;

use std::path::PathBuf;

pub use gate::{Gate, Refusal};
pub use posture::Posture;

/// What a call would do, as far as permission is concerned. Tools make it of their arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// What class of thing it is.
    pub class: Class,
    /// What rules are compared with: a path, a command, an address.
    pub subject: Option<String>,
    /// The simple commands of a compound one, each of which must be allowed; empty for anything else.
    pub segments: Vec<String>,
    /// It reads or writes these places outside the workspace.
    pub outside: Vec<PathBuf>,
    /// No rule may allow it unseen: a person decides each time.
    pub fresh: bool,
}

/// What class of thing a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Looks, and changes nothing.
    Read,
    /// Changes files.
    Edit,
    /// Runs a command that may change anything.
    Execute,
    /// Fetches from outside.
    Fetch,
    /// Anything else that may change something.
    Other,
}

impl Intent {
    /// A call of this class about `subject`.
    #[must_use]
    pub fn new(class: Class, subject: Option<String>) -> Self {
        Self {
            class,
            subject,
            segments: Vec::new(),
            outside: Vec::new(),
            fresh: false,
        }
    }
}
