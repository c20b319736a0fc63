//! Names of tools and ids of calls in a transcript, as they go back to a model server: models invent names, other
//! servers give other ids, and one that is not proper has the whole conversation refused.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Most bytes of a name or an id.
const LONGEST: usize = 64;
/// What stands for a name that says nothing.
const UNNAMED: &str = "unnamed";
/// Length of the ids that Mistral's servers take.
const SHORT: usize = 9;
/// What those are made of.
const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A tool's name of letters, digits, `_` and `-`.
pub(crate) fn proper_name(name: &str) -> Cow<'_, str> {
    match proper(name) {
        Cow::Borrowed("") => Cow::Borrowed(UNNAMED),
        proper => proper,
    }
}

/// A call's id of the same characters; different ids stay different.
pub(crate) fn proper_id(id: &str) -> Cow<'_, str> {
    let Cow::Owned(mut proper) = proper(id) else {
        return Cow::Borrowed(id);
    };
    proper.truncate(LONGEST - SHORT - 1);
    Cow::Owned(format!("{proper}-{}", digest(id)))
}

/// A call's id of nine letters and digits; different ids stay different.
pub(crate) fn short_id(id: &str) -> Cow<'_, str> {
    if id.len() == SHORT && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(digest(id))
}

fn proper(text: &str) -> Cow<'_, str> {
    let is_proper = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.len() <= LONGEST && text.chars().all(is_proper) {
        return Cow::Borrowed(text);
    }
    let proper = text.chars().map(|c| if is_proper(c) { c } else { '_' });
    Cow::Owned(proper.take(LONGEST).collect())
}

/// The same for the same text as long as this program runs, and hardly ever the same for two.
fn digest(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let mut rest = hasher.finish();
    let digit = |_| {
        let at = usize::try_from(rest % 36).unwrap_or_default();
        rest /= 36;
        LETTERS.get(at).copied().map(char::from)
    };
    (0..SHORT).filter_map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_nothing_that_a_server_refuses() {
        for (name, proper) in [
            ("read_file", "read_file"),
            ("functions.read_file", "functions_read_file"),
            ("my tool", "my_tool"),
            ("größe", "gr__e"),
            ("", "unnamed"),
        ] {
            assert_eq!(proper_name(name), proper);
        }
        assert_eq!(proper_name(&"x".repeat(65)), "x".repeat(64));
    }

    #[test]
    fn proper_ids_stay_and_others_stay_different() {
        assert_eq!(proper_id("toolu_01-A"), "toolu_01-A");
        let long = "x".repeat(100);
        let ids = ["a.b", "a:b", "a b", "functions.read:0", &long];
        let mut proper: Vec<Cow<'_, str>> = ids.into_iter().map(proper_id).collect();
        proper.extend(ids.into_iter().map(short_id));
        for id in &proper {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!(id.len() <= LONGEST && id.chars().all(plain), "{id}");
        }
        assert!(proper[0].starts_with("a_b-"), "{}", proper[0]);
        let different: std::collections::HashSet<_> = proper.iter().collect();
        assert_eq!(different.len(), 2 * ids.len());
        assert_eq!(proper_id("a.b"), proper[0], "call and result alike");
    }

    #[test]
    fn short_ids_are_nine_letters_and_digits() {
        assert_eq!(short_id("D681PevKs"), "D681PevKs");
        for id in ["call_0", "call_0-2", "", "a-b-c-d-e"] {
            let short = short_id(id);
            assert!(
                short.len() == 9 && short.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                "{short}"
            );
        }
    }
}
