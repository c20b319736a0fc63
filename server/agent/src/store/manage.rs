//! What a person does with conversations: rename, delete and undo, branch, delete everything (decision 18).

use rusqlite::Connection;

use super::error::StoreError;
use super::rows::{ConversationRow, live_conversation, reached_by};
use super::{Durability, Store, alias, blobs, diffs, pairings, sessions, summaries, title, write_in};
use crate::ids::{ConversationId, Owner, TurnId};
use crate::record::ConversationRecord;

/// A deleted conversation can be restored for this long.
const UNDO_MS: i64 = 60 * 60 * 1000;

impl Store {
    /// Gives a conversation another title, as one line of at most 200 characters.
    pub async fn rename(
        &self,
        owner: &Owner,
        id: ConversationId,
        title: &str,
    ) -> Result<ConversationRecord, StoreError> {
        let title = title::from_person(title).ok_or(StoreError::BadTitle)?;
        let owner = owner.clone();
        self.write(Durability::Now, move |connection| {
            let row = live_conversation(connection, &owner, id)?.ok_or(StoreError::NotFound)?;
            connection.execute(
                "UPDATE conversation SET title = ?2 WHERE key = ?1",
                (row.key, &title),
            )?;
            Ok(ConversationRecord { title, ..row.record })
        })
        .await
    }

    /// Takes a conversation out of every list; [`Self::restore`] brings it back within an hour.
    pub async fn delete(&self, owner: &Owner, id: ConversationId, now_ms: i64) -> Result<(), StoreError> {
        self.purge(now_ms).await?;
        let owner = owner.clone();
        self.write(Durability::Now, move |connection| {
            let row = live_conversation(connection, &owner, id)?.ok_or(StoreError::NotFound)?;
            connection.execute(
                "UPDATE conversation SET deleted_at_ms = ?2 WHERE key = ?1",
                (row.key, now_ms),
            )?;
            Ok(())
        })
        .await
    }

    /// Undoes [`Self::delete`].
    pub async fn restore(&self, owner: &Owner, id: ConversationId) -> Result<ConversationRecord, StoreError> {
        let owner = owner.clone();
        self.write(Durability::Now, move |connection| {
            let reached = reached_by("?2");
            connection.execute(
                &format!("UPDATE conversation SET deleted_at_ms = NULL WHERE id = ?1 AND {reached}"),
                (id.to_string(), &owner.0),
            )?;
            live_conversation(connection, &owner, id)?
                .map(|row| row.record)
                .ok_or(StoreError::NotFound)
        })
        .await
    }

    /// Removes for good what was deleted more than an hour ago, and what else has run out. Opening does it too.
    pub async fn purge(&self, now_ms: i64) -> Result<(), StoreError> {
        self.inner
            .writer
            .run(move |connection| purge(connection, now_ms))
            .await
    }

    /// Begins a conversation of `owner` with the turns of another one before `before_turn`; that one stays as it is.
    pub async fn branch(
        &self,
        owner: &Owner,
        id: ConversationId,
        before_turn: &TurnId,
        now_ms: i64,
    ) -> Result<ConversationRecord, StoreError> {
        let (owner, before) = (owner.clone(), before_turn.clone());
        self.write(Durability::Now, move |connection| {
            let row = live_conversation(connection, &owner, id)?.ok_or(StoreError::NotFound)?;
            branch(connection, (owner, row), &before, now_ms)
        })
        .await
    }

    /// Removes every conversation of an owner (of everybody without one), with its text: nothing of it is left in the
    /// file, its log or its indexes. Settings and pairings stay.
    ///
    /// When it fails with [`StoreError::Busy`] (another process is reading) or [`StoreError::Full`], the
    /// conversations are gone, but traces of their text may be left: call it again.
    pub async fn delete_all(&self, owner: Option<&Owner>) -> Result<(), StoreError> {
        let owner = owner.map(|owner| owner.0.clone());
        self.inner
            .writer
            .run(move |connection| {
                write_in(connection, Durability::Now, |connection| {
                    connection.execute("DELETE FROM conversation WHERE ?1 IS NULL OR owner = ?1", [owner])?;
                    connection.execute_batch(
                        "INSERT INTO title_index (title_index) VALUES ('rebuild');
                         INSERT INTO turn_index (turn_index) VALUES ('rebuild');",
                    )?;
                    Ok::<_, StoreError>(())
                })?;
                connection.execute_batch("VACUUM")?;
                empty_log(connection)
            })
            .await
    }
}

/// Removes what can no longer be restored, offers and places that have run out, and their traces in the log.
pub(super) fn purge(connection: &mut Connection, now_ms: i64) -> Result<(), StoreError> {
    let purged = write_in(connection, Durability::Soon, |connection| {
        alias::drop_expired(connection, now_ms)?;
        pairings::drop_expired(connection, now_ms)?;
        sessions::drop_unused(connection, now_ms)?;
        let deadline = now_ms.saturating_sub(UNDO_MS);
        Ok::<_, StoreError>(
            connection.execute("DELETE FROM conversation WHERE deleted_at_ms <= ?1", [deadline])?,
        )
    })?;
    if purged == 0 {
        return Ok(());
    }
    match empty_log(connection) {
        // Somebody is reading: the log is emptied another time.
        Err(StoreError::Busy) => Ok(()),
        result => result,
    }
}

/// Moves the write-ahead log into the database and cuts it to nothing.
fn empty_log(connection: &Connection) -> Result<(), StoreError> {
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 { Ok(()) } else { Err(StoreError::Busy) }
}

fn branch(
    connection: &Connection,
    (owner, from): (Owner, ConversationRow),
    before: &TurnId,
    now_ms: i64,
) -> Result<ConversationRecord, StoreError> {
    let end: Option<i64> = connection.query_row(
        "SELECT MIN(number) FROM turn WHERE conversation = ?1 AND id = ?2",
        (from.key, &before.0),
        |row| row.get(0),
    )?;
    let end = end.ok_or(StoreError::NotFound)?;
    let record = ConversationRecord {
        id: ConversationId::mint(),
        owner,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        branch_of: Some(from.record.id),
        ..from.record
    };
    let to = ConversationRow::insert(connection, record)?;
    copy_turns(connection, (from.key, to.key), end)?;
    diffs::copy(connection, (from.key, to.key))?;
    summaries::copy(connection, (from.key, to.key), end)?;
    blobs::copy_references(connection, from.key, to.key)?;
    let turns: i64 = connection.query_row(
        "UPDATE conversation SET turns = (SELECT COUNT(*) FROM turn WHERE conversation = ?1) WHERE key = ?1 \
         RETURNING turns",
        [to.key],
        |row| row.get(0),
    )?;
    Ok(ConversationRecord {
        turns: turns.unsigned_abs(),
        ..to.record
    })
}

/// Copies the ended turns before number `end`, with their messages.
fn copy_turns(connection: &Connection, (from, to): (i64, i64), end: i64) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO turn (conversation, number, owner, id, copied, state, mode, started_at_ms, prompt, text, details) \
         SELECT ?2, number, owner, id, 1, state, mode, started_at_ms, prompt, text, details FROM turn \
         WHERE conversation = ?1 AND number < ?3 AND state <> 'running' ORDER BY number",
        (from, to, end),
    )?;
    connection.execute(
        "INSERT INTO message (turn, number, role, parts) \
         SELECT copy.key, message.number, message.role, message.parts FROM turn AS copy \
         JOIN turn AS source ON source.conversation = ?1 AND source.number = copy.number \
         JOIN message ON message.turn = source.key WHERE copy.conversation = ?2",
        (from, to),
    )?;
    Ok(())
}
