//! Records as rows and back.
//!
//! JSON of our own is read without a depth limit: what a peer sent was limited where it came in, and stands a few
//! levels deeper here.

use rusqlite::{Connection, Params, Row, named_params};
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidewire_contract::media::Media;

use super::error::StoreError;
use crate::error::TurnFailure;
use crate::ids::{ConversationId, Owner, TurnId};
use crate::message::{Message, Notice, Reference, Usage};
use crate::record::{ConversationRecord, PageStub, ToolRow, TurnRecord};

const SELECT_CONVERSATION: &str = "SELECT key, id, owner, origin, title, mode, session_key, host, created_at_ms, \
     updated_at_ms, turns, branch_of, folder, controls FROM conversation";
const SELECT_TURN: &str =
    "SELECT key, conversation, number, id, state, mode, started_at_ms, prompt, text, details FROM turn";

/// A conversation and the key of its row.
pub(super) struct ConversationRow {
    pub(super) key: i64,
    pub(super) record: ConversationRecord,
}

/// A turn and where its row is.
pub(super) struct TurnRow {
    pub(super) key: i64,
    pub(super) conversation: i64,
    pub(super) number: i64,
    pub(super) record: TurnRecord,
}

/// Everything of a turn that is only ever shown. A field that comes later needs a default.
#[derive(Serialize, Deserialize)]
struct Details {
    failure: Option<TurnFailure>,
    tools: Vec<ToolRow>,
    references: Vec<Reference>,
    media: Vec<Media>,
    notices: Vec<Notice>,
    page: Option<PageStub>,
    model: Option<String>,
    usage: Option<Usage>,
    #[serde(default)]
    context: Option<u64>,
}

impl ConversationRow {
    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let record = ConversationRecord {
            id: read_id(&row.get::<_, String>("id")?)?,
            owner: Owner(row.get("owner")?),
            origin: read_word(&row.get::<_, String>("origin")?)?,
            title: row.get("title")?,
            mode: read_word(&row.get::<_, String>("mode")?)?,
            session_key: row.get("session_key")?,
            host: row.get("host")?,
            created_at_ms: row.get("created_at_ms")?,
            updated_at_ms: row.get("updated_at_ms")?,
            turns: row.get::<_, i64>("turns")?.unsigned_abs(),
            branch_of: row
                .get::<_, Option<String>>("branch_of")?
                .as_deref()
                .map(read_id)
                .transpose()?,
            folder: row.get("folder")?,
            controls: read_json(&row.get::<_, String>("controls")?, "controls")?,
        };
        Ok(Self {
            key: row.get("key")?,
            record,
        })
    }

    /// Adds the row; its key is filled in.
    pub(super) fn insert(connection: &Connection, record: ConversationRecord) -> Result<Self, StoreError> {
        let mut statement = connection.prepare_cached(
            "INSERT INTO conversation (id, owner, origin, title, mode, session_key, host, created_at_ms, \
             updated_at_ms, turns, branch_of, folder, controls) VALUES (:id, :owner, :origin, :title, :mode, \
             :session_key, :host, :created_at_ms, :updated_at_ms, 0, :branch_of, :folder, :controls)",
        )?;
        let key = statement.insert(named_params! {
            ":id": record.id.to_string(),
            ":owner": record.owner.0,
            ":origin": word(record.origin)?,
            ":title": record.title,
            ":mode": word(record.mode)?,
            ":session_key": record.session_key,
            ":host": record.host,
            ":created_at_ms": record.created_at_ms,
            ":updated_at_ms": record.updated_at_ms,
            ":branch_of": record.branch_of.map(|id| id.to_string()),
            ":folder": record.folder,
            ":controls": json(&record.controls, "controls")?,
        })?;
        Ok(Self { key, record })
    }
}

/// Conversations that `rest` (what follows FROM) selects.
pub(super) fn conversations(
    connection: &Connection,
    rest: &str,
    params: impl Params,
) -> Result<Vec<ConversationRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{SELECT_CONVERSATION} {rest}"))?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(ConversationRow::read(row)?);
    }
    Ok(found)
}

/// Condition of SQL: whether the owner in `parameter` reaches a conversation. Everybody reaches their own and those of
/// editors, and editors reach everybody's: they are one person's.
pub(super) fn reached_by(parameter: &str) -> String {
    let editor = Owner::EDITOR;
    format!("(owner = {parameter} OR owner = '{editor}' OR {parameter} = '{editor}')")
}

/// The conversation of that id, when this owner reaches it and it is not deleted.
pub(super) fn live_conversation(
    connection: &Connection,
    owner: &Owner,
    id: ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let rest = format!("WHERE id = ?1 AND {} AND deleted_at_ms IS NULL", reached_by("?2"));
    Ok(conversations(connection, &rest, (id.to_string(), &owner.0))?.pop())
}

