//! The accessibility tree as lines: one per thing a person would call one thing.

use sidewire_contract::ax_tree::AxNode;

use super::lines::{Kind, Line, Lines};
use super::node::{self, Class};
use super::pair::{self, Pair};

mod blocks;
mod inline;
mod rows;
mod runs;
mod score;

/// Levels of the tree that are walked; the contract's reader stops earlier.
const MOST_DEPTH: usize = 80;

/// Where a node stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    parent: Option<usize>,
    /// Added to the score of everything inside.
    bonus: i32,
    /// Added to the score of everything inside that is out of view.
    series: i32,
    offscreen: bool,
    /// A name above that already says what is inside.
    covered: &'a str,
    depth: usize,
}

/// Adds the tree below `root`.
pub(super) fn add(lines: &mut Lines, root: &AxNode) {
    let place = Place {
        parent: None,
        bonus: 0,
        series: 0,
        offscreen: false,
        covered: "",
        depth: 0,
    };
    if node::class(root) == Class::Transparent {
        children(lines, &root.children, place);
        lines.unread += node::missing(root);
    } else {
        one(lines, root, place);
    }
}

/// Adds siblings: pairs and runs that belong on one line first, everything else one by one.
fn children(lines: &mut Lines, nodes: &[AxNode], place: Place<'_>) {
    let count = nodes.iter().filter(|node| rows::is_in_series(node)).count();
    let mut index = 0;
    let mut rest = nodes;
    while let Some((first, after)) = rest.split_first() {
        if let Some(pair) = pair::leading(rest) {
            add_pair(lines, &pair, place);
            rest = rest.get(pair.used..).unwrap_or_default();
        } else if let Some(used) = runs::add(lines, rest, place) {
            rest = rest.get(used..).unwrap_or_default();
        } else if rows::is_in_series(first) {
            let series = place.series.min(score::in_series(index, count));
            one(lines, first, Place { series, ..place });
            index += 1;
            rest = after;
        } else {
            one(lines, first, place);
            rest = after;
        }
    }
}

/// Adds one node and what is inside.
fn one(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    if place.depth >= MOST_DEPTH {
        lines.unread += 1;
        return;
    }
    lines.unread += node::missing(node);
    let bonus = if node.focused { score::FOCUSED } else { place.bonus };
    let place = Place {
        bonus,
        offscreen: place.offscreen || node.offscreen,
        depth: place.depth + 1,
        ..place
    };
    match node::class(node) {
        Class::Ignored => {}
        Class::Transparent => transparent(lines, node, place),
        Class::Text | Class::Term | Class::Definition => blocks::text(lines, node, place),
        Class::Item => blocks::item(lines, node, place),
        Class::Heading => blocks::heading(lines, node, place),
        Class::Status => blocks::status(lines, node, place),
        Class::Image => blocks::image(lines, node, place),
        Class::Control => blocks::control(lines, node, place),
        Class::Table => rows::table(lines, node, place),
        Class::Group => group(lines, node, place),
    }
}

/// A wrapper: a label and its value, or a row drawn with boxes, else its children stand for it.
fn transparent(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    if let Some(pair) = pair::inside(node) {
        add_pair(lines, &pair, place);
    } else if node.children.is_empty() || node.name.is_some() {
        blocks::text(lines, node, place);
    } else if rows::is_boxed_row(node) {
        rows::boxed(lines, node, place);
    } else {
        children(lines, &node.children, place);
    }
}

/// A container with its name; landmarks that repeat on every page matter less, dialogs more.
fn group(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let bonus = match node.role.as_str() {
        "dialog" | "alertdialog" => place.bonus.max(score::DIALOG),
        "navigation" | "banner" | "contentinfo" => place.bonus.min(score::CHROME),
        "complementary" => place.bonus.min(score::BESIDE),
        _ => place.bonus,
    };
    let place = Place { bonus, ..place };
    let name = own_name(lines, node);
    if name.is_empty() && says_nothing(&node.role) {
        return match pair::inside(node) {
            Some(pair) => add_pair(lines, &pair, place),
            None => children(lines, &node.children, place),
        };
    }
    let title = inline::titled(node, &name);
    if node.children.is_empty() {
        let what = if node::is_field(&node.role) {
            (Kind::Control, score::CONTROL)
        } else {
            (Kind::Text, score::TEXT)
        };
        push(lines, place, what, title);
        return;
    }
    outline(lines, node, place, (&name, title));
}

/// A title with everything of the node inside it; what only repeats its name is not told again.
fn outline(lines: &mut Lines, node: &AxNode, place: Place<'_>, (name, title): (&str, String)) {
    let parent = push(lines, place, (Kind::Outline, 0), title);
    let inside = Place {
        parent,
        covered: name,
        ..place
    };
    children(lines, &node.children, inside);
}

/// Containers that tell nothing without a name.
fn says_nothing(role: &str) -> bool {
    matches!(role, "group" | "section" | "list" | "region" | "main" | "article")
}

/// Adds `label: value` as one line.
fn add_pair(lines: &mut Lines, pair: &Pair<'_>, place: Place<'_>) {
    let said: Vec<String> = pair
        .values
        .iter()
        .map(|value| inline::cell(lines, value))
        .filter(|value| !value.is_empty())
        .collect();
    let focused = pair.values.iter().any(|value| value.focused);
    let place = Place {
        offscreen: place.offscreen || pair.values.iter().all(|value| value.offscreen),
        bonus: if focused { score::FOCUSED } else { place.bonus },
        ..place
    };
    let line = format!("{}: {}", pair.label, said.join(", "));
    push(lines, place, (Kind::Text, score::PAIR), line);
}

/// The name of a node as it is shown; empty where there is none.
fn own_name(lines: &mut Lines, node: &AxNode) -> String {
    node.name
        .as_deref()
        .map(|name| lines.text(name))
        .unwrap_or_default()
}

fn push(lines: &mut Lines, place: Place<'_>, (kind, score): (Kind, i32), text: String) -> Option<usize> {
    let offscreen = place.offscreen && place.bonus < score::DIALOG;
    let out_of_view = if offscreen {
        score::OFFSCREEN + place.series
    } else {
        0
    };
    lines.push(Line {
        parent: place.parent,
        depth: 0,
        text,
        kind,
        score: score + place.bonus + out_of_view,
        offscreen,
    })
}
