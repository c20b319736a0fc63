//! Whether a tool call may run: postures, rules and what a person said, in one place for every front.
//!
//! A tool says what a call would do ([`Intent`]); with its name and its folders that makes a [`Case`]. The [`Gate`] of
//! the conversation decides it: a pure verdict, and a card to the person where the verdict is theirs. Which commands
//! only look is not known here: the shell tool says it.

mod card;
mod case;
mod ceiling;
mod gate;
mod posture;
mod refusal;
mod rule;
mod rules;
mod useless;
mod verdict;
mod wildcard;

use std::path::PathBuf;

pub use case::Case;
pub use ceiling::{Ceiling, CeilingError};
pub use gate::{Asking, Gate};
pub use posture::Posture;
pub use refusal::Refusal;
pub use rule::{Rule, RuleError};
pub use rules::Rules;
pub use useless::UselessRule;

/// What a call would do, as far as permission is concerned. Tools make it of their arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// What class of thing it is.
    pub class: Class,
    /// What rules are compared with: a path, a command, an address.
    pub subject: Option<String>,
    /// How the subject and the segments are to be read.
    pub names: Names,
    /// The simple commands of a compound one, each of which must be allowed, and other spellings of them, so that a
    /// rule that forbids one finds it; for a call that changes files, the paths it changes beside its subject.
    pub segments: Vec<String>,
    /// It reads or writes these places outside the workspace.
    pub outside: Vec<PathBuf>,
    /// It is a command that changes what git reads to know how to behave.
    pub tampers: bool,
    /// It is a command that is not to be confined, where commands are.
    pub unconfined: bool,
    /// A decision that belongs to a person in every posture.
    pub fresh: bool,
    /// What it does cannot be told from its words (code inside a command, a command put together as it runs): no rule
    /// can allow it, and one that forbids may have missed it.
    pub opaque: bool,
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

/// What the words of an intent name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// No files: a command, an address, a tool.
    Words,
    /// Files by their paths.
    Files,
    /// Paths of what may be folders, with all that they hold.
    Trees,
}

impl Intent {
    /// A call of this class about `subject`; a change is one of files.
    #[must_use]
    pub fn new(class: Class, subject: Option<String>) -> Self {
        Self {
            class,
            subject,
            names: if class == Class::Edit {
                Names::Files
            } else {
                Names::Words
            },
            segments: Vec::new(),
            outside: Vec::new(),
            tampers: false,
            unconfined: false,
            fresh: false,
            opaque: false,
        }
    }
}

#[cfg(test)]
mod tests;