impl TurnRow {
    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let details: Details = read_json(row.get_ref("details")?.as_str().map_err(unreadable_turn)?, "turn")?;
        let record = TurnRecord {
            id: TurnId(row.get("id")?),
            prompt: row.get("prompt")?,
            mode: read_word(&row.get::<_, String>("mode")?)?,
            started_at_ms: row.get("started_at_ms")?,
            state: read_word(&row.get::<_, String>("state")?)?,
            failure: details.failure,
            text: row.get("text")?,
            tools: details.tools,
            references: details.references,
            media: details.media,
            notices: details.notices,
            page: details.page,
            model: details.model,
            usage: details.usage,
            context: details.context,
        };
        Ok(Self {
            key: row.get("key")?,
            conversation: row.get("conversation")?,
            number: row.get("number")?,
            record,
        })
    }

    /// Adds a turn of a conversation; gives its key.
    pub(super) fn insert(
        connection: &Connection,
        owner: &Owner,
        place: (i64, i64),
        record: TurnRecord,
    ) -> Result<i64, StoreError> {
        let mut statement = connection.prepare_cached(
            "INSERT INTO turn (conversation, number, owner, id, copied, state, mode, started_at_ms, prompt, text, \
             details) VALUES (:conversation, :number, :owner, :id, 0, :state, :mode, :started_at_ms, :prompt, \
             :text, :details)",
        )?;
        let (conversation, number) = place;
        let columns = Columns::of(record)?;
        Ok(statement.insert(named_params! {
            ":conversation": conversation,
            ":number": number,
            ":owner": owner.0,
            ":id": columns.id.0,
            ":state": columns.state,
            ":mode": columns.mode,
            ":started_at_ms": columns.started_at_ms,
            ":prompt": columns.prompt,
            ":text": columns.text,
            ":details": columns.details,
        })?)
    }

    /// Replaces what is stored of a turn, except its id.
    pub(super) fn update(connection: &Connection, key: i64, record: TurnRecord) -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached(
            "UPDATE turn SET state = :state, mode = :mode, started_at_ms = :started_at_ms, prompt = :prompt, \
             text = :text, details = :details WHERE key = :key",
        )?;
        let columns = Columns::of(record)?;
        statement.execute(named_params! {
            ":key": key,
            ":state": columns.state,
            ":mode": columns.mode,
            ":started_at_ms": columns.started_at_ms,
            ":prompt": columns.prompt,
            ":text": columns.text,
            ":details": columns.details,
        })?;
        Ok(())
    }
}

/// A turn as its columns.
struct Columns {
    id: TurnId,
    state: String,
    mode: String,
    started_at_ms: i64,
    prompt: String,
    text: String,
    details: String,
}

impl Columns {
    /// Takes the record apart by name, so that a new field cannot be forgotten here.
    fn of(record: TurnRecord) -> Result<Self, StoreError> {
        let TurnRecord {
            id,
            prompt,
            mode,
            started_at_ms,
            state,
            failure,
            text,
            tools,
            references,
            media,
            notices,
            page,
            model,
            usage,
            context,
        } = record;
        let details = Details {
            failure,
            tools,
            references,
            media,
            notices,
            page,
            model,
            usage,
            context,
        };
        Ok(Self {
            id,
            state: word(state)?,
            mode: word(mode)?,
            started_at_ms,
            prompt,
            text,
            details: json(&details, "turn")?,
        })
    }
}

/// Gives each turn that `rest` (what follows FROM) selects to `visit`, until it answers false.
pub(super) fn visit_turns(
    connection: &Connection,
    rest: &str,
    params: impl Params,
    mut visit: impl FnMut(TurnRow) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(&format!("{SELECT_TURN} {rest}"))?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        if !visit(TurnRow::read(row)?)? {
            break;
        }
    }
    Ok(())
}

/// The first turn that `rest` selects.
pub(super) fn first_turn(
    connection: &Connection,
    rest: &str,
    params: impl Params,
) -> Result<Option<TurnRow>, StoreError> {
    let mut first = None;
    visit_turns(connection, rest, params, |turn| {
        first = Some(turn);
        Ok(false)
    })?;
    Ok(first)
}

/// Adds messages to a turn, the first one under `number`.
pub(super) fn insert_messages(
    connection: &Connection,
    turn: i64,
    number: i64,
    messages: &[Message],
) -> Result<(), StoreError> {
    let mut statement = connection
        .prepare_cached("INSERT INTO message (turn, number, role, parts) VALUES (?1, ?2, ?3, ?4)")?;
    for (number, message) in (number..).zip(messages) {
        statement.execute((
            turn,
            number,
            word(message.role)?,
            json(&message.parts, "message")?,
        ))?;
    }
    Ok(())
}

/// Messages of a turn in order, and how many bytes they take in the store.
pub(super) fn messages(connection: &Connection, turn: i64) -> Result<(Vec<Message>, usize), StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT role, parts FROM message WHERE turn = ?1 ORDER BY number")?;
    let mut rows = statement.query([turn])?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let parts = row
            .get_ref(1)?
            .as_str()
            .map_err(|_error| StoreError::Unreadable("message"))?;
        bytes += parts.len();
        let role = read_word(&row.get::<_, String>(0)?)?;
        found.push(Message {
            role,
            parts: read_json(parts, "message")?,
        });
    }
    Ok((found, bytes))
}

/// A value of a plain enum as the word it is stored as.
pub(super) fn word(value: impl Serialize) -> Result<String, StoreError> {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => Ok(word),
        Ok(_) | Err(_) => Err(StoreError::Unreadable("word")),
    }
}

pub(super) fn read_word<T: DeserializeOwned>(word: &str) -> Result<T, StoreError> {
    let deserializer: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(deserializer).map_err(|_error| StoreError::Unreadable("word"))
}

/// `what` is for the error: what serde says may quote content.
pub(super) fn json(value: &impl Serialize, what: &'static str) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_error| StoreError::Unreadable(what))
}

pub(super) fn read_json<T: DeserializeOwned>(text: &str, what: &'static str) -> Result<T, StoreError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    T::deserialize(&mut deserializer).map_err(|_error| StoreError::Unreadable(what))
}

fn read_id(text: &str) -> Result<ConversationId, StoreError> {
    ConversationId::parse(text).ok_or(StoreError::Unreadable("conversation id"))
}

fn unreadable_turn(_error: rusqlite::types::FromSqlError) -> StoreError {
    StoreError::Unreadable("turn")
}
