//! Replacing a piece of a text by another, the way a model asks for it: the piece is unique or all of them are meant,
//! lines end as they did before, and nothing else changes.

use std::ops::Range;

use serde::Deserialize;

/// Places that an error names.
const NAMED: usize = 8;

/// One replacement.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Edit {
    /// What is there.
    #[serde(alias = "old_text")]
    pub(super) old_string: String,
    /// What is to be there.
    #[serde(alias = "new_text")]
    pub(super) new_string: String,
    /// Everywhere.
    #[serde(default)]
    pub(super) replace_all: bool,
}

/// A text after a replacement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    /// The whole of it.
    pub(super) text: String,
    /// How often something was replaced.
    pub(super) count: usize,
    /// The line of the first replacement, from 1.
    pub(super) line: u32,
}

/// Why nothing was replaced; the model reads it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReplaceError {
    #[error("old_string is empty; write_file writes a whole file")]
    Empty,
    #[error("old_string and new_string are the same")]
    Same,
    #[error("old_string was not found{0}")]
    Missing(Hint),
    #[error(
        "old_string is there {count} times (lines {lines}); add lines around it to make it unique, or set replace_all"
    )]
    Ambiguous {
        /// How often.
        count: usize,
        /// Where the first ones begin.
        lines: String,
    },
}

/// What the model may have meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing that is like it.
    None,
    /// It was copied with the line numbers of read_file.
    Numbers,
    /// It is there, with other white space.
    Space {
        /// The line it begins in.
        line: usize,
        /// As it is there.
        text: String,
    },
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("; read the file again, it may have changed"),
            Self::Numbers => f.write_str("; leave out the line numbers that read_file puts before each line"),
            Self::Space { line, text } => {
                write!(
                    f,
                    "; from line {line} on only the white space differs, it is there as\n{text}"
                )
            }
        }
    }
}

/// Replaces.
pub(super) fn replace(text: &str, edit: &Edit) -> Result<Replaced, ReplaceError> {
    if edit.old_string.is_empty() {
        return Err(ReplaceError::Empty);
    }
    if edit.old_string == edit.new_string {
        return Err(ReplaceError::Same);
    }
    let found = find(text, &edit.old_string);
    match found.as_slice() {
        [] => Err(ReplaceError::Missing(hint(text, &edit.old_string))),
        [_, _, ..] if !edit.replace_all => Err(ReplaceError::Ambiguous {
            count: found.len(),
            lines: lines_of(text, &found),
        }),
        all => Ok(put(text, edit, all)),
    }
}

/// Where the piece is: as it is written, else with lines that end with `\r\n`.
fn find(text: &str, piece: &str) -> Vec<Range<usize>> {
    let exact = occurrences(text, piece);
    if !exact.is_empty() || !piece.contains('\n') || !text.contains("\r\n") {
        return exact;
    }
    let (plain, returns) = without_returns(text);
    // Before a place in the plain text stand as many left-out returns as there are at or before it, counting those
    // whose line end it has passed.
    let whole = |at: usize| at + returns.partition_point(|line_end| *line_end < at);
    let found = occurrences(&plain, &piece.replace("\r\n", "\n"));
    found
        .into_iter()
        .map(|piece| whole(piece.start)..whole(piece.end))
        .collect()
}

fn occurrences(text: &str, piece: &str) -> Vec<Range<usize>> {
    text.match_indices(piece)
        .map(|(at, _)| at..at + piece.len())
        .collect()
}

/// The text with `\n` for `\r\n`, and where those stand in it.
fn without_returns(text: &str) -> (String, Vec<usize>) {
    let mut plain = String::with_capacity(text.len());
    let mut returns = Vec::new();
    let mut parts = text.split("\r\n");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        returns.push(plain.len());
        plain.push('\n');
        plain.push_str(part);
    }
    (plain, returns)
}

fn put(text: &str, edit: &Edit, places: &[Range<usize>]) -> Replaced {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for place in places {
        result.push_str(text.get(done..place.start).unwrap_or_default());
        let there = text.get(place.clone()).unwrap_or_default();
        result.push_str(&with_line_ends(edit, there, text));
        done = place.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    let first = places.first().map_or(0, |place| place.start);
    Replaced {
        text: result,
        count: places.len(),
        line: u32::try_from(line_of(text, first)).unwrap_or(u32::MAX),
    }
}

/// The new piece with the line ends of what it replaces; of the whole text, when that has none.
fn with_line_ends(edit: &Edit, there: &str, text: &str) -> String {
    let plain = edit.new_string.replace("\r\n", "\n");
    // Whoever changes nothing but line ends means it.
    if plain == edit.old_string.replace("\r\n", "\n") {
        return edit.new_string.clone();
    }
    let model = if there.contains('\n') { there } else { text };
    if super::local_workspace::ends_lines_with_crlf(model) {
        plain.replace('\n', "\r\n")
    } else if text.contains("\r\n") || !text.contains('\n') {
        // A mixed text, or one of a single line: as it was asked for.
        edit.new_string.clone()
    } else {
        plain
    }
}

fn lines_of(text: &str, found: &[Range<usize>]) -> String {
    let lines: Vec<_> = found
        .iter()
        .take(NAMED)
        .map(|place| line_of(text, place.start).to_string())
        .collect();
    let more = if found.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", lines.join(", "))
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.get(..at).unwrap_or_default().matches('\n').count()
}

fn hint(text: &str, piece: &str) -> Hint {
    if piece
        .lines()
        .all(|line| line.split_once('→').is_some_and(|(number, _)| is_number(number)))
    {
        return Hint::Numbers;
    }
    let wanted: Vec<&str> = piece.lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().collect();
    let alike = |window: &[&str]| window.iter().map(|line| line.trim()).eq(wanted.iter().copied());
    // A blank piece is like every blank line.
    if wanted.iter().all(|line| line.is_empty()) {
        return Hint::None;
    }
    let found = lines.windows(wanted.len()).position(alike);
    found.map_or(Hint::None, |at| Hint::Space {
        line: at + 1,
        text: lines
            .iter()
            .skip(at)
            .take(wanted.len())
            .copied()
            .collect::<Vec<_>>()
            .join("\n"),
    })
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
