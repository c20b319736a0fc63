//! What stands for the earlier turns of a conversation once they were summed up. The turns themselves stay: only a
//! model is spared them.

use rusqlite::{Connection, OptionalExtension};

use super::error::StoreError;
use super::rows::{json, read_json};
use super::turns::{self, StoredPast};
use super::{Durability, Store};
use crate::ids::ConversationId;
use crate::message::Message;

impl Store {
    /// What was said in a conversation: its newest turns of at most `limit` bytes of messages.
    pub async fn past(&self, conversation: ConversationId, limit: usize) -> Result<StoredPast, StoreError> {
        self.read(move |connection| turns::past(connection, key_of(connection, conversation)?, limit))
            .await
    }

    /// Lets `summary` stand for the turns up to number `through`, in place of an older summary. The caller holds the
    /// claim.
    pub async fn keep_summary(
        &self,
        conversation: ConversationId,
        through: i64,
        summary: Message,
    ) -> Result<(), StoreError> {
        self.write(Durability::Soon, move |connection| {
            let key = key_of(connection, conversation)?;
            drop_all(connection, key)?;
            connection
                .prepare_cached("INSERT INTO summary (conversation, through, message) VALUES (?1, ?2, ?3)")?
                .execute((key, through, json(&summary, "summary")?))?;
            Ok(())
        })
        .await
    }
}

/// The newest summary and the number of the last turn it stands for.
pub(super) fn newest(
    connection: &Connection,
    conversation: i64,
) -> Result<Option<(Message, i64)>, StoreError> {
    let found: Option<(String, i64)> = connection
        .prepare_cached(
            "SELECT message, through FROM summary WHERE conversation = ?1 ORDER BY through DESC LIMIT 1",
        )?
        .query_row([conversation], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found
        .map(|(message, through)| Ok((read_json(&message, "summary")?, through)))
        .transpose()
}

/// A branch that begins after the turns of a summary keeps it.
pub(super) fn copy(connection: &Connection, (from, to): (i64, i64), end: i64) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO summary (conversation, through, message) \
         SELECT ?2, through, message FROM summary WHERE conversation = ?1 AND through < ?3",
        (from, to, end),
    )?;
    Ok(())
}

/// Forgets the summaries of a conversation.
pub(super) fn drop_all(connection: &Connection, conversation: i64) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM summary WHERE conversation = ?1")?
        .execute([conversation])?;
    Ok(())
}

fn key_of(connection: &Connection, conversation: ConversationId) -> Result<i64, StoreError> {
    let key = connection
        .prepare_cached("SELECT key FROM conversation WHERE id = ?1 AND deleted_at_ms IS NULL")?
        .query_row([conversation.to_string()], |row| row.get(0))
        .optional()?;
    key.ok_or(StoreError::NotFound)
}
