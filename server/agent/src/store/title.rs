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

/// A whole prompt on one line; cut with an ellipsis when it is longer.
pub(super) fn from_prompt(prompt: &str) -> String {
    let mut title = one_line(prompt, FROM_QUESTION + 1);
    if let Some((cut, _)) = title.char_indices().nth(FROM_QUESTION) {
        let last = title.get(..cut).and_then(|kept| kept.char_indices().next_back());
        title.truncate(last.map_or(0, |(at, _)| at));
        title.push('…');
    }
    title
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
