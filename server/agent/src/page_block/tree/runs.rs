//! Runs of small controls or equal list items, several on one line, equal ones with a count.

use sidewire_contract::ax_tree::AxNode;

use super::{Place, inline, push, score};
use crate::page_block::lines::{Kind, Lines};
use crate::page_block::node::{self, Class};

/// A line that joins several small things ends before this many bytes.
pub(super) const JOINED: usize = 180;

/// Joins the run at the start of these siblings on few lines; says how many of them it used.
pub(super) fn add(lines: &mut Lines, nodes: &[AxNode], place: Place<'_>) -> Option<usize> {
    let first = nodes.first()?;
    let is_chrome = place.bonus == score::CHROME;
    let same = nodes
        .iter()
        .take_while(|node| node.role == first.role && node.offscreen == first.offscreen)
        .take_while(|node| is_small(node, first, is_chrome))
        .count();
    if same < 2 {
        return None;
    }
    let (what, lead) = if node::class(first) == Class::Control {
        (
            (Kind::Control, score::CONTROL),
            format!("{}: ", inline::role(first)),
        )
    } else {
        ((Kind::Text, score::TEXT), "- ".to_owned())
    };
    let place = Place {
        offscreen: place.offscreen || first.offscreen,
        ..place
    };
    let mut text = String::new();
    for piece in inline::fold(lines, nodes.get(..same).unwrap_or_default()) {
        if !text.is_empty() && text.len() + piece.len() > JOINED {
            push(lines, place, what, std::mem::take(&mut text));
        }
        text.push_str(if text.is_empty() { &lead } else { " · " });
        text.push_str(&piece);
    }
    push(lines, place, what, text);
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
