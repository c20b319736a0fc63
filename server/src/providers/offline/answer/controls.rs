//! Answers about what can be done: controls by name, with their state, in the order of use.

use std::fmt::Write as _;

use sidewire_contract::mode::Mode;

use super::{Reply, found_in};
use crate::providers::offline::facts::{Fact, Kind, PageFacts};
use crate::providers::offline::markdown::{bold, value};
use crate::providers::offline::question::{Only, Unit, is_verb};
use crate::providers::offline::rank;
use crate::providers::offline::synonyms::is_in_group_of;
use crate::providers::offline::words::terms;

/// Controls named in one answer.
const MOST: usize = 14;

impl Reply<'_> {
    /// What can be done here: fields first, then actions, then what is switched off.
    pub(super) fn controls(&self) -> String {
        let asked: Vec<Unit> = self
            .units()
            .iter()
            .filter(|unit| unit.weight > 0.9 && !is_verb(&unit.term))
            .cloned()
            .collect();
        let all: Vec<&Fact> = actors(self.facts)
            .filter(|fact| !fact.minor && fact.row.is_empty() && is_asked(fact, self.question.only))
            .collect();
        let about: Vec<&Fact> = all
            .iter()
            .copied()
            .filter(|fact| {
                asked
                    .iter()
                    .any(|unit| rank::says(&format!("{} {}", fact.label, fact.context), &unit.term))
            })
            .collect();
        let chosen = if about.is_empty() { all } else { about };
        if chosen.is_empty() {
            return "This page shows nothing that can be changed or pressed.".to_owned();
        }
        let (off, on): (Vec<&Fact>, Vec<&Fact>) = chosen.into_iter().partition(|fact| is_off(fact));
        let (fields, actions): (Vec<&Fact>, Vec<&Fact>) = on.into_iter().partition(|fact| is_field(fact));
        let mut text = String::new();
        let numbered = self.mode == Mode::Configuration;
        section(&mut text, "Values that can be changed:", &fields, numbered);
        section(&mut text, "Actions:", &actions, numbered);
        section(&mut text, "Shown but not usable now:", &off, false);
        text.trim_end().to_owned()
    }

    /// How something is done: the control whose name says so.
    pub(super) fn how_to(&self) -> Option<String> {
        if self.units().is_empty() {
            return Some(self.controls());
        }
        let hits = self.index.facts(self.units(), |fact| fact.kind == Kind::Control);
        let best = hits.iter().find(|hit| hit.coverage >= super::ENOUGH);
        let Some(best) = best.and_then(|hit| self.fact(hit)) else {
            return self.by_edit();
        };
        let mut text = String::new();
        if is_off(best) {
            let _ = write!(
                text,
                "{}{} would do that, but is disabled now.",
                describe(best),
                found_in(&[&best.place])
            );
            if let Some(description) = described(best) {
                let _ = write!(
                    text,
                    " The page says: {}.",
                    value(description).trim_end_matches('.')
                );
            }
            return Some(text);
        }
        let _ = write!(
            text,
            "Use {}{}{}.",
            describe(best),
            of_row(best),
            found_in(&[&best.place])
        );
        if let Some(description) = described(best) {
            let _ = write!(
                text,
                " The page says: {}.",
                value(description).trim_end_matches('.')
            );
        }
        self.then_save(&mut text, best);
        Some(text)
    }

    /// Nothing is named like it, but something else may lead there: a field of that name, or a general edit control.
    fn by_edit(&self) -> Option<String> {
        let changes = self
            .units()
            .iter()
            .any(|unit| is_in_group_of(unit.term.concept, "edit"));
        let objects: Vec<Unit> = self
            .units()
            .iter()
            .filter(|unit| !is_verb(&unit.term))
            .cloned()
            .collect();
        let known = self.index.facts(&objects, |_| true);
        let known = known
            .iter()
            .find(|hit| hit.coverage >= super::ENOUGH)
            .and_then(|hit| self.fact(hit));
        if !changes {
            return None;
        }
        let (edit, known) = (named(self.facts, "edit")?, known?);
        let mut text = format!("The page shows no control for {} alone. ", bold(&known.label));
        let _ = write!(
            text,
            "The one to change things is {}{}",
            describe(edit),
            found_in(&[&edit.place])
        );
        text.push_str(if is_off(edit) {
            ", which is disabled now."
        } else {
            "."
        });
        let _ = write!(text, " Its value now: {}.", value(&known.value));
        Some(text)
    }

    /// After a field was changed, it has to be saved.
    fn then_save(&self, text: &mut String, control: &Fact) {
        if !is_field(control) && self.mode != Mode::Configuration {
            return;
        }
        if let Some(save) = named(self.facts, "save").filter(|save| save.label != control.label) {
            let off = if is_off(save) {
                " (disabled until something changes)"
            } else {
                ""
            };
            let _ = write!(text, " Then {}{off}.", bold(&save.label));
        }
    }

    /// Says plainly that nothing on the page does it.
    pub(super) fn no_control(&self) -> String {
        let mut text = "This page shows no control for that.".to_owned();
        let near: Vec<String> = actors(self.facts)
            .filter(|fact| !fact.minor && fact.row.is_empty() && is_asked(fact, Some(Only::Buttons)))
            .take(6)
            .map(|fact| bold(&fact.label))
            .collect();
        if !near.is_empty() {
            let _ = write!(text, " What it shows: {}.", near.join(", "));
        }
        text
    }
}

