//! A turn from its question to its end: begun, saved every second, finished once.

use rusqlite::Connection;
use serde::Serialize;

use super::claims::Claims;
use super::error::{BeginError, ClaimError, StoreError};
use super::rows::{self, ConversationRow, TurnRow, first_turn, live_conversation, visit_turns, word};
use super::{Durability, Store, diffs, sessions, summaries, title, write_in};
use crate::error::TurnFailure;
use crate::event::TurnOutcome;
use crate::ids::{ConversationId, Owner, TurnId};
use crate::message::Message;
use crate::record::{CallDiff, Controls, Origin, TurnRecord, TurnState};

/// The question; the messages a turn adds follow it.
const QUESTION: i64 = 0;

/// A question to store and the history to read with it.
pub struct BeginTurn {
    /// Its conversation, which the caller has claimed.
    pub conversation: ConversationId,
    /// Owner of the turn and of its conversation.
    pub owner: Owner,
    /// The turn as it begins: running.
    pub turn: TurnRecord,
    /// The question as the model gets it again later.
    pub user_message: Message,
    /// Most bytes of earlier messages to give back.
    pub history_bytes: usize,
    /// Milliseconds since 1970.
    pub now_ms: i64,
}

/// A turn that is stored.
#[derive(Debug)]
pub struct Begun {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its number there, from 1.
    pub number: i64,
    /// What the conversation is called now.
    pub title: String,
    /// The person lets it act on their files (decision 35).
    pub trusted: bool,
    /// What stands for the turns before the history, when they were summed up.
    pub summary: Option<Message>,
    /// Earlier turns that no summary stands for, oldest first: the newest ones that fit, whole.
    pub history: Vec<StoredTurn>,
    /// Older ones did not fit.
    pub history_cut: bool,
}

/// A turn with everything that was said in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredTurn {
    /// Its number in its conversation, from 1.
    pub number: i64,
    /// As it is shown.
    pub record: TurnRecord,
    /// As a model reads it, the question first.
    pub messages: Vec<Message>,
    /// The changed files that its calls showed; none where only a model reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<CallDiff>,
}

/// A turn as far as it went.
pub struct PartialTurn {
    /// As it is shown.
    pub record: TurnRecord,
    /// How many of its messages after the question are stored and stay as they are.
    pub kept: usize,
    /// Those that follow; they take the place of any that were stored there.
    pub messages: Vec<Message>,
}

/// A turn as it ended.
pub struct TurnEnd {
    /// As it is shown.
    pub record: TurnRecord,
    /// As a model reads it, without the question.
    pub messages: Vec<Message>,
    /// The changed files that its calls showed.
    pub diffs: Vec<CallDiff>,
}

impl Store {
    /// Stores a question and reads what was said before. The caller holds the claim, so a turn that is still marked
    /// running there is of a dead process and is ended here.
    pub async fn begin_turn(&self, begin: BeginTurn) -> Result<Begun, BeginError> {
        self.write(Durability::Soon, move |connection| begin.store(connection))
            .await
    }

    /// Queues what there is of a running turn. False when the writer has no room: try again in a second. A late one
    /// never undoes the end of the turn.
    pub fn save_partial(&self, conversation: ConversationId, number: i64, partial: PartialTurn) -> bool {
        self.inner.writer.try_run(move |connection| {
            let saved: Result<(), StoreError> = write_in(connection, Durability::Soon, |connection| {
                let turn = by_number(connection, conversation, number)?;
                match turn.filter(|turn| turn.record.state == TurnState::Running) {
                    Some(turn) => replace(connection, turn.key, partial),
                    None => Ok(()),
                }
            });
            if let Err(error) = saved {
                tracing::warn!(%conversation, number, %error, "failed to save a partial answer");
            }
        })
    }

