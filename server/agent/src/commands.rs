//! Slash commands: Markdown command files, skills, and what a project tells whoever works on it (decision 34).
//!
//! A book is read once and then only looked at; reading it again sees what has changed. Running a built-in command and
//! asking MCP servers for their prompts are the front's. What a file says grants nothing: it is text for the model.

mod arguments;
mod built_in;
mod files;
mod front_matter;
mod instructions;
mod load;
mod skill_tool;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::briefing::SkillLine;

pub use built_in::BuiltIn;
pub use files::{Fault, Skipped};
pub use skill_tool::{SKILL_TOOL, SkillTool};

/// What the person and the project offer beside the built-in commands. The person's own come before the project's.
#[derive(Debug, Default)]
pub struct CommandBook {
    commands: BTreeMap<String, Command>,
    skills: BTreeMap<String, Skill>,
    instructions: Option<String>,
    skipped: Vec<Skipped>,
}

/// A command in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What can be written behind it.
    pub hint: Option<String>,
}

/// What a command file says.
#[derive(Debug)]
struct Command {
    description: Option<String>,
    hint: Option<String>,
    body: String,
}

/// Instructions for a kind of work.
#[derive(Debug)]
struct Skill {
    description: Option<String>,
    /// The person is not offered it.
    hidden: bool,
    /// The model is not offered it.
    manual: bool,
    /// Where its other files lie.
    folder: PathBuf,
    body: String,
}

impl CommandBook {
    /// Every command, by name: the built-in ones, command files, and skills that are not hidden.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let files = self.commands.iter().map(|(name, command)| Entry {
            name: name.clone(),
            description: or_default(command.description.as_deref(), name, "command"),
            hint: command.hint.clone(),
        });
        let skills = self.skills.iter().filter(|(name, skill)| {
            let taken = self.commands.contains_key(*name) || BuiltIn::named(name).is_some();
            !skill.hidden && !taken
        });
        let skills = skills.map(|(name, skill)| Entry {
            name: name.clone(),
            description: or_default(skill.description.as_deref(), name, "skill"),
            hint: Some("instructions".to_owned()),
        });
        let built_in = BuiltIn::ALL.iter().map(|command| command.entry());
        let mut entries: Vec<Entry> = built_in.chain(files).chain(skills).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries
    }

    /// What a prompt that begins with a command of a file or a skill stands for; `None` for any other prompt.
    #[must_use]
    pub fn expand(&self, prompt: &str) -> Option<String> {
        let (name, arguments) = split(prompt)?;
        if let Some(command) = self.commands.get(name) {
            return Some(arguments::fill(&command.body, arguments));
        }
        let skill = self.skills.get(name).filter(|skill| !skill.hidden)?;
        Some(arguments::fill(&skill.told(name), arguments))
    }

    /// Skills the model can load by itself.
    #[must_use]
    pub fn skills(&self) -> Vec<SkillLine> {
        let offered = self.skills.iter().filter(|(_, skill)| !skill.manual);
        let line = |(name, skill): (&String, &Skill)| SkillLine {
            name: name.clone(),
            description: or_default(skill.description.as_deref(), name, "skill"),
        };
        offered.map(line).collect()
    }

    /// The text of a skill the model can load.
    fn skill(&self, name: &str) -> Option<String> {
        let skill = self.skills.get(name).filter(|skill| !skill.manual)?;
        Some(skill.told(name))
    }

    /// What the person and the project tell whoever works here (`AGENTS.md`), the person first.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// Files that were left out, each with the reason.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}

impl Skill {
    fn told(&self, name: &str) -> String {
        format!(
            "Skill {name} (its files are in {}):\n\n{}",
            self.folder.display(),
            self.body
        )
    }
}

/// Name and arguments of a prompt that begins with a slash.
fn split(prompt: &str) -> Option<(&str, &str)> {
    let rest = prompt.trim_start().strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some((name, arguments.trim()))
}

fn or_default(description: Option<&str>, name: &str, what: &str) -> String {
    description.map_or_else(|| format!("Run the {name} {what}"), str::to_owned)
}
