//! What a shell command would do, as far as permission is concerned: whether it only looks, which simple commands it is
//! made of, which places outside the workspace it names, and whether any of that can be told at all.
//!
//! It fails closed. A command only looks when every word of it reads the same in every shell, every program is listed,
//! and no argument makes a listed program write; anything else is a writer, and what cannot be read is
//! [opaque](Intent::opaque). It runs nothing and expands nothing.

mod git;
mod places;
mod programs;
mod script;
mod veil;
mod word;

use std::collections::BTreeSet;

use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::workspace::Roots;

use super::super::protected::Protected;
use script::{Command, Script};

/// Parts of a command that rules are compared with; a command of more is opaque.
const SEGMENTS: usize = 256;
/// Commands inside commands (`sh -c "sh -c …"`) that are looked into.
const DEPTH: usize = 4;

/// What the gate has to know about a command. Looks at the disk to follow links.
pub(crate) fn classify(command: &str, roots: &Roots, protected: &Protected) -> Intent {
    let command = command.trim();
    let script = unfolded(command);
    let looks = only_looks(&script);
    let class = if looks { Class::Read } else { Class::Execute };
    let segments = segments(&script, command);
    let reach = places::reach(&script, roots, protected, looks);
    Intent {
        opaque: script.opaque || segments.len() > SEGMENTS,
        outside: reach.outside.into_iter().collect(),
        fresh: reach.keys,
        segments: segments.into_iter().take(SEGMENTS).collect(),
        tampers: !looks && git::is_told_otherwise(&script),
        ..Intent::new(class, Some(command.to_owned()))
    }
}

/// Whether a command only looks, as [`classify`] says it.
pub(crate) fn looks(command: &str) -> bool {
    only_looks(&unfolded(command.trim()))
}

/// The command, and the commands that it hands to another shell in so many words.
fn unfolded(command: &str) -> Script {
    let mut script = Script::read(command);
    let mut fresh = 0..script.commands.len();
    for _ in 0..DEPTH {
        let hidden = script.commands.get(fresh).unwrap_or_default();
        script.opaque |= hidden.iter().any(veil::hides);
        let inner: Vec<String> = hidden.iter().filter_map(veil::code).collect();
        fresh = script.commands.len()..usize::MAX;
        for code in inner {
            script.commands.extend(Script::read(&code).commands);
        }
        fresh.end = script.commands.len();
        if fresh.is_empty() || fresh.end > SEGMENTS {
            break;
        }
    }
    script
}

fn only_looks(script: &Script) -> bool {
    !script.opaque
        && script.tame
        && !script.commands.is_empty()
        && script.commands.iter().all(programs::only_looks)
}

/// Every simple command under every name that a rule may know it by; the whole when it cannot be taken apart.
fn segments(script: &Script, command: &str) -> Vec<String> {
    let mut known = BTreeSet::new();
    let names = script.commands.iter().flat_map(names);
    let mut segments: Vec<String> = names.filter(|name| known.insert(name.clone())).collect();
    if segments.is_empty() && !command.is_empty() {
        segments.push(command.to_owned());
    }
    segments
}

/// What a command is called: as it stands, without what is set for it, without the folder of its program, and, where
/// one program runs another, from each word on that may be that other one. Files that it writes by a redirection are
/// named apart (`> file`): they are no part of what a rule about its program allows.
fn names(command: &Command) -> Vec<String> {
    let words = &command.words;
    let written = command
        .targets
        .iter()
        .filter(|target| target.written && !target.file.plain().is_some_and(places::is_nowhere));
    let mut names: Vec<String> = written
        .map(|target| format!("> {}", target.file.spelling()))
        .collect();
    names.insert(0, spelled(command.assignments.iter().chain(words)));
    let from = if veil::runs_another(command) {
        words.len().min(SEGMENTS)
    } else {
        1
    };
    for at in 0..from {
        let rest = words.get(at..).unwrap_or_default();
        let Some((program, arguments)) = rest.split_first() else {
            break;
        };
        names.push(spelled(rest.iter()));
        if let Some((_, base)) = program.text.rsplit_once('/') {
            let arguments = spelled(arguments.iter());
            names.push(format!("{base} {arguments}").trim_end().to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn spelled<'a>(words: impl Iterator<Item = &'a word::Word>) -> String {
    words.map(word::Word::spelling).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
