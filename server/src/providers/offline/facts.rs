//! What a page tells, as facts that can be ranked: the shape. `read_tree.rs` and `read_api.rs` find them.

use sidewire_agent::page_block::text::flat;
use sidewire_contract::page::PageContext;

use super::{read_api, read_tree};

/// Longest label or value that is kept.
pub(super) const MOST_TEXT: usize = 300;
/// Facts beyond this are not read; no page a person works on has as many.
pub(super) const MOST_FACTS: usize = 8000;

/// What kind of fact it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A label and its value.
    Pair,
    /// A cell of a table, by row and column.
    Cell,
    /// A status, alert or progress message.
    Status,
    /// Running text.
    Text,
    /// A heading.
    Heading,
    /// A field of the API response.
    Field,
    /// Something that can be acted on.
    Control,
}

/// A control's further properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Control {
    /// Its role, for a person: `button`, `text box`.
    pub(super) role: &'static str,
    /// Its states, for a person.
    pub(super) states: Vec<&'static str>,
    /// It cannot be used now.
    pub(super) disabled: bool,
    /// It holds a value that can be changed.
    pub(super) field: bool,
    /// What the page says about it.
    pub(super) description: String,
}

/// One thing the page tells.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// What kind.
    pub(super) kind: Kind,
    /// What it is about: label, column, field name, name of a control.
    pub(super) label: String,
    /// What it says.
    pub(super) value: String,
    /// First cell of its row, or the name of its list entry.
    pub(super) row: String,
    /// Words around it: section, table, path.
    pub(super) context: String,
    /// Where a person finds it.
    pub(super) place: String,
    /// Part of navigation, banner or footer, or bookkeeping of the platform.
    pub(super) minor: bool,
    /// Only for controls.
    pub(super) control: Option<Control>,
}

/// Several things of one kind.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    /// What they are.
    pub(super) label: String,
    /// Words around them.
    pub(super) context: String,
    /// Names of the columns; empty for lists.
    pub(super) columns: Vec<String>,
    /// One entry each, by column.
    pub(super) items: Vec<Vec<String>>,
    /// How many there are, including those not read.
    pub(super) total: usize,
    /// Where a person finds them.
    pub(super) place: String,
    /// From the API response.
    pub(super) api: bool,
}

/// The resource of the API response.
#[derive(Clone, Debug, Default)]
pub(super) struct Resource {
    /// Its kind, for a person.
    pub(super) kind: String,
    /// Its name.
    pub(super) name: String,
    /// Its namespace.
    pub(super) namespace: String,
    /// Its description.
    pub(super) description: String,
}

/// All that a page tells.
#[derive(Debug, Default)]
pub(super) struct PageFacts {
    /// Title of the document.
    pub(super) title: String,
    /// The main heading.
    pub(super) heading: String,
    /// The resource of the API response.
    pub(super) resource: Option<Resource>,
    /// Facts in page order, the API response after the page.
    pub(super) facts: Vec<Fact>,
    /// Tables, lists and arrays.
    pub(super) collections: Vec<Collection>,
    /// Headings below the main one.
    pub(super) sections: Vec<String>,
    /// Open dialogs.
    pub(super) dialogs: Vec<String>,
    /// Text the person selected.
    pub(super) selection: String,
    /// Something was left out before the page came here.
    pub(super) truncated: bool,
}

impl PageFacts {
    /// Reads a snapshot.
    pub(super) fn read(page: &PageContext) -> Self {
        let mut facts = Self {
            title: flat(&page.title, MOST_TEXT),
            truncated: page.truncated,
            ..Self::default()
        };
        if let Some(root) = &page.tree {
            read_tree::read(&mut facts, root);
        }
        if let Some(resource) = &page.api {
            read_api::read(&mut facts, resource);
        }
        facts
    }

    /// Adds a fact, within the bound.
    pub(super) fn push(&mut self, fact: Fact) {
        if self.facts.len() < MOST_FACTS {
            self.facts.push(fact);
        } else {
            self.truncated = true;
        }
    }

    /// What the page is about, in one name.
    pub(super) fn subject(&self) -> &str {
        let named = self
            .resource
            .as_ref()
            .map(|resource| resource.name.as_str())
            .filter(|name| !name.is_empty());
        named.unwrap_or(if self.heading.is_empty() {
            &self.title
        } else {
            &self.heading
        })
    }

    /// Nothing was read.
    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.collections.is_empty()
    }
}
