//! The accessibility tree of a page, read leniently: a page decides what is in it, so nothing in it may be an error.
//!
//! Members of a wrong type count as absent, children that are no objects are skipped, and what exceeds the bounds is
//! counted in `omitted`.

use serde_json::{Map, Value};

/// Levels that are read; a level costs two of the 128 that a frame may have.
const MAX_DEPTH: usize = 64;

/// Nodes that are read.
const MAX_NODES: usize = 20_000;

/// One node of the accessibility tree, in the vocabulary of our capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AxNode {
    /// ARIA role; `generic` where none was given.
    pub role: String,
    /// Accessible name.
    pub name: Option<String>,
    /// Handle by which a tool can find the element again (`ref` on the wire).
    pub reference: Option<String>,
    /// Value of a control.
    pub value: Option<String>,
    /// Level of a heading or tree item.
    pub level: Option<u32>,
    /// State of a box that can be ticked.
    pub checked: Option<Toggle>,
    /// State of a button that stays down.
    pub pressed: Option<Toggle>,
    /// Whether the control cannot be used.
    pub disabled: bool,
    /// Whether what it controls is shown.
    pub expanded: Option<bool>,
    /// Whether it is chosen among its siblings.
    pub selected: Option<bool>,
    /// Whether a value must be given.
    pub required: bool,
    /// Whether the value cannot be changed.
    pub readonly: bool,
    /// Whether the page calls the value wrong.
    pub invalid: bool,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Why it is the current one among its siblings, such as `page`.
    pub current: Option<String>,
    /// Accessible description.
    pub description: Option<String>,
    /// Where a link leads.
    pub url: Option<String>,
    /// Whether it lies outside the visible part of the page.
    pub offscreen: bool,
    /// Text the person selected; on the root only.
    pub selection: Option<String>,
    /// Number of rows of a table, including those left out.
    pub row_count: Option<u32>,
    /// Number of children left out, by the capture or by our bounds.
    pub omitted: u32,
    /// What it contains.
    pub children: Vec<AxNode>,
}

/// State of something that can be on, off or partly on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toggle {
    /// On.
    On,
    /// Off.
    Off,
    /// Some of what it stands for is on.
    Mixed,
}

