//! Composes the answer: picks what to say for each kind of question and says where it stands on the page.

mod controls;
mod identity;
mod lists;

use std::fmt::Write as _;

use sidewire_contract::mode::Mode;

use super::facts::{Fact, Kind, PageFacts};
use super::markdown::{bold, value};
use super::question;
use super::question::{Ask, Question, Unit};
use super::rank::{self, Hit, Index};

/// How much of a question a fact must match to count as an answer.
const ENOUGH: f64 = 0.55;
/// Facts nearly as good as the best are told too.
const NEARLY: f64 = 0.82;
/// Facts told in one answer.
const MOST_FACTS: usize = 6;

/// Answers a question about a page.
pub(super) fn answer(facts: &PageFacts, text: &str, mode: Mode) -> String {
    let question = question::read(text, facts);
    let index = Index::of(facts);
    let reply = Reply {
        facts,
        index: &index,
        question: &question,
        mode,
    };
    match question.ask {
        Ask::Nothing => {
            "There is no question I can read. Ask about what is on the page, in English words.".to_owned()
        }
        Ask::Greeting | Ask::Help => reply.help(),
        Ask::Selection => reply.selection(),
        Ask::Identity => identity::tell(facts, mode),
        Ask::Count => reply
            .count()
            .or_else(|| reply.values())
            .unwrap_or_else(|| reply.unknown()),
        Ask::List => reply
            .list()
            .or_else(|| reply.values())
            .unwrap_or_else(|| reply.unknown()),
        Ask::Controls => reply.controls(),
        Ask::HowTo => reply
            .how_to()
            .or_else(|| reply.values())
            .unwrap_or_else(|| reply.no_control()),
        Ask::Value => reply
            .values()
            .or_else(|| reply.list())
            .unwrap_or_else(|| reply.unknown()),
    }
}

/// What is said when a question comes without a page.
pub(super) fn without_page() -> String {
    "No page is attached to this question, and without a model I can only read the page. Switch the page on in the \
     context row above the composer, or set up a model with `sidewire setup`."
        .to_owned()
}

/// What is said where there can be no page.
pub(super) fn in_an_editor() -> String {
    "No model is set up, so I cannot answer, and I can neither read nor change your files.\n\n\
     To set one up, run `sidewire setup` in a terminal, then open a new session. If your editor starts \
     `sidewire acp --model offline`, take `--model offline` out of its settings.\n\n\
     Without a model there are still:\n\
     - slash commands, such as `/status`;\n\
     - commands of your own: `!git status` runs `git status` in the folder of this session."
        .to_owned()
}

/// A question and what there is to answer it with.
struct Reply<'a> {
    facts: &'a PageFacts,
    index: &'a Index<'a>,
    question: &'a Question,
    mode: Mode,
}

