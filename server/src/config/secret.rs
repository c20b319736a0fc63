//! The keys in `.env`: assignments in a private file that may hold other lines of the person.

use std::collections::HashMap;
use std::io::Cursor;

use secrecy::{ExposeSecret, SecretString};
use sidewire_contract::layout::Layout;

use super::{Config, ConfigError, KeySource, ProviderConfig, ServerConfig};
use crate::private_file::read_private;

/// The name under which `sidewire setup` keeps its key.
const OWN: &str = "SIDEWIRE_API_KEY";

/// What `.env` says.
#[derive(Debug)]
pub(crate) struct Keys {
    /// By name; the last assignment counts.
    values: HashMap<String, SecretString>,
    /// Names whose value would depend on the environment, with their lines.
    dependent: HashMap<String, usize>,
    layout: Layout,
}

impl Keys {
    /// Reads the file; a missing one has no keys.
    pub(crate) fn load(layout: &Layout) -> Result<Self, ConfigError> {
        let text = read_env(layout)?.unwrap_or_default();
        let assignments = dotenvy::Iter::new(Cursor::new(text.as_bytes())).collect::<Result<Vec<_>, _>>();
        let assignments = assignments
            .map_err(|_| invalid(layout, broken_line(&text), "not an assignment like NAME='value'"))?;
        let values = assignments
            .into_iter()
            .map(|(name, value)| (name, SecretString::from(value)))
            .collect();
        let dependent = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let name = assigned(line).filter(|_| depends_on_environment(line))?;
            Some((name.to_owned(), number))
        });
        Ok(Self {
            values,
            dependent: dependent.collect(),
            layout: layout.clone(),
        })
    }

    /// The key of this source; `None` when there is none.
    pub(crate) fn get(&self, source: &KeySource) -> Result<Option<SecretString>, ConfigError> {
        let name = match source {
            KeySource::Own => OWN,
            KeySource::Named(name) => name,
            KeySource::None => return Ok(None),
        };
        if let Some(line) = self.dependent.get(name) {
            return Err(invalid(
                &self.layout,
                *line,
                "a key with a $ must stand in single quotes",
            ));
        }
        let key = self
            .values
            .get(name)
            .filter(|key| !key.expose_secret().is_empty());
        key.map_or(Ok(()), |key| check_api_key(key.expose_secret()))?;
        Ok(key.cloned())
    }
}

/// How often both files are read until somebody who never stops writing is blamed.
const LOOKS: usize = 16;

impl Config {
    /// Reads both files so that a key and an address that were never stored together do not meet: `.env` is read between
    /// two equal looks at `config.toml`, and a new key is written after the address it belongs to (`save_provider`).
    /// What is wrong with the keys matters only to who needs one.
    pub(crate) fn load_with_keys(layout: &Layout) -> Result<(Self, Result<Keys, ConfigError>), ConfigError> {
        between_equal(|| Self::load(layout), || Keys::load(layout))
    }
}

fn between_equal<C: PartialEq, K>(
    mut outer: impl FnMut() -> Result<C, ConfigError>,
    mut inner: impl FnMut() -> K,
) -> Result<(C, K), ConfigError> {
    let mut before = outer()?;
    for _ in 0..LOOKS {
        let found = inner();
        let after = outer()?;
        if before == after {
            return Ok((after, found));
        }
        before = after;
    }
    Err(ConfigError::Changing)
}

/// The key that goes to a server: the given one, else the stored one if it was stored for this server.
pub(crate) fn key_for(
    layout: &Layout,
    server: &ServerConfig,
    given: Option<&SecretString>,
) -> Result<Option<SecretString>, ConfigError> {
    if given.is_some() {
        return Ok(given.cloned());
    }
    let (config, keys) = Config::load_with_keys(layout)?;
    match config.provider {
        Some(ProviderConfig::Server(stored)) if stored.base_url == server.base_url => {
            keys?.get(&KeySource::Own)
        }
        Some(ProviderConfig::Server(_) | ProviderConfig::Offline) | None => Ok(None),
    }
}

/// Refuses what cannot be a key: it has to fit a header and a line of `.env`.
pub(crate) fn check_api_key(key: &str) -> Result<(), ConfigError> {
    if key.is_empty() || key.len() > 4096 {
        return Err(ConfigError::Key("the key must have 1 to 4096 characters"));
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\'') {
        return Err(ConfigError::Key(
            "the key has a blank, a quote or a character that no key has",
        ));
    }
    Ok(())
}

/// The text of `.env`; `None` when there is no file.
pub(super) fn read_env(layout: &Layout) -> Result<Option<String>, ConfigError> {
    let Some(bytes) = read_private(&layout.key_file())? else {
        return Ok(None);
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let lines_before = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n');
            Err(invalid(layout, 1 + lines_before.count(), "not UTF-8 text"))
        }
    }
}

/// The text of `.env` with another key of `sidewire setup`, or with none; all other lines stay.
pub(super) fn with_key(text: &str, key: Option<&str>) -> String {
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| assigned(line) != Some(OWN))
        .map(str::to_owned)
        .collect();
    // Single quotes: nothing inside is expanded by whoever reads the file.
    lines.extend(key.map(|key| format!("{OWN}='{key}'")));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn invalid(layout: &Layout, line: usize, message: &'static str) -> ConfigError {
    ConfigError::Secret {
        path: layout.key_file(),
        line,
        message,
    }
}

/// The name that a line gives a value.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, _) = line.split_once('=')?;
    Some(name.trim()).filter(|name| !name.starts_with('#'))
}

/// The parser would put a variable of the process there, and our keys never come from the environment.
fn depends_on_environment(line: &str) -> bool {
    line.split_once('=')
        .is_some_and(|(_, value)| value.contains('$') && !value.trim_start().starts_with('\''))
}

/// First line that does not parse alone; enough to point at, without showing it.
fn broken_line(text: &str) -> usize {
    let broken =
        |line: &str| dotenvy::Iter::new(Cursor::new(line.as_bytes())).any(|assignment| assignment.is_err());
    text.lines().position(broken).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address changed after the first look and the key before the second: they do not belong together.
    #[test]
    fn n10_what_was_read_around_a_change_is_read_again() {
        let mut addresses = ["old", "new", "new"].into_iter();
        let mut keys = ["the key for new", "the same"].into_iter();
        let read = between_equal(|| Ok(addresses.next().unwrap()), || keys.next().unwrap());
        assert_eq!(read.unwrap(), ("new", "the same"));
        let mut numbers = 0..;
        let endless = between_equal(|| Ok(numbers.next()), || ());
        assert!(matches!(endless, Err(ConfigError::Changing)));
    }
}
