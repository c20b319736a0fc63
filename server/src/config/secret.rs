//! The key in `.env`: one assignment in a private file that may hold other lines of the person.

use std::io::Cursor;

use secrecy::SecretString;
use sidewire_contract::layout::Layout;

use super::{Config, ConfigError, OpenAiConfig, ProviderConfig};
use crate::private_file::read_private;

/// The one name that is read.
const NAME: &str = "SIDEWIRE_API_KEY";

/// Reads the key; `None` when there is none.
pub(crate) fn load_api_key(layout: &Layout) -> Result<Option<SecretString>, ConfigError> {
    let Some(text) = read_env(layout)? else {
        return Ok(None);
    };
    let invalid = |line, message| ConfigError::Secret {
        path: layout.key_file(),
        line,
        message,
    };
    if let Some(line) = text
        .lines()
        .position(|line| is_ours(line) && depends_on_environment(line))
    {
        return Err(invalid(line + 1, "a key with a $ must stand in single quotes"));
    }
    let assignments = dotenvy::Iter::new(Cursor::new(text.as_bytes())).collect::<Result<Vec<_>, _>>();
    let Ok(assignments) = assignments else {
        return Err(invalid(broken_line(&text), "not an assignment like NAME='value'"));
    };
    let key = assignments
        .into_iter()
        .rev()
        .find(|(name, _)| name == NAME)
        .map(|(_, value)| value);
    let Some(key) = key.filter(|key| !key.is_empty()) else {
        return Ok(None);
    };
    check_api_key(&key)?;
    Ok(Some(SecretString::from(key)))
}

/// The key that goes to a server: the given one, else the stored one if it was stored for this server.
pub(crate) fn key_for(
    layout: &Layout,
    server: &OpenAiConfig,
    given: Option<&SecretString>,
) -> Result<Option<SecretString>, ConfigError> {
    if given.is_some() {
        return Ok(given.cloned());
    }
    match Config::load(layout)?.provider {
        Some(ProviderConfig::OpenAi(stored)) if stored.base_url == server.base_url => load_api_key(layout),
        Some(ProviderConfig::OpenAi(_) | ProviderConfig::Offline) | None => Ok(None),
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
    let path = layout.key_file();
    let Some(bytes) = read_private(&path)? else {
        return Ok(None);
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let line = 1 + error
                .as_bytes()
                .iter()
                .take(good)
                .filter(|byte| **byte == b'\n')
                .count();
            Err(ConfigError::Secret {
                path,
                line,
                message: "not UTF-8 text",
            })
        }
    }
}

/// The text of `.env` with another key, or with none; all other lines stay.
pub(super) fn with_key(text: &str, key: Option<&str>) -> String {
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| !is_ours(line))
        .map(str::to_owned)
        .collect();
    // Single quotes: nothing inside is expanded by whoever reads the file.
    lines.extend(key.map(|key| format!("{NAME}='{key}'")));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn is_ours(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
    line.strip_prefix(NAME)
        .is_some_and(|rest| rest.trim_start().starts_with('='))
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
