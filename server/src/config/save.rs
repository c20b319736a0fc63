//! Writes the choice of a provider: `config.toml` keeps all else it says, and both files change together.

use std::fs;
use std::io;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use sidewire_contract::layout::Layout;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use super::secret::{check_api_key, read_env, with_key};
use super::{Config, ConfigError, ProviderConfig, ServerConfig, line_of};
use crate::private_file::{PrivateFileError, stage_private, write_private};

const NEW_FILE: &str = "# Settings of Sidewire. `sidewire setup` changes [provider] and keeps the rest.\n\
                        # Keys are not kept here but in .env beside this file.\n\n[provider]\n";

/// Saves the provider and its key: both files change, or neither. Gives back the files that were written.
///
/// Without a key the stored one stays as long as the address stays; a key is never left for another server.
pub(crate) fn save_provider(
    layout: &Layout,
    provider: &ProviderConfig,
    key: Option<&SecretString>,
) -> Result<Vec<PathBuf>, ConfigError> {
    let before = Config::load(layout)?;
    let old_env = read_env(layout)?;
    let new_env = new_env(old_env.as_deref(), before.provider.as_ref(), provider, key)?;
    let config = stage_private(&layout.config_file(), edited(layout, provider)?.as_bytes())?;
    let env = new_env
        .as_deref()
        .map(|text| stage_private(&layout.key_file(), text.as_bytes()))
        .transpose()?;
    // All that can fail for lack of room is done. The key goes first: a reader that sees the new address has it.
    let mut written = vec![layout.config_file()];
    if let Some(env) = env {
        env.commit()?;
        written.push(layout.key_file());
    }
    if let Err(error) = config.commit() {
        if written.len() > 1 {
            restore_env(layout, old_env.as_deref())?;
        }
        return Err(error.into());
    }
    Ok(written)
}

/// The new text of `.env`, or `None` when it stays as it is.
fn new_env(
    old: Option<&str>,
    before: Option<&ProviderConfig>,
    after: &ProviderConfig,
    key: Option<&SecretString>,
) -> Result<Option<String>, ConfigError> {
    if let Some(key) = key {
        check_api_key(key.expose_secret())?;
        return Ok(Some(with_key(old.unwrap_or_default(), Some(key.expose_secret()))));
    }
    let same_server = match (before, after) {
        (_, ProviderConfig::Offline) => true,
        (Some(ProviderConfig::Server(old)), ProviderConfig::Server(new)) => old.base_url == new.base_url,
        (Some(ProviderConfig::Offline) | None, ProviderConfig::Server(_)) => false,
    };
    Ok(old.filter(|_| !same_server).map(|old| with_key(old, None)))
}

fn restore_env(layout: &Layout, old: Option<&str>) -> Result<(), ConfigError> {
    let path = layout.key_file();
    if let Some(text) = old {
        return Ok(write_private(&path, text.as_bytes())?);
    }
    fs::remove_file(&path).map_err(|source| {
        PrivateFileError::Io {
            action: "remove",
            path,
            source,
        }
        .into()
    })
}

/// The text of `config.toml` with this provider and everything else as it was.
fn edited(layout: &Layout, provider: &ProviderConfig) -> Result<String, ConfigError> {
    let path = layout.config_file();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => NEW_FILE.to_owned(),
        Err(source) => return Err(ConfigError::Unreadable { path, source }),
    };
    let invalid = |offset, message: &str| ConfigError::Invalid {
        path: path.clone(),
        line: line_of(&text, offset),
        message: message.to_owned(),
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        invalid(error.span().map_or(0, |span| span.start), error.message())
    })?;
    let table = document
        .entry("provider")
        .or_insert_with(toml_edit::table)
        .as_table_like_mut()
        .ok_or_else(|| invalid(0, "provider must be a table"))?;
    match provider {
        ProviderConfig::Offline => set_offline(table),
        ProviderConfig::Server(server) => set_server(table, server),
    }
    Ok(document.to_string())
}

/// All that may stand in `[provider]` beside its kind.
const SETTINGS: [&str; 8] = [
    "base_url",
    "model",
    "window",
    "expires_at",
    "max_output_tokens",
    "vision",
    "efforts",
    "headers",
];

fn set_offline(table: &mut dyn TableLike) {
    set(table, "kind", Some("offline".into()));
    for name in SETTINGS {
        set(table, name, None);
    }
}

fn set_server(table: &mut dyn TableLike, server: &ServerConfig) {
    let number = |number: Option<u64>| {
        number
            .and_then(|number| i64::try_from(number).ok())
            .map(Value::from)
    };
    let expiry = server
        .expires_at
        .and_then(|at| at.to_string().parse::<toml_edit::Datetime>().ok());
    let efforts = server
        .efforts
        .as_ref()
        .map(|efforts| efforts.iter().collect::<Value>());
    let headers = server
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let headers: InlineTable = headers.collect();
    let values: [Option<Value>; SETTINGS.len()] = [
        Some(server.base_url.as_str().into()),
        Some(server.model.as_str().into()),
        number(server.window),
        expiry.map(Value::from),
        number(server.max_output_tokens),
        server.vision.map(Value::from),
        efforts,
        Some(headers)
            .filter(|headers| !headers.is_empty())
            .map(Value::from),
    ];
    set(table, "kind", Some(server.api.as_str().into()));
    for (name, value) in SETTINGS.into_iter().zip(values) {
        set(table, name, value);
    }
}

/// Sets one value and keeps the comment behind it.
fn set(table: &mut dyn TableLike, name: &str, value: Option<Value>) {
    let Some(mut value) = value else {
        table.remove(name);
        return;
    };
    if let Some(Item::Value(old)) = table.get(name) {
        *value.decor_mut() = old.decor().clone();
    }
    table.insert(name, Item::Value(value));
}
