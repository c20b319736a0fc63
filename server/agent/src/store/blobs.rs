//! Which conversation shows which media file. The bytes lie elsewhere; what is kept here is who may read them and
//! when they may go.
//!
//! A file gets its place inside the write transaction that refers to it, and is removed only inside one that finds no
//! reference. Transactions come one after the other, in all processes, so no file that is being shown is ever swept
//! away, and there is no reference to a file that never came.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::{Asset, MimeType};
use sidewire_contract::number::Positive;

use super::error::StoreError;
use super::rows::{reached_by, read_word, word};
use super::{Durability, Store};
use crate::ids::{ConversationId, Owner};

/// Files that one transaction of a sweep looks at: others want to write too.
const SWEPT: usize = 256;

/// Why files did not get their places.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Where they were to go, no room is left.
    #[error("no room is left for the media file")]
    Full,
    /// The disk said no.
    #[error("the media file could not be put in its place")]
    Io(#[from] io::Error),
}

/// Why media was not added to a conversation.
#[derive(Debug, thiserror::Error)]
pub enum AddBlobsError {
    /// No room is left for media.
    #[error(
        "media takes {used} of {quota} bytes, and {wanted} more do not fit; delete conversations that show media"
    )]
    Full {
        /// Bytes that are taken.
        used: u64,
        /// Bytes there are.
        quota: u64,
        /// Bytes that were to be added.
        wanted: u64,
    },
    /// The files did not get their places.
    #[error("the media file could not be put in its place")]
    Place(#[source] io::Error),
    /// It could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Lets a conversation show these files, of which all together may take `quota` bytes, and has them put in their
    /// places by `place`: both or neither. Durable when it returns; gives back how many bytes all of them take now.
    pub async fn blobs_add(
        &self,
        conversation: ConversationId,
        assets: Vec<Asset>,
        quota: u64,
        place: impl FnOnce() -> Result<(), PlaceError> + Send + 'static,
    ) -> Result<u64, AddBlobsError> {
        self.write(Durability::Now, move |connection| {
            let key = key_of(connection, conversation)?;
            let (used, wanted) = measure(connection, &assets)?;
            let full = || AddBlobsError::Full { used, quota, wanted };
            if wanted > 0 && used.saturating_add(wanted) > quota {
                return Err(full());
            }
            for asset in &assets {
                add(connection, key, asset)?;
            }
            place().map_err(|error| match error {
                PlaceError::Full => full(),
                PlaceError::Io(source) => AddBlobsError::Place(source),
            })?;
            Ok(used.saturating_add(wanted))
        })
        .await
    }

    /// A file, when a conversation that this owner reaches shows it.
    pub async fn blob_of_owner(
        &self,
        owner: &Owner,
        reference: &BlobRef,
    ) -> Result<Option<Asset>, StoreError> {
        let (owner, reference) = (owner.0.clone(), reference.clone());
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT hash, bytes, mime FROM blob_reference JOIN conversation ON conversation.key = conversation \
                 WHERE hash = ?1 AND {} AND deleted_at_ms IS NULL LIMIT 1",
                reached_by("?2"),
            ))?;
            let found = statement.query_row((reference.hash(), &owner), raw).optional()?;
            found.map(read).transpose()
        })
        .await
    }

    /// A file, when this conversation shows it.
    pub async fn blob_of_conversation(
        &self,
        conversation: ConversationId,
        reference: &BlobRef,
    ) -> Result<Option<Asset>, StoreError> {
        let reference = reference.clone();
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT hash, bytes, mime FROM blob_reference JOIN conversation ON conversation.key = conversation \
                 WHERE hash = ?1 AND id = ?2",
            )?;
            let found = statement
                .query_row((reference.hash(), conversation.to_string()), raw)
                .optional()?;
            found.map(read).transpose()
        })
        .await
    }

    /// Bytes of all files that conversations show, each file counted once.
    pub async fn blob_bytes(&self) -> Result<u64, StoreError> {
        self.read(used).await
    }

    /// Calls `remove` for each of these files that no conversation shows, while nobody can begin to show it. Gives
    /// back how many there were.
    pub async fn blobs_sweep(
        &self,
        files: Vec<BlobRef>,
        remove: impl Fn(&BlobRef) + Send + Sync + 'static,
    ) -> Result<usize, StoreError> {
        let idle = self.read(move |connection| unshown(connection, files)).await?;
        self.in_batches(idle, move |connection, batch| {
            let idle = unshown(connection, batch)?;
            idle.iter().for_each(&remove);
            Ok(idle.len())
        })
        .await
    }

    /// Forgets the files that conversations show and that are neither among `files` nor found by `is_there`: they take
    /// no room. Gives back how many there were.
    pub async fn blobs_forget(
        &self,
        files: Vec<BlobRef>,
        is_there: impl Fn(&BlobRef) -> bool + Send + Sync + 'static,
    ) -> Result<usize, StoreError> {
        let missing = self
            .read(move |connection| shown_beside(connection, &files))
            .await?;
        self.in_batches(missing, move |connection, batch| {
            let mut forget = connection.prepare_cached("DELETE FROM blob_reference WHERE hash = ?1")?;
            let mut forgotten = 0;
            for file in batch.iter().filter(|file| !is_there(file)) {
                forget.execute([file.hash()])?;
                forgotten += 1;
            }
            Ok(forgotten)
        })
        .await
    }

    /// One transaction after the other, so that whoever else wants to write gets a turn.
    async fn in_batches(
        &self,
        files: Vec<BlobRef>,
        work: impl Fn(&Connection, Vec<BlobRef>) -> Result<usize, StoreError> + Send + Sync + 'static,
    ) -> Result<usize, StoreError> {
        let work = Arc::new(work);
        let mut count = 0;
        for batch in files.chunks(SWEPT).map(<[BlobRef]>::to_vec) {
            let work = Arc::clone(&work);
            count += self
                .write(Durability::Soon, move |connection| work(connection, batch))
                .await?;
        }
        Ok(count)
    }
}

