//! Commands that every session has; the front runs them.

use super::{Entry, split};

/// A built-in command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// Removes the turns of the conversation.
    Clear,
    /// Sums the conversation up.
    Compact,
    /// Tells how the session is set.
    Status,
}

impl BuiltIn {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Clear, Self::Compact, Self::Status];

    /// The built-in command a prompt is, and what is written behind it.
    #[must_use]
    pub fn parse(prompt: &str) -> Option<(Self, &str)> {
        let (name, arguments) = split(prompt)?;
        Self::named(name).map(|command| (command, arguments))
    }

    /// Its name, without the slash.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Status => "status",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.name() == name)
    }

    pub(super) fn entry(self) -> Entry {
        let (description, hint) = match self {
            Self::Clear => ("Forget this conversation and begin afresh", None),
            Self::Compact => (
                "Sum up the conversation so far to make room",
                Some("what the summary should look at"),
            ),
            Self::Status => ("Show model, settings, folders, sandbox and MCP servers", None),
        };
        Entry {
            name: self.name().to_owned(),
            description: description.to_owned(),
            hint: hint.map(str::to_owned),
        }
    }
}
