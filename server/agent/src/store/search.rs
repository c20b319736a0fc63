//! What a person types into the search field, as a query of the full-text index.

/// Words beyond this many are not looked for.
const WORDS: usize = 16;

/// Every word must occur, its beginning is enough. `None` when there is nothing to look for.
///
/// A word is quoted whole, so no sign in it is an operator; a word without letter or digit would match nothing.
pub(super) fn query(typed: &str) -> Option<String> {
    let words: Vec<String> = typed
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| word.contains(char::is_alphanumeric))
        .take(WORDS)
        .map(|word| format!("\"{}\"*", word.replace('"', "\"\"")))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}
