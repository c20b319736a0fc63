//! A command text taken apart into its simple commands, by a parser of bash's grammar.
//!
//! What is taken apart is trusted no further than the words in it, which are read again by stricter rules.

mod grammar;

use std::panic::catch_unwind;

use brush_parser::ast::Command as Node;
use brush_parser::ast::{
    AndOr, AndOrList, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList, SeparatorOperator, SimpleCommand,
};

use super::word::{Nature, Word};

/// A text, taken apart.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Its simple commands, in the order they stand.
    pub(super) commands: Vec<Command>,
    /// It is nothing but simple commands, one after the other, beside each other or under conditions: no redirection,
    /// nothing in the background, nothing set, no loop over words, no function.
    pub(super) tame: bool,
    /// Not all of it could be read.
    pub(super) opaque: bool,
}

/// A simple command.
#[derive(Debug, Default)]
pub(super) struct Command {
    /// What is set for it, as it is written.
    pub(super) assignments: Vec<Word>,
    /// Program and arguments.
    pub(super) words: Vec<Word>,
    /// Files that its input and output are.
    pub(super) targets: Vec<Target>,
}

/// A file that is the input or output of a command.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) file: Word,
    /// It is written.
    pub(super) written: bool,
}

impl Script {
    /// Takes a text apart, as far as it can be.
    pub(super) fn read(text: &str) -> Self {
        let mut script = Self {
            tame: true,
            ..Self::default()
        };
        // A parser that panics has not understood the text.
        match catch_unwind(|| grammar::parse(text)).ok().flatten() {
            Some((program, readable)) => {
                script.opaque = !readable;
                for list in &program.complete_commands {
                    script.list(list);
                }
            }
            None => script.opaque = true,
        }
        script
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.tame &= matches!(item.1, SeparatorOperator::Sequence);
            self.and_or(&item.0);
        }
    }

    fn and_or(&mut self, list: &AndOrList) {
        self.pipeline(&list.first);
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline),
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.seq {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Node) {
        match command {
            Node::Simple(simple) => self.simple(simple),
            Node::Compound(compound, redirects) => {
                self.compound(compound);
                self.redirects(redirects.as_ref());
            }
            Node::Function(function) => {
                self.tame = false;
                self.compound(&function.body.0);
                self.redirects(function.body.1.as_ref());
            }
            // It calculates, and what is calculated may run commands.
            Node::ExtendedTest(test, redirects) => {
                self.unread(&format!("[[ {} ]]", test.expr));
                self.redirects(redirects.as_ref());
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|condition| self.list(condition));
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                let before = self.commands.len();
                self.list(&clause.0);
                self.list(&clause.1.list);
                // Each round may begin further away.
                let round = self.commands.get(before..).unwrap_or_default();
                let goes =
                    |command: &Command| command.words.first().is_some_and(|program| program.text == "cd");
                self.tame &= !round.iter().any(goes);
            }
            CompoundCommand::ForClause(clause) => {
                self.tame = false;
                for value in clause.values.iter().flatten() {
                    self.inner(&value.value);
                }
                self.list(&clause.body.list);
            }
            CompoundCommand::CaseClause(clause) => {
                self.tame = false;
                self.inner(&clause.value.value);
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.inner(&pattern.value);
                    }
                    case.cmd.iter().for_each(|list| self.list(list));
                }
            }
            CompoundCommand::Coprocess(process) => {
                self.tame = false;
                self.command(&process.body);
            }
            CompoundCommand::Arithmetic(arithmetic) => self.unread(&format!("(({}))", arithmetic.expr)),
            CompoundCommand::ArithmeticForClause(clause) => {
                self.unread("for ((");
                self.list(&clause.body.list);
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut command = Command::default();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::AssignmentWord(_, word) => {
                    self.tame = false;
                    let word = self.inner(&word.value);
                    command.assignments.push(word);
                }
                other => self.item(other, &mut command),
            }
        }
        if let Some(program) = &simple.word_or_name {
            let program = self.inner(&program.value);
            command.words.push(program);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut command);
        }
        self.commands.push(command);
    }

    fn item(&mut self, item: &Item, command: &mut Command) {
        match item {
            Item::Word(word) | Item::AssignmentWord(_, word) => {
                let word = self.inner(&word.value);
                command.words.push(word);
            }
            Item::IoRedirect(redirect) => command.targets.extend(self.redirect(redirect)),
            Item::ProcessSubstitution(_, subshell) => {
                self.tame = false;
                self.list(&subshell.list);
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) {
        let mut command = Command::default();
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            command.targets.extend(self.redirect(redirect));
        }
        if !command.targets.is_empty() {
            self.commands.push(command);
        }
    }

    /// The file that a redirection opens.
    fn redirect(&mut self, redirect: &IoRedirect) -> Option<Target> {
        self.tame = false;
        let (kind, file) = match redirect {
            IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => (kind, word),
            IoRedirect::File(_, kind, IoFileRedirectTarget::Duplicate(word)) => {
                let number = word.value.strip_suffix('-').unwrap_or(&word.value);
                if number.chars().all(|char| char.is_ascii_digit()) {
                    return None;
                }
                (kind, word)
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.list(&subshell.list);
                return None;
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => return None,
            IoRedirect::OutputAndError(word, _) => (&IoFileRedirectKind::Write, word),
            IoRedirect::HereDocument(..) | IoRedirect::HereString(..) => {
                self.opaque = true;
                return None;
            }
        };
        Some(Target {
            file: self.inner(&file.value),
            written: !matches!(
                kind,
                IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput
            ),
        })
    }

    /// Reads a word, and takes what is put into it as commands of their own.
    fn inner(&mut self, raw: &str) -> Word {
        let word = Word::read(raw).unwrap_or_else(|| {
            self.opaque = true;
            Word::unread(raw)
        });
        for text in &word.inner {
            let words = text.split(' ').filter(|word| !word.is_empty()).map(|bare| Word {
                text: bare.to_owned(),
                nature: Nature::Plain,
                ..Word::unread(bare)
            });
            self.commands.push(Command {
                words: words.collect(),
                ..Command::default()
            });
        }
        word
    }

    /// A command of which nothing is known but how it is written.
    fn unread(&mut self, raw: &str) {
        self.tame = false;
        self.opaque = true;
        self.commands.push(Command {
            words: vec![Word::unread(raw)],
            ..Command::default()
        });
    }
}
