//! What editors need beyond what everybody does: a conversation before its first turn, its controls, its folder in
//! lists, its turns with everything that was said, and a fresh start under the same id.

use std::fmt;
use std::str::FromStr;

use rusqlite::{Connection, named_params};

use super::browse::{ConversationPage, PAGE_ROWS, number};
use super::error::StoreError;
use super::rows::{ConversationRow, conversations, json, live_conversation, messages, visit_turns};
use super::turns::StoredTurn;
use super::{Durability, Store, diffs, summaries};
use crate::ids::{ConversationId, Owner};
use crate::record::{CallDiff, Controls, ConversationRecord, Origin};
use crate::session::now_ms;

/// A conversation that never got a turn goes after this long. Nobody sees it meanwhile, and an editor may well be left
/// open for days before the first prompt.
const UNUSED_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// A conversation that begins before anything is asked.
#[derive(Clone, Debug)]
pub struct NewConversation {
    /// Whose it is.
    pub owner: Owner,
    /// Where it begins.
    pub origin: Origin,
    /// Folder an editor works in.
    pub folder: Option<String>,
    /// What an editor set for it.
    pub controls: Controls,
}

impl Store {
    /// Begins a conversation. No list shows it before its first turn.
    pub async fn create(&self, new: NewConversation) -> Result<ConversationRecord, StoreError> {
        let record = ConversationRecord {
            folder: new.folder,
            controls: new.controls,
            ..ConversationRecord::begun(new.owner, new.origin, now_ms())
        };
        self.write(Durability::Soon, move |connection| {
            Ok(ConversationRow::insert(connection, record)?.record)
        })
        .await
    }

    /// Keeps what an editor set for a conversation. Trust is left as it is: it comes from [`Self::trust`] only.
    pub async fn set_controls(&self, id: ConversationId, controls: Controls) -> Result<(), StoreError> {
        self.write(Durability::Soon, move |connection| {
            let row = live(connection, id)?;
            let trusted = row.record.controls.trusted;
            keep_controls(connection, row.key, &Controls { trusted, ..controls })
        })
        .await
    }

    /// Keeps that the person lets a conversation act, until a page comes into it again. The caller holds the claim, so
    /// that none comes meanwhile.
    pub async fn trust(&self, id: ConversationId) -> Result<(), StoreError> {
        self.write(Durability::Soon, move |connection| {
            let row = live(connection, id)?;
            let controls = Controls {
                trusted: true,
                ..row.record.controls
            };
            keep_controls(connection, row.key, &controls)
        })
        .await
    }

    /// Removes the turns of a conversation and its title; its id, folder and controls stay. The caller holds the claim.
    pub async fn clear(&self, id: ConversationId) -> Result<(), StoreError> {
        self.write(Durability::Now, move |connection| {
            let key = live(connection, id)?.key;
            summaries::drop_all(connection, key)?;
            for sql in [
                "DELETE FROM turn WHERE conversation = ?1",
                "DELETE FROM blob_reference WHERE conversation = ?1",
                "UPDATE conversation SET title = '', turns = 0 WHERE key = ?1",
            ] {
                connection.execute(sql, [key])?;
            }
            Ok(())
        })
        .await
    }

    /// Conversations that hold a turn, whoever began them, newest first and then by id; with a `folder`, those whose
    /// folder it is.
    pub async fn sessions(
        &self,
        folder: Option<&str>,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<ConversationPage, StoreError> {
        let folder = folder.map(str::to_owned);
        let after: Option<Cursor> = cursor.map(str::parse).transpose()?;
        let limit = limit.clamp(1, PAGE_ROWS);
        self.read(move |connection| page(connection, folder.as_deref(), after.as_ref(), limit))
            .await
    }

    /// The turns of a conversation after number `after`, oldest first: as many as fit into `byte_limit` bytes of
    /// messages and changed files, at least one while there are any.
    pub async fn stored_turns(
        &self,
        owner: &Owner,
        id: ConversationId,
        after: i64,
        byte_limit: usize,
    ) -> Result<Vec<StoredTurn>, StoreError> {
        let owner = owner.clone();
        self.read(move |connection| {
            let place = live_conversation(connection, &owner, id)?.ok_or(StoreError::NotFound)?;
            turns_after(connection, place.key, after, byte_limit)
        })
        .await
    }
}

/// Removes conversations of editors that never got a turn.
pub(super) fn drop_unused(connection: &Connection, now_ms: i64) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM conversation WHERE origin = 'editor' AND turns = 0 AND updated_at_ms <= ?1 \
         AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.conversation = conversation.key)",
        [now_ms.saturating_sub(UNUSED_MS)],
    )?;
    Ok(())
}

