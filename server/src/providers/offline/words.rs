//! Words as the offline provider compares them: split, lower-cased, reduced to stems, joined into concepts.

use super::synonyms;

/// A word of a question or of the page, and the concept it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term {
    /// The stem, or the whole word where it is a name such as `origin-2` or `10.0.0.1`.
    pub(super) stem: String,
    /// Number of the synonym group.
    pub(super) concept: Option<usize>,
}

/// Longest input that is split; more never holds a question or a label.
const MOST_WORDS: usize = 400;

/// Splits text into lower-case words: at spaces and punctuation, and inside `camelCase` and `snake_case`.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for raw in text.split(is_separator) {
        let raw = raw.trim_matches(|char: char| !char.is_alphanumeric());
        let raw = raw
            .strip_suffix("'s")
            .or_else(|| raw.strip_suffix("’s"))
            .unwrap_or(raw);
        if raw.is_empty() {
            continue;
        }
        let parts = parts(raw);
        if is_name(raw) && parts.len() > 1 {
            words.push(raw.to_lowercase());
        }
        words.extend(parts);
        if words.len() >= MOST_WORDS {
            break;
        }
    }
    words
}

fn is_separator(char: char) -> bool {
    char.is_whitespace()
        || matches!(
            char,
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '`' | ',' | ';' | ':' | '!' | '?'
        )
        || matches!(char, '|' | '=' | '*' | '\u{2018}' | '\u{201A}'..='\u{201F}')
}

/// A word that names one thing: it mixes digits or dots with other characters.
pub(super) fn is_name(word: &str) -> bool {
    let has = |test: fn(char) -> bool| word.chars().any(test);
    has(|char| char.is_ascii_digit()) && has(|char| !char.is_ascii_digit()) || has(|char| char == '.')
}

/// `minTlsVersion` and `min_tls_version` are three words.
fn parts(raw: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before = ' ';
    for char in raw.chars() {
        let boundary = !char.is_alphanumeric() || char.is_uppercase() && before.is_lowercase();
        if boundary && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if char.is_alphanumeric() {
            part.extend(char.to_lowercase());
        }
        before = char;
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The terms of a text. Two words that are one concept (`load balancer`) become one term.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let words = split(text);
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut terms = Vec::with_capacity(stems.len());
    let mut rest = stems.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if let Some(second) = after.first()
            && let Some(concept) = synonyms::of_two(first, second)
        {
            terms.push(Term {
                stem: format!("{first} {second}"),
                concept: Some(concept),
            });
            rest = after.get(1..).unwrap_or_default();
        } else {
            terms.push(Term {
                stem: first.clone(),
                concept: synonyms::of(first),
            });
            rest = after;
        }
    }
    terms
}

/// Reduces English endings, so that `routes`, `routed` and `routing` meet.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 || word.chars().any(|char| !char.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let singular = singular(word);
    let base = ["ing", "ed"]
        .iter()
        .find_map(|ending| singular.strip_suffix(ending).filter(|base| base.len() >= 4))
        .unwrap_or(&singular);
    let base = undouble(base);
    let base = if base.len() > 3 {
        base.strip_suffix('e').unwrap_or(base)
    } else {
        base
    };
    base.to_owned()
}

fn singular(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies") {
        return format!("{base}y");
    }
    let hissing = ["sses", "xes", "ches", "shes"]
        .iter()
        .any(|ending| word.ends_with(ending));
    let base = if hissing {
        word.strip_suffix("es")
    } else {
        word.strip_suffix('s')
    };
    let keeps = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    if keeps {
        word.to_owned()
    } else {
        base.unwrap_or(word).to_owned()
    }
}

/// `stopp` → `stop`.
fn undouble(base: &str) -> &str {
    let mut last = base.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && !"aeiouls".contains(a) => base.get(..base.len() - 1).unwrap_or(base),
        _ => base,
    }
}

/// Words that ask rather than tell.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Sorted; apostrophes are split off before.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "about", "actually", "all", "also", "am", "an", "and", "any", "anything", "are", "as", "at", "be",
    "been", "being", "but", "by", "can", "could", "currently", "d", "did", "do", "does", "doing", "don",
    "each", "every", "exactly", "exist", "exists", "find", "for", "from", "get", "give", "gives", "go",
    "goes", "got", "had", "has", "have", "having", "hello", "here", "hey", "hi", "how", "i", "if", "in",
    "inside", "into", "is", "isn", "it", "its", "just", "kindly", "know", "let", "like", "list", "ll",
    "look", "looking", "many", "me", "mean", "means", "much", "my", "need", "now", "of", "on", "one",
    "only", "or", "our", "out", "page", "please", "re", "right", "s", "screen", "see", "should", "show",
    "shown", "shows", "so", "some", "t", "tell", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "up", "us", "use", "used", "uses", "using", "value", "ve",
    "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your",
];

/// Words without which an English question is hardly made.
pub(super) fn looks_english(words: &[String]) -> bool {
    const FOREIGN: [&str; 4] = ["was", "die", "in", "me"];
    words
        .iter()
        .any(|word| is_stop(word) && word.len() > 1 && !FOREIGN.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn endings_meet() {
        for (one, other) in [
            ("routes", "routing"),
            ("policies", "policy"),
            ("addresses", "address"),
            ("enabled", "enable"),
            ("domains", "domain"),
            ("statuses", "status"),
            ("boxes", "box"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
    }

    #[test]
    fn names_stay_whole_and_are_split_too() {
        assert_eq!(
            split("minTlsVersion of origin-2, lb1.example.com?"),
            [
                "min",
                "tls",
                "version",
                "of",
                "origin-2",
                "origin",
                "2",
                "lb1.example.com",
                "lb1",
                "example",
                "com"
            ]
        );
    }

    #[test]
    fn two_words_can_be_one_concept() {
        let [lb] = <[Term; 1]>::try_from(terms("load balancers")).unwrap();
        assert_eq!(lb.concept, synonyms::of("lb"));
        assert!(lb.concept.is_some());
    }
}
