//! Which places outside the workspace a command names, and whether keys are kept in one of them.
//!
//! Names in its words only: where a program goes by itself, or by a variable, is not known here. A word that merely
//! looks like a path (a pattern for grep, an address) counts only when something is there, or could be put there.
//! What cannot be followed counts as outside.

mod names;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use sidewire_agent::workspace::Roots;

use super::programs;
use super::script::{Command, Script};
use super::word::{Nature, Word};
use crate::tools::protected::Protected;
pub(super) use names::is_nowhere;
use names::{has_star, is_of_a_process, lexical, names};

/// Names that are looked up on the disk; a command with more may reach anywhere.
const LOOKUPS: usize = 4096;
/// Names in folders that patterns are compared with.
const ENTRIES: usize = 20_000;
/// Bytes of a name that a system can open.
const NAME: usize = 4096;
/// Folders that a command changes to, all of which its names may be relative to.
const FOLDERS: usize = 8;

/// Where a command reaches.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// The places outside the workspace that it names, and those where keys are kept wherever they are.
    pub(super) outside: BTreeSet<PathBuf>,
    /// Keys are kept in one of them.
    pub(super) keys: bool,
}

/// Where a command reaches; `looks` when it changes nothing.
pub(super) fn reach(script: &Script, roots: &Roots, protected: &Protected, looks: bool) -> Reach {
    let mut search = Search {
        roots,
        protected,
        looks,
        reads_below: false,
        folders: vec![roots.folder().to_owned()],
        lookups: 0,
        entries: 0,
        found: Reach::default(),
    };
    for command in &script.commands {
        search.command(command);
    }
    search.found
}

struct Search<'a> {
    roots: &'a Roots,
    protected: &'a Protected,
    looks: bool,
    /// The program reads what the folders hold that it is given, and not only their names.
    reads_below: bool,
    /// Where relative names may begin.
    folders: Vec<PathBuf>,
    lookups: usize,
    entries: usize,
    found: Reach,
}

