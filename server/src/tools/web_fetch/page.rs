//! What was fetched, turned into text.

use std::borrow::Cow;

use url::Url;

use super::tags::{formed, words};
use crate::tools::call::clip_line;

/// Columns of text made of HTML.
const WIDTH: usize = 120;

/// What was fetched.
pub(super) struct Page {
    /// The last address, after redirects.
    pub(super) url: Url,
    pub(super) status: u16,
    /// What the server says it is.
    pub(super) kind: String,
    pub(super) bytes: Vec<u8>,
    /// There was more.
    pub(super) cut: bool,
}

/// Whether a type is one of text, as far as its name says.
pub(super) fn is_text(kind: &str) -> bool {
    let name = name_of(kind);
    let known = [
        "application/json",
        "application/xml",
        "application/javascript",
        "application/x-ndjson",
        "application/yaml",
        "application/toml",
        "image/svg+xml",
    ];
    name.starts_with("text/")
        || name.ends_with("+json")
        || name.ends_with("+xml")
        || known.contains(&name.as_str())
}

fn name_of(kind: &str) -> String {
    kind.split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

impl Page {
    /// What comes before the text.
    pub(super) fn head(&self) -> String {
        let more = if self.cut { " (there is more)" } else { "" };
        let kind = clip_line(&self.kind, 80);
        format!(
            "status {} · {kind} · {} bytes{more}\n{}",
            self.status,
            self.bytes.len(),
            self.url
        )
    }

    /// The text, in the form that a page gives it; `None` when there is none to be had. Takes a while.
    pub(super) fn text(&self) -> Option<String> {
        let text = self.decoded()?;
        if !self.is_html() {
            return Some(text.into_owned());
        }
        let lines = formed(&text).and_then(|form| {
            html2text::config::plain()
                .allow_width_overflow()
                .string_from_read(form.as_bytes(), WIDTH)
                .ok()
        });
        Some(lines.unwrap_or_else(|| words(&text)))
    }

    /// The text without any form, which is quick; what is no HTML has none.
    pub(super) fn words(&self) -> Option<String> {
        let text = self.decoded()?;
        Some(if self.is_html() {
            words(&text)
        } else {
            text.into_owned()
        })
    }

    /// Whether it has a form.
    pub(super) fn is_html(&self) -> bool {
        let name = name_of(&self.kind);
        matches!(name.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// In the encoding that the server names, or its mark, or UTF-8; `None` when it is no text at all.
    fn decoded(&self) -> Option<Cow<'_, str>> {
        let named = self.kind.split(';').skip(1).find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let label = value.trim().trim_matches('"');
            name.trim()
                .eq_ignore_ascii_case("charset")
                .then(|| encoding_rs::Encoding::for_label(label.as_bytes()))?
        });
        let text = named.unwrap_or(encoding_rs::UTF_8).decode(&self.bytes).0;
        let has_zero = text.chars().take(8192).any(|character| character == '\0');
        (!has_zero).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: &str, bytes: &[u8]) -> Option<String> {
        let page = Page {
            url: Url::parse("http://a.example/").unwrap(),
            status: 200,
            kind: kind.to_owned(),
            bytes: bytes.to_vec(),
            cut: false,
        };
        page.text()
    }

    #[test]
    fn html_becomes_text_and_everything_else_stays() {
        let html = b"<html><head><title>t</title><script>evil()</script></head><body><h1>Head</h1><p>One <a href='/x'>link</a></p></body></html>";
        let shown = text("text/html; charset=utf-8", html).unwrap();
        assert!(
            shown.contains("# Head") && shown.contains("/x") && !shown.contains("evil"),
            "{shown}"
        );
        assert_eq!(text("application/json", b"{\"a\":1}").unwrap(), "{\"a\":1}");
        assert_eq!(
            text("text/plain; charset=\"windows-1252\"", b"caf\xe9").unwrap(),
            "café"
        );
        assert_eq!(text("text/plain", b"a\0b"), None);
    }

    #[test]
    fn types_of_text_are_known() {
        for kind in [
            "text/html",
            "Text/Plain; charset=x",
            "application/ld+json",
            "image/svg+xml",
            "application/json",
        ] {
            assert!(is_text(kind), "{kind}");
        }
        for kind in ["image/png", "application/octet-stream", "video/mp4", ""] {
            assert!(!is_text(kind), "{kind}");
        }
    }

    #[test]
    fn a_long_page_within_many_tables_harms_nobody() {
        let html = format!("{}{}", "<table><tr><td>".repeat(240), "<p>word ".repeat(100_000));
        let shown = text("text/html", html.as_bytes()).unwrap();
        assert_eq!(shown, "word ".repeat(100_000).trim());
    }

    /// Each paragraph would be given all that was left open, were it not for what a parser is shown.
    #[test]
    fn what_is_never_closed_is_not_opened_again_and_again() {
        let bold: String = (0..1000)
            .map(|at| format!("<b id={at}><object></b></object>"))
            .collect();
        let html = format!("<div>{bold}</div>{}", "<p>x".repeat(2000));
        let shown = text("text/html", html.as_bytes()).unwrap();
        assert_eq!(shown.matches('x').count(), 2000);
    }

    #[test]
    fn a_page_of_nothing_but_tags_harms_nobody() {
        let deep = format!("{}end", "<div><b>".repeat(60_000));
        assert_eq!(text("text/html", deep.as_bytes()).unwrap(), "end");
        let tables = format!("{}end", "<table><tr><td>".repeat(100));
        assert!(text("text/html", tables.as_bytes()).is_none_or(|text| text.contains("end")));
        let wide = "<p>word <a href='/x'>link</a></p>".repeat(2000);
        assert!(text("text/html", wide.as_bytes()).unwrap().contains("word"));
    }
}
