//! The grammar of a text, by a parser that is fed only what it can digest: texts of bounded length and nesting.

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token, parse_tokens, uncached_tokenize_str};

use super::super::word::Word;

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

/// The grammar of a text, and whether every word of it can be read; nothing where the parser must not be used.
pub(super) fn parse(text: &str) -> Option<(Program, bool)> {
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
