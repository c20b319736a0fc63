//! What a question asks for: its kind and the words that matter.

use super::facts::PageFacts;
use super::synonyms::is_in_group_of;
use super::words::{Term, is_stop, looks_english, split, terms};

/// Kinds of questions that are answered differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Nothing that can be read.
    Nothing,
    /// A greeting or thanks.
    Greeting,
    /// What can be asked here.
    Help,
    /// About the text the person selected.
    Selection,
    /// What the page or its subject is.
    Identity,
    /// How many.
    Count,
    /// Which ones.
    List,
    /// What can be done here.
    Controls,
    /// How something is done.
    HowTo,
    /// Anything else: what something is.
    Value,
}

/// A word of the question and how much it decides.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The word.
    pub(super) term: Term,
    /// 1 for what is asked about; less for what every fact of the page is about.
    pub(super) weight: f64,
}

/// A question, read.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// What it asks for.
    pub(super) ask: Ask,
    /// The words that matter.
    pub(super) units: Vec<Unit>,
    /// It has words that English questions have.
    pub(super) english: bool,
    /// It asks for a point in time.
    pub(super) when: bool,
    /// It asks for an explanation rather than a value.
    pub(super) why: bool,
    /// It asks for controls of this kind only.
    pub(super) only: Option<Only>,
}

/// Controls of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Only {
    /// Buttons.
    Buttons,
    /// Links.
    Links,
    /// Fields.
    Fields,
}

/// A question is short; what is longer is pasted text.
const MOST_TEXT: usize = 2000;

/// Reads a question about a page.
pub(super) fn read(text: &str, facts: &PageFacts) -> Question {
    let text = super::flat(text, MOST_TEXT);
    let words = split(&text);
    let line = format!(" {} ", words.join(" "));
    let units = units(&text, facts);
    let why = words
        .iter()
        .any(|word| matches!(word.as_str(), "why" | "explain" | "mean" | "means"));
    let asks = Asks {
        line: &line,
        words: &words,
        units: &units,
    };
    let when = words.iter().take(2).any(|word| word == "when");
    Question {
        ask: asks.kind(),
        english: looks_english(&words),
        when,
        why,
        only: asks.only(),
        units,
    }
}

/// The words that are not mere grammar, weighed.
fn units(text: &str, facts: &PageFacts) -> Vec<Unit> {
    let about = subject_terms(facts);
    let mut units: Vec<Unit> = Vec::new();
    let kept: Vec<String> = split(text)
        .into_iter()
        .filter(|word| !is_stop(word) && !is_marker(word))
        .collect();
    for term in terms(&kept.join(" ")) {
        let is_subject = about.iter().any(|known| is_same(known, &term));
        let is_state = is_in_group_of(term.concept, "enabled");
        let weight = if is_subject {
            0.2
        } else if is_state {
            0.35
        } else {
            1.0
        };
        if !units.iter().any(|unit| unit.term == term) {
            units.push(Unit { term, weight });
        }
    }
    units
}

/// Names of what the whole page is about.
fn subject_terms(facts: &PageFacts) -> Vec<Term> {
    let mut names = terms(facts.subject());
    names.extend(terms("console object resource thing item website"));
    if let Some(resource) = &facts.resource {
        names.extend(terms(&resource.kind));
    }
    names.extend(terms(&facts.heading));
    names
}

fn is_same(one: &Term, other: &Term) -> bool {
    one.stem == other.stem || one.concept.is_some() && one.concept == other.concept
}

/// Words that say what to do with the answer, not what it is about.
fn is_marker(word: &str) -> bool {
    const MARKERS: [&str; 22] = [
        "summarise",
        "summarize",
        "summary",
        "describe",
        "explain",
        "overview",
        "configured",
        "details",
        "detail",
        "information",
        "info",
        "set",
        "possible",
        "want",
        "button",
        "buttons",
        "field",
        "control",
        "controls",
        "steps",
        "currently",
        "defined",
    ];
    MARKERS.contains(&word)
}

/// The question as text, and what it is about.
struct Asks<'a> {
    line: &'a str,
    words: &'a [String],
    units: &'a [Unit],
}