    /// Replaces what is stored of a turn by its end. Once this returns, the turn survives a power cut.
    pub async fn finish_turn(
        &self,
        conversation: ConversationId,
        number: i64,
        end: TurnEnd,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        self.write(Durability::Now, move |connection| {
            let turn = by_number(connection, conversation, number)?.ok_or(StoreError::NotFound)?;
            let whole = PartialTurn {
                record: end.record,
                kept: 0,
                messages: end.messages,
            };
            replace(connection, turn.key, whole)?;
            diffs::keep(connection, turn.key, &end.diffs)?;
            connection
                .prepare_cached("UPDATE conversation SET updated_at_ms = ?2 WHERE key = ?1")?
                .execute((turn.conversation, now_ms))?;
            Ok(())
        })
        .await
    }

    /// The turn an owner gave this id, and its conversation.
    pub async fn turn(
        &self,
        owner: &Owner,
        id: &TurnId,
    ) -> Result<Option<(ConversationId, TurnRecord)>, StoreError> {
        let (owner, id) = (owner.clone(), id.clone());
        self.read(move |connection| by_id(connection, &owner, &id)).await
    }
}

impl BeginTurn {
    fn store(self, connection: &Connection) -> Result<Begun, BeginError> {
        if let Some((conversation, turn)) = by_id(connection, &self.owner, &self.turn.id)? {
            return Err(BeginError::Duplicate {
                conversation,
                turn: Box::new(turn),
            });
        }
        let place =
            live_conversation(connection, &self.owner, self.conversation)?.ok_or(StoreError::NotFound)?;
        dispose(connection, place.key)?;
        let past = past(connection, place.key, self.history_bytes)?;
        let number = next_number(connection, place.key)?;
        let title = self.touch(connection, &place)?;
        let trusted = self.trust(connection, &place)?;
        let turn = TurnRow::insert(connection, &self.owner, (place.key, number), self.turn)?;
        rows::insert_messages(connection, turn, QUESTION, &[self.user_message])?;
        Ok(Begun {
            conversation: self.conversation,
            number,
            title,
            trusted,
            summary: past.summary,
            history: past.turns,
            history_cut: past.cut,
        })
    }

    /// Brings the conversation up to date with its new turn; gives its title.
    fn touch(&self, connection: &Connection, place: &ConversationRow) -> Result<String, StoreError> {
        let title = match place.record.title.as_str() {
            "" if place.record.origin == Origin::Editor => title::from_prompt(&self.turn.prompt),
            "" => title::from_question(&self.turn.prompt),
            title => title.to_owned(),
        };
        // An editor has no mode: the conversation keeps the one it has beside a page.
        let mode = (self.owner != Owner::editor()).then(|| word(self.turn.mode));
        let host = self.turn.page.as_ref().and_then(|page| host_of(&page.url));
        connection
            .prepare_cached(
                "UPDATE conversation SET title = ?2, mode = COALESCE(?3, mode), host = COALESCE(?4, host), updated_at_ms = ?5, \
                 turns = turns + 1 WHERE key = ?1",
            )?
            .execute((place.key, &title, mode.transpose()?, host, self.now_ms))?;
        Ok(title)
    }

    /// Whether the conversation is trusted. One that a browser asks in is so no longer, wherever it began: what a page
    /// says may stand in it now.
    fn trust(&self, connection: &Connection, place: &ConversationRow) -> Result<bool, StoreError> {
        let controls = &place.record.controls;
        let from_editor = self.owner == Owner::editor() && self.turn.page.is_none();
        if controls.trusted && !from_editor {
            let controls = Controls {
                trusted: false,
                ..controls.clone()
            };
            sessions::keep_controls(connection, place.key, &controls)?;
        }
        Ok(controls.trusted && from_editor)
    }
}

fn host_of(address: &str) -> Option<String> {
    url::Url::parse(address).ok()?.host_str().map(str::to_owned)
}

fn by_id(
    connection: &Connection,
    owner: &Owner,
    id: &TurnId,
) -> Result<Option<(ConversationId, TurnRecord)>, StoreError> {
    let rest = "WHERE owner = ?1 AND id = ?2 AND copied = 0";
    let Some(turn) = first_turn(connection, rest, (&owner.0, &id.0))? else {
        return Ok(None);
    };
    let conversation = rows::conversations(connection, "WHERE key = ?1", [turn.conversation])?.pop();
    Ok(conversation.map(|conversation| (conversation.record.id, turn.record)))
}

