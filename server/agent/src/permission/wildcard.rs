//! `*` in a pattern stands for any text, `/` included; everything else stands for itself.

/// Whether all of `text` is as `pattern` says. Takes time of their product at worst.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut in_text) = (0, 0);
    // Where the last star was, and how much text it stands for so far.
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, in_text));
            at += 1;
        } else if pattern
            .get(at)
            .is_some_and(|byte| text.get(in_text) == Some(byte))
        {
            (at, in_text) = (at + 1, in_text + 1);
        } else if let Some((star_at, taken)) = star {
            star = Some((star_at, taken + 1));
            (at, in_text) = (star_at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern.iter().skip(at).all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        let cases = [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "a/b", true),
            ("src/*", "src/a/b.rs", true),
            ("src/*", "srcs/a", false),
            ("src/*.rs", "src/a.rs.bak", false),
            ("*.rs", "a.rs", true),
            ("a*b*c", "a1b2b3c", true),
            ("a*b*c", "a1b2b3", false),
            ("**", "x", true),
            ("gr?p", "grep", false),
            ("Größe*", "Größe.txt", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_endless_time() {
        assert!(!matches(&"*a".repeat(500), &"a".repeat(499)));
        assert!(!matches(&format!("{}b", "*a".repeat(200)), &"a".repeat(4_000)));
    }
}