impl AxNode {
    /// Reads a tree from JSON; none when the text is not JSON or its root is not an object.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        let mut budget = MAX_NODES;
        match serde_json::from_str(json).ok()? {
            Value::Object(members) => Some(Self::from_members(members, MAX_DEPTH, &mut budget)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    fn from_members(mut members: Map<String, Value>, levels: usize, budget: &mut usize) -> Self {
        *budget = budget.saturating_sub(1);
        let mut node = Self::without_children(&mut members);
        let Some(Value::Array(children)) = members.remove("children") else {
            return node;
        };
        for child in children {
            let Value::Object(members) = child else { continue };
            if levels <= 1 || *budget == 0 {
                node.omitted = node.omitted.saturating_add(1);
            } else {
                node.children
                    .push(Self::from_members(members, levels - 1, budget));
            }
        }
        node
    }

    fn without_children(members: &mut Map<String, Value>) -> Self {
        let on = |members: &Map<String, Value>, key| flag(members, key) == Some(true);
        Self {
            role: text(members, "role")
                .filter(|role| !role.is_empty())
                .unwrap_or_else(|| "generic".to_owned()),
            name: text(members, "name"),
            reference: text(members, "ref"),
            value: number_text(members, "value").or_else(|| text(members, "value")),
            level: number(members, "level"),
            checked: toggle(members, "checked"),
            pressed: toggle(members, "pressed"),
            disabled: on(members, "disabled"),
            expanded: flag(members, "expanded"),
            selected: flag(members, "selected"),
            required: on(members, "required"),
            readonly: on(members, "readonly"),
            invalid: on(members, "invalid"),
            focused: on(members, "focused"),
            current: text(members, "current"),
            description: text(members, "description"),
            url: text(members, "url"),
            offscreen: on(members, "offscreen"),
            selection: text(members, "selection"),
            row_count: number(members, "rowCount"),
            omitted: number(members, "omitted").unwrap_or(0),
            children: Vec::new(),
        }
    }
}

/// Takes a text out of the members without copying it.
fn text(members: &mut Map<String, Value>, key: &str) -> Option<String> {
    match members.get_mut(key)? {
        Value::String(text) => Some(std::mem::take(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The value of a slider or meter is a number on some pages.
fn number_text(members: &Map<String, Value>, key: &str) -> Option<String> {
    members.get(key)?.as_number().map(ToString::to_string)
}

fn number(members: &Map<String, Value>, key: &str) -> Option<u32> {
    let value = members.get(key)?.as_number()?;
    let whole = crate::number::Number::from(value.clone()).as_i64()?;
    u32::try_from(whole).ok()
}

fn flag(members: &Map<String, Value>, key: &str) -> Option<bool> {
    members.get(key)?.as_bool()
}

fn toggle(members: &Map<String, Value>, key: &str) -> Option<Toggle> {
    let value = members.get(key)?;
    match (value.as_bool(), value.as_str()) {
        (Some(true), _) => Some(Toggle::On),
        (Some(false), _) => Some(Toggle::Off),
        (None, Some("mixed")) => Some(Toggle::Mixed),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(node: &AxNode) -> usize {
        1 + node.children.iter().map(depth).max().unwrap_or(0)
    }

    #[test]
    fn members_are_read_by_type() {
        let node = AxNode::read(
            r#"{"role":"WebArea","name":"lb1","selection":"abc","rowCount":12.0,"children":[
                {"role":"checkbox","checked":"mixed","disabled":true,"value":7,"ref":"e1","level":2}, 5, null,
                {"role":3,"name":["x"],"checked":"maybe","expanded":"yes","level":-1,"children":{}}]}"#,
        )
        .unwrap();
        assert_eq!(
            (node.name.as_deref(), node.selection.as_deref(), node.row_count),
            (Some("lb1"), Some("abc"), Some(12))
        );
        let [checkbox, wrong] = node.children.as_slice() else {
            panic!("two children")
        };
        assert_eq!((checkbox.checked, checkbox.disabled), (Some(Toggle::Mixed), true));
        assert_eq!(
            (checkbox.value.as_deref(), checkbox.reference.as_deref()),
            (Some("7"), Some("e1"))
        );
        assert_eq!(
            *wrong,
            AxNode {
                role: "generic".to_owned(),
                ..AxNode::default()
            }
        );
    }

    #[test]
    fn what_is_no_tree_is_none() {
        for json in ["", "null", "[]", "7", r#"{"role":"x""#] {
            assert_eq!(AxNode::read(json), None, "{json}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| {
            format!(
                "{}{}",
                r#"{"role":"a","children":["#.repeat(levels),
                "]}".repeat(levels)
            )
        };
        assert_eq!(depth(&AxNode::read(&nested(63)).unwrap()), 63);
        assert_eq!(AxNode::read(&nested(10_000)), None);
        let mut budget = MAX_NODES;
        let Value::Object(members) = serde_json::from_str(&nested(40)).unwrap() else {
            panic!("an object")
        };
        let cut = AxNode::from_members(members, 39, &mut budget);
        assert_eq!(depth(&cut), 39);
    }

    #[test]
    fn nodes_are_bounded_and_the_rest_is_counted() {
        let children = vec![r#"{"role":"a"}"#; MAX_NODES + 4].join(",");
        let node = AxNode::read(&format!(r#"{{"role":"r","omitted":1,"children":[{children}]}}"#)).unwrap();
        assert_eq!(node.children.len(), MAX_NODES - 1);
        assert_eq!(node.omitted, 1 + 5);
    }
}
