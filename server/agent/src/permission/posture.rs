//! How much a conversation may do unasked.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much may be done unasked; a later one allows more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Posture {
    /// Nothing changes, whatever the rules say.
    ReadOnly,
    /// What rules allow, and nobody is asked.
    DontAsk,
    /// What rules allow; a person is asked about the rest.
    #[default]
    Ask,
    /// Everything that no rule wants asked.
    Auto,
    /// Everything that no rule forbids.
    Yolo,
}

impl Posture {
    /// All of them, lowest first.
    pub const ALL: [Self; 5] = [Self::ReadOnly, Self::DontAsk, Self::Ask, Self::Auto, Self::Yolo];

    /// Its name, as clients and the command line write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "readOnly",
            Self::DontAsk => "dontAsk",
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::Yolo => "yolo",
        }
    }
}

impl fmt::Display for Posture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
