//! HTML as a row of tags and texts, written anew with only what gives a page its form, before a parser is asked.
//!
//! Parsers look through all open elements at each tag, open again what was left open in each paragraph, and hand each
//! line of a table from the innermost to the outermost: a small page can be made to take minutes and gigabytes. So a
//! parser sees no more than the tags that are kept here, each of which is closed, and not too many within each other.

/// Deeper than any page that people read.
const DEPTH: usize = 500;
/// More than nearly any page that people read: pieces and lines, each times the elements that are open around it.
const WORK: usize = 2_000_000;
/// Bytes of text that are taken for a line; they are short within many tables.
const LINE: usize = 16;
/// What nests, and is closed by its end only.
const NESTING: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "div",
    "dl",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "main",
    "nav",
    "ol",
    "pre",
    "section",
    "table",
    "ul",
];
/// What is closed by whatever follows, or never open.
const FLAT: &[&str] = &[
    "br",
    "caption",
    "dd",
    "dt",
    "figcaption",
    "hr",
    "li",
    "p",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
];
/// What is left out with all that stands in it.
const LEFT_OUT: &[&str] = &["script", "style", "svg", "title"];

/// A piece of HTML.
enum Piece<'a> {
    Text(&'a str),
    /// Name and attributes.
    Open(String, &'a str),
    Close(String),
}

/// The page with nothing but its form; `None` when it would take a parser, or what makes lines of it, too long.
pub(super) fn formed(html: &str) -> Option<String> {
    let mut form = Form::default();
    for piece in pieces(html) {
        form.add(&piece);
        if form.open.len() > DEPTH || form.work > WORK {
            return None;
        }
    }
    Some(form.html)
}

/// A page that is written anew.
#[derive(Default)]
struct Form {
    html: String,
    /// The elements around what comes next.
    open: Vec<String>,
    in_link: bool,
    /// What it takes so far.
    work: usize,
}

impl Form {
    fn add(&mut self, piece: &Piece<'_>) {
        let lines = match piece {
            Piece::Text(text) => 1 + text.trim().len() / LINE,
            Piece::Open(..) | Piece::Close(_) => 1,
        };
        self.work = self.work.saturating_add(self.open.len() * lines);
        match piece {
            Piece::Text(text) => self.html.push_str(&text.replace('<', "&lt;")),
            Piece::Open(name, attributes) => self.begin(name, attributes),
            Piece::Close(name) => self.end(name),
        }
    }

    fn begin(&mut self, name: &str, attributes: &str) {
        match name {
            "a" => {
                self.end_link();
                self.tag(name, "href", attributes);
                self.in_link = true;
            }
            "img" => self.tag(name, "alt", attributes),
            _ if FLAT.contains(&name) => self.write(["<", name, ">"]),
            _ if NESTING.contains(&name) => {
                self.write(["<", name, ">"]);
                self.open.push(name.to_owned());
            }
            // It gives no form. What it divides are words all the same, unless it stands within one.
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if name == "a" {
            return self.end_link();
        }
        if FLAT.contains(&name) {
            return self.write(["</", name, ">"]);
        }
        // What is not open closes nothing, and nothing reaches out of a table.
        let Some(at) = self.open.iter().rposition(|open| open == name) else {
            return;
        };
        let inner = self.open.get(at + 1..).unwrap_or_default();
        if inner.iter().any(|open| open == "table") {
            return;
        }
        for closed in self.open.split_off(at).iter().rev() {
            self.write(["</", closed, ">"]);
        }
    }

    fn end_link(&mut self) {
        if std::mem::take(&mut self.in_link) {
            self.write(["</", "a", ">"]);
        }
    }

    /// An opening tag with one of its attributes, if it has that.
    fn tag(&mut self, name: &str, attribute: &str, attributes: &str) {
        let value = value_of(attribute, attributes).map(|value| value.replace('"', "&quot;"));
        self.write(["<", name, ""]);
        if let Some(value) = value {
            self.write([" ", attribute, "=\""]);
            self.html.push_str(&value);
            self.html.push('"');
        }
        self.html.push('>');
    }

    fn write(&mut self, pieces: [&str; 3]) {
        pieces.iter().for_each(|piece| self.html.push_str(piece));
    }
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
    let (attributes, rest) = split_tag(rest);
    if closes {
        return (Piece::Close(name), rest);
    }
    if LEFT_OUT.contains(&name.as_str()) && !attributes.ends_with('/') {
        return (Piece::Text(""), after_end(rest, &name));
    }
    (Piece::Open(name, attributes), rest)
}

/// The attributes of a tag, and what comes after it: a `>` in a quoted value is no end. A tag without an end is all that
/// is left of the page.
fn split_tag(rest: &str) -> (&str, &str) {
    let (mut quote, mut before) = (None, ' ');
    for (at, char) in rest.char_indices() {
        match quote {
            Some(begun) if begun == char => quote = None,
            Some(_) => {}
            None if char == '>' => {
                let (attributes, rest) = rest.split_at(at);
                return (attributes, rest.get(1..).unwrap_or_default());
            }
            None if "\"'".contains(char) && before == '=' => quote = Some(char),
            None => {}
        }
        if !char.is_ascii_whitespace() {
            before = char;
        }
    }
    (rest, "")
}

/// What an attribute is set to, as it is written.
fn value_of<'a>(name: &str, attributes: &'a str) -> Option<&'a str> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once('=') {
        let (value, left) = split_value(after.trim_start());
        let word = before.rsplit(|char: char| char.is_whitespace() || char == '/');
        let found = word.map(str::trim).find(|word| !word.is_empty())?;
        if found.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = left;
    }
    None
}

