//! What a node of the accessibility tree is and says, independent of how it is shown.

use sidewire_contract::ax_tree::{AxNode, Toggle};

use super::text::flat;

/// What a role means for reading a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Says nothing itself; its children stand for it.
    Transparent,
    /// Running text, a label, a caption.
    Text,
    /// A heading.
    Heading,
    /// Can be acted on.
    Control,
    /// Rows and columns.
    Table,
    /// One entry of a list.
    Item,
    /// A term of a definition list.
    Term,
    /// What a term stands for.
    Definition,
    /// Tells the state of something.
    Status,
    /// A picture.
    Image,
    /// Groups what is inside.
    Group,
    /// Tells nothing.
    Ignored,
}

/// Classifies a node by its role; unknown roles count as groups, so nothing is lost.
#[must_use]
pub fn class(node: &AxNode) -> Class {
    match node.role.as_str() {
        // A plain element that was made clickable.
        "generic" | "text" | "" if node.reference.is_some() && node.name.is_some() => Class::Control,
        "" | "generic" | "none" | "presentation" | "rowgroup" | "RootWebArea" | "WebArea" | "document"
        | "application" | "rootwebarea" => Class::Transparent,
        "StaticText" | "text" | "paragraph" | "label" | "LabelText" | "legend" | "caption" | "code"
        | "time" | "strong" | "emphasis" | "mark" | "blockquote" | "note" | "math" | "tooltip"
        | "subscript" | "superscript" | "deletion" | "insertion" => Class::Text,
        "heading" => Class::Heading,
        "table" | "grid" | "treegrid" => Class::Table,
        "listitem" => Class::Item,
        "term" => Class::Term,
        "definition" => Class::Definition,
        "status" | "alert" | "log" | "progressbar" | "meter" | "timer" | "marquee" => Class::Status,
        "img" | "image" | "graphics-document" | "graphics-symbol" => Class::Image,
        "separator" | "scrollbar" | "LineBreak" => Class::Ignored,
        role if is_control(role) => Class::Control,
        _ => Class::Group,
    }
}

/// Roles a person can act on.
#[must_use]
pub fn is_control(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "link"
            | "textbox"
            | "searchbox"
            | "combobox"
            | "checkbox"
            | "radio"
            | "switch"
            | "slider"
            | "spinbutton"
            | "tab"
            | "option"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "treeitem"
            | "summary"
            | "disclosure"
    )
}

/// Roles that hold a choice or a text the person can change.
#[must_use]
pub fn is_field(role: &str) -> bool {
    matches!(
        role,
        "textbox"
            | "searchbox"
            | "combobox"
            | "checkbox"
            | "radio"
            | "switch"
            | "slider"
            | "spinbutton"
            | "listbox"
    )
}

/// Children that are missing. A closed choice has its options counted there, which is nothing missing.
#[must_use]
pub fn missing(node: &AxNode) -> u64 {
    if matches!(node.role.as_str(), "combobox" | "listbox") {
        0
    } else {
        u64::from(node.omitted)
    }
}

/// The name as one short line; empty where there is none.
#[must_use]
pub fn name(node: &AxNode, max: usize) -> String {
    node.name
        .as_deref()
        .map(|name| flat(name, max))
        .unwrap_or_default()
}

/// The states a person sees, in plain words.
#[must_use]
pub fn states(node: &AxNode) -> Vec<&'static str> {
    let mut states = Vec::new();
    let mut add = |holds: bool, word: &'static str| {
        if holds {
            states.push(word);
        }
    };
    add(
        node.checked == Some(Toggle::On),
        if node.role == "switch" { "on" } else { "checked" },
    );
    add(
        node.checked == Some(Toggle::Off),
        if node.role == "switch" { "off" } else { "unchecked" },
    );
    add(node.checked == Some(Toggle::Mixed), "partly checked");
    add(node.pressed == Some(Toggle::On), "pressed");
    add(node.pressed == Some(Toggle::Off), "not pressed");
    add(node.pressed == Some(Toggle::Mixed), "partly pressed");
    add(node.selected == Some(true), "selected");
    add(
        node.current.as_deref().is_some_and(|current| current != "false"),
        "current",
    );
    add(node.expanded == Some(true), "expanded");
    add(node.expanded == Some(false), "collapsed");
    add(node.disabled, "disabled");
    add(node.required, "required");
    add(node.readonly, "read-only");
    add(node.invalid, "invalid");
    add(node.focused, "focused");
    states
}

/// Levels below a node that are read for its text.
const TEXT_DEPTH: usize = 24;

/// What a node says in words: its name, its value, and the words inside that these do not say; bounded by `max`.
#[must_use]
pub fn words(node: &AxNode, max: usize) -> String {
    let mut words = String::new();
    gather(node, "", TEXT_DEPTH, max, &mut words);
    flat(&words, max)
}

/// The words inside a node, for one that has no name of its own.
#[must_use]
pub fn inner_words(node: &AxNode, max: usize) -> String {
    let mut words = String::new();
    for child in &node.children {
        gather(child, "", TEXT_DEPTH, max, &mut words);
    }
    flat(&words, max)
}

fn gather(node: &AxNode, covered: &str, depth: usize, max: usize, out: &mut String) {
    if depth == 0 || out.len() >= max {
        return;
    }
    let mut covered = covered.to_owned();
    for said in [node.name.as_deref(), node.value.as_deref()]
        .into_iter()
        .flatten()
    {
        let said = flat(said, max);
        if !said.is_empty() && !covered.contains(&said) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&said);
            covered.push(' ');
            covered.push_str(&said);
        }
    }
    for child in &node.children {
        gather(child, &covered, depth - 1, max, out);
    }
}

/// True when nothing inside can be acted on or has an own structure: text only.
#[must_use]
pub fn is_plain(node: &AxNode) -> bool {
    plain_to(node, TEXT_DEPTH)
}

fn plain_to(node: &AxNode, depth: usize) -> bool {
    let own = matches!(
        class(node),
        Class::Transparent | Class::Text | Class::Image | Class::Term | Class::Definition | Class::Ignored
    ) || node.role == "group" && node.name.is_none();
    own && depth > 0 && node.children.iter().all(|child| plain_to(child, depth - 1))
}

/// Tables, headings, lists or dialogs inside: too much structure for one line.
#[must_use]
pub fn has_blocks(node: &AxNode) -> bool {
    blocks_to(node, TEXT_DEPTH)
}

fn blocks_to(node: &AxNode, depth: usize) -> bool {
    let block = matches!(class(node), Class::Table | Class::Heading | Class::Group)
        && !matches!(node.role.as_str(), "group" | "listbox" | "radiogroup");
    let inside =
        |child: &AxNode| matches!(class(child), Class::Item | Class::Term) || blocks_to(child, depth - 1);
    depth == 0 || block || node.children.iter().any(inside)
}