impl Asks<'_> {
    fn kind(&self) -> Ask {
        const GREETINGS: [&str; 12] = [
            "hi", "hello", "hey", "thanks", "thank", "you", "ok", "okay", "good", "morning", "evening",
            "there",
        ];
        if self.words.is_empty() {
            Ask::Nothing
        } else if self.words.iter().all(|word| GREETINGS.contains(&word.as_str())) {
            Ask::Greeting
        } else if self.has(&[
            "what can you do",
            "who are you",
            "how do you work",
            "what can i ask",
        ]) || self.words == ["help"]
        {
            Ask::Help
        } else if self.has(&[
            "selection",
            "selected text",
            "i selected",
            "i select",
            "highlighted text",
            "i highlighted",
        ]) {
            Ask::Selection
        } else if self.has(&["how many", "number of", "count of", "count the"]) {
            Ask::Count
        } else {
            self.what()
        }
    }

    fn what(&self) -> Ask {
        if self.is_identity() {
            Ask::Identity
        } else if self.asks_for_controls() {
            Ask::Controls
        } else if self.is_how_to() {
            Ask::HowTo
        } else if self.is_list() {
            Ask::List
        } else {
            Ask::Value
        }
    }

    fn has(&self, phrases: &[&str]) -> bool {
        phrases
            .iter()
            .any(|phrase| self.line.contains(&format!(" {phrase} ")))
    }

    fn starts(&self, phrases: &[&str]) -> bool {
        phrases
            .iter()
            .any(|phrase| self.line.starts_with(&format!(" {phrase} ")))
    }

    /// Nothing is asked about but the page itself.
    fn is_identity(&self) -> bool {
        let nothing_else = self.units.iter().all(|unit| unit.weight < 0.3);
        let asks = self.starts(&[
            "what",
            "who",
            "tell",
            "where am i",
            "give me",
            "can you",
            "please",
            "describe",
            "explain",
        ]) || self.has(&[
            "summarise",
            "summarize",
            "summary",
            "overview",
            "describe",
            "explain",
        ]);
        let does = self.has(&["can i", "can be done", "how do"]);
        let whole = self.has(&[
            "what is this page",
            "what page is this",
            "about this page",
            "this page about",
        ]);
        whole || nothing_else && asks && !does
    }

    fn only(&self) -> Option<Only> {
        let kinds = [
            ("buttons", Only::Buttons),
            ("links", Only::Links),
            ("fields", Only::Fields),
            ("inputs", Only::Fields),
        ];
        kinds
            .iter()
            .find(|(word, _)| self.has(&[word]))
            .map(|(_, only)| *only)
    }

    fn asks_for_controls(&self) -> bool {
        let things = self.has(&["buttons", "controls", "actions", "inputs", "fields", "links"])
            && self.starts(&["what", "which", "list", "show", "are there"]);
        let doing = self.has(&[
            "can i do",
            "can i change",
            "can i edit",
            "can i click",
            "can i configure",
            "can be changed",
            "can be done",
            "can i modify",
            "could i do",
            "i can do",
            "can be edited",
            "can be configured",
        ]) && self.starts(&["what", "which", "show", "tell", "list"]);
        let only_verbs = self
            .units
            .iter()
            .all(|unit| unit.weight < 0.3 || is_verb(&unit.term) || unit.term.stem == "action");
        things || doing && only_verbs
    }

    fn is_how_to(&self) -> bool {
        let asks = self.starts(&[
            "how do i",
            "how can i",
            "how to",
            "how could i",
            "how would i",
            "how should i",
            "how do you",
            "how can you",
            "where do i",
            "where can i",
            "can i",
            "could i",
            "may i",
            "i want to",
            "i need to",
            "i would like to",
            "how does one",
            "what should i click",
            "what do i click",
            "what must i click",
            "which button",
        ]) || self.has(&["possible to", "steps to", "way to", "how do i", "how can i"]);
        asks || self.starts(&["what can i", "which can i"])
    }

    fn is_list(&self) -> bool {
        let plural = |word: &String| {
            word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
        };
        let names_several = self.words.iter().skip(1).take(3).any(plural);
        self.starts(&["list", "enumerate"])
            || self.has(&["list all", "list the", "show all", "show me all", "all the"])
            || self.starts(&["which", "what", "show", "name", "give"]) && names_several
    }
}

/// Words for what a person does to a page.
pub(super) fn is_verb(term: &Term) -> bool {
    const VERBS: [&str; 12] = [
        "edit", "delete", "create", "save", "cancel", "search", "open", "copy", "download", "upload",
        "login", "logout",
    ];
    const OTHERS: [&str; 9] = [
        "enabl", "disabl", "turn", "switch", "click", "press", "select", "choos", "do",
    ];
    VERBS.iter().any(|verb| is_in_group_of(term.concept, verb)) || OTHERS.contains(&term.stem.as_str())
}
