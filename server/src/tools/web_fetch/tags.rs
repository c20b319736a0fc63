//! HTML as a row of tags and texts: how much work it is, before a parser is asked, and its words when it is too much.
//!
//! Parsers look through all open elements at each tag, and what makes lines of tables hands each line from the innermost
//! to the outermost, so that a page of nothing but opening tags takes them minutes.

use std::collections::HashMap;

/// Deeper than any page that people read.
const DEPTH: usize = 500;
/// More than nearly any page that people read: pieces and lines, each times the elements that are open around it.
const WORK: usize = 2_000_000;
/// Bytes of text that are taken for a line; they are short within many tables.
const LINE: usize = 16;
/// Closed by whatever follows, or never open; they nest nothing by themselves.
const FLAT: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option",
    "p", "param", "source", "tbody", "td", "th", "tr", "track", "wbr",
];
/// Where they are left open, each paragraph that follows is given all of them anew.
const REOPENED: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];
/// How much more that costs than an element that is open: it is what fills the memory.
const REOPENING: usize = 30;
/// What a cell of a table costs in each further row that it reaches into.
const ROW: usize = 10;
/// Each attribute is compared with all before it; so many of these comparisons are one piece.
const COMPARISONS: usize = 1000;
/// What stands in them is neither a tag nor read.
const RAW: [&str; 2] = ["script", "style"];

/// A piece of HTML.
enum Piece<'a> {
    Text(&'a str),
    /// Name and attributes.
    Open(String, &'a str),
    Close(String),
}

impl Piece<'_> {
    /// What it costs among so many open elements, so many of which may have to be opened again.
    fn work_within(&self, open: usize, reopened: usize) -> usize {
        match self {
            Piece::Text(text) => open * (1 + text.trim().len() / LINE),
            Piece::Open(name, _) | Piece::Close(name) if name == "span" || is_reopened(name) => open,
            Piece::Open(..) | Piece::Close(_) => open + reopened * REOPENING,
        }
    }

    /// What it costs wherever it stands.
    fn own_work(&self) -> usize {
        let Piece::Open(name, attributes) = self else {
            return 0;
        };
        let between = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'".contains(byte);
        let count = attributes.bytes().filter(between).count();
        let spanned = match name.as_str() {
            "td" | "th" => spanned(&attributes.to_ascii_lowercase()),
            _ => 0,
        };
        (count * count / COMPARISONS).saturating_add(spanned.saturating_mul(ROW))
    }
}

/// Cells that a cell takes up in further rows.
fn spanned(attributes: &str) -> usize {
    let number = |name| {
        let (_, value) = attributes.split_once(name)?;
        let value = value.trim_start_matches(|char: char| char.is_whitespace() || "='\"".contains(char));
        let digits = value.split(|char: char| !char.is_ascii_digit()).next()?;
        digits.parse::<usize>().ok()
    };
    let further = number("rowspan").unwrap_or(1).saturating_sub(1);
    further.saturating_mul(number("colspan").unwrap_or(1))
}

/// Whether it would take a parser, or what makes lines of it, too long.
pub(super) fn is_too_much(html: &str) -> bool {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut reopened, mut work) = (0, 0, 0_usize);
    for piece in pieces(html) {
        work = work.saturating_add(piece.work_within(depth, reopened));
        work = work.saturating_add(piece.own_work());
        match piece {
            Piece::Open(name, _) if !FLAT.contains(&name.as_str()) => {
                depth += 1;
                reopened += usize::from(is_reopened(&name));
                *open.entry(name).or_default() += 1;
            }
            // One that closes nothing takes nothing away.
            Piece::Close(name) => {
                if let Some(count) = open.get_mut(&name).filter(|count| **count > 0) {
                    *count -= 1;
                    depth -= 1;
                    reopened -= usize::from(is_reopened(&name));
                }
            }
            Piece::Open(..) | Piece::Text(_) => {}
        }
        if depth > DEPTH || work > WORK {
            return true;
        }
    }
    false
}

fn is_reopened(name: &str) -> bool {
    REOPENED.contains(&name)
}

