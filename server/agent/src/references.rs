//! Which links an answer cited: what `chat_done.references` of the chat contract lists.
//!
//! Only the final assistant message counts. The provider's own citations come first, then Markdown links, then bare
//! addresses, each in order of appearance and once.

use std::collections::HashSet;

use url::Url;

use crate::message::Reference;

/// What the model may write right after an address without meaning it as part of it.
const TRAILING: &[char] = &[
    '*', '_', '~', '`', ',', '.', ';', ':', '!', '?', '\'', '"', ')', ']', '}', '>',
];

/// Longest address that is listed, in bytes.
const ADDRESS_BYTES: usize = 2048;
/// Longest title, in bytes.
const TITLE_BYTES: usize = 256;
/// Most links of one answer; a list beyond it helps nobody and would not fit a frame.
const MOST: usize = 64;

/// A source that the provider itself named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Its title, when there is one.
    pub title: Option<String>,
    /// Its address.
    pub url: String,
}

/// Decides what kind of thing a host is.
#[derive(Clone, Debug, Default)]
pub struct ReferenceKinds {
    /// Host patterns of consoles: an exact host, or `*.` and a suffix.
    pub console_hosts: Vec<String>,
}

impl ReferenceKinds {
    fn kind(&self, url: &str) -> &'static str {
        let host = Url::parse(url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let is_console = host.is_some_and(|host| {
            self.console_hosts
                .iter()
                .any(|pattern| host_matches(pattern, &host))
        });
        if is_console { "console" } else { "doc" }
    }
}

fn host_matches(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) => suffix.starts_with('.') && host.len() > suffix.len() && host.ends_with(suffix),
        None => host == pattern,
    }
}

/// The links of an answer, deduplicated by exact address.
#[must_use]
pub fn extract(answer: &str, citations: &[Citation], kinds: &ReferenceKinds) -> Vec<Reference> {
    let cited = citations.iter().map(|citation| Found {
        title: citation
            .title
            .as_deref()
            .map(str::trim)
            .filter(|title| !title.is_empty())
            .map(|title| title.chars().take(TITLE_BYTES).collect()),
        url: citation.url.clone(),
    });
    let mut seen = HashSet::new();
    cited
        .chain(markdown_links(answer))
        .chain(bare_addresses(answer))
        .filter(|found| {
            found.url.len() <= ADDRESS_BYTES
                && Url::parse(&found.url).is_ok()
                && seen.insert(found.url.clone())
        })
        .take(MOST)
        .map(|found| Reference {
            kind: kinds.kind(&found.url).to_owned(),
            title: found.title.unwrap_or_else(|| derived_title(&found.url)),
            url: found.url,
        })
        .collect()
}

struct Found {
    title: Option<String>,
    url: String,
}

/// Where an `http(s)://` address begins, and how long it is: up to the first character that cannot belong to it. The
/// search goes on behind it, so that no text is looked at twice.
fn addresses(text: &str, ends: fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.get(from..)?.find("http")?;
            let rest = text.get(at..)?;
            if !rest.starts_with("http://") && !rest.starts_with("https://") {
                from = at + "http".len();
                continue;
            }
            let end = rest.find(ends).unwrap_or(rest.len());
            from = at + end;
            if end <= ADDRESS_BYTES {
                return Some((at, rest.get(..end)?));
            }
        }
    })
}

fn markdown_links(text: &str) -> impl Iterator<Item = Found> {
    addresses(text, |c| c == ')' || c.is_whitespace()).filter_map(|(at, url)| {
        let label = text.get(..at)?.strip_suffix("](")?;
        let label = label.get(label.ceil_char_boundary(label.len().saturating_sub(TITLE_BYTES))..)?;
        let title = label.get(label.rfind('[')? + 1..)?.trim();
        Some(Found {
            title: (!title.is_empty()).then(|| title.to_owned()),
            url: url.to_owned(),
        })
    })
}

fn bare_addresses(text: &str) -> impl Iterator<Item = Found> {
    addresses(text, |c| c.is_whitespace() || matches!(c, ')' | '>' | ']')).filter_map(|(at, url)| {
        if text.get(..at)?.ends_with('(') {
            return None;
        }
        Some(Found {
            title: None,
            url: url.trim_end_matches(TRAILING).to_owned(),
        })
    })
}

/// The last path segment, else the host.
fn derived_title(address: &str) -> String {
    let Ok(url) = Url::parse(address) else {
        return address.to_owned();
    };
    let segment = url
        .path_segments()
        .and_then(|segments| segments.rev().find(|segment| !segment.is_empty()));
    segment.or(url.host_str()).unwrap_or(address).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, expected: &[(&str, &str, &str)]) {
        let kinds = ReferenceKinds {
            console_hosts: vec!["*.console.ves.volterra.io".into()],
        };
        let found = extract(answer, &[], &kinds);
        let found: Vec<_> = found
            .iter()
            .map(|r| (r.kind.as_str(), r.title.as_str(), r.url.as_str()))
            .collect();
        assert_eq!(found, expected, "in {answer:?}");
    }

    #[test]
    fn chat_worker_2_4_vectors() {
        let waf = ("doc", "waf", "https://docs.cloud.f5.com/waf");
        check("see **https://docs.cloud.f5.com/waf**", &[waf]);
        check(
            "at https://docs.cloud.f5.com/api.",
            &[("doc", "api", "https://docs.cloud.f5.com/api")],
        );
        check("`https://docs.cloud.f5.com/waf`", &[waf]);
        check(
            "**https://docs.cloud.f5.com/waf** and https://docs.cloud.f5.com/waf",
            &[waf],
        );
        check(
            "[WAF guide](https://docs.cloud.f5.com/waf)",
            &[("doc", "WAF guide", "https://docs.cloud.f5.com/waf")],
        );
    }

    #[test]
    fn markdown_links_come_before_bare_ones_and_win() {
        check(
            "https://a.example/x then [Named](https://a.example/y) and https://a.example/y",
            &[
                ("doc", "Named", "https://a.example/y"),
                ("doc", "x", "https://a.example/x"),
            ],
        );
    }

    #[test]
    fn consoles_are_told_by_their_host() {
        let url = "https://acme.console.ves.volterra.io/web";
        check(url, &[("console", "web", url)]);
        check(
            "https://console.ves.volterra.io.evil.example/",
            &[(
                "doc",
                "console.ves.volterra.io.evil.example",
                "https://console.ves.volterra.io.evil.example/",
            )],
        );
    }

    #[test]
    fn what_is_no_address_is_left_out() {
        check(
            "http and https:// and (https://a.example/in-parens and ftp://b.example",
            &[],
        );
        check("", &[]);
    }

    #[test]
    fn a_looping_model_costs_no_more_than_its_text() {
        assert!(extract(&"http://".repeat(70_000), &[], &ReferenceKinds::default()).is_empty());
        let links = (0..1_000).fold(String::new(), |text, at| format!("{text} https://a.example/{at}"));
        assert_eq!(extract(&links, &[], &ReferenceKinds::default()).len(), MOST);
    }

    #[test]
    fn citations_of_the_provider_come_first() {
        let citations = [
            Citation {
                title: Some("  Spec ".into()),
                url: "https://a.example/spec".into(),
            },
            Citation {
                title: None,
                url: "https://a.example/".into(),
            },
        ];
        let titles: Vec<_> = extract("https://b.example/z", &citations, &ReferenceKinds::default())
            .into_iter()
            .map(|reference| reference.title)
            .collect();
        assert_eq!(titles, ["Spec", "a.example", "z"]);
    }
}
