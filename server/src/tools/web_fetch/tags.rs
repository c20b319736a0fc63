//! HTML as a row of tags and texts: how deep it is nested, before a parser is asked, and its words when it is too deep.
//!
//! Parsers look through all open elements at each tag, so that a page of nothing but opening tags takes them minutes.

use std::collections::HashMap;

/// Deeper than any page that people read.
const DEPTH: usize = 500;
/// Closed by whatever follows, or never open; they nest nothing by themselves.
const FLAT: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option",
    "p", "param", "source", "tbody", "td", "th", "tr", "track", "wbr",
];
/// What stands in them is neither a tag nor read.
const RAW: [&str; 2] = ["script", "style"];

/// A piece of HTML.
enum Piece<'a> {
    Text(&'a str),
    Open(String),
    Close(String),
}

/// Whether a parser can be asked about it.
pub(super) fn is_too_deep(html: &str) -> bool {
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut depth = 0;
    for piece in pieces(html) {
        match piece {
            Piece::Open(name) if !FLAT.contains(&name.as_str()) => {
                *open.entry(name).or_default() += 1;
                depth += 1;
            }
            // One that closes nothing takes nothing away.
            Piece::Close(name) => {
                if let Some(count) = open.get_mut(&name).filter(|count| **count > 0) {
                    *count -= 1;
                    depth -= 1;
                }
            }
            Piece::Open(_) | Piece::Text(_) => {}
        }
        if depth > DEPTH {
            return true;
        }
    }
    false
}

/// The words of it, without any form.
pub(super) fn words(html: &str) -> String {
    let texts = pieces(html).filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.split_whitespace()),
        Piece::Open(_) | Piece::Close(_) => None,
    });
    texts.flatten().collect::<Vec<_>>().join(" ")
}

fn pieces(html: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = next(rest);
        rest = after;
        Some(piece)
    })
}

fn next(html: &str) -> (Piece<'_>, &str) {
    let Some(tag) = html.strip_prefix('<') else {
        let (text, rest) = html.split_at(html.find('<').unwrap_or(html.len()));
        return (Piece::Text(text), rest);
    };
    if let Some(comment) = tag.strip_prefix("!--") {
        return (Piece::Text(""), after(comment, "-->"));
    }
    let (closes, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
    let end = tag
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(tag.len());
    let (name, rest) = tag.split_at(end);
    if name.is_empty() && !tag.starts_with(['!', '?']) {
        return (Piece::Text("<"), tag);
    }
    let name = name.to_ascii_lowercase();
    let mut rest = after(rest, ">");
    if closes {
        return (Piece::Close(name), rest);
    }
    if RAW.contains(&name.as_str()) {
        rest = after_raw(rest, &name);
        return (Piece::Text(""), rest);
    }
    (Piece::Open(name), rest)
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// After the tag that ends a script or a style, whatever case it is written in.
fn after_raw<'a>(text: &'a str, name: &str) -> &'a str {
    let ends = |at: usize| {
        let tag = text.get(at + 2..at + 2 + name.len());
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
    };
    let end = text.match_indices("</").map(|(at, _)| at).find(|at| ends(*at));
    end.and_then(|at| text.get(at..))
        .map_or("", |rest| after(rest, ">"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nests_is_counted() {
        let rows = [
            ("<div>".repeat(DEPTH), false),
            ("<div>".repeat(DEPTH + 1), true),
            ("<DIV class='x'>text</div>".repeat(5000), false),
            ("<p>one<br><li>two".repeat(5000), false),
            ("<b></i>".repeat(DEPTH + 1), true),
            ("<script>if(a<b)x</SCRIPT>".repeat(5000), false),
            ("<!-- <div> --> a < b".repeat(5000), false),
            ("<".repeat(5000), false),
        ];
        for (html, deep) in rows {
            assert_eq!(is_too_deep(&html), deep, "{}", html.get(..60).unwrap_or(&html));
        }
    }

    #[test]
    fn words_are_left_of_any_page() {
        let html = "<!doctype html><div>One <b>two</b>\n<style>x{}</style>three</div> 4 < 5<script>";
        assert_eq!(words(html), "One two three 4 < 5");
    }
}
