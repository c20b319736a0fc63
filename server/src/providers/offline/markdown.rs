//! Page text inside Markdown: shown as it is, never as markup, links or pictures.

use sidewire_agent::page_block::text::flat;

/// Longest piece of page text in an answer.
const MOST: usize = 300;

/// Page text as inert Markdown: code where it looks technical, escaped words otherwise.
pub(super) fn value(text: &str) -> String {
    let text = flat(text, MOST);
    let is_code = |char: char| char.is_ascii_alphanumeric() || "._/:@-+%=?&,".contains(char);
    let technical = text.chars().all(is_code) && text.contains(|char: char| "._/:@-".contains(char));
    if text.is_empty() {
        "(empty)".to_owned()
    } else if technical {
        format!("`{text}`")
    } else {
        escaped(&text)
    }
}

/// Page text in bold.
pub(super) fn bold(text: &str) -> String {
    format!("**{}**", escaped(&flat(text, MOST)))
}

/// Escapes what Markdown or HTML could take for markup. A bare address may become a link that says where it leads.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if "\\`*_{}[]<>#|~!&$^".contains(char) {
            out.push('\\');
        }
        out.push(char);
    }
    match out.chars().next() {
        Some('-' | '+' | '=') => format!("\\{out}"),
        Some(first) if first.is_ascii_digit() => number_start(&out),
        _ => out,
    }
}

/// `1. x` at a line start would be a list.
fn number_start(text: &str) -> String {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if rest.starts_with(['.', ')']) {
        format!("{number}\\{rest}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_text_makes_no_links_or_pictures() {
        for nasty in [
            "![x](https://evil.example/p.png)",
            "[a](javascript:x)",
            "<img src=x>",
        ] {
            let shown = value(nasty);
            let live = shown.replace("\\]", "").replace("\\[", "").replace("\\<", "");
            assert!(!live.contains(['[', ']', '<']), "{shown}");
        }
    }

    #[test]
    fn technical_values_are_code() {
        assert_eq!(value("lb1.example.com"), "`lb1.example.com`");
        assert_eq!(value("https://a.example/x"), "`https://a.example/x`");
        assert_eq!(value("Round robin"), "Round robin");
        assert_eq!(value("a`b-c"), "a\\`b-c");
        assert_eq!(value("1. first thing"), "1\\. first thing");
    }
}
