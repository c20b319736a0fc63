//! An HTML file as an accessibility tree: what the browser's capture sees, as far as markup alone tells it.
//!
//! Scripts do not run and styles do not apply; what a page hides by other means than markup is read.

use scraper::{ElementRef, Html, Node, Selector};
use serde_json::{Map, Value, json};

/// Nodes that are read; a file with more is cut.
const NODES: usize = 20_000;
/// Levels that are kept; what lies deeper moves up.
const DEPTH: usize = 32;
/// Levels of markup that are followed; of what lies deeper only the text is read.
const MARKUP_DEPTH: usize = 256;
/// Longest name or text, in characters.
const TEXT: usize = 500;
/// What stands for a value that is not told.
const REDACTED: &str = "[redacted]";

/// A file as a page.
pub(super) struct Page {
    pub(super) title: String,
    pub(super) tree: Value,
    pub(super) cut: bool,
}

/// Reads a document.
pub(super) fn read(document: &str) -> Page {
    let html = Html::parse_document(document);
    let title = first_text(&html, "title")
        .or_else(|| first_text(&html, "h1"))
        .unwrap_or_default();
    let mut reader = Reader {
        html: &html,
        nodes: 0,
        level: 0,
        cut: false,
    };
    let children = reader.children(html.root_element(), 0);
    let tree = json!({ "role": "WebArea", "name": title, "children": children });
    Page {
        title,
        tree,
        cut: reader.cut,
    }
}

struct Reader<'a> {
    html: &'a Html,
    nodes: usize,
    level: usize,
    cut: bool,
}

impl Reader<'_> {
    fn children(&mut self, element: ElementRef<'_>, depth: usize) -> Vec<Value> {
        if self.level == MARKUP_DEPTH {
            return self.text(&all_text(element)).into_iter().collect();
        }
        self.level += 1;
        let mut found = Vec::new();
        for child in element.children() {
            match child.value() {
                Node::Text(text) => found.extend(self.text(text)),
                Node::Element(_) => {
                    if let Some(child) = ElementRef::wrap(child) {
                        self.element(child, depth, &mut found);
                    }
                }
                _ => {}
            }
        }
        self.level -= 1;
        found
    }

    fn text(&mut self, text: &str) -> Option<Value> {
        let text = tidy(text);
        (!text.is_empty() && self.count()).then(|| json!({ "role": "text", "name": text }))
    }

    fn element(&mut self, element: ElementRef<'_>, depth: usize, found: &mut Vec<Value>) {
        if is_hidden(element) {
            return;
        }
        let Some(role) = role(element).filter(|_| depth < DEPTH) else {
            // Boxes without meaning of their own are seen through.
            let children = self.children(element, depth);
            found.extend(children);
            return;
        };
        if !self.count() {
            return;
        }
        let mut node = Map::from_iter([("role".to_owned(), Value::from(role.clone()))]);
        let name = self.name(element, &role);
        // A name made of the content says all of it; anything else is still to be read.
        let content_is_name = NAMED_BY_CONTENT.contains(&role.as_str()) && name.is_some();
        if let Some(name) = name {
            node.insert("name".into(), name.into());
        }
        describe(element, &role, &mut node);
        if node.contains_key("value")
            && is_secret(node.get("name").and_then(Value::as_str).unwrap_or_default())
        {
            node.insert("value".into(), REDACTED.into());
        }
        let children = if content_is_name {
            Vec::new()
        } else {
            self.children(element, depth + 1)
        };
        if !children.is_empty() && !matches!(role.as_str(), "combobox" | "textbox") {
            node.insert("children".into(), children.into());
        }
        found.push(Value::Object(node));
    }

    fn name(&self, element: ElementRef<'_>, role: &str) -> Option<String> {
        let attribute = |name| element.attr(name).map(tidy).filter(|text| !text.is_empty());
        attribute("aria-label")
            .or_else(|| attribute("alt"))
            .or_else(|| self.label(element))
            .or_else(|| NAMED_BY_CONTENT.contains(&role).then(|| tidy(&all_text(element))))
            .or_else(|| attribute("placeholder"))
            .or_else(|| attribute("title"))
            .filter(|name| !name.is_empty())
    }

    /// The text of the label that belongs to a form control.
    fn label(&self, element: ElementRef<'_>) -> Option<String> {
        if !matches!(element.value().name(), "input" | "select" | "textarea") {
            return None;
        }
        let named = element.attr("id").and_then(|id| {
            let labels = Selector::parse("label[for]").ok()?;
            self.html
                .select(&labels)
                .find(|label| label.attr("for") == Some(id))
        });
        let around = || {
            element
                .ancestors()
                .filter_map(ElementRef::wrap)
                .find(|parent| parent.value().name() == "label")
        };
        named.or_else(around).map(|label| tidy(&own_text(label)))
    }

    fn count(&mut self) -> bool {
        self.nodes += 1;
        self.cut |= self.nodes > NODES;
        self.nodes <= NODES
    }
}

