//! Places in what the agent says: every path is absolute, and lines are counted from 1.

use serde_json::Value;

/// What is wrong with the places of a request or notification.
pub(super) fn faults(method: &str, params: &Value) -> Vec<String> {
    let call = match method {
        "session/update" => &params["update"],
        "session/request_permission" => &params["toolCall"],
        _ => &Value::Null,
    };
    let list = |name: &str| call[name].as_array().into_iter().flatten();
    let diffs = list("content").filter(|block| block["type"] == "diff");
    let places = list("locations").chain(diffs).chain([params]);
    places.filter_map(|place| fault(method, place)).collect()
}

/// A path that leads nowhere by itself, or a line that no editor has.
fn fault(method: &str, place: &Value) -> Option<String> {
    let is_relative = |name: &str| place[name].as_str().is_some_and(|path| !path.starts_with('/'));
    let is_no_line = place["line"].as_u64() == Some(0);
    (is_relative("path") || is_relative("cwd") || is_no_line)
        .then(|| format!("{method} names a place that is none: {:.300}", place.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn relative_paths_and_line_zero_are_faults() {
        let update = |place: Value| json!({ "sessionId": "s", "update": { "locations": [place] } });
        for (method, params, is_fault) in [
            (
                "session/update",
                update(json!({ "path": "/a", "line": 1 })),
                false,
            ),
            ("session/update", update(json!({ "path": "a" })), true),
            ("session/update", update(json!({ "path": "/a", "line": 0 })), true),
            (
                "session/request_permission",
                json!({ "toolCall": { "content": [{ "type": "diff", "path": "a" }] } }),
                true,
            ),
            ("fs/read_text_file", json!({ "path": "/a", "line": 3 }), false),
            ("fs/write_text_file", json!({ "path": "../a" }), true),
            ("terminal/create", json!({ "cwd": "." }), true),
        ] {
            assert_eq!(!faults(method, &params).is_empty(), is_fault, "{method} {params}");
        }
    }
}
