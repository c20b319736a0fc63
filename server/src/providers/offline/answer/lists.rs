//! Answers about several things: how many and which.

use std::fmt::Write as _;

use super::{ENOUGH, Reply, found_in};
use crate::providers::offline::facts::Collection;
use crate::providers::offline::markdown::{bold, value};
use crate::providers::offline::question::Unit;
use crate::providers::offline::rank;

/// Entries told in one answer.
const MOST: usize = 20;

/// A collection and the entries that are asked for.
struct Found<'a> {
    collection: &'a Collection,
    items: Vec<&'a Vec<String>>,
    /// Words that chose among the entries.
    filter: String,
}

impl Reply<'_> {
    /// How many there are.
    pub(super) fn count(&self) -> Option<String> {
        let found = self.find()?;
        let label = bold(&found.collection.label);
        let place = place_of(found.collection);
        let total = found.collection.total;
        if found.filter.is_empty() {
            let mut text = format!("{label}: {total}{place}.");
            let names: Vec<String> = found.items.iter().take(5).map(|item| first(item)).collect();
            if total > 0 && !names.is_empty() {
                let more = if total > names.len() { ", …" } else { "" };
                let _ = write!(text, " They are {}{more}.", names.join(", "));
            }
            return Some(text);
        }
        let names: Vec<String> = found.items.iter().take(MOST).map(|item| first(item)).collect();
        let list = if names.is_empty() {
            String::new()
        } else {
            format!(": {}", names.join(", "))
        };
        Some(format!(
            "{} of {total} in {label} match “{}”{list}{place}.",
            found.items.len(),
            found.filter
        ))
    }

    /// Which there are.
    pub(super) fn list(&self) -> Option<String> {
        let found = self.find()?;
        let label = bold(&found.collection.label);
        let place = place_of(found.collection);
        if found.items.is_empty() {
            let why = if found.filter.is_empty() {
                "is empty".to_owned()
            } else {
                format!("has none for “{}”", found.filter)
            };
            return Some(format!("{label} {why}{place}."));
        }
        let mut text = format!("{label}{place}:\n");
        for item in found.items.iter().take(MOST) {
            let _ = writeln!(text, "- {}", entry(found.collection, item));
        }
        let total = if found.filter.is_empty() {
            found.collection.total
        } else {
            found.items.len()
        };
        if total > MOST {
            let _ = writeln!(text, "- … and {} more", total - MOST);
        }
        Some(text.trim_end().to_owned())
    }

    /// The collection that is asked about, with the entries that the other words of the question choose.
    fn find(&self) -> Option<Found<'_>> {
        let hits = self.index.collections(self.units());
        hits.iter()
            .filter_map(|hit| self.facts.collections.get(hit.index))
            .find_map(|collection| {
                let about = format!("{} {}", collection.label, collection.context);
                let (named, others): (Vec<&Unit>, Vec<&Unit>) = self
                    .units()
                    .iter()
                    .partition(|unit| rank::says(&collection.label, &unit.term));
                let others: Vec<&Unit> = others
                    .into_iter()
                    .filter(|unit| unit.weight > 0.3 && !rank::says(&about, &unit.term))
                    .collect();
                let chosen: Vec<&Vec<String>> = collection
                    .items
                    .iter()
                    .filter(|item| others.iter().all(|unit| rank::mentions(item, &unit.term)))
                    .collect();
                let known = others.iter().all(|unit| self.is_known(collection, unit));
                let named_weight: f64 = named.iter().map(|unit| unit.weight).sum();
                let filter = others
                    .iter()
                    .map(|unit| unit.term.stem.as_str())
                    .collect::<Vec<_>>()
                    .join(" ");
                (named_weight > ENOUGH - 0.3 && known && (named_weight >= 1.0 || !chosen.is_empty()))
                    .then_some(Found {
                        collection,
                        items: chosen,
                        filter,
                    })
            })
    }

    /// A word that no entry says can only choose nothing if the page knows it at all.
    fn is_known(&self, collection: &Collection, unit: &Unit) -> bool {
        collection
            .items
            .iter()
            .any(|item| rank::mentions(item, &unit.term))
    }
}

/// Where it stands, unless its name says so already.
fn place_of(collection: &Collection) -> String {
    if collection.place == collection.label {
        String::new()
    } else {
        found_in(&[&collection.place])
    }
}

fn first(item: &[String]) -> String {
    value(
        item.iter()
            .find(|cell| !cell.is_empty())
            .map_or("", String::as_str),
    )
}

/// `**first** — column: cell, …`.
fn entry(collection: &Collection, item: &[String]) -> String {
    let mut text = first(item);
    let rest = item
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, cell)| !cell.is_empty());
    let cells: Vec<String> = rest
        .map(
            |(index, cell)| match collection.columns.get(index).filter(|column| !column.is_empty()) {
                Some(column) => format!("{}: {}", super::super::markdown::escaped(column), value(cell)),
                None => value(cell),
            },
        )
        .collect();
    if !cells.is_empty() {
        let _ = write!(text, " — {}", cells.join(", "));
    }
    text
}