fn by_number(
    connection: &Connection,
    conversation: ConversationId,
    number: i64,
) -> Result<Option<TurnRow>, StoreError> {
    let rest = "WHERE conversation = (SELECT key FROM conversation WHERE id = ?1) AND number = ?2";
    first_turn(connection, rest, (conversation.to_string(), number))
}

fn next_number(connection: &Connection, conversation: i64) -> Result<i64, StoreError> {
    Ok(connection
        .prepare_cached("SELECT COALESCE(MAX(number), 0) + 1 FROM turn WHERE conversation = ?1")?
        .query_row([conversation], |row| row.get(0))?)
}

/// Replaces a turn and its messages, but for the question and those that are kept.
fn replace(connection: &Connection, turn: i64, partial: PartialTurn) -> Result<(), StoreError> {
    let PartialTurn {
        record,
        kept,
        messages,
    } = partial;
    let last = QUESTION.saturating_add_unsigned(u64::try_from(kept).unwrap_or(u64::MAX));
    TurnRow::update(connection, turn, record)?;
    connection
        .prepare_cached("DELETE FROM message WHERE turn = ?1 AND number > ?2")?
        .execute((turn, last))?;
    rows::insert_messages(connection, turn, last.saturating_add(1), &messages)
}

/// What was said in a conversation so far.
#[derive(Debug)]
pub struct StoredPast {
    /// What stands for the turns before, when they were summed up.
    pub summary: Option<Message>,
    /// The newest ended turns that no summary stands for, oldest first.
    pub turns: Vec<StoredTurn>,
    /// Older ones did not fit.
    pub cut: bool,
}

/// The newest summary and the ended turns after it: the newest ones that fit into `limit` bytes of messages.
pub(super) fn past(
    connection: &Connection,
    conversation: i64,
    limit: usize,
) -> Result<StoredPast, StoreError> {
    let (summary, through) = summaries::newest(connection, conversation)?.unzip();
    let (mut left, mut cut, mut turns) = (limit, false, Vec::new());
    let rest = "WHERE conversation = ?1 AND number > ?2 AND state <> 'running' ORDER BY number DESC";
    visit_turns(connection, rest, (conversation, through.unwrap_or(0)), |turn| {
        let (messages, bytes) = rows::messages(connection, turn.key)?;
        let Some(rest) = left.checked_sub(bytes) else {
            cut = true;
            return Ok(false);
        };
        left = rest;
        turns.push(StoredTurn {
            number: turn.number,
            record: turn.record,
            messages,
            diffs: Vec::new(),
        });
        Ok(true)
    })?;
    turns.reverse();
    Ok(StoredPast { summary, turns, cut })
}

/// Ends turns of a conversation that a dead process left running.
fn dispose(connection: &Connection, conversation: i64) -> Result<(), StoreError> {
    let mut dead = Vec::new();
    visit_turns(
        connection,
        "WHERE conversation = ?1 AND state = 'running'",
        [conversation],
        |turn| {
            dead.push(turn);
            Ok(true)
        },
    )?;
    for TurnRow { key, mut record, .. } in dead {
        let references = std::mem::take(&mut record.references);
        record.end(&TurnOutcome::Failed(TurnFailure::Disposed), &references);
        TurnRow::update(connection, key, record)?;
    }
    Ok(())
}

/// Ends every turn that a dead process left running. A conversation that somebody has claimed is left alone.
pub(super) fn dispose_dead(connection: &mut Connection, claims: &Claims) -> Result<(), StoreError> {
    let rest = "WHERE key IN (SELECT conversation FROM turn WHERE state = 'running')";
    for ConversationRow { key, record } in rows::conversations(connection, rest, ())? {
        match claims.take(record.id) {
            Ok(_claim) => write_in(connection, Durability::Now, |connection| dispose(connection, key))?,
            Err(ClaimError::Held { .. }) => {}
            Err(ClaimError::Store(error)) => return Err(error),
        }
    }
    Ok(())
}
