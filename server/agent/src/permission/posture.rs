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

    /// What it lets through, for a person who chooses.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::ReadOnly => "Only look; change nothing",
            Self::DontAsk => "Do what configured rules allow and refuse the rest without asking",
            Self::Ask => "Ask before permission-gated tool calls",
            Self::Auto => "Follow configured permission rules without fallback prompts",
            Self::Yolo => "Approve tool calls except protected decisions",
        }
    }

    /// The posture a client names, which it must write exactly.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|posture| posture.name() == name)
    }

    /// Whether a person is asked at all.
    pub(super) fn asks(self) -> bool {
        self >= Self::Ask
    }
}

impl fmt::Display for Posture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_be_written_exactly() {
        for posture in Posture::ALL {
            assert_eq!(Posture::named(posture.name()), Some(posture));
        }
        for other in ["", "Ask", "readonly", "ask ", "plan"] {
            assert_eq!(Posture::named(other), None, "{other}");
        }
    }

    #[test]
    fn they_stand_lowest_first() {
        assert!(Posture::ALL.is_sorted());
    }
}
