//! Labels and the values that belong to them, however the page marks them up.

use sidewire_contract::ax_tree::AxNode;

use super::node::{self, Class};

/// Longest label; longer texts are prose.
const LABEL: usize = 48;

/// A label with its values.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The label, without a colon.
    pub label: String,
    /// What it stands before; one node, or the definitions of a term.
    pub values: Vec<&'a AxNode>,
    /// Siblings the pair is made of.
    pub used: usize,
}

/// The pair at the start of these siblings: a term with its definitions, or a text that ends in a colon.
#[must_use]
pub fn leading(nodes: &[AxNode]) -> Option<Pair<'_>> {
    let (label, after) = nodes.split_first()?;
    if node::class(label) == Class::Term {
        let values: Vec<&AxNode> = after
            .iter()
            .take_while(|next| node::class(next) == Class::Definition)
            .collect();
        return read(label, values);
    }
    let labelled = node::class(label) == Class::Text && node::words(label, LABEL).ends_with(':');
    if labelled {
        read(label, vec![after.first()?])
    } else {
        None
    }
}

/// The pair a wrapper consists of: exactly a label and a value.
#[must_use]
pub fn inside(wrapper: &AxNode) -> Option<Pair<'_>> {
    let [label, value] = wrapper.children.as_slice() else {
        return None;
    };
    if wrapper.name.is_some() {
        None
    } else {
        read(label, vec![value])
    }
}

/// Makes a pair when the label is a short text and the values are small enough for one line.
fn read<'a>(label: &AxNode, values: Vec<&'a AxNode>) -> Option<Pair<'a>> {
    let is_label = matches!(node::class(label), Class::Text | Class::Transparent | Class::Term);
    let name = node::words(label, LABEL * 2);
    let fits = is_label && node::is_plain(label) && !name.is_empty() && name.len() <= LABEL;
    let small = values
        .iter()
        .all(|value| node::class(value) != Class::Heading && !node::has_blocks(value));
    let said = values.iter().any(|value| {
        let said = node::words(value, LABEL * 2);
        (!said.is_empty() || !node::is_plain(value)) && said != name
    });
    let used = values.len() + 1;
    let label = name.trim_end_matches([':', ' ']).to_owned();
    (fits && small && said && !label.is_empty()).then_some(Pair { label, values, used })
}
