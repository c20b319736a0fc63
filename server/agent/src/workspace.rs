//! Third of the five traits: the files a turn may see, wherever they are (disk, an editor's buffers, a plugin).
//!
//! Browser conversations have none unless the person configured one.

use std::path::{Path, PathBuf};

/// Files of a turn.
#[async_trait::async_trait]
pub trait Workspace: Send + Sync {
    /// Folders it covers, absolute, links resolved.
    fn roots(&self) -> &[PathBuf];

    /// The text of a file, at most `limit` bytes.
    async fn read_text(&self, path: &Path, limit: u64) -> Result<String, WorkspaceError>;

    /// Replaces or creates a file.
    async fn write_text(&self, path: &Path, text: &str) -> Result<(), WorkspaceError>;
}

/// Why a file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Outside every root, or reached through a link that leaves them.
    #[error("{0} is outside the workspace")]
    Outside(PathBuf),
    /// Larger than the limit.
    #[error("{path} holds more than {limit} bytes")]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Not text in a known encoding.
    #[error("{0} is not text")]
    NotText(PathBuf),
    /// The file system said no.
    #[error("failed to use {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}
