//! Opens the database file, or one in memory: connection settings and the gate between formats.
//!
//! Every process keeps `sidewire.db.open` locked while it has the database open, shared; who converts the file needs
//! it alone. So a newer process never converts the file under an older one.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::error::{OpenError, StoreError, is_corruption};
use super::{folder, schema};

/// How long a statement waits for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long another process may convert the file before we give up on it.
const CONVERSION_PATIENCE: Duration = Duration::from_secs(30);
/// Looks at processes that have an old file open before it is called in use; two that start together need a few.
const OLD_FILE_LOOKS: u32 = 20;
/// Between two looks at a lock.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The open database.
pub(super) struct OpenFile {
    pub(super) writer: Connection,
    pub(super) reader: Connection,
    pub(super) lock: OpenLock,
}

/// The shared lock on `sidewire.db.open`; the kernel frees it when the process ends, however it ends.
pub(super) struct OpenLock {
    file: File,
    database: PathBuf,
}

/// Opens or creates the database in `folder`.
pub(super) fn open(folder: &Path) -> Result<OpenFile, OpenError> {
    folder::prepare(folder)?;
    let database = folder::database(folder)?;
    let lock = OpenLock {
        file: folder::open_lock(folder)?,
        database,
    };
    let writer = lock.open_current()?;
    let reader = lock.connect()?;
    reader
        .pragma_update(None, "query_only", true)
        .map_err(|source| lock.sqlite(source))?;
    Ok(OpenFile { writer, reader, lock })
}

/// A database without a file.
pub(super) fn in_memory() -> Result<Connection, OpenError> {
    let create = || {
        let mut connection = Connection::open_in_memory()?;
        configure(&connection)?;
        schema::migrate(&mut connection)?;
        Ok(connection)
    };
    create().map_err(|source: StoreError| OpenError::preparing(Path::new(":memory:"), source))
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What a person deletes is overwritten, not only forgotten.
    connection.pragma_update(None, "secure_delete", true)?;
    // On macOS a plain fsync does not reach the disk; elsewhere this changes nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update_and_check(None, "journal_size_limit", 4 * 1024 * 1024, |_row| Ok(()))
}

impl OpenLock {
    /// A connection to a file of our format; converts an older file when nobody else has it open.
    fn open_current(&self) -> Result<Connection, OpenError> {
        for _look in 0..OLD_FILE_LOOKS {
            self.share()?;
            let mut connection = self.connect()?;
            let found = schema::format(&connection).map_err(|source| self.sqlite(source))?;
            if found == schema::FORMAT {
                return Ok(connection);
            }
            if found > schema::FORMAT {
                return Err(OpenError::Newer {
                    file: self.database.clone(),
                    found,
                    known: schema::FORMAT,
                });
            }
            if self.have_alone()? {
                self.convert(&mut connection)?;
            } else {
                thread::sleep(LOOK_AGAIN);
            }
        }
        Err(OpenError::InUse {
            file: self.database.clone(),
        })
    }

    fn connect(&self) -> Result<Connection, OpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let connection = Connection::open_with_flags(&self.database, flags)?;
            configure(&connection)?;
            Ok(connection)
        };
        connect().map_err(|source| self.sqlite(source))
    }

    fn convert(&self, connection: &mut Connection) -> Result<(), OpenError> {
        let mode: String = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
            .map_err(|source| self.sqlite(source))?;
        if mode != "wal" {
            return Err(OpenError::FileSystem(self.database.clone()));
        }
        schema::migrate(connection).map_err(|source| self.preparing(source))?;
        self.file.unlock().map_err(|source| self.io(source))
    }

    /// Takes the lock together with others; waits, within limits, for who has it alone.
    fn share(&self) -> Result<(), OpenError> {
        let began = Instant::now();
        loop {
            match self.file.try_lock_shared() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(source)) => return Err(self.io(source)),
                Err(TryLockError::WouldBlock) if began.elapsed() < CONVERSION_PATIENCE => {
                    thread::sleep(LOOK_AGAIN);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(OpenError::Converting {
                        file: self.database.clone(),
                    });
                }
            }
        }
    }

    /// Gives the shared lock up and tries to have it alone.
    fn have_alone(&self) -> Result<bool, OpenError> {
        self.file.unlock().map_err(|source| self.io(source))?;
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => Err(self.io(source)),
        }
    }

    pub(super) fn preparing(&self, source: StoreError) -> OpenError {
        OpenError::preparing(&self.database, source)
    }

    fn io(&self, source: std::io::Error) -> OpenError {
        OpenError::Io {
            path: self.database.with_extension("db.open"),
            source,
        }
    }

    fn sqlite(&self, source: rusqlite::Error) -> OpenError {
        let file = self.database.clone();
        if source.sqlite_error_code().is_some_and(is_corruption) {
            OpenError::Corrupt { file }
        } else {
            OpenError::Sqlite { file, source }
        }
    }
}
