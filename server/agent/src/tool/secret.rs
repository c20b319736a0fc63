//! Arguments that hold a secret, such as what is typed into a password field: what may be kept of them.

use serde_json::Value;

/// Members that carry what is typed.
const TYPED: &[&str] = &["value", "key", "text"];
/// What stands for it.
const HIDDEN: &str = "[hidden]";

/// The same arguments without what they would have typed.
#[must_use]
pub fn without_secrets(arguments: &Value) -> Value {
    match arguments {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), member(name, value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        other => other.clone(),
    }
}

fn member(name: &str, value: &Value) -> Value {
    if value.is_string() && TYPED.contains(&name) {
        HIDDEN.into()
    } else {
        without_secrets(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_typed_is_hidden() {
        let arguments = json!({
            "ref": "e1", "value": "hunter2", "key": "h", "text": "hunter2", "name": "Password",
            "fields": [{ "ref": "e2", "value": "hunter2" }, { "value": 7 }],
        });
        let expected = json!({
            "ref": "e1", "value": "[hidden]", "key": "[hidden]", "text": "[hidden]", "name": "Password",
            "fields": [{ "ref": "e2", "value": "[hidden]" }, { "value": 7 }],
        });
        assert_eq!(without_secrets(&arguments), expected);
        assert_eq!(without_secrets(&json!("value")), json!("value"));
    }
}
