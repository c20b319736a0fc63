//! Writes the choice of a provider: `config.toml` keeps all else it says, and both files change together.

use std::fs;
use std::io;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use sidewire_contract::layout::Layout;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::secret::{check_api_key, read_env, with_key};
use super::{Config, ConfigError, OpenAiConfig, ProviderConfig, line_of};
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
        (Some(ProviderConfig::OpenAi(old)), ProviderConfig::OpenAi(new)) => old.base_url == new.base_url,
        (Some(ProviderConfig::Offline) | None, ProviderConfig::OpenAi(_)) => false,
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
        ProviderConfig::OpenAi(openai) => set_openai(table, openai),
    }
    Ok(document.to_string())
}

fn set_offline(table: &mut dyn TableLike) {
    set(table, "kind", Some("offline".into()));
    for name in ["base_url", "model", "window", "expires_at"] {
        set(table, name, None);
    }
}

fn set_openai(table: &mut dyn TableLike, openai: &OpenAiConfig) {
    set(table, "kind", Some("openai".into()));
    set(table, "base_url", Some(openai.base_url.as_str().into()));
    set(table, "model", Some(openai.model.as_str().into()));
    set(
        table,
        "window",
        openai
            .window
            .and_then(|window| i64::try_from(window).ok())
            .map(Value::from),
    );
    let expiry = openai
        .expires_at
        .and_then(|at| at.to_string().parse::<toml_edit::Datetime>().ok());
    set(table, "expires_at", expiry.map(Value::from));
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
