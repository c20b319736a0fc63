//! Everything of an owner, one piece at a time (decision 18): memory stays small however much there is.

use rusqlite::Connection;
use serde::Serialize;

use super::error::StoreError;
use super::rows::{self, conversations, first_turn};
use super::turns::StoredTurn;
use super::{Store, diffs};
use crate::ids::Owner;
use crate::record::ConversationRecord;

/// A piece of an export.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExportItem {
    /// A conversation; its turns follow.
    Conversation(Box<ConversationRecord>),
    /// A turn of the conversation before.
    Turn(Box<StoredTurn>),
}

/// An export under way. It shows the store as it is at each step; what is deleted meanwhile is left out.
pub struct Export {
    store: Store,
    owner: Option<String>,
    place: Place,
}

/// The last row that was given: keys and numbers begin at 1.
#[derive(Clone, Copy, Default)]
struct Place {
    conversation: i64,
    turn: i64,
}

impl Store {
    /// Exports the conversations of an owner (of everybody without one), oldest first.
    #[must_use]
    pub fn export(&self, owner: Option<&Owner>) -> Export {
        Export {
            store: self.clone(),
            owner: owner.map(|owner| owner.0.clone()),
            place: Place::default(),
        }
    }
}

impl Export {
    /// The next piece; `None` after the last one.
    pub async fn next_item(&mut self) -> Result<Option<ExportItem>, StoreError> {
        let (owner, place) = (self.owner.clone(), self.place);
        let found = self
            .store
            .read(move |connection| step(connection, owner.as_deref(), place))
            .await?;
        Ok(found.map(|(place, item)| {
            self.place = place;
            item
        }))
    }
}

fn step(
    connection: &Connection,
    owner: Option<&str>,
    place: Place,
) -> Result<Option<(Place, ExportItem)>, StoreError> {
    let rest = "WHERE conversation = (SELECT key FROM conversation WHERE key = ?1 AND deleted_at_ms IS NULL) \
         AND number > ?2 ORDER BY number LIMIT 1";
    if let Some(turn) = first_turn(connection, rest, (place.conversation, place.turn))? {
        let (messages, _bytes) = rows::messages(connection, turn.key)?;
        let place = Place {
            turn: turn.number,
            ..place
        };
        let turn = StoredTurn {
            number: turn.number,
            diffs: diffs::of_turn(connection, turn.key)?,
            record: turn.record,
            messages,
        };
        return Ok(Some((place, ExportItem::Turn(Box::new(turn)))));
    }
    let rest = "WHERE key > ?1 AND deleted_at_ms IS NULL AND (?2 IS NULL OR owner = ?2) ORDER BY key LIMIT 1";
    let next = conversations(connection, rest, (place.conversation, owner))?.pop();
    Ok(next.map(|row| {
        (
            Place {
                conversation: row.key,
                turn: 0,
            },
            ExportItem::Conversation(Box::new(row.record)),
        )
    }))
}
