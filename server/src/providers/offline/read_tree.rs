//! Finds facts in the accessibility tree.

use sidewire_agent::page_block::node::{self, Class};
use sidewire_agent::page_block::pair::{self, Pair};
use sidewire_agent::page_block::table;
use sidewire_contract::ax_tree::{AxNode, Toggle};

use super::facts::{Collection, Control, Fact, Kind, MOST_TEXT, PageFacts};
use super::words::{split, terms};

/// Levels that are walked.
const MOST_DEPTH: usize = 80;
/// Entries of a table or list that are kept whole.
const MOST_ITEMS: usize = 500;

/// Reads the tree below `root`.
pub(super) fn read(facts: &mut PageFacts, root: &AxNode) {
    facts.selection = root
        .selection
        .as_deref()
        .map(|text| super::flat(text, 2000))
        .unwrap_or_default();
    let mut reader = Reader {
        facts,
        headings: Vec::new(),
        groups: Vec::new(),
        minor: 0,
        depth: 0,
    };
    if node::class(root) == Class::Transparent {
        reader.children(&root.children);
    } else {
        reader.node(root);
    }
}

/// Walks the tree in reading order and knows what stands above.
struct Reader<'f> {
    facts: &'f mut PageFacts,
    /// Open headings, outermost first, with their levels.
    headings: Vec<(u32, String)>,
    /// Open named groups and dialogs.
    groups: Vec<String>,
    /// Depth inside navigation, banner or footer.
    minor: usize,
    depth: usize,
}

