//! MCP servers as editors pass them: the official shape, and the older one that some still send.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use sidewire_contract::mcp_server::{McpServer, McpTransport};
use url::Url;

use super::refusals::word;
use crate::rpc::Error;

/// Servers one session may be given.
const MOST: usize = 64;

/// One entry. Every member may be missing, so that the error can name what is.
#[derive(Deserialize)]
#[serde(default)]
struct Entry {
    name: String,
    r#type: String,
    command: String,
    args: Vec<String>,
    env: Value,
    url: String,
    headers: Value,
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            name: String::new(),
            r#type: "stdio".to_owned(),
            command: String::new(),
            args: Vec::new(),
            env: Value::Null,
            url: String::new(),
            headers: Value::Null,
        }
    }
}

/// The servers of a list. A malformed one refuses the whole request.
pub(super) fn read(method: &str, list: Vec<Value>) -> Result<Vec<McpServer>, Error> {
    let refuse = |text: String| Error::invalid_params(format!("{method}: {text}"));
    if list.len() > MOST {
        return Err(refuse(format!("more than {MOST} MCP servers")));
    }
    let servers: Result<Vec<_>, _> = list
        .into_iter()
        .map(|entry| server(entry).map_err(refuse))
        .collect();
    let servers = servers?;
    for (at, server) in servers.iter().enumerate() {
        if servers.iter().take(at).any(|known| known.name == server.name) {
            return Err(refuse(format!(
                "MCP server {:?} is listed twice",
                word(&server.name)
            )));
        }
    }
    Ok(servers)
}

fn server(entry: Value) -> Result<McpServer, String> {
    let entry: Entry = serde_json::from_value(without_nulls(entry))
        .map_err(|_| "an MCP server has members of the wrong type".to_owned())?;
    if entry.name.trim().is_empty() {
        return Err("MCP server name is required".to_owned());
    }
    let name = word(&entry.name);
    let needed = |what: &str, value: String| {
        if value.trim().is_empty() {
            return Err(format!("MCP server {name:?} {what} is required"));
        }
        Ok(value)
    };
    let of_server = |text: String| format!("MCP server {name:?} {text}");
    let headers = || pairs("headers", &entry.headers).map_err(of_server);
    let transport = match entry.r#type.as_str() {
        "stdio" => McpTransport::Stdio {
            command: needed("command", entry.command)?,
            args: entry.args,
            env: pairs("env", &entry.env).map_err(of_server)?,
        },
        "http" | "streamable-http" | "streamable_http" => McpTransport::Http {
            headers: headers()?,
            url: address(needed("url", entry.url)?).map_err(of_server)?,
        },
        "sse" => McpTransport::Sse {
            headers: headers()?,
            url: address(needed("url", entry.url)?).map_err(of_server)?,
        },
        _ => return Err(format!("MCP server {name:?} uses unsupported transport")),
    };
    Ok(McpServer {
        name: entry.name,
        transport,
    })
}

/// An address that can be asked.
fn address(url: String) -> Result<String, String> {
    let parsed = Url::parse(url.trim()).ok();
    if parsed.is_some_and(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host()) {
        return Ok(url);
    }
    Err("url is not an http address".to_owned())
}

