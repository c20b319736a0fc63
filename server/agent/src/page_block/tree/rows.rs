//! Tables, and rows that a page draws with plain boxes: one line each, cells apart by `|`.

use sidewire_contract::ax_tree::AxNode;

use super::{Place, inline, one, own_name, push, score};
use crate::page_block::lines::{Kind, Lines};
use crate::page_block::node::{self, Class};
use crate::page_block::table::{self, Row};

/// Longest row drawn with boxes; what is longer is no row.
const BOXED: usize = 400;

/// One of many siblings that are alike: the middle of them matters less than the ends.
pub(super) fn is_in_series(node: &AxNode) -> bool {
    node::class(node) == Class::Item || node::class(node) == Class::Transparent && is_boxed_row(node)
}

/// A nameless box around a few short texts and small controls.
pub(super) fn is_boxed_row(node: &AxNode) -> bool {
    let size = |part: &AxNode| part.name.as_ref().map_or(0, String::len);
    holds_parts(node) && node.children.iter().map(size).sum::<usize>() <= BOXED
}

/// A paragraph with links or other small controls among its words.
pub(super) fn is_sentence(node: &AxNode) -> bool {
    node.role == "paragraph" && holds_parts(node)
}

fn holds_parts(node: &AxNode) -> bool {
    let is_part = |part: &AxNode| match node::class(part) {
        Class::Control => !is_written(part) && part.children.iter().all(node::is_plain),
        Class::Status => part.children.is_empty(),
        Class::Text | Class::Image => part.children.is_empty() && part.name.is_some(),
        _ => false,
    };
    let is_box = node.name.is_none() && node.reference.is_none();
    is_box && node.children.len() > 1 && node.children.iter().all(is_part)
}

/// Fields that hold a text keep a line of their own.
fn is_written(node: &AxNode) -> bool {
    node::is_field(&node.role) && !matches!(node.role.as_str(), "checkbox" | "radio" | "switch")
}

/// Adds a row drawn with boxes.
pub(super) fn boxed(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let cells: Vec<String> = node
        .children
        .iter()
        .map(|part| inline::cell(lines, part))
        .filter(|cell| !cell.is_empty())
        .collect();
    if !cells.is_empty() {
        push(lines, place, (Kind::Row, score::ROW), cells.join(" | "));
    }
}

/// A table: its size, its header once, its rows.
pub(super) fn table(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let table = table::read(node);
    let name = own_name(lines, node);
    let shown = table.rows.len();
    let size = if table.total > shown {
        format!("{shown} of {} rows", table.total)
    } else {
        format!("{shown} rows")
    };
    let title = format!("{} ({size})", inline::titled(node, &name));
    let open = push(lines, place, (Kind::Outline, 0), title);
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
        let series = score::in_series(index, shown);
        let place = Place {
            parent: head,
            series,
            ..inside
        };
        add_row(lines, row, place);
    }
    for extra in &table.rest {
        one(lines, extra, inside);
    }
}

/// One row. Its parent is the header line, so that a row never stands without its columns.
fn add_row(lines: &mut Lines, row: &Row<'_>, place: Place<'_>) {
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
    push(lines, Place { offscreen, ..place }, (Kind::Row, score::ROW), text);
}
