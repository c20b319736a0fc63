//! Writes the choice of a provider: `config.toml` keeps all else it says, and both files change together.

use std::fs;
use std::io;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use sidewire_contract::layout::Layout;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use super::providers::Facts;
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
    let steps = steps(layout, provider, key)?;
    let staged = steps
        .iter()
        .map(|step| stage_private(&step.path, step.after.as_bytes()));
    // All that can fail for lack of room is done before anything changes.
    let staged = staged.collect::<Result<Vec<_>, _>>()?;
    for (tried, staged) in (1..).zip(staged) {
        if let Err(error) = staged.commit() {
            // In reverse, so that a key and another server's address do not meet on the way back either.
            steps.iter().take(tried).rev().try_for_each(Step::undo)?;
            return Err(error.into());
        }
    }
    let written = [layout.config_file(), layout.key_file()].into_iter();
    Ok(written
        .filter(|path| steps.iter().any(|step| step.path == *path))
        .collect())
}

/// One file that is replaced.
struct Step {
    path: PathBuf,
    before: Option<String>,
    after: String,
}

/// What is written, in order. A key for another server is taken out before the address changes and the new one put in
/// afterwards: whoever reads in between, or after we were killed in between, finds a server without a key at most.
fn steps(
    layout: &Layout,
    provider: &ProviderConfig,
    key: Option<&SecretString>,
) -> Result<Vec<Step>, ConfigError> {
    key.map_or(Ok(()), |key| check_api_key(key.expose_secret()))?;
    let stays = keeps_server(Config::load(layout)?.provider.as_ref(), provider);
    let mut before = read_env(layout)?;
    let old = before.clone().unwrap_or_default();
    let mut env = |after: String| Step {
        path: layout.key_file(),
        before: before.replace(after.clone()),
        after,
    };
    let without = Some(with_key(&old, None)).filter(|without| !stays && *without != old);
    let take_out = without.map(&mut env);
    let put_in = key.map(|key| env(with_key(&old, Some(key.expose_secret()))));
    let steps = [take_out, Some(edit(layout, provider)?), put_in];
    Ok(steps.into_iter().flatten().collect())
}

/// Whether the stored key is one for the server that is chosen now.
fn keeps_server(before: Option<&ProviderConfig>, after: &ProviderConfig) -> bool {
    match (before, after) {
        (_, ProviderConfig::Offline) => true,
        (Some(ProviderConfig::Server(old)), ProviderConfig::Server(new)) => old.base_url == new.base_url,
        (Some(ProviderConfig::Offline) | None, ProviderConfig::Server(_)) => false,
    }
}

impl Step {
    /// Puts the file back.
    fn undo(&self) -> Result<(), ConfigError> {
        if let Some(text) = &self.before {
            return Ok(write_private(&self.path, text.as_bytes())?);
        }
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(PrivateFileError::Io {
                action: "remove",
                path: self.path.clone(),
                source,
            }
            .into()),
            _ => Ok(()),
        }
    }
}

/// `config.toml` with this provider and everything else as it was.
fn edit(layout: &Layout, provider: &ProviderConfig) -> Result<Step, ConfigError> {
    let path = layout.config_file();
    let before = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(ConfigError::Unreadable { path, source }),
    };
    let text = before.as_deref().unwrap_or(NEW_FILE);
    let invalid = |offset, message: &str| ConfigError::Invalid {
        path: path.clone(),
        line: line_of(text, offset),
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
    Ok(Step {
        after: document.to_string(),
        path,
        before,
    })
}

/// All that may stand in `[provider]` beside its kind.
const SETTINGS: [&str; 9] = [
    "base_url",
    "model",
    "window",
    "expires_at",
    "max_output_tokens",
    "vision",
    "efforts",
    "headers",
    "remembered",
];

fn set_offline(table: &mut dyn TableLike) {
    set(table, "kind", Some("offline".into()));
    for name in SETTINGS {
        set(table, name, None);
    }
}

fn set_server(table: &mut dyn TableLike, server: &ServerConfig) {
    let expiry = server
        .expires_at
        .and_then(|at| at.to_string().parse::<toml_edit::Datetime>().ok());
    let headers = server.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), Value::from(value.as_str())));
    let remembered = server.remembered.iter();
    let remembered = remembered.map(|(model, facts)| {
        let said = of_model(facts).into_iter();
        let said: InlineTable = said.filter_map(|(name, value)| Some((name, value?))).collect();
        (model.as_str(), Value::InlineTable(said))
    });
    let of_server = [
        ("kind", Some(server.api.as_str().into())),
        ("base_url", Some(server.base_url.as_str().into())),
        ("model", Some(server.model.as_str().into())),
        ("expires_at", expiry.map(Value::from)),
        ("headers", unless_empty(headers.collect())),
        ("remembered", unless_empty(remembered.collect())),
    ];
    let of_model = of_model(&server.facts());
    for (name, value) in of_server.into_iter().chain(of_model) {
        set(table, name, value);
    }
}

/// What is said of one model, and what is not.
fn of_model(facts: &Facts) -> [(&'static str, Option<Value>); 4] {
    let number = |number: Option<u64>| {
        number
            .and_then(|number| i64::try_from(number).ok())
            .map(Value::from)
    };
    let efforts = facts
        .efforts
        .as_ref()
        .map(|efforts| efforts.iter().collect::<Value>());
    [
        ("window", number(facts.window)),
        ("max_output_tokens", number(facts.max_output_tokens)),
        ("vision", facts.vision.map(Value::from)),
        ("efforts", efforts),
    ]
}

fn unless_empty(table: InlineTable) -> Option<Value> {
    (!table.is_empty()).then_some(Value::InlineTable(table))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Api, KeySource, Keys, parse_base_url};

    fn server(host: &str) -> ProviderConfig {
        let base_url = parse_base_url(&format!("https://{host}/v1")).unwrap();
        ProviderConfig::Server(ServerConfig::new(Api::OpenAi, base_url, "m"))
    }

    /// Which key is stored for which server.
    fn stored(layout: &Layout) -> (Option<String>, Option<String>) {
        let host = match Config::load(layout).unwrap().provider {
            Some(ProviderConfig::Server(server)) => server.base_url.host_str().map(str::to_owned),
            _ => None,
        };
        let key = Keys::load(layout).unwrap().get(&KeySource::Own).unwrap();
        (host, key.map(|key| key.expose_secret().to_owned()))
    }

    /// The key is named like its server here.
    #[test]
    fn n10_a_key_never_lies_beside_the_address_of_another_server() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        save_provider(&layout, &server("one"), Some(&"one".into())).unwrap();
        for next in ["two", "two", "three"] {
            let steps = steps(&layout, &server(next), Some(&next.into())).unwrap();
            for step in &steps {
                write_private(&step.path, step.after.as_bytes()).unwrap();
                let (host, key) = stored(&layout);
                assert!(key.is_none() || key == host, "{key:?} goes to {host:?}");
            }
            assert_eq!(stored(&layout), (Some(next.to_owned()), Some(next.to_owned())));
        }
        for step in steps(&layout, &server("four"), Some(&"four".into()))
            .unwrap()
            .iter()
            .rev()
        {
            step.undo().unwrap();
            let (host, key) = stored(&layout);
            assert!(key.is_none() || key == host, "{key:?} goes to {host:?}");
        }
        assert_eq!(
            stored(&layout),
            (Some("three".to_owned()), Some("three".to_owned()))
        );
    }
}