/// The conversation of that id, whoever's it is.
fn live(connection: &Connection, id: ConversationId) -> Result<ConversationRow, StoreError> {
    let rest = "WHERE id = ?1 AND deleted_at_ms IS NULL";
    let found = conversations(connection, rest, [id.to_string()])?.pop();
    found.ok_or(StoreError::NotFound)
}

pub(super) fn keep_controls(
    connection: &Connection,
    conversation: i64,
    controls: &Controls,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE conversation SET controls = ?2 WHERE key = ?1")?
        .execute((conversation, json(controls, "controls")?))?;
    Ok(())
}

fn page(
    connection: &Connection,
    folder: Option<&str>,
    after: Option<&Cursor>,
    limit: usize,
) -> Result<ConversationPage, StoreError> {
    let rest = "WHERE deleted_at_ms IS NULL AND turns > 0 AND (:folder IS NULL OR folder = :folder) \
         AND (:id IS NULL OR updated_at_ms < :updated_at_ms OR (updated_at_ms = :updated_at_ms AND id > :id)) \
         ORDER BY updated_at_ms DESC, id LIMIT :rows";
    // One more than asked for tells whether there is a next page.
    let rows = i64::try_from(limit + 1).unwrap_or(i64::MAX);
    let mut found = conversations(
        connection,
        rest,
        named_params! {
            ":folder": folder,
            ":updated_at_ms": after.map(|after| after.updated_at_ms),
            ":id": after.map(|after| after.id.to_string()),
            ":rows": rows,
        },
    )?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found
        .last()
        .filter(|_| more)
        .map(|row| Cursor::of(&row.record).to_string());
    Ok(ConversationPage {
        conversations: found.into_iter().map(|row| row.record).collect(),
        next,
    })
}

fn turns_after(
    connection: &Connection,
    conversation: i64,
    after: i64,
    byte_limit: usize,
) -> Result<Vec<StoredTurn>, StoreError> {
    let (mut turns, mut left) = (Vec::new(), byte_limit);
    let rest = "WHERE conversation = ?1 AND number > ?2 ORDER BY number";
    visit_turns(connection, rest, (conversation, after), |turn| {
        let (messages, bytes) = messages(connection, turn.key)?;
        let diffs = diffs::of_turn(connection, turn.key)?;
        let bytes = bytes + diffs.iter().map(CallDiff::weight).sum::<usize>();
        if bytes > left && !turns.is_empty() {
            return Ok(false);
        }
        left = left.saturating_sub(bytes);
        turns.push(StoredTurn {
            number: turn.number,
            record: turn.record,
            messages,
            diffs,
        });
        Ok(true)
    })?;
    Ok(turns)
}

/// The last row of a page. Clients only hand it back.
struct Cursor {
    updated_at_ms: i64,
    id: ConversationId,
}

impl Cursor {
    fn of(record: &ConversationRecord) -> Self {
        Self {
            updated_at_ms: record.updated_at_ms,
            id: record.id,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.updated_at_ms, self.id)
    }
}

impl FromStr for Cursor {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let (updated_at_ms, id) = text.split_once('.').ok_or(StoreError::BadCursor)?;
        Ok(Self {
            updated_at_ms: number(updated_at_ms)?,
            id: ConversationId::parse(id).ok_or(StoreError::BadCursor)?,
        })
    }
}