const NAMED_BY_CONTENT: &[&str] = &[
    "button",
    "link",
    "heading",
    "cell",
    "columnheader",
    "rowheader",
    "term",
    "definition",
    "tab",
    "option",
    "caption",
];

/// What an element is, when it is something.
fn role(element: ElementRef<'_>) -> Option<String> {
    if let Some(role) = element
        .attr("role")
        .and_then(|roles| roles.split_whitespace().next())
    {
        return (!matches!(role, "none" | "presentation" | "generic")).then(|| role.to_owned());
    }
    let role = match element.value().name() {
        "a" if element.attr("href").is_some() => "link",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "input" => input_role(element.attr("type").unwrap_or("text")),
        "button" | "summary" => "button",
        "select" => "combobox",
        "textarea" => "textbox",
        "nav" => "navigation",
        "main" => "main",
        "aside" => "complementary",
        "dialog" => "dialog",
        "form" => "form",
        "table" => "table",
        "tr" => "row",
        "th" => "columnheader",
        "td" => "cell",
        "caption" => "caption",
        "ul" | "ol" => "list",
        "li" => "listitem",
        "dt" => "term",
        "dd" => "definition",
        "img" => "img",
        "output" => "status",
        _ => return None,
    };
    Some(role.to_owned())
}

fn input_role(kind: &str) -> &'static str {
    match kind {
        "checkbox" => "checkbox",
        "radio" => "radio",
        "range" => "slider",
        "number" => "spinbutton",
        "search" => "searchbox",
        "button" | "submit" | "reset" | "image" => "button",
        _ => "textbox",
    }
}

/// Value and state; of a password only that there is one.
fn describe(element: ElementRef<'_>, role: &str, node: &mut Map<String, Value>) {
    let has = |name| element.attr(name).is_some();
    if role == "heading"
        && let Some(level) = element
            .value()
            .name()
            .strip_prefix('h')
            .and_then(|level| level.parse::<u32>().ok())
    {
        node.insert("level".into(), level.into());
    }
    if matches!(role, "checkbox" | "radio") {
        node.insert("checked".into(), has("checked").into());
    } else if let Some(value) = value(element) {
        node.insert("value".into(), value.into());
    }
    if has("disabled") {
        node.insert("disabled".into(), true.into());
    }
    if element.attr("aria-selected") == Some("true") {
        node.insert("selected".into(), true.into());
    }
}

fn value(element: ElementRef<'_>) -> Option<String> {
    let value = match element.value().name() {
        "input" if element.attr("type") == Some("password") => {
            let typed = element.attr("value").filter(|value| !value.is_empty());
            typed.map(|_| REDACTED.to_owned())
        }
        "input"
            if !matches!(
                element.attr("type"),
                Some("hidden" | "submit" | "button" | "reset")
            ) =>
        {
            element.attr("value").map(tidy)
        }
        "textarea" => Some(tidy(&all_text(element))),
        "select" => {
            let options = Selector::parse("option").ok()?;
            let chosen = element
                .select(&options)
                .find(|option| option.attr("selected").is_some());
            chosen
                .or_else(|| element.select(&options).next())
                .map(|option| tidy(&all_text(option)))
        }
        _ => None,
    };
    value.filter(|value| !value.is_empty())
}

