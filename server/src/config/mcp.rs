//! MCP servers as a person or a project writes them down: `[mcp.servers.NAME]` in `config.toml`, and the files of a
//! project ([`project`]). It reads and checks; whether a server may start is decided elsewhere.

mod project;

use std::collections::BTreeMap;

use serde::Deserialize;
use sidewire_contract::mcp_server::{McpServer, McpTransport};
use url::Url;

pub(crate) use project::{expanded, read as read_project};

/// Bytes of a name; it becomes part of the names of tools.
const NAME_BYTES: usize = 64;

/// What `[mcp]` says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct McpConfig {
    /// The person's own servers.
    servers: BTreeMap<ServerName, Unnamed>,
}

/// A server as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenServer {
    /// How to reach it; `${VAR}` in it is not replaced yet.
    pub(crate) server: McpServer,
    /// It is switched off where it is written down.
    pub(crate) disabled: bool,
    /// The person believes what it says about its tools. Only `config.toml` can say so.
    pub(crate) trusted: bool,
}

impl McpConfig {
    /// The person's own servers, by name.
    pub(crate) fn servers(&self) -> Vec<WrittenServer> {
        let written = |(name, entry): (&ServerName, &Unnamed)| WrittenServer {
            server: McpServer {
                name: name.0.clone(),
                transport: entry.transport.clone(),
            },
            disabled: entry.disabled,
            trusted: entry.trusted,
        };
        self.servers.iter().map(written).collect()
    }
}

/// A name that can be part of the name of a tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct ServerName(String);

impl TryFrom<String> for ServerName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let fits = (1..=NAME_BYTES).contains(&name.len());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if fits && name.bytes().all(is_plain) {
            return Ok(Self(name));
        }
        Err("the name of an MCP server is 1 to 64 letters, digits, `_`, `-` and `.`")
    }
}

/// A server without its name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Entry")]
struct Unnamed {
    transport: McpTransport,
    disabled: bool,
    trusted: bool,
}

/// An entry as it is written down. A word that has no meaning is a slip of the keyboard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    r#type: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    disabled: bool,
    /// Its `readOnlyHint`s count: such a tool runs unasked.
    #[serde(default)]
    trusted: bool,
}

/// The words of an [`Entry`] that a project's file may use; it cannot ask for trust.
const WORDS: [&str; 7] = ["type", "command", "args", "env", "url", "headers", "disabled"];

impl TryFrom<Entry> for Unnamed {
    type Error = EntryFault;

    fn try_from(entry: Entry) -> Result<Self, Self::Error> {
        let (disabled, trusted) = (entry.disabled, entry.trusted);
        Ok(Self {
            transport: transport(entry)?,
            disabled,
            trusted,
        })
    }
}

/// Why an entry describes no server.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntryFault {
    /// Neither a program nor an address.
    #[error("it needs a command or a url")]
    Nothing,
    /// A program and an address.
    #[error("it has both a command and a url")]
    Both,
    /// A child process without a program.
    #[error("type \"stdio\" needs a command")]
    NoCommand,
    /// A remote server without an address.
    #[error("type {0:?} needs a url")]
    NoUrl(&'static str),
    /// A type that nobody knows.
    #[error("its type is none of stdio, http and sse")]
    UnknownType,
    /// An address that cannot be used.
    #[error("its url must begin with http:// or https://")]
    Url,
    /// A member of the wrong kind; what it says is not repeated, since it may be a secret.
    #[error("a member has the wrong type (args: strings; env and headers: objects of strings)")]
    Shape,
}

/// How to reach the server of an entry.
fn transport(entry: Entry) -> Result<McpTransport, EntryFault> {
    let known = entry.r#type.as_deref();
    match (known, entry.command, entry.url) {
        (_, Some(_), Some(_)) => Err(EntryFault::Both),
        (None, None, None) => Err(EntryFault::Nothing),
        (None | Some("stdio"), Some(command), None) if !command.trim().is_empty() => {
            Ok(McpTransport::Stdio {
                command,
                args: entry.args,
                env: entry.env,
            })
        }
        (Some("stdio"), _, _) | (None, Some(_), None) => Err(EntryFault::NoCommand),
        (None | Some("http" | "streamable-http" | "streamable_http"), None, Some(url)) => {
            Ok(McpTransport::Http {
                url: checked(url)?,
                headers: entry.headers,
            })
        }
        (Some("sse"), None, Some(url)) => Ok(McpTransport::Sse {
            url: checked(url)?,
            headers: entry.headers,
        }),
        (Some("http" | "streamable-http" | "streamable_http"), _, None) => Err(EntryFault::NoUrl("http")),
        (Some("sse"), _, None) => Err(EntryFault::NoUrl("sse")),
        (Some(_), _, _) => Err(EntryFault::UnknownType),
    }
}

/// An address as far as it can be checked before `${VAR}` in it is replaced.
fn checked(url: String) -> Result<String, EntryFault> {
    if url.contains("${") {
        return Ok(url);
    }
    let parsed = Url::parse(&url).map_err(|_| EntryFault::Url)?;
    let usable = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    usable.then_some(url).ok_or(EntryFault::Url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<WrittenServer>, String> {
        toml::from_str::<McpConfig>(text)
            .map(|config| config.servers())
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn every_kind_of_server_can_be_written_down() {
        let written = parse(
            r#"
            [servers.files]
            command = "npx"
            args = ["-y", "files"]
            env = { ROOT = "/srv" }
            [servers.remote]
            url = "https://a.example/mcp"
            headers = { Authorization = "Bearer ${TOKEN}" }
            [servers.old]
            type = "sse"
            url = "${OLD}/sse"
            disabled = true
            trusted = true
            "#,
        )
        .unwrap();
        let names: Vec<_> = written.iter().map(|one| one.server.name.as_str()).collect();
        assert_eq!(names, ["files", "old", "remote"]);
        assert!(written[1].disabled && !written[0].disabled);
        assert!(written[1].trusted && !written[0].trusted);
        assert_eq!(
            written[0].server.transport,
            McpTransport::Stdio {
                command: "npx".into(),
                args: vec!["-y".into(), "files".into()],
                env: [("ROOT".to_owned(), "/srv".to_owned())].into(),
            }
        );
        assert!(matches!(&written[1].server.transport, McpTransport::Sse { url, .. } if url == "${OLD}/sse"));
        assert!(
            matches!(&written[2].server.transport, McpTransport::Http { headers, .. } if headers.len() == 1)
        );
    }

    #[test]
    fn what_has_no_meaning_is_named() {
        for (text, part) in [
            ("[servers.a]", "a command or a url"),
            ("[servers.a]\ncommand='x'\nurl='http://x'", "both"),
            ("[servers.a]\ncommand=' '", "needs a command"),
            ("[servers.a]\ntype='stdio'\nurl='http://x'", "needs a command"),
            ("[servers.a]\ntype='http'\ncommand='x'", "needs a url"),
            ("[servers.a]\ntype='sse'", "needs a url"),
            ("[servers.a]\ntype='ws'\nurl='http://x'", "none of stdio"),
            ("[servers.a]\nurl='file:///x'", "http://"),
            ("[servers.a]\ncomand='x'", "unknown field"),
            ("[servers.'a b']\ncommand='x'", "1 to 64"),
            ("[servers.'']\ncommand='x'", "1 to 64"),
            ("[server.a]\ncommand='x'", "unknown field"),
        ] {
            let fault = parse(text).unwrap_err();
            assert!(fault.contains(part), "{text}: {fault}");
        }
    }
}