impl Reader<'_> {
    fn children(&mut self, nodes: &[AxNode]) {
        let mut rest = nodes;
        while let Some((first, after)) = rest.split_first() {
            if let Some(pair) = pair::leading(rest) {
                self.pair(&pair);
                rest = rest.get(pair.used..).unwrap_or_default();
            } else if let [label, value, ..] = rest
                && self.loose_pair(label, value)
            {
                rest = rest.get(2..).unwrap_or_default();
            } else {
                self.node(first);
                rest = after;
            }
        }
    }

    fn node(&mut self, node: &AxNode) {
        if self.depth >= MOST_DEPTH {
            return;
        }
        self.depth += 1;
        match node::class(node) {
            Class::Ignored => {}
            Class::Transparent => self.wrapper(node),
            Class::Text | Class::Term | Class::Definition | Class::Image | Class::Item => self.text(node),
            Class::Heading => self.heading(node),
            Class::Status => self.status(node),
            Class::Control => self.control(node),
            Class::Table => self.table(node),
            Class::Group => self.group(node),
        }
        self.depth -= 1;
    }

    fn wrapper(&mut self, node: &AxNode) {
        if let Some(pair) = pair::inside(node) {
            self.pair(&pair);
        } else if node.children.is_empty() {
            self.text(node);
        } else {
            self.children(&node.children);
        }
    }

    fn text(&mut self, node: &AxNode) {
        if node::is_plain(node) || node.role == "listitem" && !node.children.iter().any(node::has_blocks) {
            let said = node::words(node, MOST_TEXT);
            if !said.is_empty() {
                self.push(Kind::Text, "", &said);
            }
            // A list entry may hold controls.
            for child in node.children.iter().filter(|child| !node::is_plain(child)) {
                self.node(child);
            }
            return;
        }
        if let Some(name) = node.name.as_deref() {
            self.push(Kind::Text, "", &super::flat(name, MOST_TEXT));
        }
        self.children(&node.children);
    }

    fn heading(&mut self, node: &AxNode) {
        let said = node::words(node, MOST_TEXT);
        if said.is_empty() {
            return;
        }
        let level = node.level.unwrap_or(2);
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, said.clone()));
        if self.facts.heading.is_empty() && level == 1 {
            self.facts.heading.clone_from(&said);
        } else {
            self.facts.sections.push(said.clone());
        }
        self.push(Kind::Heading, &said, "");
        self.children_that_act(node);
    }

    fn status(&mut self, node: &AxNode) {
        let said = node::words(node, MOST_TEXT);
        if !said.is_empty() {
            self.push(Kind::Status, status_label(&node.role), &said);
        }
        self.children_that_act(node);
    }

    /// Controls inside something whose words are a fact already.
    fn children_that_act(&mut self, node: &AxNode) {
        for child in node.children.iter().filter(|child| !node::is_plain(child)) {
            self.node(child);
        }
    }

    fn pair(&mut self, pair: &Pair<'_>) {
        let values: Vec<String> = pair.values.iter().map(|value| value_words(value)).collect();
        let values: Vec<String> = values.into_iter().filter(|value| !value.is_empty()).collect();
        self.push(Kind::Pair, &pair.label, &values.join(", "));
        if values.len() > 1 {
            self.collection(&pair.label, values.into_iter().map(|value| vec![value]).collect());
        }
        for value in &pair.values {
            if !node::is_plain(value) {
                self.node(value);
            }
        }
    }

    /// Two plain texts in a row that read like a label and its value. Pages often mark such pairs up with nothing but
    /// style, so this is a guess: only a known label word before something that looks like a value counts.
    fn loose_pair(&mut self, label: &AxNode, value: &AxNode) -> bool {
        let is_text = |node: &AxNode| node::class(node) == Class::Text && node.children.is_empty();
        if !is_text(label) || !is_text(value) {
            return false;
        }
        let (label, value) = (node::words(label, MOST_TEXT), node::words(value, MOST_TEXT));
        if !is_label(&label) || !is_value(&value) {
            return false;
        }
        self.push(Kind::Pair, &label, &value);
        true
    }

    fn control(&mut self, node: &AxNode) {
        let name = if node.name.is_some() {
            node::name(node, MOST_TEXT)
        } else {
            node::inner_words(node, MOST_TEXT)
        };
        let field = node::is_field(&node.role);
        let value = value_words(node);
        let value = if value == name { String::new() } else { value };
        let control = Control {
            role: role_words(&node.role),
            states: node::states(node),
            disabled: node.disabled,
            field,
            description: node
                .description
                .as_deref()
                .map(|text| super::flat(text, MOST_TEXT))
                .unwrap_or_default(),
        };
        if !name.is_empty() {
            let mut fact = self.fact(Kind::Control, &name, &value);
            fact.control = Some(control);
            self.facts.push(fact);
        }
        let inner = node.children.iter().filter(|child| !node::is_plain(child));
        for child in inner.filter(|child| child.role != "option") {
            self.node(child);
        }
    }

    fn table(&mut self, node: &AxNode) {
        let table = table::read(node);
        let name = node::name(node, MOST_TEXT);
        let label = if name.is_empty() { self.section() } else { name };
        let columns: Vec<String> = table
            .header
            .iter()
            .map(|cell| node::words(cell, MOST_TEXT))
            .collect();
        let mut items = Vec::new();
        self.groups.push(label.clone());
        for row in &table.rows {
            let cells: Vec<String> = row.cells.iter().map(|cell| value_words(cell)).collect();
            let key = row.key().map(value_words).unwrap_or_default();
            for (index, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let mut fact = self.fact(Kind::Cell, columns.get(index).map_or("", String::as_str), cell);
                fact.row.clone_from(&key);
                self.facts.push(fact);
            }
            self.row_controls(&row.cells, &key);
            if items.len() < MOST_ITEMS {
                items.push(cells);
            }
        }
        self.groups.pop();
        let mut collection = self.new_collection(&label, items);
        collection.columns = columns;
        collection.total = table.total;
        self.facts.collections.push(collection);
        for extra in &table.rest {
            self.node(extra);
        }
    }

    /// Controls of a row are called by the row they act on.
    fn row_controls(&mut self, cells: &[&AxNode], key: &str) {
        let before = self.facts.facts.len();
        for cell in cells {
            for child in cell.children.iter().filter(|child| !node::is_plain(child)) {
                self.node(child);
            }
        }
        for fact in self
            .facts
            .facts
            .iter_mut()
            .skip(before)
            .filter(|fact| fact.label != key)
        {
            key.clone_into(&mut fact.row);
        }
    }

    fn group(&mut self, node: &AxNode) {
        let name = node::name(node, MOST_TEXT);
        if name.is_empty()
            && let Some(pair) = pair::inside(node)
        {
            return self.pair(&pair);
        }
        let minor = matches!(
            node.role.as_str(),
            "navigation" | "banner" | "contentinfo" | "complementary"
        );
        if matches!(node.role.as_str(), "dialog" | "alertdialog") {
            self.facts.dialogs.push(if name.is_empty() {
                node::words(node, 80)
            } else {
                name.clone()
            });
        }
        if node.role == "radiogroup" || node.role == "listbox" {
            self.choice(node, &name);
        }
        if node.role == "list" && self.minor == 0 && !minor {
            self.list(node, &name);
        }
        self.minor += usize::from(minor);
        let headings = self.headings.len();
        if !name.is_empty() {
            self.groups.push(name.clone());
        }
        if node.children.is_empty() && !name.is_empty() {
            self.push(Kind::Text, "", &name);
        }
        self.children(&node.children);
        if !name.is_empty() {
            self.groups.pop();
            // Headings inside a named group do not reach beyond it.
            self.headings.truncate(headings);
        }
        self.minor -= usize::from(minor);
    }

    /// What is chosen of several.
    fn choice(&mut self, node: &AxNode, name: &str) {
        let chosen = |child: &&AxNode| child.checked == Some(Toggle::On) || child.selected == Some(true);
        let chosen: Vec<String> = node
            .children
            .iter()
            .filter(chosen)
            .map(|child| node::words(child, MOST_TEXT))
            .collect();
        if !chosen.is_empty() && !name.is_empty() {
            self.push(Kind::Pair, name, &chosen.join(", "));
        }
    }

    fn list(&mut self, node: &AxNode, name: &str) {
        let label = if name.is_empty() {
            self.section()
        } else {
            name.to_owned()
        };
        let entries = node
            .children
            .iter()
            .filter(|child| matches!(child.role.as_str(), "listitem" | "link"))
            .take(MOST_ITEMS);
        let items: Vec<Vec<String>> = entries.map(|child| vec![node::words(child, MOST_TEXT)]).collect();
        if !items.is_empty() && !label.is_empty() {
            self.collection(&label, items);
        }
    }

    fn collection(&mut self, label: &str, items: Vec<Vec<String>>) {
        let collection = self.new_collection(label, items);
        self.facts.collections.push(collection);
    }

    fn new_collection(&self, label: &str, items: Vec<Vec<String>>) -> Collection {
        Collection {
            label: label.to_owned(),
            context: self.context(),
            columns: Vec::new(),
            total: items.len(),
            items,
            place: self.place(),
            api: false,
        }
    }

    fn push(&mut self, kind: Kind, label: &str, value: &str) {
        let fact = self.fact(kind, label, value);
        self.facts.push(fact);
    }

    fn fact(&self, kind: Kind, label: &str, value: &str) -> Fact {
        Fact {
            kind,
            label: label.to_owned(),
            value: value.to_owned(),
            row: String::new(),
            context: self.context(),
            place: self.place(),
            minor: self.minor > 0,
            control: None,
        }
    }

    /// The innermost group or heading.
    fn section(&self) -> String {
        let heading = || self.headings.last().map(|(_, name)| name.clone());
        self.groups.last().cloned().or_else(heading).unwrap_or_default()
    }

    fn context(&self) -> String {
        let headings = self.headings.iter().map(|(_, name)| name.as_str());
        headings
            .chain(self.groups.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The innermost heading and group below the main heading, for a person.
    fn place(&self) -> String {
        let headings = self
            .headings
            .iter()
            .filter(|(level, _)| *level > 1)
            .map(|(_, name)| name.as_str());
        let mut path: Vec<&str> = headings.chain(self.groups.iter().map(String::as_str)).collect();
        path.dedup();
        path.get(path.len().saturating_sub(2)..)
            .unwrap_or_default()
            .join(" › ")
    }
}

/// What a value says: for a control its value or state, else its words.
fn value_words(node: &AxNode) -> String {
    if !node::is_field(&node.role) {
        return node::words(node, MOST_TEXT);
    }
    if let Some(value) = node.value.as_deref().filter(|value| !value.is_empty()) {
        return super::flat(value, MOST_TEXT);
    }
    let chosen = node.children.iter().find(|child| child.selected == Some(true));
    if let Some(chosen) = chosen {
        return node::words(chosen, MOST_TEXT);
    }
    match node.checked.or(node.pressed) {
        Some(Toggle::On) => "on".to_owned(),
        Some(Toggle::Off) => "off".to_owned(),
        Some(Toggle::Mixed) => "partly on".to_owned(),
        None => "empty".to_owned(),
    }
}

fn status_label(role: &str) -> &'static str {
    match role {
        "alert" => "Alert",
        "progressbar" => "Progress",
        "meter" => "Meter",
        _ => "Status",
    }
}

