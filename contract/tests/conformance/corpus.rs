//! The two schema documents, ready to be asked, and the one way by which the tests read and write a frame.

use jsonschema::Validator;
use serde_json::Value;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::page::PageSnapshot;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A schema document with its examples.
pub(crate) struct Document {
    pub(crate) validators: BTreeMap<String, Validator>,
    pub(crate) valid: Vec<Example>,
    pub(crate) invalid: Vec<Example>,
}

/// A value and the schema it is an example of.
pub(crate) struct Example {
    pub(crate) schema: String,
    pub(crate) label: String,
    pub(crate) value: Value,
}

pub(crate) static CHAT: LazyLock<Document> =
    LazyLock::new(|| load(include_str!("../../schema/chat-2.1.0.json")));
pub(crate) static BRIDGE: LazyLock<Document> =
    LazyLock::new(|| load(include_str!("../../schema/bridge-1.json")));

pub(crate) fn documents() -> [&'static Document; 2] {
    [&CHAT, &BRIDGE]
}

fn load(text: &str) -> Document {
    let document: Value = serde_json::from_str(text).unwrap();
    let schemas = document["schemas"].as_object().unwrap();
    let validators = schemas
        .iter()
        .map(|(name, schema)| (name.clone(), compile(schema, &document["$defs"])))
        .collect();
    let valid = document["examples"]["valid"].as_object().unwrap();
    let invalid = document["examples"]["invalid"].as_array().unwrap();
    Document {
        validators,
        valid: valid
            .iter()
            .map(|(label, value)| valid_example(schemas, label, value))
            .collect(),
        invalid: invalid.iter().map(invalid_example).collect(),
    }
}

/// References point to the definitions at the root of the document, so each schema takes them along.
fn compile(schema: &Value, definitions: &Value) -> Validator {
    let mut schema = schema.clone();
    if !definitions.is_null() {
        schema["$defs"] = definitions.clone();
    }
    jsonschema::draft202012::new(&schema).unwrap()
}

/// A label is the name of a schema, or that name and a word more.
fn valid_example(schemas: &serde_json::Map<String, Value>, label: &str, value: &Value) -> Example {
    let schema = schemas
        .keys()
        .filter(|name| label == *name || label.starts_with(&format!("{name}_")))
        .max_by_key(|name| name.len())
        .unwrap_or_else(|| panic!("{label} belongs to no schema"));
    Example {
        schema: schema.clone(),
        label: label.to_owned(),
        value: value.clone(),
    }
}

fn invalid_example(example: &Value) -> Example {
    Example {
        schema: example["schema"].as_str().unwrap().to_owned(),
        label: example["why"].as_str().unwrap().to_owned(),
        value: example["value"].clone(),
    }
}

/// Reads a value as the type of a schema and writes it again; none when the type refuses it.
pub(crate) fn through_type(schema: &str, value: &Value) -> Option<Value> {
    let text = value.to_string();
    let written = if schema == "page_context_snapshot" {
        let snapshot: PageSnapshot = serde_json::from_str(&text).ok()?;
        serde_json::to_string(&snapshot).unwrap()
    } else if ClientFrame::TYPES.contains(&schema) {
        ClientFrame::decode(&text)
            .ok()
            .filter(|frame| frame.frame_type() == schema)?
            .encode()
    } else {
        WorkerFrame::decode(&text)
            .ok()
            .filter(|frame| frame.frame_type() == schema)?
            .encode()
    };
    Some(serde_json::from_str(&written).unwrap())
}

/// Asserts that schema and type both accept or both refuse a value, and that what the type writes is accepted again.
pub(crate) fn check_agreement(document: &Document, schema: &str, value: &Value) {
    let allowed = document.validators[schema].is_valid(value);
    let read = through_type(schema, value);
    assert_eq!(
        allowed,
        read.is_some(),
        "schema: {allowed}, type: {}, {schema}: {value}",
        read.is_some()
    );
    if let Some(written) = read.filter(|written| written != value) {
        assert!(
            document.validators[schema].is_valid(&written),
            "{schema}: {value} was written as {written}"
        );
        assert_eq!(
            through_type(schema, &written).as_ref(),
            Some(&written),
            "{schema}"
        );
    }
}
