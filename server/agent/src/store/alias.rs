//! Which conversation a client means (decision 15): by id, by a name it made up, or by where it is.

use rusqlite::{Connection, OptionalExtension};

use super::error::StoreError;
use super::rows::{ConversationRow, conversations, json, live_conversation};
use super::{Durability, Store};
use crate::ids::{ConversationId, Owner};
use crate::record::{ConversationRecord, Origin};

/// A place without a hint is remembered this long after its last use.
const PLACE_LIFE_MS: i64 = 24 * 60 * 60 * 1000;

/// What a client says about the conversation it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Whose it must be.
    pub owner: Owner,
    /// Where it begins, if it is new.
    pub origin: Origin,
    /// An id of ours, or any word of the client's own.
    pub hint: Option<String>,
    /// Another one means another conversation, whatever the hint; one of an editor belongs to no tenant.
    pub session_key: String,
    /// Counts only without a hint: browsers use tab ids again.
    pub tab: i64,
    /// Random per browser start; counts only without a hint.
    pub browser_run: Option<String>,
    /// Milliseconds since 1970.
    pub now_ms: i64,
}

impl Store {
    /// Finds the conversation a client means, or begins one. An id of another owner is only a word here: it gives no
    /// access.
    pub async fn conversation_for(&self, lookup: Lookup) -> Result<ConversationRecord, StoreError> {
        self.write(Durability::Soon, move |connection| {
            lookup.find_or_create(connection)
        })
        .await
    }
}

impl Lookup {
    fn find_or_create(&self, connection: &Connection) -> Result<ConversationRecord, StoreError> {
        if let Some(named) = self.named_by_id(connection)? {
            return Ok(named);
        }
        let name = self.alias()?;
        let found = match self.aliased(connection, &name)? {
            Some(found) => found,
            None => ConversationRow::insert(connection, self.fresh())?,
        };
        self.remember(connection, &name, found.key)?;
        Ok(found.record)
    }

    fn hint(&self) -> Option<&str> {
        self.hint.as_deref().filter(|hint| !hint.is_empty())
    }

    fn named_by_id(&self, connection: &Connection) -> Result<Option<ConversationRecord>, StoreError> {
        let Some(id) = self.hint().and_then(ConversationId::parse) else {
            return Ok(None);
        };
        let found = live_conversation(connection, &self.owner, id)?;
        Ok(found
            .map(|row| row.record)
            .filter(|record| record.origin == Origin::Editor || record.session_key == self.session_key))
    }

    /// JSON keeps the pieces apart: no tab can look like a hint.
    fn alias(&self) -> Result<String, StoreError> {
        match self.hint() {
            Some(hint) => json(&("hint", hint, &self.session_key), "alias"),
            None => json(
                &("place", &self.session_key, self.tab, &self.browser_run),
                "alias",
            ),
        }
    }

    fn aliased(&self, connection: &Connection, name: &str) -> Result<Option<ConversationRow>, StoreError> {
        let key: Option<i64> = connection
            .prepare_cached(
                "SELECT conversation FROM alias WHERE owner = ?1 AND name = ?2 \
                 AND (expires_at_ms IS NULL OR expires_at_ms > ?3)",
            )?
            .query_row((&self.owner.0, name, self.now_ms), |row| row.get(0))
            .optional()?;
        let Some(key) = key else { return Ok(None) };
        Ok(conversations(connection, "WHERE key = ?1 AND deleted_at_ms IS NULL", [key])?.pop())
    }

    fn remember(&self, connection: &Connection, name: &str, key: i64) -> Result<(), StoreError> {
        let expires = self
            .hint()
            .is_none()
            .then(|| self.now_ms.saturating_add(PLACE_LIFE_MS));
        connection
            .prepare_cached(
                "INSERT INTO alias (owner, name, conversation, expires_at_ms) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT DO UPDATE SET conversation = excluded.conversation, \
                 expires_at_ms = excluded.expires_at_ms",
            )?
            .execute((&self.owner.0, name, key, expires))?;
        Ok(())
    }

    fn fresh(&self) -> ConversationRecord {
        ConversationRecord {
            session_key: self.session_key.clone(),
            ..ConversationRecord::begun(self.owner.clone(), self.origin, self.now_ms)
        }
    }
}

/// Forgets places that were not used for a day.
pub(super) fn drop_expired(connection: &Connection, now_ms: i64) -> Result<(), StoreError> {
    connection.execute("DELETE FROM alias WHERE expires_at_ms <= ?1", [now_ms])?;
    Ok(())
}
