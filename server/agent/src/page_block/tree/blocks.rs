//! Things that get a line of their own: text, headings, statuses, pictures, controls, entries of lists.

use sidewire_contract::ax_tree::AxNode;

use super::runs::JOINED;
use super::{Place, children, inline, one, outline, own_name, push, rows, score};
use crate::page_block::lines::{Kind, Lines};
use crate::page_block::node;

/// Running text; what is inside and not part of it follows.
pub(super) fn text(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    if node::is_plain(node) {
        let said = node::words(node, lines.detail.text_limit() * 2);
        if !said.is_empty() && !place.covered.contains(&said) {
            let said = lines.text(&said);
            push(lines, place, (Kind::Text, score::of_text(&said)), said);
        }
        return;
    }
    if rows::is_sentence(node) {
        let said = inline::cell(lines, node);
        push(lines, place, (Kind::Text, score::of_text(&said)), said);
        return;
    }
    let name = own_name(lines, node);
    if !name.is_empty() && !place.covered.contains(&name) {
        push(lines, place, (Kind::Text, score::TEXT), name.clone());
    }
    let inside = Place {
        covered: &name,
        ..place
    };
    children(lines, &node.children, inside);
}

/// An entry of a list: one line when it is small, else what is inside below its name.
pub(super) fn item(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let line = inline::cell(lines, node);
    if line.len() <= JOINED && !node::has_blocks(node) {
        if !line.is_empty() {
            push(
                lines,
                place,
                (Kind::Item, score::of_text(&line)),
                format!("- {line}"),
            );
        }
        return;
    }
    let name = own_name(lines, node);
    let title = format!("- {name}").trim_end().to_owned();
    outline(lines, node, place, (&name, title));
}

/// A heading with as many `#` as its level.
pub(super) fn heading(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let said = node::words(node, lines.detail.text_limit());
    if !said.is_empty() {
        let level = usize::try_from(node.level.unwrap_or(2)).unwrap_or(2).clamp(1, 6);
        let line = format!("{} {said}", "#".repeat(level));
        push(lines, place, (Kind::Text, score::HEADING), line);
    }
    inner_controls(lines, node, place, &said);
}

/// A status, an alert, a progress.
pub(super) fn status(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let said = node::words(node, lines.detail.text_limit());
    if !said.is_empty() {
        let line = format!("{}: {said}", node.role);
        push(lines, place, (Kind::Text, score::STATUS), line);
    }
    inner_controls(lines, node, place, &said);
}

/// A picture; a drawing may hold the table it was drawn from.
pub(super) fn image(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let name = own_name(lines, node);
    let is_told = name.contains(char::is_alphanumeric) && !place.covered.contains(&name);
    if node::is_plain(node) {
        if is_told {
            let line = format!("img \"{name}\"");
            push(lines, place, (Kind::Text, score::IMAGE), line);
        }
        return;
    }
    let parent = if is_told {
        push(lines, place, (Kind::Outline, 0), format!("img \"{name}\""))
    } else {
        place.parent
    };
    children(lines, &node.children, Place { parent, ..place });
}

/// A control, then what is inside that its name does not say.
pub(super) fn control(lines: &mut Lines, node: &AxNode, place: Place<'_>) {
    let line = inline::control(lines, node, true);
    push(lines, place, (Kind::Control, score::CONTROL), line);
    let name = node::words(node, lines.detail.text_limit());
    inner_controls(lines, node, place, &name);
}

/// Controls and tables inside something whose words are said already.
fn inner_controls(lines: &mut Lines, node: &AxNode, place: Place<'_>, said: &str) {
    let inside = Place {
        covered: said,
        ..place
    };
    for child in node.children.iter().filter(|child| !node::is_plain(child)) {
        one(lines, child, inside);
    }
}
