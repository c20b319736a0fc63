//! Titles are one line each.

/// Most characters of a title made from a question.
const FROM_QUESTION: usize = 80;
/// Most characters of a title a person gives.
const FROM_PERSON: usize = 200;

/// The first line of a question that says anything; empty when none does.
pub(super) fn from_question(question: &str) -> String {
    let mut lines = question.lines().map(|line| one_line(line, FROM_QUESTION));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// What a person typed as a title; `None` when nothing of it is visible.
pub(super) fn from_person(typed: &str) -> Option<String> {
    Some(one_line(typed, FROM_PERSON)).filter(|title| !title.is_empty())
}

/// Every run of spaces and control characters becomes one space; cut at a character.
fn one_line(text: &str, most: usize) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty());
    let line: String = words
        .flat_map(|word| [" ", word])
        .skip(1)
        .flat_map(str::chars)
        .take(most)
        .collect();
    line.trim_end().to_owned()
}
