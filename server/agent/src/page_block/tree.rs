//! The accessibility tree as lines: one per thing a person would call one thing.

use sidewire_contract::ax_tree::AxNode;

use super::lines::{Detail, Kind, Line, Lines};
use super::node::{self, Class};
use super::pair::{self, Pair};
use super::table::{self, Row};

mod inline;

/// Levels of the tree that are walked; the contract's reader stops earlier.
const MOST_DEPTH: usize = 80;
/// A line that joins several small things ends before this many bytes.
const JOINED: usize = 180;

/// How much things matter, before place and visibility.
mod score {
    pub(super) const FOCUSED: i32 = 200;
    pub(super) const DIALOG: i32 = 100;
    pub(super) const HEADING: i32 = 92;
    pub(super) const STATUS: i32 = 90;
    pub(super) const PAIR: i32 = 86;
    pub(super) const ROW: i32 = 82;
    pub(super) const CONTROL: i32 = 78;
    pub(super) const TEXT: i32 = 74;
    pub(super) const PROSE: i32 = 44;
    pub(super) const IMAGE: i32 = 24;
    /// Navigation, banner and footer, in view.
    pub(super) const CHROME: i32 = -26;
    pub(super) const OFFSCREEN: i32 = -54;
    /// First and last rows of a table, which show what the others are like.
    pub(super) const EDGE_ROW: i32 = 22;
}

/// Text longer than this is prose rather than a fact.
const PROSE_FROM: usize = 140;

