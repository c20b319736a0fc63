//! The job in an editor: where it works, how it works with the person, what the project says about itself.

use serde::{Deserialize, Serialize};

/// What a model in an editor is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditorBriefing {
    /// How it works with the person.
    pub collaboration: Collaboration,
    /// How thoroughly it works.
    pub preset: Preset,
    /// Folders it works in; the first one is where commands run.
    pub folders: Vec<String>,
    /// What the project tells whoever works on it.
    pub instructions: Option<String>,
    /// Skills it can load by name.
    pub skills: Vec<SkillLine>,
}

/// A skill in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillLine {
    /// Its name.
    pub name: String,
    /// What it is good for.
    pub description: String,
}

/// How an editor session works with the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collaboration {
    /// Works at once.
    #[default]
    Normal,
    /// Proposes a plan and changes nothing.
    Plan,
}

/// How thoroughly an editor session works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Fast, verifies what it changed.
    Light,
    /// Plans and verifies by risk.
    #[default]
    Balanced,
    /// Full acceptance and verification.
    Delivery,
}
