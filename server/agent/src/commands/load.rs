//! Reads a book from the person's folder and the project's.

use std::path::{Path, PathBuf};

use super::files::{Fault, Place, Skipped, Whose};
use super::front_matter::{self, Head};
use super::{BuiltIn, Command, CommandBook, Skill, arguments, instructions};

/// Where a project keeps what is meant for us.
const PROJECT: &str = ".sidewire";
/// The file a skill is described in.
const SKILL: &str = "SKILL.md";
/// Most characters of a name.
const NAME: usize = 64;

impl CommandBook {
    /// Reads what is in `config` (the person's folder) and in the project at `folder`. Blocks on the disk; what cannot
    /// be used is left out and told by [`Self::skipped`].
    #[must_use]
    pub fn load(config: &Path, folder: &Path) -> Self {
        let mut book = Self::default();
        let project = folder.join(PROJECT);
        let places = [
            Place {
                folder: config,
                whose: Whose::Person,
            },
            Place {
                folder: &project,
                whose: Whose::Project(folder),
            },
        ];
        for place in &places {
            book.add_commands(place);
            book.add_skills(place);
        }
        book.instructions = instructions::read(config, folder, &mut book.skipped);
        book
    }

    fn add_commands(&mut self, place: &Place<'_>) {
        let folder = place.folder.join("commands");
        for path in place.markdown(&folder, &mut self.skipped) {
            let Some(file) = place.read(&path) else { continue };
            let name = command_name(&folder, &path);
            match self.command(name, file) {
                Ok((name, command)) => drop(self.commands.insert(name, command)),
                Err(fault) => self.skipped.push(Skipped { path, fault }),
            }
        }
    }

    fn command(&self, name: Option<String>, file: Result<String, Fault>) -> Result<(String, Command), Fault> {
        let name = name.ok_or(Fault::BadName)?;
        if BuiltIn::named(&name).is_some() {
            return Err(Fault::BuiltIn);
        }
        if self.commands.contains_key(&name) {
            return Err(Fault::Taken);
        }
        let file = file?;
        let (head, body) = front_matter::read(&file).map_err(|_bad| Fault::BadHead)?;
        let hint = || arguments::takes_any(body).then(|| "arguments".to_owned());
        let command = Command {
            description: head.text("description"),
            hint: head.hint().or_else(hint),
            body: body.trim().to_owned(),
        };
        Ok((name, command))
    }

    fn add_skills(&mut self, place: &Place<'_>) {
        for folder in place.folders(&place.folder.join("skills"), &mut self.skipped) {
            let path = folder.join(SKILL);
            let Some(file) = place.read(&path) else { continue };
            match self.skill_of(folder, file) {
                Ok((name, skill)) => drop(self.skills.insert(name, skill)),
                Err(fault) => self.skipped.push(Skipped { path, fault }),
            }
        }
    }

    fn skill_of(&self, folder: PathBuf, file: Result<String, Fault>) -> Result<(String, Skill), Fault> {
        let file = file?;
        let (head, body) = front_matter::read(&file).map_err(|_bad| Fault::BadHead)?;
        let named = head.text("name");
        let name = named.or_else(|| Some(folder.file_name()?.to_str()?.to_owned()));
        let name = name.filter(|name| is_word(name)).ok_or(Fault::BadName)?;
        if self.skills.contains_key(&name) {
            return Err(Fault::Taken);
        }
        let skill = Skill {
            description: head.text("description"),
            hidden: hides(&head),
            manual: head.is("disable-model-invocation", true),
            folder,
            body: body.trim().to_owned(),
        };
        Ok((name, skill))
    }
}

/// Two spellings are in use.
fn hides(head: &Head) -> bool {
    head.is("hidden", true) || head.is("user-invocable", false)
}

/// `git/commit.md` is called `git:commit`.
fn command_name(folder: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(folder).ok()?.with_extension("");
    let words: Option<Vec<&str>> = below.iter().map(|word| word.to_str()).collect();
    let words = words?;
    let fits = words.iter().all(|word| is_word(word));
    (fits && !words.is_empty()).then(|| words.join(":"))
}

fn is_word(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !word.is_empty() && word.chars().count() <= NAME && word.chars().all(plain)
}