/// A role in plain words.
fn role_words(role: &str) -> &'static str {
    match role {
        "link" => "link",
        "textbox" => "text box",
        "searchbox" => "search box",
        "combobox" => "drop-down list",
        "checkbox" | "menuitemcheckbox" => "check box",
        "radio" | "menuitemradio" => "choice",
        "switch" => "switch",
        "slider" => "slider",
        "spinbutton" => "number field",
        "tab" => "tab",
        "option" => "option",
        "menuitem" => "menu entry",
        "treeitem" => "tree entry",
        "button" => "button",
        _ => "control",
    }
}

/// A few words of which one names something a console has.
fn is_label(text: &str) -> bool {
    let terms = terms(text);
    let short = text.len() <= 40 && terms.len() <= 5 && !text.contains(|char: char| char.is_ascii_digit());
    short && !text.ends_with('.') && terms.iter().any(|term| term.concept.is_some())
}

/// A number, a name, a switch position; not another label.
fn is_value(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "on", "off", "yes", "no", "none", "true", "false", "up", "down", "ready", "default", "any",
        "enabled", "disabled",
    ];
    let first = split(text).into_iter().next().unwrap_or_default();
    text.contains(|char: char| char.is_ascii_digit() || "./@_-=".contains(char))
        || WORDS.contains(&first.as_str())
}
