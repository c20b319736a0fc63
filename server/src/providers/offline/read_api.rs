//! Finds facts in the API response: each leaf with its path, each list as a collection.

use serde_json::{Map, Value};
use sidewire_contract::page::ApiResource;

use super::facts::{Collection, Fact, Kind, MOST_FACTS, MOST_TEXT, PageFacts, Resource};
use super::words::split;

/// Levels that are read.
const MOST_DEPTH: usize = 40;
/// Entries of a list that are kept whole.
const MOST_ITEMS: usize = 200;
/// Fields by which an entry of a list is called.
const NAMES: [&str; 8] = [
    "name",
    "display_name",
    "displayName",
    "title",
    "id",
    "path",
    "prefix",
    "ip",
];

/// Reads a response.
pub(super) fn read(facts: &mut PageFacts, api: &ApiResource) {
    let kind = api.resource_type.as_deref().map(humanised).unwrap_or_default();
    let text = |pointer: &str| {
        let text = api.body.pointer(pointer).and_then(Value::as_str);
        text.map(|text| super::flat(text, MOST_TEXT)).unwrap_or_default()
    };
    let first = |pointers: [&str; 2]| {
        pointers
            .iter()
            .map(|pointer| text(pointer))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    };
    facts.resource = Some(Resource {
        kind: singular(&kind),
        name: first(["/metadata/name", "/name"]),
        namespace: first(["/metadata/namespace", "/namespace"]),
        description: first(["/metadata/description", "/description"]),
    });
    facts.truncated |= api.truncated;
    let status = Fact {
        value: format!("HTTP {}", api.status),
        ..leaf("HTTP status of the API response", &Path::default())
    };
    facts.push(Fact {
        minor: true,
        ..status
    });
    value(facts, &api.body, &Path::default());
}

/// Where a value stands in the body.
#[derive(Clone, Default)]
struct Path {
    /// `spec.domains`.
    dotted: String,
    /// The last key, for a person.
    label: String,
    /// The keys above, for a person.
    context: String,
    /// Name of the list entry it is in.
    row: String,
    depth: usize,
    minor: bool,
}

impl Path {
    fn key(&self, key: &str) -> Self {
        let key = super::flat(key, 80);
        let dotted = if self.dotted.is_empty() {
            key.clone()
        } else {
            format!("{}.{key}", self.dotted)
        };
        Self {
            dotted,
            label: humanised(&key),
            context: format!("{} {}", self.context, self.label),
            row: self.row.clone(),
            depth: self.depth + 1,
            minor: self.minor || key.starts_with("system_") || key == "uid",
        }
    }

    fn entry(&self, index: usize, row: String) -> Self {
        let row = if row.is_empty() { self.row.clone() } else { row };
        Self {
            dotted: format!("{}[{index}]", self.dotted),
            row,
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

fn value(facts: &mut PageFacts, body: &Value, path: &Path) {
    if path.depth > MOST_DEPTH || facts.facts.len() >= MOST_FACTS {
        return;
    }
    match body {
        Value::Object(fields) if fields.is_empty() => {
            facts.push(Fact {
                value: "set".to_owned(),
                ..leaf(&path.label, path)
            });
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                value(facts, field, &path.key(key));
            }
        }
        Value::Array(items) => list(facts, items, path),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            facts.push(Fact {
                value: scalar(body),
                ..leaf(&path.label, path)
            });
        }
    }
}

fn list(facts: &mut PageFacts, items: &[Value], path: &Path) {
    let simple = items.iter().all(|item| !item.is_object() && !item.is_array());
    let texts: Vec<Vec<String>> = items
        .iter()
        .take(MOST_ITEMS)
        .map(|item| vec![called(item)])
        .collect();
    if simple && !items.is_empty() {
        let shown: Vec<String> = items.iter().take(20).map(scalar).collect();
        let more = if items.len() > 20 {
            format!(" and {} more", items.len() - 20)
        } else {
            String::new()
        };
        facts.push(Fact {
            value: shown.join(", ") + &more,
            ..leaf(&path.label, path)
        });
    }
    facts.collections.push(Collection {
        label: path.label.clone(),
        context: path.context.clone(),
        columns: Vec::new(),
        total: items.len(),
        items: texts,
        place: place(path),
        api: true,
    });
    if !simple {
        for (index, item) in items.iter().enumerate() {
            let row = item.as_object().map(row_name).unwrap_or_default();
            value(facts, item, &path.entry(index, row));
        }
    }
}

/// What an entry of a list is called: its name, else its small fields.
fn called(item: &Value) -> String {
    let Some(fields) = item.as_object() else {
        return scalar(item);
    };
    let parts: Vec<String> = fields
        .iter()
        .filter_map(|(key, field)| small(key, field))
        .take(4)
        .collect();
    super::flat(&parts.join(", "), MOST_TEXT)
}

fn small(key: &str, field: &Value) -> Option<String> {
    match field {
        Value::Object(inner) => {
            let parts: Vec<String> = inner
                .iter()
                .filter(|(_, value)| !value.is_object() && !value.is_array())
                .take(2)
                .map(|(_, value)| scalar(value))
                .collect();
            (!parts.is_empty()).then(|| format!("{} {}", humanised(key), parts.join(" ")))
        }
        Value::Array(items) => {
            let names: Vec<String> = items.iter().take(3).filter_map(first_scalar).collect();
            (!names.is_empty()).then(|| format!("{} {}", humanised(key), names.join(" ")))
        }
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) | Value::String(_) if NAMES.contains(&key) => Some(scalar(field)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Some(format!("{} {}", humanised(key), scalar(field)))
        }
    }
}

/// A scalar, or the first one in an object.
fn first_scalar(value: &Value) -> Option<String> {
    let is_scalar = |value: &&Value| !value.is_object() && !value.is_array() && !value.is_null();
    let inner = value
        .as_object()
        .and_then(|fields| fields.values().find(is_scalar));
    Some(value).filter(is_scalar).or(inner).map(scalar)
}

fn row_name(fields: &Map<String, Value>) -> String {
    let named = NAMES
        .iter()
        .find_map(|name| fields.get(*name).and_then(Value::as_str));
    let nested = || {
        fields.values().filter_map(Value::as_object).find_map(|inner| {
            NAMES
                .iter()
                .find_map(|name| inner.get(*name).and_then(Value::as_str))
        })
    };
    named
        .or_else(nested)
        .map(|name| super::flat(name, MOST_TEXT))
        .unwrap_or_default()
}

fn leaf(label: &str, path: &Path) -> Fact {
    Fact {
        kind: Kind::Field,
        label: label.to_owned(),
        value: String::new(),
        row: path.row.clone(),
        context: path.context.clone(),
        place: place(path),
        minor: path.minor,
        control: None,
    }
}

fn place(path: &Path) -> String {
    if path.dotted.is_empty() {
        "the API response".to_owned()
    } else {
        format!("API field {}", path.dotted)
    }
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(
        || super::flat(&value.to_string(), MOST_TEXT),
        |text| super::flat(text, MOST_TEXT),
    )
}

/// `idle_timeout_ms` → `idle timeout ms`.
fn humanised(key: &str) -> String {
    split(key).join(" ")
}

/// `http loadbalancers` → `http loadbalancer`.
fn singular(kind: &str) -> String {
    kind.strip_suffix('s')
        .filter(|base| !base.ends_with('s'))
        .unwrap_or(kind)
        .to_owned()
}
