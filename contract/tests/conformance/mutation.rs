//! Small changes to a JSON value, of the kinds that a schema can tell apart.

use serde_json::{Map, Value, json};
use std::sync::LazyLock;

use crate::corpus::documents;

/// One step on the way to a member.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// One change at one place.
#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    Delete,
    Replace(Value),
    Insert(String, Value),
    Repeat(usize),
    AsArray,
    AsVariant,
    AsDouble,
    Add(i64),
    Append(char),
    Cut,
    Upper,
}

/// Every place in a value, the root included.
pub(crate) fn places(value: &Value) -> Vec<Vec<Step>> {
    let children: Vec<(Step, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, child)| (Step::Key(key.clone()), child))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, child)| (Step::Index(index), child))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let below = children.into_iter().flat_map(|(step, child)| {
        places(child)
            .into_iter()
            .map(move |place| [vec![step.clone()], place].concat())
    });
    std::iter::once(Vec::new()).chain(below).collect()
}

/// Every change worth trying at a place.
pub(crate) fn mutations_at(value: &Value, place: &[Step]) -> Vec<Mutation> {
    let mut all = vec![Mutation::Delete];
    all.extend(VALUES.iter().cloned().map(Mutation::Replace));
    match at(value, place) {
        Some(Value::Object(_)) => {
            all.push(Mutation::AsArray);
            all.push(Mutation::Insert("unheardOf".to_owned(), Value::Null));
            all.extend(
                MEMBERS
                    .iter()
                    .map(|(key, value)| Mutation::Insert(key.clone(), value.clone())),
            );
            all.extend(
                MEMBERS
                    .iter()
                    .map(|(key, _)| Mutation::Insert(key.clone(), Value::Null)),
            );
        }
        Some(Value::Array(_)) => all.extend([16, 17, 64, 65].map(Mutation::Repeat)),
        Some(Value::Number(_)) => {
            all.extend([Mutation::AsDouble, Mutation::Add(1), Mutation::Add(-1)]);
        }
        Some(Value::String(_)) => {
            all.extend(['x', 'ä', '\n', '?', '/'].map(Mutation::Append));
            all.extend([Mutation::Cut, Mutation::Upper, Mutation::AsVariant]);
        }
        _ => {}
    }
    all
}

/// Makes the change; nothing when it does not apply.
pub(crate) fn apply(value: &mut Value, place: &[Step], mutation: &Mutation) {
    if let Mutation::Delete = mutation {
        delete(value, place);
        return;
    }
    let Some(target) = at_mut(value, place) else {
        return;
    };
    match (mutation, &mut *target) {
        (Mutation::Replace(new), _) => *target = new.clone(),
        (Mutation::Insert(key, new), Value::Object(members)) => {
            members.insert(key.clone(), new.clone());
        }
        (Mutation::Repeat(length), Value::Array(items)) => {
            if let Some(first) = items.first().cloned() {
                items.resize(*length, first);
            }
        }
        (Mutation::AsArray, Value::Object(members)) => *target = members.values().cloned().collect(),
        (Mutation::AsVariant, Value::String(text)) => *target = json!({ text.as_str(): null }),
        (Mutation::AsDouble, Value::Number(number)) => *target = json!(number.as_f64()),
        (Mutation::Add(step), Value::Number(number)) => {
            *target = number.as_i64().map_or_else(
                || json!(number.as_f64().map(|n| n + 0.5)),
                |n| json!(n.saturating_add(*step)),
            );
        }
        (Mutation::Append(character), Value::String(text)) => text.push(*character),
        (Mutation::Cut, Value::String(text)) => {
            text.pop();
        }
        (Mutation::Upper, Value::String(text)) => *text = text.to_uppercase(),
        _ => {}
    }
}

fn at<'v>(value: &'v Value, place: &[Step]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

fn at_mut<'v>(value: &'v mut Value, place: &[Step]) -> Option<&'v mut Value> {
    place.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

fn delete(value: &mut Value, place: &[Step]) {
    let Some((last, parent)) = place.split_last() else {
        return;
    };
    match (last, at_mut(value, parent)) {
        (Step::Key(key), Some(Value::Object(members))) => drop(members.remove(key)),
        (Step::Index(index), Some(Value::Array(items))) if *index < items.len() => drop(items.remove(*index)),
        _ => {}
    }
}

/// Values on both sides of every boundary in the schemas.
static VALUES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!([]),
        json!({}),
        json!([null]),
        json!([[]]),
        json!(["x"]),
        json!({"x": null}),
        json!({"type": 1}),
        json!({"type": "x"}),
        json!({"role": "x"}),
        json!({"role": null}),
        json!([{"type": "x"}]),
        json!([{"type": null}]),
        json!(["c-1"]),
        json!(["1"]),
    ];
    values.extend([0, 1, 2, 60, 61, -1, 262_144, 262_145, i64::MAX, i64::MIN].map(|number| json!(number)));
    values.extend(
        [
            0.0, -0.0, 1.0, 0.5, 1.5, 60.0, 60.5, 262_144.0, -1.0, 1e20, -1e20, 1e300,
        ]
        .map(|n| json!(n)),
    );
    values.push(json!(u64::MAX));
    values.extend(
        [
            1, 64, 65, 200, 201, 255, 256, 257, 512, 513, 2048, 2049, 4096, 4097,
        ]
        .map(|n| json!("a".repeat(n))),
    );
    values.extend([64, 65].map(|n| json!("ä".repeat(n))));
    values.extend(TEXTS.iter().map(|text| json!(text)));
    values
        .extend([16, 17].map(|n| json!((0..n).map(|i| (i.to_string(), json!("x"))).collect::<Map<_, _>>())));
    values
});

const TEXTS: &[&str] = &[
    "",
    "c-",
    "c-1",
    "C-1",
    " c-1",
    "1.2.3",
    "1.2",
    "1.2.3\n",
    "01.2.3",
    "1.2.3.4",
    "1..3",
    "educational",
    "started",
    "local",
    "local ",
    "pair-abcd1234",
    "pair-ABCD1234",
    "key-abcdefgh12345678",
    "key-",
    "https://x",
    "https://",
    "https://x?y",
    "https://x#y",
    "https://x\ny",
    "http://x",
    "a/b",
    "a\\b",
    "file.png",
    "display_media",
    "_media",
    "9media",
    "image/png",
    "image/tiff",
    "host-tools-rejected",
    "asset-unavailable",
    "provider-auth",
    "\u{0}",
    "𝄞",
    "11111111-2222-4333-8444-555555555555",
    "11111111-2222-4333-8444-55555555555F",
    "11111111222243338444555555555555",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "media_aaaaaaaaaaaaaaaaaaaaaaaa",
    "blob:sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "blob:sha256:aa",
    "tool",
    "url",
];

/// Every member that occurs in an example, to be put where it may or may not belong.
static MEMBERS: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let mut members = Map::new();
    for example in documents().iter().flat_map(|document| &document.valid) {
        collect_members(&example.value, &mut members);
    }
    for example in crate::properties::rich_examples() {
        collect_members(&example.1, &mut members);
    }
    members.into_iter().collect()
});

fn collect_members(value: &Value, members: &mut Map<String, Value>) {
    match value {
        Value::Object(own) => {
            for (key, child) in own {
                collect_members(child, members);
                members.entry(key.clone()).or_insert_with(|| child.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_members(item, members)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
