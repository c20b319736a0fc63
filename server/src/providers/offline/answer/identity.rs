//! Answers what the page is: its subject, its state, its main facts, what stands on it.

use std::fmt::Write as _;

use sidewire_contract::mode::Mode;

use super::sentence;
use crate::providers::offline::facts::{Fact, Kind, PageFacts};
use crate::providers::offline::markdown::{bold, escaped, value};

/// Main facts told.
const MOST_FACTS: usize = 8;

/// Tells what the page is.
pub(super) fn tell(facts: &PageFacts, mode: Mode) -> String {
    if facts.is_empty() {
        return format!(
            "This is {}, but nothing on it could be read.",
            bold(facts.subject())
        );
    }
    let mut text = lead(facts);
    for dialog in facts.dialogs.iter().take(2) {
        let _ = write!(text, " A dialog is open: {}.", bold(dialog));
    }
    let main = main_facts(facts);
    if !main.is_empty() {
        text.push_str(if mode == Mode::Presentation {
            "\n\n### Main facts\n"
        } else {
            "\n\nMain facts:\n"
        });
        for fact in main {
            let _ = writeln!(text, "- {}", sentence(fact));
        }
    }
    contents(&mut text, facts, mode);
    text.trim_end().to_owned()
}

/// One sentence: name, kind, place.
fn lead(facts: &PageFacts) -> String {
    let mut text = format!("This page shows {}", bold(facts.subject()));
    if let Some(resource) = &facts.resource {
        if !resource.kind.is_empty() {
            let _ = write!(text, ", of the kind {}", bold(&resource.kind));
        }
        if !resource.namespace.is_empty() {
            let _ = write!(text, ", in the namespace {}", bold(&resource.namespace));
        }
    }
    if !facts.title.is_empty() && facts.title != facts.subject() {
        let _ = write!(text, " (title: {})", escaped(&facts.title));
    }
    text.push('.');
    if let Some(resource) = facts
        .resource
        .as_ref()
        .filter(|resource| !resource.description.is_empty())
    {
        let _ = write!(
            text,
            " Its description: {}.",
            value(&resource.description).trim_end_matches('.')
        );
    }
    text
}

/// Statuses, then label/value pairs, then what was configured in the API response.
fn main_facts(facts: &PageFacts) -> Vec<&Fact> {
    let of = |kind: Kind| {
        facts
            .facts
            .iter()
            .filter(move |fact| fact.kind == kind && !fact.minor)
    };
    let mut main: Vec<&Fact> = of(Kind::Status)
        .take(2)
        .chain(of(Kind::Pair).take(MOST_FACTS))
        .collect();
    if main.len() < MOST_FACTS {
        let fields = of(Kind::Field).filter(|field| field.place.contains("spec") && field.row.is_empty());
        let new: Vec<&Fact> = fields
            .filter(|field| !main.iter().any(|known| super::is_same_fact(known, field)))
            .take(4)
            .collect();
        main.extend(new);
    }
    if main.is_empty() {
        main.extend(of(Kind::Text).take(3));
    }
    main.truncate(MOST_FACTS);
    main
}

/// Sections, tables and actions by name.
fn contents(text: &mut String, facts: &PageFacts, mode: Mode) {
    let tables = facts
        .collections
        .iter()
        .filter(|collection| !collection.columns.is_empty());
    let tables: Vec<String> = tables
        .take(6)
        .map(|table| format!("{} ({} rows)", escaped(&table.label), table.total))
        .collect();
    let actions = facts.facts.iter().filter(|fact| {
        fact.control
            .as_ref()
            .is_some_and(|control| control.role == "button" && !control.disabled)
            && !fact.minor
            && fact.row.is_empty()
    });
    let actions: Vec<String> = actions.take(8).map(|fact| bold(&fact.label)).collect();
    let sections: Vec<String> = facts.sections.iter().take(8).map(|name| escaped(name)).collect();
    let mut line = |title: &str, items: &[String]| {
        if !items.is_empty() {
            let _ = write!(text, "\n{title}: {}.", items.join(", "));
        }
    };
    line("Sections", &sections);
    line("Tables", &tables);
    if mode != Mode::Presentation {
        line("Actions", &actions);
    }
}