impl Search<'_> {
    fn command(&mut self, command: &Command) {
        let program = command.words.first().map_or("", |program| program.text.as_str());
        let arguments = command.words.get(1..).unwrap_or_default();
        self.reads_below = !programs::only_names(program);
        match program {
            "cd" | "pushd" | "chdir" => self.change_folder(arguments),
            // It looks everywhere.
            "locate" => self.add("/"),
            _ => self.enter_by_option(arguments),
        }
        if programs::reads_where_it_is(program, arguments) {
            for folder in self.folders.clone() {
                self.place(&folder, "", false);
            }
        }
        if !programs::only_speaks(program) {
            arguments.iter().for_each(|word| self.word(word));
        }
        for target in &command.targets {
            self.word(&target.file);
            if let Some(name) = target.file.plain() {
                self.name(name, true);
            }
        }
        if program == "diff" && self.looks {
            self.compared(arguments);
        }
    }

    fn word(&mut self, word: &Word) {
        if word.home || self.protected.may_be(&word.text) && word.nature > Nature::Pattern {
            self.add(&word.raw);
            self.found.keys |= self.protected.may_be(&word.text);
        }
        match word.nature {
            Nature::Plain => {
                for name in names(&word.text, self.looks) {
                    self.name(name, false);
                }
            }
            Nature::Pattern => self.pattern(word),
            Nature::Filled | Nature::Open => self.beginning(word),
        }
    }

    /// What stands in a word before anything is put into it.
    fn beginning(&mut self, word: &Word) {
        let raw = word.raw.trim_start_matches('"');
        let is_bare = |char: char| char.is_alphanumeric() || "_./@+-".contains(char);
        let end = raw.find(|char| !is_bare(char)).unwrap_or(raw.len());
        if let Some((folder, _)) = raw.get(..end).and_then(|bare| bare.rsplit_once('/')) {
            self.name(if folder.is_empty() { "/" } else { folder }, false);
        }
        if word.text.split('/').any(|part| part == "..") {
            self.add(&word.raw);
        }
    }

    /// Every name that a pattern may stand for, and the folder that it begins in.
    fn pattern(&mut self, word: &Word) {
        let stars = word.text.find(has_star).unwrap_or(word.text.len());
        let (literal, rest) = word.text.split_at_checked(stars).unwrap_or_default();
        // What goes up again behind its stars may go anywhere.
        if rest.contains("..") {
            self.add(&word.raw);
        }
        if let Some((folder, _)) = literal.rsplit_once('/') {
            self.name(if folder.is_empty() { "/" } else { folder }, false);
        }
        let mut paths = if word.text.starts_with('/') {
            vec![PathBuf::from("/")]
        } else {
            self.folders.clone()
        };
        for (at, part) in word.text.split('/').enumerate() {
            if !part.contains(has_star) {
                paths.iter_mut().for_each(|path| path.push(part));
                continue;
            }
            // Some shells let it stand for `..`; and an option may have been laid out as the name of a file.
            let goes_up = part.starts_with('.');
            let matches: Vec<PathBuf> = paths
                .iter()
                .flat_map(|folder| self.matches(folder, part))
                .collect();
            let begins_with_dash = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default();
                name.as_encoded_bytes().starts_with(b"-")
            };
            if goes_up || (at == 0 && matches.iter().any(begins_with_dash)) {
                self.add(&word.raw);
            }
            paths = matches;
        }
        paths.iter().for_each(|path| self.place(path, "", false));
    }

    /// What is in a folder and begins as a pattern does before its stars; more than the pattern may stand for.
    fn matches(&mut self, folder: &Path, part: &str) -> Vec<PathBuf> {
        let begin = part.split(has_star).next().unwrap_or_default();
        let is_match = |name: &[u8]| {
            name.starts_with(begin.as_bytes()) && (part.starts_with('.') || !name.starts_with(b"."))
        };
        let mut matches = Vec::new();
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            self.entries += 1;
            if self.entries > ENTRIES {
                self.add("/");
                break;
            }
            if is_match(entry.file_name().as_encoded_bytes()) {
                matches.push(entry.path());
            }
        }
        matches
    }

    /// Of two folders everything is compared that they hold, also by links.
    fn compared(&mut self, arguments: &[Word]) {
        for name in arguments.iter().filter_map(Word::plain) {
            for folder in self.folders.clone() {
                let mut held = self.matches(&folder.join(name), "*");
                held.extend(self.matches(&folder.join(name), ".*"));
                held.iter().for_each(|path| self.place(path, "", false));
            }
        }
    }

    fn name(&mut self, name: &str, certain: bool) {
        if name.is_empty() || name.len() > NAME || is_nowhere(name) {
            return;
        }
        for folder in self.folders.clone() {
            self.place(&folder.join(name), name, certain);
        }
    }

    /// Where a path leads counts, when that is outside or protected and means something.
    fn place(&mut self, path: &Path, name: &str, certain: bool) {
        self.lookups += 1;
        if self.lookups > LOOKUPS || path.as_os_str().len() > NAME {
            self.add("/");
            return;
        }
        if is_of_a_process(path) {
            self.add(path);
            return;
        }
        match self.roots.locate(path) {
            Ok(real) => {
                let keys = self.keeps_keys(&real);
                if (keys || !self.roots.cover(&real)) && (certain || self.matters(&real, name)) {
                    self.found.keys |= keys;
                    self.add(real);
                }
            }
            // A link that leads nowhere, or no path at all.
            Err(_) if path.is_symlink() || !self.stays_inside(path) || self.keeps_keys(path) => {
                self.add(path);
            }
            Err(_) => {}
        }
    }

    /// Whether keys are kept there, or below it for a program that reads what is below.
    fn keeps_keys(&self, real: &Path) -> bool {
        let is_protected = if self.looks {
            self.protected.hide(real)
        } else {
            self.protected.cover(real)
        };
        let held = |place: &PathBuf| place.starts_with(real) && place.exists();
        is_protected || (self.reads_below && self.protected.places().iter().any(held))
    }

    fn stays_inside(&self, path: &Path) -> bool {
        self.roots.cover(path) && !path.components().any(|part| part == Component::ParentDir)
    }

    /// Something is there, or a command that writes could put something there.
    fn matters(&self, real: &Path, name: &str) -> bool {
        let is_name = |char: char| char.is_alphanumeric() || "_./@+~-".contains(char);
        let could_be = || {
            let existing = real.ancestors().skip(1).find(|folder| folder.is_dir());
            // Anything with a slash before it may be meant for a pattern.
            let is_simple = || !name.ends_with('/') && name.chars().all(is_name);
            match (existing, real.parent()) {
                (Some(existing), _) if existing != Path::new("/") => true,
                (existing, parent) => existing == parent && is_simple(),
            }
        };
        real.symlink_metadata().is_ok() || (!self.looks && could_be())
    }

    fn change_folder(&mut self, arguments: &[Word]) {
        let is_option = |word: &&Word| matches!(word.text.as_str(), "--" | "-P" | "-L" | "-e" | "-@");
        match arguments.iter().find(|word| !is_option(word)) {
            None => self.add("~"),
            // The folder before, or an option that says we do not know what.
            Some(target) if target.text.starts_with(['-', '+']) => self.add(&target.raw),
            Some(target) => {
                if let Some(name) = target.plain() {
                    self.enter(name, false);
                }
            }
        }
    }

    /// Git, tar and make are told by an option to begin elsewhere.
    fn enter_by_option(&mut self, arguments: &[Word]) {
        let follows = arguments.iter().zip(arguments.iter().skip(1));
        for (_, folder) in follows.filter(|(option, _)| option.text == "-C") {
            if let Some(name) = folder.plain() {
                self.enter(name, true);
            }
        }
    }

    /// Names may begin in this folder from now on: as a program finds it, and as a shell reckons it.
    fn enter(&mut self, name: &str, only_real: bool) {
        let entered = self.folders.iter().map(|folder| folder.join(name));
        let entered: Vec<PathBuf> = entered.flat_map(|folder| [lexical(&folder), folder]).collect();
        for folder in entered {
            let is_known = self
                .folders
                .iter()
                .any(|known| known.as_os_str() == folder.as_os_str());
            if !is_known && (!only_real || folder.is_dir()) {
                self.folders.push(folder);
            }
        }
        if self.folders.len() > FOLDERS {
            self.add("/");
            self.folders.truncate(FOLDERS);
        }
    }

    fn add(&mut self, place: impl AsRef<Path>) {
        self.found.outside.insert(place.as_ref().to_owned());
    }
}
