//! What a model is told about its job, and which tools that job has: beside a page, or in an editor.

mod editor;

use std::time::Duration;

use sidewire_contract::mode::Mode;

use crate::modes;

pub use editor::{Collaboration, EditorBriefing, Preset, SkillLine};

/// The job of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Briefing {
    /// Beside the page a person is on.
    Panel(Mode),
    /// In a person's editor.
    Editor(Box<EditorBriefing>),
}

impl Briefing {
    /// The mode it is kept under; an editor has none of its own.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self {
            Self::Panel(mode) => *mode,
            Self::Editor(_) => Mode::Educational,
        }
    }

    /// What the person wants from an answer beside a page; nothing in an editor.
    #[must_use]
    pub(crate) fn beside_page(&self) -> Option<Mode> {
        match self {
            Self::Panel(mode) => Some(*mode),
            Self::Editor(_) => None,
        }
    }

    /// Whether this job has the tool.
    #[must_use]
    pub fn offers(&self, tool: &str) -> bool {
        match self {
            Self::Panel(mode) => modes::offers(*mode, tool),
            Self::Editor(_) => true,
        }
    }

    /// Why a tool it does not have cannot be called; the model reads it.
    #[must_use]
    pub(crate) fn lacks(&self, tool: &str) -> String {
        format!("{tool} is not available in {} mode", self.mode())
    }

    /// How long after a showing call the next one of this tool may begin; zero where nothing waits.
    #[must_use]
    pub(crate) fn pace(&self, tool: &str) -> Duration {
        match self {
            Self::Panel(mode) => modes::pace(*mode, tool),
            Self::Editor(_) => Duration::ZERO,
        }
    }

    /// An answer that breaks off half-way is asked for once more, under a new name: a client joins nothing of the first
    /// draft to it.
    pub(crate) fn redrafts(&self) -> bool {
        matches!(self, Self::Editor(_))
    }

    /// The pictures that a tool gives are shown with its call; beside a page they are media of the answer.
    pub(crate) fn shows_pictures(&self) -> bool {
        matches!(self, Self::Editor(_))
    }

    /// What tools gave in earlier turns stays whole as long as it fits: a page is read anew, a file was read to be
    /// remembered, and a prefix that stays the same is cached by the provider. Room is made by summing up.
    pub(crate) fn keeps_results(&self) -> bool {
        matches!(self, Self::Editor(_))
    }
}
