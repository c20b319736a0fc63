//! Lists, search and transcripts, in pages.
//!
//! A cursor names the last row a page gave, so rows that come in between shift nothing.

use std::io;
use std::str::FromStr;

use rusqlite::{Connection, named_params};

use super::error::StoreError;
use super::rows::{ConversationRow, conversations, live_conversation, reached_by, visit_turns};
use super::{Store, search};
use crate::ids::{ConversationId, Owner};
use crate::record::{ConversationRecord, TurnRecord};

/// Most rows of one page.
pub(super) const PAGE_ROWS: usize = 200;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationPage {
    /// Newest first.
    pub conversations: Vec<ConversationRecord>,
    /// Cursor of the next page; `None` on the last one.
    pub next: Option<String>,
}

/// A page of a conversation, from its end backwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// The conversation.
    pub conversation: ConversationRecord,
    /// Oldest first.
    pub turns: Vec<TurnRecord>,
    /// Cursor of the page before; `None` on the first one.
    pub before: Option<String>,
}

/// What a list shows.
struct Filter {
    /// Who reaches them; `None` for all.
    owner: Option<String>,
    /// Query of the full-text index; `None` for everything.
    words: Option<String>,
}

impl Store {
    /// Conversations that an owner reaches (all without one) and that hold a turn, newest first.
    pub async fn list(
        &self,
        owner: Option<&Owner>,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<ConversationPage, StoreError> {
        let filter = Filter {
            owner: owner.map(|owner| owner.0.clone()),
            words: None,
        };
        self.page(filter, cursor, limit).await
    }

    /// Like [`Self::list`], of those whose title, or one of whose turns, holds every word of `query`.
    pub async fn search(
        &self,
        owner: Option<&Owner>,
        query: &str,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<ConversationPage, StoreError> {
        let words = search::query(query);
        if words.is_none() && !query.trim().is_empty() {
            return Ok(ConversationPage {
                conversations: Vec::new(),
                next: None,
            });
        }
        self.page(
            Filter {
                owner: owner.map(|owner| owner.0.clone()),
                words,
            },
            cursor,
            limit,
        )
        .await
    }

    async fn page(
        &self,
        filter: Filter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<ConversationPage, StoreError> {
        let before = cursor.map_or(Ok(Cursor::END), str::parse)?;
        let limit = limit.clamp(1, PAGE_ROWS);
        self.read(move |connection| filter.page(connection, before, limit))
            .await
    }

    /// A conversation that this owner reaches.
    pub async fn conversation(
        &self,
        owner: &Owner,
        id: ConversationId,
    ) -> Result<ConversationRecord, StoreError> {
        let owner = owner.clone();
        self.read(move |connection| {
            let found = live_conversation(connection, &owner, id)?;
            found.map(|row| row.record).ok_or(StoreError::NotFound)
        })
        .await
    }

    /// The last turns of a conversation before the cursor: as many as fit into `byte_limit` bytes of JSON, at least
    /// one.
    pub async fn transcript(
        &self,
        owner: &Owner,
        id: ConversationId,
        before: Option<&str>,
        byte_limit: usize,
    ) -> Result<Transcript, StoreError> {
        let before = before.map_or(Ok(i64::MAX), number)?;
        let owner = owner.clone();
        self.read(move |connection| {
            let place = live_conversation(connection, &owner, id)?.ok_or(StoreError::NotFound)?;
            last_turns(connection, place, before, byte_limit)
        })
        .await
    }
}

impl Filter {
    fn page(
        &self,
        connection: &Connection,
        before: Cursor,
        limit: usize,
    ) -> Result<ConversationPage, StoreError> {
        let reached = reached_by(":owner");
        let rest = format!(
            "WHERE deleted_at_ms IS NULL AND turns > 0 AND (:owner IS NULL OR {reached}) \
             AND (updated_at_ms, key) < (:updated_at_ms, :key) \
             AND (:words IS NULL \
                  OR key IN (SELECT rowid FROM title_index WHERE title_index MATCH :words) \
                  OR key IN (SELECT turn.conversation FROM turn_index JOIN turn ON turn.key = turn_index.rowid \
                             WHERE turn_index MATCH :words)) \
             ORDER BY updated_at_ms DESC, key DESC LIMIT :rows"
        );
        // One more than asked for tells whether there is a next page.
        let rows = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let mut found = conversations(
            connection,
            &rest,
            named_params! {
                ":owner": self.owner,
                ":words": self.words,
                ":updated_at_ms": before.updated_at_ms,
                ":key": before.key,
                ":rows": rows,
            },
        )?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found
            .last()
            .filter(|_| more)
            .map(|row| Cursor::of(row).to_string());
        Ok(ConversationPage {
            conversations: found.into_iter().map(|row| row.record).collect(),
            next,
        })
    }
}

fn last_turns(
    connection: &Connection,
    place: ConversationRow,
    before: i64,
    byte_limit: usize,
) -> Result<Transcript, StoreError> {
    let (mut turns, mut left) = (Vec::new(), byte_limit);
    let (mut oldest, mut cut) = (before, false);
    let rest = "WHERE conversation = ?1 AND number < ?2 ORDER BY number DESC";
    visit_turns(connection, rest, (place.key, before), |turn| {
        let size = json_size(&turn.record)?;
        if size > left && !turns.is_empty() {
            cut = true;
            return Ok(false);
        }
        left = left.saturating_sub(size);
        oldest = turn.number;
        turns.push(turn.record);
        Ok(true)
    })?;
    turns.reverse();
    Ok(Transcript {
        conversation: place.record,
        turns,
        before: cut.then(|| oldest.to_string()),
    })
}

/// How many bytes a record takes as JSON, without writing them anywhere.
fn json_size(record: &TurnRecord) -> Result<usize, StoreError> {
    let mut size = ByteCount(0);
    serde_json::to_writer(&mut size, record).map_err(|_error| StoreError::Unreadable("turn"))?;
    Ok(size.0)
}

struct ByteCount(usize);

impl io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The last row of a page. Clients only hand it back.
#[derive(Clone, Copy)]
struct Cursor {
    updated_at_ms: i64,
    key: i64,
}

impl Cursor {
    /// After every row.
    const END: Self = Self {
        updated_at_ms: i64::MAX,
        key: i64::MAX,
    };

    fn of(row: &ConversationRow) -> Self {
        Self {
            updated_at_ms: row.record.updated_at_ms,
            key: row.key,
        }
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.updated_at_ms, self.key)
    }
}

impl FromStr for Cursor {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let (updated_at_ms, key) = text.split_once('.').ok_or(StoreError::BadCursor)?;
        Ok(Self {
            updated_at_ms: number(updated_at_ms)?,
            key: number(key)?,
        })
    }
}

pub(super) fn number(text: &str) -> Result<i64, StoreError> {
    text.parse().map_err(|_error| StoreError::BadCursor)
}
