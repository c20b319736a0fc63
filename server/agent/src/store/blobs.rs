//! Which conversation shows which media file. The bytes lie elsewhere; what is kept here is who may read them and
//! when they may go.
//!
//! A file is put in place only after its reference is durable, and is removed only inside a write transaction that
//! finds no reference. Transactions come one after the other, in all processes, so no file that is being shown is
//! ever swept away.

use rusqlite::{Connection, OptionalExtension, Row};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::{Asset, MimeType};
use sidewire_contract::number::Positive;

use super::error::StoreError;
use super::rows::{read_word, word};
use super::{Durability, Store};
use crate::ids::{ConversationId, Owner};

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
    /// It could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Lets a conversation show these files, of which all together may take `quota` bytes. Durable when it returns.
    pub async fn blobs_add(
        &self,
        conversation: ConversationId,
        assets: Vec<Asset>,
        quota: u64,
    ) -> Result<(), AddBlobsError> {
        self.write(Durability::Now, move |connection| {
            let key = key_of(connection, conversation)?;
            check_room(connection, &assets, quota)?;
            for asset in &assets {
                add(connection, key, asset)?;
            }
            Ok(())
        })
        .await
    }

    /// A file, when a conversation of this owner shows it.
    pub async fn blob_of_owner(
        &self,
        owner: &Owner,
        reference: &BlobRef,
    ) -> Result<Option<Asset>, StoreError> {
        let (owner, reference) = (owner.0.clone(), reference.clone());
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT hash, bytes, mime FROM blob_reference JOIN conversation ON conversation.key = conversation \
                 WHERE hash = ?1 AND owner = ?2 AND deleted_at_ms IS NULL LIMIT 1",
            )?;
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
        mut remove: impl FnMut(&BlobRef) + Send + 'static,
    ) -> Result<usize, StoreError> {
        self.write(Durability::Soon, move |connection| {
            let mut shown =
                connection.prepare_cached("SELECT 1 FROM blob_reference WHERE hash = ?1 LIMIT 1")?;
            let mut removed = 0;
            for file in &files {
                if !shown.exists([file.hash()])? {
                    remove(file);
                    removed += 1;
                }
            }
            Ok(removed)
        })
        .await
    }
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

fn check_room(connection: &Connection, assets: &[Asset], quota: u64) -> Result<(), AddBlobsError> {
    let mut known = connection
        .prepare_cached("SELECT 1 FROM blob_reference WHERE hash = ?1 LIMIT 1")
        .map_err(StoreError::from)?;
    let mut wanted = 0_u64;
    for asset in assets {
        if !known.exists([asset.reference.hash()]).map_err(StoreError::from)? {
            wanted = wanted.saturating_add(asset.bytes.get());
        }
    }
    let used = used(connection)?;
    if wanted > 0 && used.saturating_add(wanted) > quota {
        return Err(AddBlobsError::Full { used, quota, wanted });
    }
    Ok(())
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

type Raw = (String, i64, String);

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn read((hash, bytes, mime): Raw) -> Result<Asset, StoreError> {
    let unreadable = StoreError::Unreadable("media reference");
    let reference = BlobRef::from_hash(&hash);
    let bytes = Positive::new(bytes.unsigned_abs());
    let (Ok(reference), Some(bytes)) = (reference, bytes) else {
        return Err(unreadable);
    };
    Ok(Asset {
        reference,
        mime_type: read_word::<MimeType>(&mime)?,
        bytes,
    })
}
