//! The MCP servers a project brings: `.sidewire/mcp.json`, and the `.mcp.json` that other programs read too.
//!
//! Whoever can write into the project's folder writes these files, so nothing in them is trusted: they are bounded, a
//! bad entry costs only itself, and what a value says is never repeated.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::{Map, Value};
use sidewire_contract::mcp_server::{McpServer, McpTransport};

use super::{Entry, EntryFault, ServerName, Unnamed, WORDS, WrittenServer};

/// The files, the one that wins first.
const FILES: [&str; 2] = [".sidewire/mcp.json", ".mcp.json"];
/// Bytes of one file.
const FILE_BYTES: u64 = 256 * 1024;
/// Servers of one project.
const SERVERS: usize = 32;
/// Bytes of one definition.
const DEFINITION_BYTES: usize = 16 * 1024;

/// What a project brings, and what of it cannot be used.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectServers {
    /// Its servers, by name.
    pub(crate) servers: Vec<WrittenServer>,
    /// A line for each thing that was skipped.
    pub(crate) warnings: Vec<String>,
}

/// Reads the files of a project.
pub(crate) fn read(folder: &Path) -> ProjectServers {
    let (mut found, mut warnings) = (BTreeMap::new(), Vec::new());
    for file in FILES {
        let path = folder.join(file);
        match load(&path) {
            Ok(entries) => {
                for (name, entry) in entries {
                    add(&mut found, &mut warnings, (file, name, entry));
                }
            }
            Err(fault) => warnings.push(format!("{}: {fault}", path.display())),
        }
    }
    ProjectServers {
        servers: found.into_values().collect(),
        warnings,
    }
}

/// Why a file says nothing.
#[derive(Debug, thiserror::Error)]
enum FileFault {
    #[error("not a regular file")]
    NotAFile,
    #[error("holds more than {FILE_BYTES} bytes")]
    TooLarge,
    #[error("failed to read: {0}")]
    Io(#[from] io::Error),
    #[error("line {line}: not a JSON object")]
    Json { line: usize },
    #[error("mcpServers is not an object")]
    Shape,
}

fn load(path: &Path) -> Result<Map<String, Value>, FileFault> {
    // Looked at first: opening a pipe would wait for someone to write.
    match std::fs::metadata(path) {
        Err(error) if missing(&error) => return Ok(Map::new()),
        Err(error) => return Err(error.into()),
        Ok(data) if !data.is_file() => return Err(FileFault::NotAFile),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(FileFault::TooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut file: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| FileFault::Json { line: error.line() })?;
    match file.remove("mcpServers") {
        None => Ok(Map::new()),
        Some(Value::Object(servers)) => Ok(servers),
        Some(_) => Err(FileFault::Shape),
    }
}

fn missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

type Found = BTreeMap<String, WrittenServer>;

fn add(found: &mut Found, warnings: &mut Vec<String>, (file, name, entry): (&str, String, Value)) {
    let shown: String = name.chars().take(64).filter(|char| !char.is_control()).collect();
    let mut skip = |why: &dyn std::fmt::Display| {
        warnings.push(format!("{file}: MCP server {shown:?} is skipped: {why}"));
    };
    if found.contains_key(&name) {
        return skip(&format_args!("{} has one of the same name", FILES[0]));
    }
    if found.len() == SERVERS {
        return skip(&format_args!("a project may bring {SERVERS} servers"));
    }
    match written(name.clone(), entry) {
        Ok(server) => {
            found.insert(name, server);
        }
        Err(fault) => skip(&fault),
    }
}

/// Why an entry is skipped.
#[derive(Debug, thiserror::Error)]
enum SkipFault {
    #[error("{0}")]
    Name(&'static str),
    #[error("its definition holds more than {DEFINITION_BYTES} bytes")]
    TooLarge,
    #[error(transparent)]
    Entry(#[from] EntryFault),
}

fn written(name: String, entry: Value) -> Result<WrittenServer, SkipFault> {
    let name = ServerName::try_from(name).map_err(SkipFault::Name)?;
    if entry.to_string().len() > DEFINITION_BYTES {
        return Err(SkipFault::TooLarge);
    }
    let Value::Object(mut members) = entry else {
        return Err(EntryFault::Shape.into());
    };
    // Other programs read the same files and have words of their own.
    members.retain(|word, _| WORDS.contains(&word.as_str()));
    let entry: Entry = serde_json::from_value(members.into()).map_err(|_| EntryFault::Shape)?;
    let Unnamed {
        transport, disabled, ..
    } = entry.try_into()?;
    let server = McpServer {
        name: name.0,
        transport,
    };
    Ok(WrittenServer {
        server,
        disabled,
        trusted: false,
    })
}

/// A variable that a definition needs and that is not set.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0} is not set")]
pub(crate) struct MissingVariable(pub(crate) String);

/// The definition with `${VAR}` and `${VAR:-default}` replaced. Only for definitions that a person stands behind.
pub(crate) fn expanded(
    server: McpServer,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<McpServer, MissingVariable> {
    let one = |text: String| replaced(&text, variable);
    let all = |texts: Vec<String>| texts.into_iter().map(one).collect::<Result<Vec<_>, _>>();
    let values = |members: BTreeMap<String, String>| {
        let member = |(name, value)| Ok((name, one(value)?));
        members
            .into_iter()
            .map(member)
            .collect::<Result<BTreeMap<_, _>, _>>()
    };
    let transport = match server.transport {
        McpTransport::Stdio { command, args, env } => McpTransport::Stdio {
            command: one(command)?,
            args: all(args)?,
            env: values(env)?,
        },
        McpTransport::Http { url, headers } => McpTransport::Http {
            url: one(url)?,
            headers: values(headers)?,
        },
        McpTransport::Sse { url, headers } => McpTransport::Sse {
            url: one(url)?,
            headers: values(headers)?,
        },
    };
    Ok(McpServer {
        name: server.name,
        transport,
    })
}

/// The text with its variables replaced; what only looks like one stays as it is.
fn replaced(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, MissingVariable> {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inside, left)) = after.split_once('}').filter(|(inside, _)| is_variable(inside)) else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = inside
            .split_once(":-")
            .map_or((inside, None), |(name, default)| (name, Some(default)));
        let value = variable(name).filter(|value| !value.is_empty() || default.is_none());
        let value = value.or_else(|| default.map(str::to_owned));
        out.push_str(&value.ok_or_else(|| MissingVariable(name.to_owned()))?);
        rest = left;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_variable(inside: &str) -> bool {
    let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
    let mut bytes = name.bytes();
    let begins = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests;