fn section(text: &mut String, title: &str, facts: &[&Fact], numbered: bool) {
    if facts.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for (index, fact) in facts.iter().take(MOST).enumerate() {
        let mark = if numbered {
            format!("{}.", index + 1)
        } else {
            "-".to_owned()
        };
        let _ = writeln!(text, "{mark} {}{}", describe(fact), found_in(&[&fact.place]));
    }
    if facts.len() > MOST {
        let _ = writeln!(text, "- … and {} more", facts.len() - MOST);
    }
    text.push('\n');
}

/// `**Name** (text box, required): value`.
pub(super) fn describe(fact: &Fact) -> String {
    let Some(control) = &fact.control else {
        return bold(&fact.label);
    };
    let states = control.states.iter().filter(|state| **state != "focused");
    let words: Vec<&str> = std::iter::once(control.role).chain(states.copied()).collect();
    let shown = format!("{} ({})", bold(&fact.label), words.join(", "));
    let stateful = control
        .states
        .iter()
        .any(|state| matches!(*state, "on" | "off" | "checked" | "unchecked"));
    if control.field && !stateful && !fact.value.is_empty() {
        format!("{shown}: {}", value(&fact.value))
    } else {
        shown
    }
}

/// Links lead away rather than change something, so they are told only when asked for.
fn is_asked(fact: &Fact, only: Option<Only>) -> bool {
    let is_link = fact
        .control
        .as_ref()
        .is_some_and(|control| control.role == "link");
    match only {
        None => !is_link,
        Some(Only::Links) => is_link,
        Some(Only::Fields) => is_field(fact),
        Some(Only::Buttons) => !is_link && !is_field(fact),
    }
}

fn of_row(fact: &Fact) -> String {
    if fact.row.is_empty() {
        String::new()
    } else {
        format!(" in the row {}", bold(&fact.row))
    }
}

pub(super) fn described(fact: &Fact) -> Option<&str> {
    fact.control
        .as_ref()
        .map(|control| control.description.as_str())
        .filter(|text| !text.is_empty())
}

fn actors(facts: &PageFacts) -> impl Iterator<Item = &Fact> {
    facts.facts.iter().filter(|fact| fact.kind == Kind::Control)
}

/// The first control whose name is a word of this group.
pub(super) fn named<'f>(facts: &'f PageFacts, word: &str) -> Option<&'f Fact> {
    actors(facts)
        .filter(|fact| !fact.minor && !is_field(fact) && fact.row.is_empty())
        .find(|fact| {
            terms(&fact.label)
                .first()
                .is_some_and(|term| is_in_group_of(term.concept, word))
        })
}

fn is_off(fact: &Fact) -> bool {
    fact.control.as_ref().is_some_and(|control| control.disabled)
}

fn is_field(fact: &Fact) -> bool {
    fact.control.as_ref().is_some_and(|control| control.field)
}