/// Null is what is missing.
fn without_nulls(entry: Value) -> Value {
    match entry {
        Value::Object(members) => {
            let there = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(there.collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// Names and values: a list of pairs, or an object as older clients send it.
fn pairs(what: &str, value: &Value) -> Result<BTreeMap<String, String>, String> {
    match value {
        Value::Null => Ok(BTreeMap::new()),
        Value::Array(entries) => {
            let pairs = entries.iter().enumerate().map(|(at, entry)| {
                let text = |member: &str| entry.get(member).and_then(Value::as_str);
                match (text("name").map(str::trim).unwrap_or_default(), text("value")) {
                    ("", _) => Err(format!("{what}[{at}].name is required")),
                    (_, None) => Err(format!("{what}[{at}].value is required")),
                    (name, Some(value)) => Ok((name.to_owned(), value.to_owned())),
                }
            });
            pairs.collect()
        }
        Value::Object(members) => {
            let pairs = members
                .iter()
                .map(|(name, value)| match (name.trim(), value.as_str()) {
                    ("", _) => Err(format!("{what} has a blank name")),
                    (_, None) => Err(format!("{what} has a value that is no string")),
                    (name, Some(value)) => Ok((name.to_owned(), value.to_owned())),
                });
            pairs.collect()
        }
        _ => Err(format!("{what} is neither a list nor an object")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(entry: Value) -> Result<McpServer, String> {
        let servers = read("session/new", vec![entry]);
        servers
            .map(|mut servers| servers.remove(0))
            .map_err(|error| error.message.replace("session/new: ", ""))
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect()
    }

    #[test]
    fn lists_of_pairs_and_objects_say_the_same() {
        let expected = McpServer {
            name: "files".into(),
            transport: McpTransport::Stdio {
                command: "/bin/files".into(),
                args: vec!["-v".into()],
                env: map(&[("A", "1"), ("B", "")]),
            },
        };
        let base = json!({"name": "files", "command": "/bin/files", "args": ["-v"]});
        for env in [
            json!([{"name": "A", "value": "1"}, {"name": "B", "value": ""}]),
            json!({"A": "1", "B": ""}),
        ] {
            let mut entry = base.clone();
            entry["env"] = env;
            assert_eq!(one(entry), Ok(expected.clone()));
        }
    }

    #[test]
    fn every_transport_is_known_by_its_names() {
        for kind in ["http", "streamable-http", "streamable_http"] {
            let entry = json!({"type": kind, "name": "n", "url": "http://u", "headers": []});
            let transport = McpTransport::Http {
                url: "http://u".into(),
                headers: map(&[]),
            };
            assert_eq!(one(entry).unwrap().transport, transport);
        }
        let entry = json!({"type": "sse", "name": "n", "url": "http://u", "headers": {"K": "v"}});
        let transport = McpTransport::Sse {
            url: "http://u".into(),
            headers: map(&[("K", "v")]),
        };
        assert_eq!(one(entry).unwrap().transport, transport);
        let empty = json!({"type": null, "name": "n", "command": "c", "args": null, "env": null});
        assert!(matches!(
            one(empty).unwrap().transport,
            McpTransport::Stdio { .. }
        ));
    }

    #[test]
    fn what_is_missing_is_named() {
        let rows = [
            (json!({"command": "c"}), "MCP server name is required"),
            (
                json!({"name": " ", "command": "c"}),
                "MCP server name is required",
            ),
            (json!({"name": "n"}), "MCP server \"n\" command is required"),
            (
                json!({"name": "n", "type": "http"}),
                "MCP server \"n\" url is required",
            ),
            (
                json!({"name": "n", "type": "http", "url": "file:///etc/hosts"}),
                "MCP server \"n\" url is not an http address",
            ),
            (
                json!({"name": "n", "type": "pigeon"}),
                "MCP server \"n\" uses unsupported transport",
            ),
            (
                json!({"name": "n", "command": "c", "env": [{"name": "A", "value": "1"}, {"name": " "}]}),
                "MCP server \"n\" env[1].name is required",
            ),
            (
                json!({"name": "n", "type": "http", "url": "http://u", "headers": [{"value": "1"}]}),
                "MCP server \"n\" headers[0].name is required",
            ),
            (
                json!({"name": "n", "command": "c", "env": 7}),
                "MCP server \"n\" env is neither a list nor an object",
            ),
            (json!({"name": 7}), "an MCP server has members of the wrong type"),
            (json!("n"), "an MCP server has members of the wrong type"),
        ];
        for (entry, text) in rows {
            assert_eq!(one(entry.clone()), Err(text.to_owned()), "{entry}");
        }
    }

    #[test]
    fn one_bad_or_doubled_entry_refuses_all() {
        let good = json!({"name": "n", "command": "c"});
        assert!(read("m", vec![good.clone(), json!({})]).is_err());
        assert!(read("m", vec![good.clone(), good.clone()]).is_err());
        assert_eq!(read("m", Vec::new()).unwrap(), []);
        let many = |count| {
            (0..count)
                .map(|at| json!({"name": format!("n{at}"), "command": "c"}))
                .collect()
        };
        assert!(read("m", many(MOST)).is_ok());
        assert!(read("m", many(MOST + 1)).is_err());
    }
}
