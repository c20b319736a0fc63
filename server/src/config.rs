//! What a person configured: `config.toml`, and the keys in `.env` beside it.
//!
//! Reads and writes these two files and checks what they say. It applies nothing: `app.rs` builds the provider, the
//! listener takes the extension ids. Nothing is read from the environment of the process.

pub(crate) mod mcp;
pub(crate) mod permissions;
mod providers;
mod save;
mod secret;
pub(crate) mod shell;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sidewire_agent::turn::STEP_CEILING;
use sidewire_contract::layout::Layout;

use crate::private_file::PrivateFileError;
use mcp::McpConfig;
use permissions::PermissionsConfig;
use shell::ShellConfig;

pub(crate) use providers::{
    Api, KeySource, NamedProvider, ProviderConfig, ServerConfig, check_window, parse_base_url,
};
pub(crate) use save::save_provider;
pub(crate) use secret::{Keys, check_api_key, key_for};

/// A turn that calls its model more often than this has lost its way.
const MOST_STEPS: u32 = 1_000;

/// Everything in `config.toml`; what is missing there has its default here.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Which model answers; `None` until someone chose.
    pub(crate) provider: Option<ProviderConfig>,
    /// Further model servers, each by its name.
    #[serde(deserialize_with = "providers::all")]
    pub(crate) providers: Vec<NamedProvider>,
    /// Who may connect from a browser.
    pub(crate) browser: BrowserConfig,
    /// How much media is kept.
    pub(crate) media: MediaConfig,
    /// How the worker lives.
    pub(crate) worker: WorkerConfig,
    /// How far a turn may go.
    pub(crate) agent: AgentConfig,
    /// MCP servers of the person.
    pub(crate) mcp: McpConfig,
    /// What may be done unasked.
    pub(crate) permissions: PermissionsConfig,
    /// How shell commands are confined.
    pub(crate) shell: ShellConfig,
}

/// Who may connect from a browser.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BrowserConfig {
    /// Extensions that are trusted beside our own, such as a build of one's own.
    pub(crate) extension_ids: Vec<ExtensionId>,
    /// Seconds that a tool of the client may be silent before it is told to stop.
    #[serde(deserialize_with = "host_tool_timeout")]
    pub(crate) host_tool_timeout_s: u64,
}

impl Default for BrowserConfig {
    fn default() -> Self {
        Self {
            extension_ids: Vec::new(),
            host_tool_timeout_s: 120,
        }
    }
}

impl BrowserConfig {
    /// How long a tool of the client may be silent.
    pub(crate) fn host_tool_patience(&self) -> Duration {
        Duration::from_secs(self.host_tool_timeout_s)
    }
}

/// No call runs longer than ten minutes, so a longer silence means nothing.
fn host_tool_timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let seconds = u64::deserialize(deserializer)?;
    if (1..=600).contains(&seconds) {
        return Ok(seconds);
    }
    Err(D::Error::custom(
        "host_tool_timeout_s is a number of seconds, 1 to 600",
    ))
}

/// How much media is kept.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MediaConfig {
    /// Most mebibytes of all files that conversations show.
    pub(crate) quota_mib: u32,
}

impl Default for MediaConfig {
    fn default() -> Self {
        Self { quota_mib: 2048 }
    }
}

impl MediaConfig {
    /// Most bytes of all files.
    pub(crate) fn quota(&self) -> u64 {
        u64::from(self.quota_mib) * 1024 * 1024
    }
}

/// How the worker lives.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WorkerConfig {
    /// Minutes after the last client and turn at which a worker that a host started ends.
    pub(crate) idle_exit_minutes: u64,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            idle_exit_minutes: 15,
        }
    }
}

/// How far a turn may go.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgentConfig {
    /// Model calls that one turn may make.
    #[serde(deserialize_with = "steps")]
    pub(crate) steps: u32,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self { steps: STEP_CEILING }
    }
}

fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let steps = u32::deserialize(deserializer)?;
    if (1..=MOST_STEPS).contains(&steps) {
        return Ok(steps);
    }
    Err(D::Error::custom(format_args!(
        "steps is a number of model calls, 1 to {MOST_STEPS}"
    )))
}

/// Id of a Chromium extension: 32 letters from a to p.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ExtensionId(String);

impl ExtensionId {
    /// The id as it stands in a manifest and in an origin.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ExtensionId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.len() == 32 && text.bytes().all(|byte| (b'a'..=b'p').contains(&byte)) {
            return Ok(Self(text));
        }
        Err("an extension id is 32 letters from a to p, as shown on chrome://extensions")
    }
}

impl std::str::FromStr for ExtensionId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

/// Why the configuration cannot be used or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// `config.toml` says something that has no meaning.
    #[error("{}, line {line}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where in it, from 1.
        line: usize,
        /// What is wrong, naming the setting.
        message: String,
    },
    /// `config.toml` cannot be read.
    #[error("failed to read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// `.env` cannot be understood; its text is not shown, because it holds a key.
    #[error("{}, line {line}: {message}", path.display())]
    Secret {
        /// The file.
        path: PathBuf,
        /// Where in it, from 1.
        line: usize,
        /// What is wrong.
        message: &'static str,
    },
    /// Somebody writes it all the time.
    #[error("the configuration changes while it is read; try again")]
    Changing,
    /// The key could not be sent in a header.
    #[error("{0}")]
    Key(&'static str),
    /// A file or its folder is not private, or the system refused.
    #[error(transparent)]
    File(#[from] PrivateFileError),
}

impl Config {
    /// Reads `config.toml`; a missing file gives the defaults.
    pub(crate) fn load(layout: &Layout) -> Result<Self, ConfigError> {
        let path = layout.config_file();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ConfigError::Unreadable { path, source }),
        };
        toml::from_str(&text).map_err(|error| {
            let line = line_of(&text, error.span().map_or(0, |span| span.start));
            ConfigError::Invalid {
                path,
                line,
                message: error.message().to_owned(),
            }
        })
    }
}

/// Line of a byte offset, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests;