/// A value, quoted or not, and what stands behind it.
fn split_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// After the tag that ends an element, whatever case it is written in; of what may be anything until then.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let ends = |at: &usize| {
        let tag = text.get(at + 2..at + 2 + name.len());
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
    };
    let found = text.match_indices("</").map(|(at, _)| at).find(ends);
    let end = found.and_then(|at| text.get(at..)).unwrap_or_default();
    after(end, ">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_gives_form_is_left_and_all_of_it_is_closed() {
        for (html, left) in [
            ("<DIV class='x'>a</div>", "<div>a</div>"),
            ("<b id=1>a</i> <span>b", "a b"),
            ("<div><ul>a</div>b", "<div><ul>a</ul></div>b"),
            ("<div><table>a</div>b</table>", "<div><table>ab</table>"),
            ("</div>a</table>", "a"),
            ("<p>a<br/>b<li>c</p>", "<p>a<br>b<li>c</p>"),
            (
                "<a href=/x>a<a class=y href = '/z\"?a=1'>b",
                "<a href=\"/x\">a</a><a href=\"/z&quot;?a=1\">b",
            ),
            ("<a name=href>a</a></a>", "<a>a</a>"),
            ("<img src=x ALT=\"a > b\" title='<b>'>c", "<img alt=\"a > b\">c"),
            ("<td rowspan=1000 colspan=9 a a a>b</td>", "<td>b</td>"),
            ("<math><style><b id=1></style></math>a", "a"),
            ("<object><b></object></b>a <textarea><div></textarea>", "a <div>"),
            ("<script>if(a<b)x</SCRIPT>a", "a"),
            ("<!-- <div> -->a < b", "a &lt; b"),
            ("<!--><div>", "<div>"),
            ("a<SVG viewBox='0'><path/><g><path/></g></svg >b<svg/>c", "abc"),
            ("<p a=\"><b>", "<p>"),
            ("&amp; é", "&amp; é"),
        ] {
            assert_eq!(formed(html).as_deref(), Some(left), "{html}");
        }
    }

    #[test]
    fn depth_times_length_is_bounded() {
        let within = |rest: &str| format!("{}{rest}", "<table><tr><td>".repeat(200));
        let most = WORK / 200 / 2;
        let words = |count: usize| "word ".repeat(count / 5 * LINE);
        let rows = [
            ("<div>".repeat(DEPTH), false),
            ("<div>".repeat(DEPTH + 1), true),
            ("<div>text</div>".repeat(5000), false),
            ("<p>one<br><li>two".repeat(5000), false),
            ("<".repeat(5000), false),
            (within(&"<p>word ".repeat(most * 9 / 10)), false),
            (within(&"<p>word ".repeat(most)), true),
            (within(&words(most)), false),
            (within(&words(most * 3)), true),
            ("<p>word ".repeat(100_000), false),
            (
                "<p>a <b>word</b> and <a href='/x'>a link</a></p>".repeat(20_000),
                false,
            ),
        ];
        for (html, too_much) in rows {
            let beginning = html.get(..60).unwrap_or(&html);
            assert_eq!(formed(&html).is_none(), too_much, "{beginning}… {}", html.len());
        }
    }

    #[test]
    fn words_are_left_of_any_page() {
        let html = "<!doctype html><div>One <b>two</b>\n<style>x{}</style>three</div> 4 < 5<script>";
        assert_eq!(words(html), "One two three 4 < 5");
    }
}