/// Those that no conversation shows.
fn unshown(connection: &Connection, files: Vec<BlobRef>) -> Result<Vec<BlobRef>, StoreError> {
    let mut shown = connection.prepare_cached("SELECT 1 FROM blob_reference WHERE hash = ?1 LIMIT 1")?;
    let mut idle = Vec::new();
    for file in files {
        if !shown.exists([file.hash()])? {
            idle.push(file);
        }
    }
    Ok(idle)
}

/// What conversations show beside these.
fn shown_beside(connection: &Connection, files: &[BlobRef]) -> Result<Vec<BlobRef>, StoreError> {
    let known: HashSet<&str> = files.iter().map(BlobRef::hash).collect();
    let mut statement = connection.prepare_cached("SELECT DISTINCT hash FROM blob_reference")?;
    let mut rows = statement.query([])?;
    let mut beside = Vec::new();
    while let Some(row) = rows.next()? {
        let hash: String = row.get(0)?;
        if !known.contains(hash.as_str()) {
            beside.push(reference(&hash)?);
        }
    }
    Ok(beside)
}

/// A branch shows what its origin shows.
pub(super) fn copy_references(connection: &Connection, from: i64, to: i64) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO blob_reference (conversation, hash, bytes, mime) \
         SELECT ?2, hash, bytes, mime FROM blob_reference WHERE conversation = ?1",
        (from, to),
    )?;
    Ok(())
}

fn key_of(connection: &Connection, conversation: ConversationId) -> Result<i64, StoreError> {
    let key = connection
        .prepare_cached("SELECT key FROM conversation WHERE id = ?1")?
        .query_row([conversation.to_string()], |row| row.get(0))
        .optional()?;
    key.ok_or(StoreError::NotFound)
}

fn add(connection: &Connection, conversation: i64, asset: &Asset) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO blob_reference (conversation, hash, bytes, mime) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute((
            conversation,
            asset.reference.hash(),
            size(asset)?,
            word(asset.mime_type)?,
        ))?;
    Ok(())
}

/// Bytes that all files take, and those that these would add.
fn measure(connection: &Connection, assets: &[Asset]) -> Result<(u64, u64), StoreError> {
    let mut known = connection.prepare_cached("SELECT 1 FROM blob_reference WHERE hash = ?1 LIMIT 1")?;
    let mut wanted = 0_u64;
    for asset in assets {
        if !known.exists([asset.reference.hash()])? {
            wanted = wanted.saturating_add(asset.bytes.get());
        }
    }
    Ok((used(connection)?, wanted))
}

fn used(connection: &Connection) -> Result<u64, StoreError> {
    let sum: i64 = connection
        .prepare_cached(
            "SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT hash, bytes FROM blob_reference)",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(sum.unsigned_abs())
}

fn size(asset: &Asset) -> Result<i64, StoreError> {
    i64::try_from(asset.bytes.get()).map_err(|_error| StoreError::Unreadable("media size"))
}

const UNREADABLE: StoreError = StoreError::Unreadable("media reference");

type Raw = (String, i64, String);

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn read((hash, bytes, mime): Raw) -> Result<Asset, StoreError> {
    let bytes = Positive::new(bytes.unsigned_abs());
    Ok(Asset {
        reference: reference(&hash)?,
        mime_type: read_word::<MimeType>(&mime)?,
        bytes: bytes.ok_or(UNREADABLE)?,
    })
}

fn reference(hash: &str) -> Result<BlobRef, StoreError> {
    BlobRef::from_hash(hash).map_err(|_error| UNREADABLE)
}
