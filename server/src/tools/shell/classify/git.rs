//! Whether a command changes what git reads to know how to behave: its configuration, its hooks. Git runs programs that
//! are named there, also for whoever only looks at the repository later, outside any sandbox.
//!
//! By its words only. A program can do the same without a word of it.

use super::programs;
use super::script::{Command, Script};
use super::word::Word;

/// Options of `git` itself that are followed by a value.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
];
/// What makes `git config` only tell, when it stands first.
const TELLING: &[&str] = &["get", "list"];
/// The same wherever it stands.
const TELLING_OPTIONS: &[&str] = &[
    "--get",
    "--get-all",
    "--get-regexp",
    "--get-urlmatch",
    "--get-color",
    "--get-colorbool",
    "--list",
    "-l",
];
/// What makes it change something although at most one thing is named.
const EDITING: &[&str] = &["-e", "edit", "--edit", "--unset", "--remove-section"];
/// Options whose value is left out of something, or only looked for.
const LEAVING_OUT: &[&str] = &[
    "--exclude",
    "--exclude-dir",
    "--ignore",
    "--ignore-dir",
    "-name",
    "-iname",
    "-path",
    "-ipath",
];

/// Whether any of its commands does.
pub(super) fn is_told_otherwise(script: &Script) -> bool {
    script
        .commands
        .iter()
        .any(|command| configures(command) || touches(command))
}

/// `git config` with something to set, whatever runs it.
fn configures(command: &Command) -> bool {
    let is_git = |word: &Word| word.text.rsplit('/').next() == Some("git");
    let at = command.words.iter().position(is_git);
    let rest = at.and_then(|at| command.words.get(at + 1..)).unwrap_or_default();
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let Some(["config", arguments @ ..]) = task(&texts) else {
        return false;
    };
    let named = arguments.iter().filter(|argument| !argument.starts_with('-'));
    // A name alone asks for its value.
    let sets = named.count() > 1 || arguments.iter().any(|argument| begins_as(EDITING, argument));
    let tells = arguments.first().is_some_and(|first| TELLING.contains(first))
        || arguments
            .iter()
            .any(|argument| TELLING_OPTIONS.contains(argument));
    sets && !tells
}

/// What `git` is told to do, behind its own options.
fn task<'a>(mut texts: &'a [&'a str]) -> Option<&'a [&'a str]> {
    loop {
        texts = match texts {
            [option, _, rest @ ..] if WITH_VALUE.contains(option) => rest,
            [option, rest @ ..] if option.starts_with('-') => rest,
            [_, ..] => return Some(texts),
            [] => return None,
        };
    }
}

/// A word or a target that lies in git's own folder.
fn touches(command: &Command) -> bool {
    let words = &command.words;
    let speaks = words
        .first()
        .is_some_and(|program| programs::only_speaks(&program.text));
    let arguments = words.iter().zip(words.iter().skip(1)).filter(|_| !speaks);
    let named = arguments
        .filter(|(before, word)| !LEAVING_OUT.contains(&before.text.as_str()) && !is_left_out(word))
        .map(|(_, word)| word);
    let written = command.targets.iter().filter(|target| target.written);
    named.chain(written.map(|target| &target.file)).any(lies_in_git)
}

fn begins_as(begins: &[&str], text: &str) -> bool {
    begins.iter().any(|begin| text.starts_with(begin))
}

fn is_left_out(word: &Word) -> bool {
    let option = word.text.split_once('=').map(|(option, _)| option);
    word.text.starts_with('!') || option.is_some_and(|option| LEAVING_OUT.contains(&option))
}

fn lies_in_git(word: &Word) -> bool {
    let ends_part = |char: char| "/=:".contains(char);
    word.text
        .split(ends_part)
        .any(|part| part.eq_ignore_ascii_case(".git"))
}