/// Without the drawings, which say nothing as text and whose elements would count as open ones.
pub(super) fn without_drawings(html: &str) -> String {
    let (mut kept, mut rest, mut may_end) = (String::with_capacity(html.len()), html, true);
    while !rest.is_empty() {
        let (piece, after) = next(rest);
        let begins =
            matches!(&piece, Piece::Open(name, attributes) if name == "svg" && !attributes.ends_with('/'));
        let end = (begins && may_end).then(|| after_end(after, "svg"));
        // Where one does not end, no later one does.
        may_end &= end != Some(None);
        rest = end.flatten().unwrap_or_else(|| {
            kept.push_str(rest.get(..rest.len() - after.len()).unwrap_or_default());
            after
        });
    }
    kept
}

/// The words of it, without any form.
pub(super) fn words(html: &str) -> String {
    let texts = pieces(html).filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.split_whitespace()),
        Piece::Open(..) | Piece::Close(_) => None,
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
    // Also one that ends where it begins: `<!-->`.
    if let Some(comment) = tag.strip_prefix('!').filter(|comment| comment.starts_with("--")) {
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
    let (attributes, mut rest) = rest.split_once('>').unwrap_or((rest, ""));
    if closes {
        return (Piece::Close(name), rest);
    }
    if RAW.contains(&name.as_str()) {
        rest = after_end(rest, &name).unwrap_or_default();
        return (Piece::Text(""), rest);
    }
    (Piece::Open(name, attributes), rest)
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// After the tag that ends an element, whatever case it is written in; of what may be anything until then.
fn after_end<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let ends = |at: &usize| {
        let tag = text.get(at + 2..at + 2 + name.len());
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
    };
    let at = text.match_indices("</").map(|(at, _)| at).find(ends)?;
    Some(after(text.get(at..)?, ">"))
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
            ("<!--><div>".repeat(DEPTH + 1), true),
        ];
        for (html, deep) in rows {
            assert_eq!(is_too_much(&html), deep, "{}", html.get(..60).unwrap_or(&html));
        }
    }

    #[test]
    fn depth_times_length_is_bounded() {
        let within = |rest: &str| format!("{}{rest}", "<table><tr><td>".repeat(200));
        let most = WORK / 200 / 2;
        let words = |count: usize| "word ".repeat(count / 5 * LINE);
        let bold: String = (0..400).map(|at| format!("<b id={at}>")).collect();
        let rows = [
            (within(&"<p>word ".repeat(most * 9 / 10)), false),
            (within(&"<p>word ".repeat(most)), true),
            (within(&words(most)), false),
            (within(&words(most * 3)), true),
            ("<p>word ".repeat(100_000), false),
            (
                "<p>a <b>word</b> and <a href='/x'>a link</a></p>".repeat(20_000),
                false,
            ),
            (format!("<p>{bold}{}", "<p>x".repeat(3000)), true),
            (format!("<p {}>", "a ".repeat(10_000)), false),
            (format!("<p {}>", "a ".repeat(100_000)), true),
            ("<tr><td rowspan=3 colspan='5'>word</td></tr>".repeat(5000), false),
            ("<tr><td ROWSPAN = \"1000\">word</td></tr>".repeat(1000), true),
        ];
        for (html, too_much) in rows {
            let beginning = html.get(..60).unwrap_or(&html);
            assert_eq!(is_too_much(&html), too_much, "{beginning}… {}", html.len());
        }
    }

    #[test]
    fn drawings_are_left_out() {
        for (html, left) in [
            ("a<SVG viewBox='0'><path/><g><path/></g></svg >b", "ab"),
            ("<svg/>a<svg><path/></svg>b", "<svg/>ab"),
            ("<script>'<svg'</script>a<svg>b</svg>", "<script>'<svg'</script>a"),
            ("<svg></svg>", ""),
            ("a<svg>b<svg>", "a<svg>b<svg>"),
            ("a < b é", "a < b é"),
        ] {
            assert_eq!(without_drawings(html), left);
        }
    }

    #[test]
    fn words_are_left_of_any_page() {
        let html = "<!doctype html><div>One <b>two</b>\n<style>x{}</style>three</div> 4 < 5<script>";
        assert_eq!(words(html), "One two three 4 < 5");
    }
}
