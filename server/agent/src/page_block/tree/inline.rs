//! Things that share a line: controls, cells, list items.

use sidewire_contract::ax_tree::AxNode;

use crate::page_block::lines::{Detail, Lines};
use crate::page_block::node::{self, Class};

/// Levels that are read for one line.
const MOST_DEPTH: usize = 24;
/// References shown for a run of equal things.
const MOST_REFS: usize = 8;

/// `role "name"` of a container.
pub(super) fn titled(node: &AxNode, name: &str) -> String {
    let mut title = role(node);
    if !name.is_empty() {
        title.push_str(&format!(" \"{name}\""));
    }
    push_states(&mut title, node);
    title
}

/// The role, as short and plain as it should be.
pub(super) fn role(node: &AxNode) -> String {
    match node.role.as_str() {
        "generic" | "text" | "" => "clickable".to_owned(),
        role => crate::page_block::text::flat(role, 40),
    }
}

/// A control: `role "name" = value (states) [ref]`, with address and description where there is room.
pub(super) fn control(lines: &mut Lines, node: &AxNode, with_role: bool) -> String {
    let mut line = if with_role {
        format!("{} ", role(node))
    } else {
        String::new()
    };
    let raw = match node.name.as_deref() {
        Some(name) if !name.is_empty() => lines.text(name),
        _ => node::inner_words(node, lines.detail.text_limit()),
    };
    line.push_str(&format!("\"{raw}\""));
    if let Some(value) = node.value.as_deref() {
        let value = lines.text(value);
        if value != raw {
            line.push_str(&format!(" = {}", if value.is_empty() { "\"\"" } else { &value }));
        }
    }
    push_states(&mut line, node);
    push_ref(&mut line, node);
    // What has no words is known by its description alone, such as the name of its icon.
    if raw.is_empty() || lines.detail == Detail::Full {
        push_more(lines, &mut line, " — ", node.description.as_deref());
    }
    if lines.detail == Detail::Full {
        push_more(lines, &mut line, " → ", node.url.as_deref());
    }
    line
}

fn push_more(lines: &mut Lines, line: &mut String, mark: &str, more: Option<&str>) {
    if let Some(more) = more.filter(|more| !more.is_empty()) {
        line.push_str(mark);
        line.push_str(&lines.text(more));
    }
}

/// Everything a table cell, list item or value says, with the references of what can be acted on.
pub(super) fn cell(lines: &mut Lines, node: &AxNode) -> String {
    let mut parts = Vec::new();
    gather(lines, node, "", MOST_DEPTH, &mut parts);
    let mut said = String::new();
    for part in parts {
        if !said.is_empty() && !part.starts_with(['.', ',', ';', ':', '!', '?', ')']) {
            said.push(' ');
        }
        said.push_str(&part);
    }
    said
}

fn gather(lines: &mut Lines, node: &AxNode, covered: &str, depth: usize, parts: &mut Vec<String>) {
    if depth == 0 {
        lines.unread += 1;
        return;
    }
    let class = node::class(node);
    if class == Class::Ignored {
        return;
    }
    let mut covered = covered.to_owned();
    if class == Class::Control || node.reference.is_some() && node::is_field(&node.role) {
        let said = small_control(lines, node);
        covered = node::words(node, lines.detail.text_limit());
        parts.push(said);
    } else {
        for said in [node.name.as_deref(), node.value.as_deref()]
            .into_iter()
            .flatten()
        {
            let said = lines.text(said);
            if !said.is_empty() && !covered.contains(&said) {
                covered.push_str(&said);
                parts.push(said);
            }
        }
        let states = node::states(node);
        if !states.is_empty() {
            parts.push(format!("({})", states.join(", ")));
        }
        if let Some(reference) = node.reference.as_deref() {
            parts.push(format!("[{}]", lines.text(reference)));
        }
    }
    lines.unread += node::missing(node);
    for child in &node.children {
        gather(lines, child, &covered, depth - 1, parts);
    }
}

/// A control inside a cell: buttons and links by name alone, the rest with role.
fn small_control(lines: &mut Lines, node: &AxNode) -> String {
    if !matches!(
        node.role.as_str(),
        "link" | "button" | "option" | "tab" | "menuitem"
    ) {
        return control(lines, node, true);
    }
    let name = node::words(node, lines.detail.text_limit());
    let mut line = if name.is_empty() { node.role.clone() } else { name };
    push_states(&mut line, node);
    push_ref(&mut line, node);
    line
}

/// Neighbours as pieces of one line; equal ones become one piece with a count.
pub(super) fn fold(lines: &mut Lines, nodes: &[AxNode]) -> Vec<String> {
    let mut pieces = Vec::new();
    for group in nodes.chunk_by(same_but_ref) {
        let Some(first) = group.first() else { continue };
        if group.len() < 3 {
            pieces.extend(group.iter().map(|node| piece(lines, node)));
            continue;
        }
        let bare = AxNode {
            reference: None,
            children: Vec::new(),
            name: Some(node::words(first, 200)),
            ..first.clone()
        };
        let mut folded = piece(lines, &bare);
        folded.push_str(&format!(" ×{}", group.len()));
        let refs: Vec<&str> = group
            .iter()
            .filter_map(|node| node.reference.as_deref())
            .collect();
        if !refs.is_empty() {
            let shown: Vec<String> = refs.iter().take(MOST_REFS).map(|name| lines.text(name)).collect();
            let more = if refs.len() > MOST_REFS { " …" } else { "" };
            folded.push_str(&format!(" [{}{more}]", shown.join(" ")));
        }
        pieces.push(folded);
    }
    pieces
}

fn piece(lines: &mut Lines, node: &AxNode) -> String {
    if node::class(node) == Class::Control {
        control(lines, node, false)
    } else {
        cell(lines, node)
    }
}

fn same_but_ref(one: &AxNode, other: &AxNode) -> bool {
    one.name == other.name
        && one.value == other.value
        && node::states(one) == node::states(other)
        && one.url == other.url
        && one.description == other.description
        && node::words(one, 200) == node::words(other, 200)
}

fn push_states(line: &mut String, node: &AxNode) {
    let states = node::states(node);
    if !states.is_empty() {
        line.push_str(&format!(" ({})", states.join(", ")));
    }
}

fn push_ref(line: &mut String, node: &AxNode) {
    if let Some(reference) = node.reference.as_deref() {
        line.push_str(&format!(" [{}]", crate::page_block::text::flat(reference, 40)));
    }
}
