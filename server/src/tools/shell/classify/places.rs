//! Which places outside the workspace a command names.
//!
//! Names in its words only: where a program goes by itself, or by a variable, is not known here. A word that merely
//! looks like a path (a pattern for grep, an address) counts only when something is there, or could be put there.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use sidewire_agent::workspace::Roots;

use super::programs;
use super::script::{Command, Script};
use super::word::{Nature, Word};

/// Names that are looked up on the disk; a command with more may reach anywhere.
const LOOKUPS: usize = 512;
/// Bytes of a name that a system can open.
const NAME: usize = 4096;
/// Folders that a command changes to, all of which its names may be relative to.
const FOLDERS: usize = 8;
/// Places that hold nothing.
const NOWHERE: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/random",
    "/dev/urandom",
];

/// The places outside the roots that a command names; `looks` when it changes nothing.
pub(super) fn outside(script: &Script, roots: &Roots, looks: bool) -> Vec<PathBuf> {
    let mut search = Search {
        roots,
        looks,
        folders: vec![roots.folder().to_owned()],
        lookups: 0,
        found: BTreeSet::new(),
    };
    for command in &script.commands {
        search.command(command);
    }
    search.found.into_iter().collect()
}

struct Search<'a> {
    roots: &'a Roots,
    looks: bool,
    /// Where relative names may begin.
    folders: Vec<PathBuf>,
    lookups: usize,
    found: BTreeSet<PathBuf>,
}

impl Search<'_> {
    fn command(&mut self, command: &Command) {
        let program = command.words.first().map_or("", |program| program.text.as_str());
        let named = command.words.iter().skip(1);
        let named = named.filter(|_| !programs::only_speaks(program));
        for word in named.chain(command.targets.iter().map(|target| &target.file)) {
            self.word(word);
        }
        if matches!(program, "cd" | "pushd") {
            self.change_folder(command.words.get(1..).unwrap_or_default());
        }
    }

    fn word(&mut self, word: &Word) {
        if word.home {
            self.found.insert(PathBuf::from(&word.raw));
        }
        match word.nature {
            Nature::Plain => {
                for name in names(&word.text, self.looks) {
                    self.name(name);
                }
            }
            Nature::Pattern => self.pattern(word),
            Nature::Filled | Nature::Open => {}
        }
    }

    /// The folder that a pattern begins in; what goes up again behind its stars may go anywhere.
    fn pattern(&mut self, word: &Word) {
        let stars = word.text.find(['*', '?', '[']).unwrap_or(word.text.len());
        let (literal, rest) = word.text.split_at_checked(stars).unwrap_or_default();
        if rest.contains("..") {
            self.found.insert(PathBuf::from(&word.raw));
        }
        if let Some((folder, _)) = literal.rsplit_once('/') {
            self.name(if folder.is_empty() { "/" } else { folder });
        }
    }

    fn name(&mut self, name: &str) {
        if name.is_empty() || name.len() > NAME || is_nowhere(name) {
            return;
        }
        for folder in self.folders.clone() {
            self.lookups += 1;
            if self.lookups > LOOKUPS {
                self.found.insert(PathBuf::from("/"));
                return;
            }
            let path = folder.join(name);
            self.found.extend(self.beyond(&path, name));
        }
    }

    /// Where a path leads, when that is outside and means something.
    fn beyond(&self, path: &Path, name: &str) -> Option<PathBuf> {
        match self.roots.locate(path) {
            Ok(real) if self.roots.cover(&real) => None,
            Ok(real) => self.matters(&real, name).then_some(real),
            // A link that leads nowhere, or no path at all.
            Err(_) => (path.is_symlink() || !self.stays_inside(path)).then(|| path.to_owned()),
        }
    }

    fn stays_inside(&self, path: &Path) -> bool {
        self.roots.cover(path) && !path.components().any(|part| part == Component::ParentDir)
    }

    /// Something is there, or a command that writes could put something there.
    fn matters(&self, real: &Path, name: &str) -> bool {
        let is_name = |char: char| char.is_alphanumeric() || "_./@+~-".contains(char);
        let could_be = || {
            let folder = real.parent().is_some_and(Path::is_dir);
            folder && !name.ends_with('/') && name.chars().all(is_name)
        };
        real.symlink_metadata().is_ok() || (!self.looks && could_be())
    }

    fn change_folder(&mut self, arguments: &[Word]) {
        let target = arguments.iter().find(|word| !word.text.starts_with('-'));
        let Some(target) = target else {
            if arguments.is_empty() {
                self.found.insert(PathBuf::from("~"));
            }
            return;
        };
        let Some(name) = target.plain() else { return };
        let entered: Vec<PathBuf> = self.folders.iter().map(|folder| folder.join(name)).collect();
        for folder in entered {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
        if self.folders.len() > FOLDERS {
            self.found.insert(PathBuf::from("/"));
            self.folders.truncate(FOLDERS);
        }
    }
}

/// Whether a name is that of a place that holds nothing.
pub(super) fn is_nowhere(name: &str) -> bool {
    NOWHERE.contains(&name) || name.starts_with("/dev/fd/")
}

/// What in a word may be the name of a file: the word, the value of an option, what is behind an equals sign.
fn names(text: &str, looks: bool) -> Vec<&str> {
    let value = text.split_once('=').map(|(_, value)| value);
    if !text.starts_with('-') {
        return std::iter::once(text).chain(value).collect();
    }
    let attached = text.get(2..).filter(|_| !text.starts_with("--"));
    // Behind how many letters the value of an option begins is not known; where something is there, it is meant.
    let behind_letters = text.find('/').and_then(|at| text.get(at..)).filter(|_| looks);
    [value, attached, behind_letters].into_iter().flatten().collect()
}