impl Reply<'_> {
    fn units(&self) -> &[Unit] {
        &self.question.units
    }

    fn fact(&self, hit: &Hit) -> Option<&Fact> {
        self.facts.facts.get(hit.index)
    }

    /// The facts that answer, or nothing when none matches enough.
    fn values(&self) -> Option<String> {
        let preferred = |fact: &Fact| {
            self.question.when && is_time(&fact.value) || self.question.why && fact.kind == Kind::Text
        };
        let hits = self.index.facts(self.units(), preferred);
        let is_told = hits.iter().any(|hit| hit.coverage >= ENOUGH);
        let hits = if is_told {
            hits
        } else {
            self.index.facts(self.units(), |_| true)
        };
        let best = hits.iter().find(|hit| hit.coverage >= ENOUGH)?;
        let good = hits
            .iter()
            .filter(|hit| hit.coverage >= ENOUGH && hit.score >= best.score * NEARLY);
        let mut told: Vec<(&Fact, Vec<&str>)> = Vec::new();
        let mut more = 0;
        for fact in good.filter_map(|hit| self.fact(hit)) {
            if let Some((_, places)) = told.iter_mut().find(|(known, _)| is_same_fact(known, fact)) {
                places.push(&fact.place);
            } else if told.len() < MOST_FACTS {
                told.push((fact, vec![&fact.place]));
            } else {
                more += 1;
            }
        }
        let mut text = String::new();
        let single = told.len() == 1;
        for (fact, places) in &told {
            let mark = if single { "" } else { "- " };
            let _ = writeln!(text, "{mark}{}{}", sentence(fact), found_in(places));
        }
        if more > 0 {
            let _ = writeln!(text, "- … and {more} more that match as well.");
        }
        self.extend(&mut text, told.first().map(|(fact, _)| *fact));
        Some(text.trim_end().to_owned())
    }

    /// What the mode adds to a value.
    fn extend(&self, text: &mut String, fact: Option<&Fact>) {
        let Some(fact) = fact else { return };
        match self.mode {
            Mode::Presentation => self.neighbours(text, fact),
            Mode::Configuration => self.change_with(text, fact),
            Mode::Educational | Mode::Screenshot | Mode::Annotation => {}
        }
    }

    /// Other facts that stand beside the one told.
    fn neighbours(&self, text: &mut String, fact: &Fact) {
        if fact.place.is_empty() || !matches!(fact.kind, Kind::Pair | Kind::Status) {
            return;
        }
        let beside = self.facts.facts.iter().filter(|other| {
            other.kind == Kind::Pair && other.place == fact.place && other.label != fact.label
        });
        let beside: Vec<String> = beside.take(3).map(sentence).collect();
        if !beside.is_empty() {
            let _ = write!(text, "\nBeside it: {}.", beside.join("; "));
        }
    }

    /// The control that changes a value, when the page shows one.
    fn change_with(&self, text: &mut String, fact: &Fact) {
        if fact
            .control
            .as_ref()
            .is_some_and(|control| control.field && !control.disabled)
        {
            text.push_str("\nIt can be changed in place.");
        } else if let Some(edit) = controls::named(self.facts, "edit") {
            let _ = write!(text, "\nTo change it, use {}.", controls::describe(edit));
        }
    }

    fn selection(&self) -> String {
        let selected = &self.facts.selection;
        if selected.is_empty() {
            return "Nothing is selected on the page. Select some text there and ask again.".to_owned();
        }
        let mut text = format!("The selection on the page reads:\n\n> {}\n", value(selected));
        let about = question::read(selected, self.facts);
        let is_fact = |fact: &Fact| !matches!(fact.kind, Kind::Text | Kind::Heading);
        let hits = self.index.facts(&about.units, is_fact);
        let near: Vec<&Fact> = hits
            .iter()
            .filter(|hit| hit.coverage >= 0.4)
            .take(3)
            .filter_map(|hit| self.fact(hit))
            .collect();
        if !near.is_empty() {
            text.push_str("\nThe page says about it:\n");
        }
        for fact in near {
            let _ = writeln!(text, "- {}{}", sentence(fact), found_in(&[&fact.place]));
        }
        text.trim_end().to_owned()
    }

    fn help(&self) -> String {
        let subject = bold(self.facts.subject());
        let mut text = format!("I can read this page, {subject}, and tell what it says. For example:\n");
        text.push_str("- What is this page?\n");
        if let Some(pair) = self
            .facts
            .facts
            .iter()
            .find(|fact| fact.kind == Kind::Pair && !fact.minor)
        {
            let _ = writeln!(
                text,
                "- What does it say about {}?",
                super::markdown::escaped(&pair.label.to_lowercase())
            );
        }
        if let Some(table) = self
            .facts
            .collections
            .iter()
            .find(|collection| !collection.columns.is_empty())
        {
            let _ = writeln!(
                text,
                "- How many {} are there?",
                super::markdown::escaped(&table.label.to_lowercase())
            );
        }
        text.push_str("- What can I change here?");
        text
    }

    /// Says plainly that the page does not tell, and what comes closest.
    fn unknown(&self) -> String {
        if !self.question.english && !self.units().is_empty() {
            return "I cannot answer that: without a model I understand only English questions about what the page shows."
                .to_owned();
        }
        let mut text = "The page does not tell that.".to_owned();
        if self.facts.truncated {
            text.push_str(" Part of it was too large to be read, so it may still be there.");
        }
        let hits = self.index.facts(self.units(), |fact| fact.kind != Kind::Heading);
        let near = hits.iter().filter(|hit| hit.coverage >= 0.2).take(3);
        let near: Vec<&Fact> = near.filter_map(|hit| self.fact(hit)).collect();
        if !near.is_empty() {
            text.push_str(" Closest to it:\n");
            for fact in near {
                let _ = writeln!(text, "- {}{}", sentence(fact), found_in(&[&fact.place]));
            }
        }
        text.trim_end().to_owned()
    }
}

/// Reads like a date or a time of day.
fn is_time(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    digits >= 3 && (value.contains([':', '-', '/', '.']) || value.contains(" 20"))
}

/// Two places that say the same about the same thing.
fn is_same_fact(one: &Fact, other: &Fact) -> bool {
    let same_row = one.row == other.row || one.row.is_empty() || other.row.is_empty();
    let same_label = one.label.eq_ignore_ascii_case(&other.label)
        || rank::says_all(&one.label, &other.label)
        || rank::says_all(&other.label, &one.label);
    same_row && same_label && one.value.eq_ignore_ascii_case(&other.value)
}

/// A fact as a phrase.
fn sentence(fact: &Fact) -> String {
    let of_row = if fact.row.is_empty() || fact.row == fact.value {
        String::new()
    } else {
        format!("{}, ", bold(&fact.row))
    };
    match (fact.kind, &fact.control) {
        (Kind::Control, Some(_)) => match controls::described(fact) {
            Some(said) => format!(
                "{of_row}{}. The page says: {}",
                controls::describe(fact),
                value(said)
            ),
            None => format!("{of_row}{}", controls::describe(fact)),
        },
        (Kind::Text, _) => format!("“{}”", super::markdown::escaped(&fact.value)),
        (Kind::Heading, _) => format!("there is a section {}", bold(&fact.label)),
        _ if fact.label.is_empty() => format!("{of_row}{}", value(&fact.value)),
        _ => format!("{of_row}{}: {}", bold(&fact.label), value(&fact.value)),
    }
}

/// Where it was found, if the page gives a place a name.
fn found_in(places: &[&str]) -> String {
    let mut named: Vec<&str> = places.iter().copied().filter(|place| !place.is_empty()).collect();
    named.dedup();
    named.truncate(2);
    if named.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = named.iter().map(|place| place_text(place)).collect();
    format!(" — {}", shown.join("; "))
}

fn place_text(place: &str) -> String {
    match place.strip_prefix("API field ") {
        Some(path) => format!("API field {}", value(path)),
        None => format!("in {}", super::markdown::escaped(place)),
    }
}
