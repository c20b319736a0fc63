//! How the store fails: opening, using, beginning a turn, claiming a conversation.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::ids::ConversationId;
use crate::record::TurnRecord;

/// Why a store could not be opened. Each text says how to move on.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A newer Sidewire has written it.
    #[error(
        "{file} was written by a newer sidewire (format {found}, this one knows {known}); update this one"
    )]
    Newer {
        /// The database.
        file: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format this process knows.
        known: i64,
    },
    /// It needs a newer format, and a process that knows only the old one has it open.
    #[error("{file} has to be converted, but an older sidewire has it open; end that one and start again")]
    InUse {
        /// The database.
        file: PathBuf,
    },
    /// Another process converts it and does not come to an end.
    #[error("{file} is being converted by another sidewire; try again when that one is ready")]
    Converting {
        /// The database.
        file: PathBuf,
    },
    /// Not a database, or a broken one.
    #[error(
        "{file} is damaged or not a database; move it away together with its -wal and -shm files and start again \
         with an empty one (`sqlite3 FILE .recover` may save the old conversations)"
    )]
    Corrupt {
        /// The database.
        file: PathBuf,
    },
    /// A link where a folder or file of our own must be.
    #[error("{0} is a symbolic link; put the folder or file itself there")]
    Link(PathBuf),
    /// It belongs to somebody else.
    #[error("{0} belongs to another user; choose another folder or give it back with chown")]
    Foreign(PathBuf),
    /// Others may write to it.
    #[error("{0} can be written by others; check what is in it, then run chmod 700 on it")]
    Loose(PathBuf),
    /// The file system has no shared memory for SQLite.
    #[error("{0} is on a file system that cannot share a database between processes; choose a local folder")]
    FileSystem(PathBuf),
    /// The file system said no.
    #[error("failed to use {path}")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// SQLite said no.
    #[error("failed to open the database {file}")]
    Sqlite {
        /// The database.
        file: PathBuf,
        /// What it said.
        source: rusqlite::Error,
    },
    /// It could be opened, but not be created, converted or put in order.
    #[error("failed to prepare the database {file}")]
    Prepare {
        /// The database.
        file: PathBuf,
        /// Why.
        source: StoreError,
    },
    /// No thread to be had.
    #[error("failed to start a thread for the database")]
    Thread(#[source] io::Error),
}

impl OpenError {
    pub(super) fn preparing(file: &Path, source: StoreError) -> Self {
        let file = file.to_owned();
        if matches!(source, StoreError::Corrupt) {
            Self::Corrupt { file }
        } else {
            Self::Prepare { file, source }
        }
    }
}

/// Why the store could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Not there, not yours, or deleted.
    #[error("there is no such conversation")]
    NotFound,
    /// Another process kept the database locked for too long.
    #[error("the database is kept busy by another process")]
    Busy,
    /// No room; nothing was written.
    #[error("the disk is full")]
    Full,
    /// The file is broken.
    #[error("the database sidewire.db is damaged; restart sidewire to learn how to move on")]
    Corrupt,
    /// The disk or its permissions said no.
    #[error("the database file cannot be read or written")]
    Unusable(#[source] rusqlite::Error),
    /// Anything else SQLite refuses.
    #[error("the database refused a statement")]
    Sqlite(#[source] rusqlite::Error),
    /// A lock file could not be made.
    #[error("failed to lock the conversation")]
    Lock(#[source] io::Error),
    /// A row that this version cannot read; its content is not shown.
    #[error("a stored {0} cannot be read")]
    Unreadable(&'static str),
    /// A cursor that no page gave.
    #[error("the cursor is not one that a page gave")]
    BadCursor,
    /// A title of nothing.
    #[error("a title needs at least one visible character")]
    BadTitle,
    /// The store's thread is gone.
    #[error("the store has stopped")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use ErrorCode as Code;
        let Some(code) = error.sqlite_error_code() else {
            return Self::Sqlite(error);
        };
        if matches!(code, Code::DatabaseBusy | Code::DatabaseLocked) {
            Self::Busy
        } else if code == Code::DiskFull {
            Self::Full
        } else if is_corruption(code) {
            Self::Corrupt
        } else if matches!(
            code,
            Code::SystemIoFailure | Code::CannotOpen | Code::ReadOnly | Code::PermissionDenied
        ) {
            Self::Unusable(error)
        } else {
            Self::Sqlite(error)
        }
    }
}

/// True for the codes that mean a broken file.
pub(super) fn is_corruption(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
}

/// Why a turn did not begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// This owner has used this turn id before.
    #[error("a turn of this id exists")]
    Duplicate {
        /// Where.
        conversation: ConversationId,
        /// The turn as it is stored.
        turn: Box<TurnRecord>,
    },
    /// It could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a conversation could not be claimed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Somebody has it open.
    #[error("the conversation is open in {holder}")]
    Held {
        /// Who, in words: program and process.
        holder: String,
    },
    /// The lock could not be made.
    #[error(transparent)]
    Store(#[from] StoreError),
}
