//! Where the files lie that more than one process of ours knows. It names places; reading and guarding them is the
//! callers' job.

use etcetera::{AppStrategy, AppStrategyArgs, HomeDirError};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// The variable that puts everything into one folder.
pub const HOME_VARIABLE: &str = "SIDEWIRE_HOME";

/// The three folders of one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What the person configures.
    pub config: PathBuf,
    /// What must not be lost.
    pub data: PathBuf,
    /// What only matters while processes run.
    pub state: PathBuf,
}

/// Why the folders are not known.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// A relative path would mean another folder to each process.
    #[error("{HOME_VARIABLE} is not an absolute path")]
    RelativeHome,
    /// The person has no home folder.
    #[error("no home folder found")]
    NoHome(#[source] HomeDirError),
}

impl Layout {
    /// Finds the folders: those of `SIDEWIRE_HOME`, else the platform's usual ones.
    ///
    /// # Errors
    /// When the variable holds a relative path or there is no home folder.
    pub fn from_env(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, LayoutError> {
        match variable(HOME_VARIABLE)
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
        {
            Some(home) if home.is_absolute() => Ok(Self::in_folder(home)),
            Some(_) => Err(LayoutError::RelativeHome),
            None => Self::usual(),
        }
    }

    /// Everything in one folder.
    #[must_use]
    pub fn in_folder(home: PathBuf) -> Self {
        Self {
            config: home.clone(),
            data: home.clone(),
            state: home,
        }
    }

    fn usual() -> Result<Self, LayoutError> {
        let names = AppStrategyArgs {
            top_level_domain: "dev".to_owned(),
            author: "Sidewire".to_owned(),
            app_name: "sidewire".to_owned(),
        };
        let strategy = etcetera::choose_app_strategy(names).map_err(LayoutError::NoHome)?;
        let data = strategy.data_dir();
        Ok(Self {
            config: strategy.config_dir(),
            state: strategy.state_dir().unwrap_or_else(|| data.clone()),
            data,
        })
    }

    /// What the person configures (`config.toml`).
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Keys for model servers (`.env`).
    #[must_use]
    pub fn key_file(&self) -> PathBuf {
        self.config.join(".env")
    }

    /// Conversations and settings (`sidewire.db`).
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data.join("sidewire.db")
    }

    /// Files that conversations show (`media`).
    #[must_use]
    pub fn media_folder(&self) -> PathBuf {
        self.data.join("media")
    }

    /// What MCP servers offered last time (`mcp-tools`).
    #[must_use]
    pub fn mcp_tools_folder(&self) -> PathBuf {
        self.data.join("mcp-tools")
    }

    /// The running worker ([`WorkerState`], `worker.json`).
    #[must_use]
    pub fn worker_file(&self) -> PathBuf {
        self.state.join("worker.json")
    }

    /// Locked as long as a worker runs (`worker.lock`).
    #[must_use]
    pub fn worker_lock(&self) -> PathBuf {
        self.state.join("worker.lock")
    }

    /// The secret of clients of the same person, 64 hex digits (`local.secret`).
    #[must_use]
    pub fn local_secret(&self) -> PathBuf {
        self.state.join("local.secret")
    }

    /// Extensions that may connect besides the built-in one ([`AllowedExtensions`], `extensions.json`).
    #[must_use]
    pub fn extensions(&self) -> PathBuf {
        self.state.join("extensions.json")
    }

    /// Log files (`log`).
    #[must_use]
    pub fn log_folder(&self) -> PathBuf {
        self.state.join("log")
    }
}

/// The running worker, as it writes itself down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerState {
    /// Its process.
    pub pid: u32,
    /// Where it listens on 127.0.0.1.
    pub port: u16,
    /// Its version.
    pub version: String,
    /// When it started, in milliseconds since 1970.
    pub started_at: u64,
    /// Version of our frames it speaks.
    pub bridge: u32,
}

/// Extensions that may connect besides the built-in one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedExtensions {
    /// Their ids.
    pub allowed_extensions: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(home: Option<&str>) -> Result<Layout, LayoutError> {
        Layout::from_env(|name| home.filter(|_| name == HOME_VARIABLE).map(OsString::from))
    }

    #[test]
    #[cfg(unix)]
    fn one_variable_moves_everything() {
        let layout = from(Some("/tmp/x")).unwrap();
        assert_eq!(layout, Layout::in_folder("/tmp/x".into()));
        assert_eq!(layout.worker_file(), PathBuf::from("/tmp/x/worker.json"));
    }

    #[test]
    fn a_relative_folder_is_refused() {
        assert!(matches!(from(Some("x")), Err(LayoutError::RelativeHome)));
    }

    #[test]
    fn without_it_the_folders_are_the_usual_ones() {
        for layout in [from(None).unwrap(), from(Some("")).unwrap()] {
            assert!(layout.config.is_absolute() && layout.data.is_absolute() && layout.state.is_absolute());
            assert_ne!(layout.config, layout.data);
        }
    }

    #[test]
    fn the_worker_writes_itself_down_as_documented() {
        let state = WorkerState {
            pid: 7,
            port: 19222,
            version: "0.1.0".into(),
            started_at: 5,
            bridge: 1,
        };
        let text = r#"{"pid":7,"port":19222,"version":"0.1.0","startedAt":5,"bridge":1}"#;
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        assert_eq!(serde_json::from_str::<WorkerState>(text).unwrap(), state);
    }
}
