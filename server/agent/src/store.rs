//! Where conversations are kept: SQLite behind one writer thread and one reader thread (decision 16).
//!
//! It stores, finds, pages and removes, and says who holds a conversation. It knows no running turn, no model and no
//! client. Every write is one transaction, so a crash or a full disk never leaves half a turn. A call whose future is
//! dropped may still take effect.

mod alias;
mod blobs;
mod browse;
mod claims;
mod diffs;
mod error;
mod export;
mod folder;
mod manage;
mod memory_files;
mod open;
mod pairings;
mod rows;
mod schema;
mod search;
mod sessions;
mod settings;
mod summaries;
mod title;
mod turns;
mod worker;

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use alias::Lookup;
pub use blobs::{AddBlobsError, PlaceError};
pub use browse::{ConversationPage, Transcript};
pub use claims::Claim;
pub use error::{BeginError, ClaimError, OpenError, StoreError};
pub use export::{Export, ExportItem};
pub use memory_files::{MEMORY_FILE_BYTES, MemoryFiles};
pub use pairings::{PairingRecord, Secret};
pub use sessions::NewConversation;
pub use turns::{BeginTurn, Begun, PartialTurn, StoredPast, StoredTurn, TurnEnd};

use claims::Claims;
use open::{OpenFile, OpenLock};
use worker::Worker;

/// The store. Cheap to clone; dropping the last clone finishes what was queued and ends its threads.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    writer: Worker,
    /// `None` in memory, where one connection is all there is.
    reader: Option<Worker>,
    claims: Claims,
    /// Media files of a store that writes none; `None` where they lie in a folder.
    memory_files: Option<Arc<MemoryFiles>>,
    /// Last, so that it is freed only after both connections are closed.
    _open: Option<OpenLock>,
}

/// What a power cut may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// Nothing: the commit waits for the disk. For ends of turns and for what a person was told is done.
    Now,
    /// The last moments: safe when the process dies, on disk with the next commit that waits. For questions and
    /// partial answers, which the client can send again or the model give again.
    Soon,
}

impl Durability {
    fn apply(self, connection: &Connection) -> Result<(), StoreError> {
        let level = match self {
            Self::Now => "FULL",
            Self::Soon => "NORMAL",
        };
        Ok(connection.pragma_update(None, "synchronous", level)?)
    }
}

impl Store {
    /// Opens or creates the store in `folder`; `program` is what other processes are told holds a conversation
    /// (such as `sidewire serve`). Blocks on the disk.
    ///
    /// Turns that a dead process left running become failed ones and keep their partial text.
    pub fn open(folder: &Path, program: &str) -> Result<Self, OpenError> {
        let OpenFile {
            mut writer,
            reader,
            lock,
        } = open::open(folder)?;
        let claims = Claims::in_folder(&folder::claims(folder)?, program);
        turns::dispose_dead(&mut writer, &claims)
            .and_then(|()| manage::purge(&mut writer, crate::session::now_ms()))
            .map_err(|source| lock.preparing(source))?;
        let inner = Inner {
            writer: Worker::start("store-writer", writer).map_err(OpenError::Thread)?,
            reader: Some(Worker::start("store-reader", reader).map_err(OpenError::Thread)?),
            claims,
            memory_files: None,
            _open: Some(lock),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// A store that ends with its last clone and writes no file: for private windows and tests.
    pub fn in_memory() -> Result<Self, OpenError> {
        let connection = open::in_memory()?;
        let inner = Inner {
            writer: Worker::start("store-memory", connection).map_err(OpenError::Thread)?,
            reader: None,
            claims: Claims::in_memory(),
            memory_files: Some(Arc::default()),
            _open: None,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Where media files go when this store writes none; they are gone with its last clone.
    #[must_use]
    pub fn memory_files(&self) -> Option<Arc<MemoryFiles>> {
        self.inner.memory_files.clone()
    }

    /// Reads in one transaction, so that everything read belongs together.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let worker = self.inner.reader.as_ref().unwrap_or(&self.inner.writer);
        worker
            .run(move |connection| work(&*connection.transaction()?))
            .await
    }

    /// Writes in one transaction; nothing is written when `work` fails.
    async fn write<T, E>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.inner
            .writer
            .run(move |connection| write_in(connection, durability, work))
            .await
    }
}

/// Takes the write lock at once (`BEGIN IMMEDIATE`): waiting for it later could only fail.
fn write_in<T, E: From<StoreError>>(
    connection: &mut Connection,
    durability: Durability,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    durability.apply(connection)?;
    let transaction = immediate(connection)?;
    let value = work(&transaction)?;
    transaction.commit().map_err(StoreError::from)?;
    Ok(value)
}

fn immediate(connection: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

#[cfg(test)]
mod tests;