/// Where a node stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    parent: Option<usize>,
    /// Added to the score of everything inside.
    bonus: i32,
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
    let mut rest = nodes;
    while let Some((first, after)) = rest.split_first() {
        if let Some(pair) = pair::leading(rest) {
            add_pair(lines, &pair, place);
            rest = rest.get(pair.used..).unwrap_or_default();
        } else if let Some(used) = run(lines, rest, place) {
            rest = rest.get(used..).unwrap_or_default();
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
    let place = Place {
        offscreen: place.offscreen || node.offscreen,
        depth: place.depth + 1,
        ..place
    };
    let place = if node.focused {
        Place {
            bonus: score::FOCUSED,
            ..place
        }
    } else {
        place
    };
    match node::class(node) {
        Class::Ignored => {}
        Class::Transparent => transparent(lines, node, place),
        Class::Text | Class::Term | Class::Definition => text(lines, node, place, ""),
        Class::Item => item(lines, node, place),
        Class::Heading => heading(lines, node, place),
        Class::Status => status(lines, node, place),
        Class::Image => image(lines, node, place),
        Class::Control => control(lines, node, place),
        Class::Table => rows(lines, node, place),
        Class::Group => group(lines, node, place),
    }
}

/// A wrapper: its two texts are a label and its value, else its children stand for it.
fn transparent(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    if let Some(pair) = pair::inside(node) {
        return add_pair(lines, &pair, place);
    }
    if node.children.is_empty() || node.name.is_some() {
        text(lines, node, place, "");
    } else {
        children(lines, &node.children, place);
    }
}

/// Running text; what is inside and not part of it follows.
fn text(lines: &mut Lines, node: &AxNode, place: Place<'_>, mark: &str) {
    if node::is_plain(node) {
        let said = node::words(node, lines.detail.text_limit() * 2);
        if !said.is_empty() && !place.covered.contains(&said) {
            let said = lines.text(&said);
            let score = if said.len() > PROSE_FROM {
                score::PROSE
            } else {
                score::TEXT
            };
            push(lines, place, (Kind::Text, score), format!("{mark}{said}"));
        }
        return;
    }
    let name = node
        .name
        .as_deref()
        .map(|name| lines.text(name))
        .unwrap_or_default();
    if !name.is_empty() && !place.covered.contains(&name) {
        push(lines, place, (Kind::Text, score::TEXT), format!("{mark}{name}"));
    }
    children(
        lines,
        &node.children,
        Place {
            covered: &name,
            ..place
        },
    );
}

fn item(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let line = inline::cell(lines, node);
    if line.len() <= JOINED && !node::has_blocks(node) {
        if !line.is_empty() {
            let score = if line.len() > PROSE_FROM {
                score::PROSE
            } else {
                score::TEXT
            };
            push(lines, place, (Kind::Text, score), format!("- {line}"));
        }
        return;
    }
    let name = node
        .name
        .as_deref()
        .map(|name| lines.text(name))
        .unwrap_or_default();
    let open = push(
        lines,
        place,
        (Kind::Outline, 0),
        format!("- {name}").trim_end().to_owned(),
    );
    children(
        lines,
        &node.children,
        Place {
            parent: open,
            covered: &name,
            ..place
        },
    );
}

fn heading(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let said = node::words(node, lines.detail.text_limit());
    if !said.is_empty() {
        let level = usize::try_from(node.level.unwrap_or(2)).unwrap_or(2).clamp(1, 6);
        push(
            lines,
            place,
            (Kind::Text, score::HEADING),
            format!("{} {said}", "#".repeat(level)),
        );
    }
    inner_controls(lines, node, place, &said);
}

fn status(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let said = node::words(node, lines.detail.text_limit());
    if !said.is_empty() {
        push(
            lines,
            place,
            (Kind::Text, score::STATUS),
            format!("{}: {said}", node.role),
        );
    }
    inner_controls(lines, node, place, &said);
}

fn image(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let name = node
        .name
        .as_deref()
        .map(|name| lines.text(name))
        .unwrap_or_default();
    if !name.is_empty() && !place.covered.contains(&name) {
        push(
            lines,
            place,
            (Kind::Text, score::IMAGE),
            format!("img \"{name}\""),
        );
    }
}

/// A control, then what is inside that its name does not say.
fn control(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let line = inline::control(lines, node, true);
    push(lines, place, (Kind::Control, score::CONTROL), line);
    let name = node::words(node, lines.detail.text_limit());
    inner_controls(lines, node, place, &name);
}

/// Controls and tables inside something whose words are said already.
fn inner_controls(lines: &mut Lines, node: &AxNode, place: Place<'_>, said: &str) {
    let inner = node.children.iter().filter(|child| !node::is_plain(child));
    for child in inner {
        one(
            lines,
            child,
            Place {
                covered: said,
                ..place
            },
        );
    }
}

/// A container with its name; landmarks that repeat on every page matter less, dialogs more.
fn group(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let bonus = match node.role.as_str() {
        "dialog" | "alertdialog" => place.bonus.max(score::DIALOG),
        "navigation" | "banner" | "contentinfo" | "complementary" => place.bonus.min(score::CHROME),
        _ => place.bonus,
    };
    let place = Place { bonus, ..place };
    let name = node
        .name
        .as_deref()
        .map(|name| lines.text(name))
        .unwrap_or_default();
    if name.is_empty()
        && matches!(
            node.role.as_str(),
            "group" | "section" | "list" | "region" | "main" | "article"
        )
    {
        if let Some(pair) = pair::inside(node) {
            return add_pair(lines, &pair, place);
        }
        return children(lines, &node.children, place);
    }
    let title = inline::titled(node, &name);
    if node.children.is_empty() {
        let score = if node::is_field(&node.role) {
            score::CONTROL
        } else {
            score::TEXT
        };
        let kind = if node::is_field(&node.role) {
            Kind::Control
        } else {
            Kind::Text
        };
        push(lines, place, (kind, score), title);
        return;
    }
    let open = push(lines, place, (Kind::Outline, 0), title);
    children(
        lines,
        &node.children,
        Place {
            parent: open,
            covered: &name,
            ..place
        },
    );
}

/// A table: its size, its header once, its rows with `|`.
fn rows(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let table = table::read(node);
    let name = node
        .name
        .as_deref()
        .map(|name| lines.text(name))
        .unwrap_or_default();
    let shown = table.rows.len();
    let size = if table.total > shown {
        format!("{shown} of {} rows", table.total)
    } else {
        format!("{shown} rows")
    };
    let open = push(
        lines,
        place,
        (Kind::Outline, 0),
        format!("{} ({size})", inline::titled(node, &name)),
    );
    let inside = Place {
        parent: open,
        covered: "",
        ..place
    };
    let mut head = open;
    if !table.header.is_empty() {
        let columns: Vec<String> = table
            .header
            .iter()
            .map(|cell| inline::cell(lines, cell))
            .collect();
        head = push(lines, inside, (Kind::Outline, 0), columns.join(" | "));
    } else if shown == 0 {
        push(lines, inside, (Kind::Text, score::TEXT), "(empty)".to_owned());
    }
    for (index, row) in table.rows.iter().enumerate() {
        let edge = index < 3 || index + 1 == shown;
        add_row(
            lines,
            row,
            Place {
                parent: head,
                ..inside
            },
            edge,
        );
    }
    for extra in &table.rest {
        one(lines, extra, inside);
    }
}

/// One row. Its parent is the header line, so that a row never stands without its columns.
fn add_row(lines: &mut Lines, row: &Row<'_>, place: Place<'_>, edge: bool) {
    lines.unread += node::missing(row.node);
    let cells: Vec<String> = row.cells.iter().map(|cell| inline::cell(lines, cell)).collect();
    if cells.iter().all(String::is_empty) {
        return;
    }
    let mut text = cells.join(" | ");
    let states = node::states(row.node);
    if !states.is_empty() {
        text.push_str(&format!(" ({})", states.join(", ")));
    }
    let offscreen = place.offscreen || row.node.offscreen;
    let edge = if offscreen && edge { score::EDGE_ROW } else { 0 };
    push(
        lines,
        Place { offscreen, ..place },
        (Kind::Row, score::ROW + edge),
        text,
    );
}

/// Adds `label: value` as one line.
fn add_pair(lines: &mut Lines, pair: &Pair<'_>, place: Place<'_>) {
    let said: Vec<String> = pair
        .values
        .iter()
        .map(|value| inline::cell(lines, value))
        .collect();
    let said: Vec<String> = said.into_iter().filter(|value| !value.is_empty()).collect();
    let offscreen = place.offscreen || pair.values.iter().all(|value| value.offscreen);
    let focused = pair.values.iter().any(|value| value.focused);
    let bonus = if focused { score::FOCUSED } else { place.bonus };
    let line = format!("{}: {}", pair.label, said.join(", "));
    push(
        lines,
        Place {
            offscreen,
            bonus,
            ..place
        },
        (Kind::Text, score::PAIR),
        line,
    );
}

/// Joins a run of small controls of one role on few lines and folds equal ones; says how many it used.
fn run(lines: &mut Lines, nodes: &[AxNode], place: Place<'_>) -> Option<usize> {
    let first = nodes.first()?;
    let same = nodes
        .iter()
        .take_while(|node| node.role == first.role && node.offscreen == first.offscreen)
        .take_while(|node| is_small(node, first, place.bonus == score::CHROME))
        .count();
    if same < 2 {
        return None;
    }
    let is_control = node::class(first) == Class::Control;
    let (kind, score) = if is_control {
        (Kind::Control, score::CONTROL)
    } else {
        (Kind::Text, score::TEXT)
    };
    let place = Place {
        offscreen: place.offscreen || first.offscreen,
        ..place
    };
    let lead = if is_control {
        format!("{}: ", inline::role(first))
    } else {
        "- ".to_owned()
    };
    let pieces = inline::fold(lines, nodes.get(..same).unwrap_or_default());
    let mut text = String::new();
    for piece in pieces {
        if !text.is_empty() && text.len() + piece.len() > JOINED {
            push(lines, place, (kind, score), std::mem::take(&mut text));
        }
        text.push_str(if text.is_empty() { &lead } else { " · " });
        text.push_str(&piece);
    }
    push(lines, place, (kind, score), text);
    Some(same)
}

/// Small enough to share a line: a plain control without focus, a menu entry of the site, or an equal list item.
fn is_small(node: &AxNode, first: &AxNode, is_chrome: bool) -> bool {
    let class = node::class(node);
    if class == Class::Control {
        return !node.focused && !node::is_field(&node.role) && node.children.iter().all(node::is_plain);
    }
    let equal = node::is_plain(node) && node.children == first.children && node.name == first.name;
    class == Class::Item && (equal || is_chrome && !node::has_blocks(node))
}

fn push(lines: &mut Lines, place: Place<'_>, (kind, score): (Kind, i32), text: String) -> Option<usize> {
    let offscreen = place.offscreen && place.bonus < score::DIALOG;
    let hidden = if offscreen { score::OFFSCREEN } else { 0 };
    let score = score + place.bonus + hidden;
    lines.push(Line {
        parent: place.parent,
        depth: 0,
        text,
        kind,
        score,
        offscreen,
    })
}

/// Whether addresses and descriptions are shown.
fn is_full(lines: &Lines) -> bool {
    lines.detail == Detail::Full
}
