//! A command text taken apart into its simple commands, by a parser of bash's grammar.
//!
//! The parser is fed only what it can digest: texts of bounded length and nesting. What is taken apart is trusted no
//! further than the words in it, which are read again by stricter rules.

use std::panic::catch_unwind;

use brush_parser::ast::Command as Node;
use brush_parser::ast::{
    AndOr, AndOrList, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, Pipeline, Program, RedirectList, SeparatorOperator, SimpleCommand,
};
use brush_parser::{ParserOptions, Token, parse_tokens, uncached_tokenize_str};

use super::word::{Nature, Word};

/// Bytes of a text that is taken apart.
const LENGTH: usize = 32 * 1024;
/// Expansions in a text: the tokenizer nests with each.
const EXPANSIONS: usize = 64;
/// Words and signs that may begin something nested: the parser nests with each.
const OPENERS: usize = 32;
/// `case` in a text: the parser may read what is in each twice.
const CASES: usize = 6;
/// Brackets in a word that may be an element of an array: the parser may read what is in each twice.
const BRACKETS: usize = 6;
/// Digits of a number of an open file; the parser trusts that there are no more.
const DIGITS: usize = 9;

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
        match catch_unwind(|| parse(text)).ok().flatten() {
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
                self.list(&clause.0);
                self.list(&clause.1.list);
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
                let is_open = word
                    .value
                    .chars()
                    .all(|char| char.is_ascii_digit() || char == '-');
                if is_open {
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

/// The grammar of a text, and whether every word of it can be read; nothing where the parser must not be used.
fn parse(text: &str) -> Option<(Program, bool)> {
    if text.len() > LENGTH || text.contains('\0') || expansions(text) > EXPANSIONS {
        return None;
    }
    let options = ParserOptions {
        // As in a shell that runs a script.
        enable_extended_globbing: false,
        ..ParserOptions::default()
    };
    let sketch = if has_document(text) {
        Some(without_document(text)?)
    } else {
        None
    };
    let tokens =
        uncached_tokenize_str(sketch.as_deref().unwrap_or(text), &options.tokenizer_options()).ok()?;
    if !is_digestible(&tokens) {
        return None;
    }
    let readable = sketch.is_none() && tokens.iter().all(is_readable);
    Some((parse_tokens(&tokens, &options).ok()?, readable))
}

/// Whether text follows that is the input of a command (`<<`). The tokenizer never comes to an end of some, so it is
/// shown none: only a sign that surely stands in quotes is none.
fn has_document(text: &str) -> bool {
    if !text.contains("<<") {
        return false;
    }
    let mut quote = None;
    let mut before = None;
    for char in text.chars() {
        match (quote, char) {
            (_, '$' | '`' | '\\' | '#') => return true,
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, '<') if before == Some('<') => return true,
            _ => {}
        }
        before = Some(char);
    }
    false
}

/// The line that text follows on, without the sign and its word: as much of such a command as can be shown.
fn without_document(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("<<")?;
    let word = rest.trim_start_matches(['<', '-', ' ']);
    let after = word.trim_start_matches(|char: char| !char.is_whitespace() && !";|&<>()".contains(char));
    let line = after.lines().next().unwrap_or_default();
    (!line.contains("<<")).then(|| format!("{before} {line}"))
}

fn expansions(text: &str) -> usize {
    let begins = ["$(", "${", "$[", "`"];
    begins.iter().map(|begin| text.matches(begin).count()).sum()
}

/// Whether the parser can take these tokens without end, and without trusting them too much.
fn is_digestible(tokens: &[Token]) -> bool {
    let openers = tokens.iter().filter(|token| opens(token)).count();
    let cases = tokens.iter().filter(|token| token.to_str() == "case").count();
    let follows = tokens.iter().zip(tokens.iter().skip(1));
    openers <= OPENERS
        && cases <= CASES
        && tokens.iter().all(has_few_brackets)
        && follows.into_iter().all(|(one, next)| !is_trap(one, next))
}

fn opens(token: &Token) -> bool {
    let openers = [
        "(", "{", "if", "elif", "while", "until", "for", "case", "coproc", "function", "[[", "!", "time",
    ];
    openers.contains(&token.to_str())
}

/// The parser reads a subscript by trying.
fn has_few_brackets(token: &Token) -> bool {
    let count = |bracket: char| token.to_str().matches(bracket).count();
    !token.to_str().contains('[') || count('(') + count('[') + count('{') <= BRACKETS
}

/// `((` is read by trying; a large number before a redirection is a number it trusts.
fn is_trap(one: &Token, next: &Token) -> bool {
    match (one, next) {
        (Token::Operator(one, _), Token::Operator(next, _)) => one == "(" && next == "(",
        (Token::Word(word, _), Token::Operator(next, _)) => {
            next.starts_with(['<', '>'])
                && word.len() > DIGITS
                && word.chars().all(|char| char.is_ascii_digit())
        }
        _ => false,
    }
}

fn is_readable(token: &Token) -> bool {
    match token {
        Token::Word(raw, _) => Word::read(raw).is_some(),
        Token::Operator(..) => true,
    }
}
