//! The published schema of ACP as an oracle: what may stand in a frame of the agent.
//!
//! The schema file comes with the official TypeScript SDK, a development dependency. It is read and prepared once for
//! all tests of a process; a definition is compiled when it is first needed. It is made stricter in one point: the
//! protocol forbids members of one's own outside `_meta`, which the schema itself lets through.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

const FILE: &str = "../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json";

static ORACLE: LazyLock<Oracle> = LazyLock::new(Oracle::read);

/// What a definition describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// The parameters of a request or notification.
    Params,
    /// The result of a request.
    Result,
    /// An error object; its method does not matter.
    Error,
}

struct Oracle {
    definitions: Value,
    /// Method and part → name of the definition.
    names: HashMap<(String, Part), String>,
    // A std mutex: a look into a map, and compiling what is not there yet.
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

/// What is wrong with a part of a frame, if anything. Methods that the schema does not know have no faults here.
pub(super) fn fault(method: &str, part: Part, value: &Value) -> Option<String> {
    let name = ORACLE.name(method, part)?;
    let validator = ORACLE.validator(name);
    let faults: Vec<String> = validator
        .iter_errors(value)
        .take(3)
        .map(|error| format!("{} at {:?}", error, error.instance_path().to_string()))
        .collect();
    (!faults.is_empty()).then(|| format!("{name}: {}", faults.join("; ")))
}

/// Whether the protocol has such a method.
pub(super) fn knows(method: &str) -> bool {
    ORACLE.name(method, Part::Params).is_some()
}

impl Oracle {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
        let text = std::fs::read_to_string(path).expect("the schema of ACP is missing: run npm ci");
        let schema: Value = serde_json::from_str(&text).expect("the schema of ACP is JSON");
        let definitions = schema
            .get("$defs")
            .cloned()
            .expect("the schema of ACP has definitions");
        let mut names = HashMap::from([((String::new(), Part::Error), "Error".to_owned())]);
        for (name, definition) in definitions.as_object().into_iter().flatten() {
            let Some(method) = definition.get("x-method").and_then(Value::as_str) else {
                continue;
            };
            let part = if name.ends_with("Response") {
                Part::Result
            } else {
                Part::Params
            };
            names.insert((method.to_owned(), part), name.clone());
        }
        let mut strict = definitions;
        for definition in strict.as_object_mut().into_iter().flatten() {
            forbid_own_members(definition.1);
        }
        Self {
            definitions: strict,
            names,
            compiled: Mutex::default(),
        }
    }

    fn name(&self, method: &str, part: Part) -> Option<&String> {
        let method = if part == Part::Error { "" } else { method };
        self.names.get(&(method.to_owned(), part))
    }

    fn validator(&self, name: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            let mut schema = closed(json!({ "$ref": format!("#/$defs/{name}") }));
            schema["$defs"] = self.definitions.clone();
            let options = jsonschema::options().with_draft(Draft::Draft202012);
            Arc::new(options.build(&schema).expect("the schema of ACP is a schema"))
        };
        Arc::clone(compiled.entry(name.to_owned()).or_insert_with(compile))
    }
}

/// Goes through everything that describes a value and lets it have no members but the described ones.
fn forbid_own_members(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    for (keyword, inner) in members.iter_mut() {
        match keyword.as_str() {
            "properties" => {
                for value in inner.as_object_mut().into_iter().flat_map(Map::values_mut) {
                    forbid_own_members(value);
                    *value = closed(value.take());
                }
            }
            "items" => {
                forbid_own_members(inner);
                *inner = closed(inner.take());
            }
            "anyOf" | "oneOf" | "allOf" => {
                inner
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .for_each(forbid_own_members);
            }
            _ => {}
        }
    }
}

/// A description of a value, closed to members it does not name. What describes nothing stays open.
fn closed(mut schema: Value) -> Value {
    let describes = ["$ref", "properties", "anyOf", "oneOf", "allOf"];
    if describes.iter().any(|keyword| schema.get(keyword).is_some()) {
        schema["unevaluatedProperties"] = json!(false);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_others_send_are_known_and_strange_ones_are_not() {
        let update = |update: Value| json!({ "sessionId": "s", "update": update });
        let chunk =
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "a" } });
        assert_eq!(
            fault("session/update", Part::Params, &update(chunk.clone())),
            None
        );
        let mut own = chunk;
        own["colour"] = json!("red");
        assert!(fault("session/update", Part::Params, &update(own)).is_some());
        let unknown = json!({ "sessionUpdate": "agent_dream_chunk" });
        assert!(fault("session/update", Part::Params, &update(unknown)).is_some());
        assert!(fault("session/prompt", Part::Result, &json!({ "stopReason": "error" })).is_some());
        assert_eq!(
            fault(
                "session/prompt",
                Part::Result,
                &json!({ "stopReason": "end_turn", "_meta": { "a": { "b": 1 } } })
            ),
            None
        );
    }

    #[test]
    fn what_a_tool_was_given_may_be_anything() {
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "name": "bash",
            "kind": "execute", "status": "pending", "rawInput": { "command": "ls" },
            "content": [{ "type": "diff", "path": "/a", "oldText": null, "newText": "b" }],
            "locations": [{ "path": "/a", "line": 3 }] });
        let params = json!({ "sessionId": "s", "update": call });
        assert_eq!(fault("session/update", Part::Params, &params), None);
    }
}