/// A field that is called a secret holds one. The browser's capture looks much closer; a file has only its labels.
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "password",
        "passwd",
        "secret",
        "token",
        "api key",
        "private key",
        "credential",
    ]
    .iter()
    .any(|word| name.contains(word))
}

fn is_hidden(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "head" | "script" | "style" | "noscript" | "template" | "svg"
    ) || element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || element.attr("type") == Some("hidden")
        || element.attr("style").is_some_and(hides)
}

/// Whether an element's own style takes it out of sight.
fn hides(style: &str) -> bool {
    let style: String = style.to_lowercase().split_whitespace().collect();
    style.split(';').any(|rule| {
        let rule = rule.trim_end_matches("!important");
        rule == "display:none" || rule == "visibility:hidden"
    })
}

fn first_text(html: &Html, selector: &str) -> Option<String> {
    let selector = Selector::parse(selector).ok()?;
    html.select(&selector)
        .map(|element| tidy(&all_text(element)))
        .find(|text| !text.is_empty())
}

fn all_text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

/// The text of a label without that of a control inside it.
fn own_text(label: ElementRef<'_>) -> String {
    let outside_controls = label.descendants().filter(|node| {
        let mut around = node.ancestors().filter_map(ElementRef::wrap);
        !around.any(|parent| matches!(parent.value().name(), "select" | "textarea" | "button"))
    });
    outside_controls
        .filter_map(|node| node.value().as_text())
        .map(|text| &**text)
        .collect()
}

/// One line, single spaces, not too long.
fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(document: &str, expected: &Value) {
        assert_eq!(read(document).tree["children"], *expected, "of {document}");
    }

    #[test]
    fn what_a_page_says_is_read_once() {
        check(
            "<div><p>one <b>two</b></p></div>",
            &json!([{"role":"text","name":"one"},{"role":"text","name":"two"}]),
        );
        check(
            "<h2> A  title </h2>",
            &json!([{"role":"heading","name":"A title","level":2}]),
        );
        check(
            "<table><tr><th>Name</th></tr><tr><td>lb1</td></tr></table>",
            &json!([{"role":"table","children":[
                {"role":"row","children":[{"role":"columnheader","name":"Name"}]},
                {"role":"row","children":[{"role":"cell","name":"lb1"}]}]}]),
        );
    }

    #[test]
    fn controls_have_names_values_and_states() {
        check(
            "<label for=p>Port</label><input id=p type=number value=443 disabled>",
            &json!([{"role":"text","name":"Port"},{"role":"spinbutton","name":"Port","value":"443","disabled":true}]),
        );
        check(
            "<select aria-label=TLS><option>Off<option selected>On</select>",
            &json!([{"role":"combobox","name":"TLS","value":"On"}]),
        );
        check(
            "<label>TLS <select><option>Off<option selected>On</select></label>",
            &json!([{"role":"text","name":"TLS"},{"role":"combobox","name":"TLS","value":"On"}]),
        );
    }

    #[test]
    fn what_is_hidden_or_secret_is_not_read() {
        check(
            "<script>x</script><p hidden>y</p><i aria-hidden=true>z</i><input type=hidden value=h>\
             <p style='color: red; DISPLAY: none'>u</p><p style='visibility:hidden !important'>v</p>",
            &json!([]),
        );
        check(
            "<input type=password value=hunter2 aria-label=Key>",
            &json!([{"role":"textbox","name":"Key","value":"[redacted]"}]),
        );
    }

    #[test]
    fn a_deep_file_is_read_without_its_levels() {
        let deep = format!("{}core{}", "<ul><li>".repeat(1_000), "</li></ul>".repeat(1_000));
        let text = read(&deep).tree.to_string();
        assert!(text.contains("core"));
        assert!(sidewire_contract::limits::check_depth(text.as_bytes(), 100).is_ok());
    }
}
