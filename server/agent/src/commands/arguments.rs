//! Puts what a person wrote behind a command into its text.

/// Fills `$ARGUMENTS` and `$1` to `$9`. A text without any of them gets the arguments at its end. What is filled in is
/// not looked at again.
pub(super) fn fill(body: &str, arguments: &str) -> String {
    let words = words(arguments);
    let mut text = String::with_capacity(body.len() + arguments.len());
    let (mut rest, mut used) = (body, false);
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        rest = match placeholder(after) {
            Some((place, behind)) => {
                used = true;
                text.push_str(match place {
                    Place::All => arguments,
                    Place::Word(number) => words.get(number).map_or("", String::as_str),
                });
                behind
            }
            None => {
                text.push('$');
                after
            }
        };
    }
    text.push_str(rest);
    if !used && !arguments.is_empty() {
        text = format!("{}\n\n{arguments}", text.trim_end());
    }
    text
}

/// Whether a text has a place for arguments.
pub(super) fn takes_any(body: &str) -> bool {
    body.split('$').skip(1).any(|after| placeholder(after).is_some())
}

enum Place {
    All,
    /// From 0.
    Word(usize),
}

/// What stands behind a dollar sign, and the text behind that.
fn placeholder(after: &str) -> Option<(Place, &str)> {
    if let Some(behind) = after.strip_prefix("ARGUMENTS") {
        let ends = !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        return ends.then_some((Place::All, behind));
    }
    let digit = after
        .chars()
        .next()
        .and_then(|c| c.to_digit(10))
        .filter(|digit| *digit > 0)?;
    let behind = after.get(1..)?;
    let ends = !behind.starts_with(|c: char| c.is_ascii_digit());
    let number = usize::try_from(digit).ok()?.checked_sub(1)?;
    ends.then_some((Place::Word(number), behind))
}

/// Words between spaces; quotes keep spaces together.
fn words(arguments: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in arguments.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
