//! Real SQLite, in temporary folders or in memory; a test is a short story told with the helpers below.

mod alias;
mod blobs;
mod browse;
mod claims;
mod diffs;
mod files;
mod manage;
mod pairings;
mod processes;
mod reach;
mod round_trip;
mod sessions;
mod summaries;
mod turns;

use serde_json::json;
use sidewire_contract::media::Media;
use sidewire_contract::mode::Mode;

use super::{BeginError, BeginTurn, Begun, Lookup, PartialTurn, Store, StoreError, TurnEnd};
use crate::event::TurnOutcome;
use crate::ids::{ConversationId, Owner, TurnId};
use crate::message::{Message, Role};
use crate::record::{ConversationRecord, Origin, PageStub, TurnRecord, TurnState};

const HISTORY: usize = 2 * 1024 * 1024;

fn memory() -> Store {
    Store::in_memory().unwrap()
}

fn ann() -> Owner {
    Owner("ann".to_owned())
}

fn bob() -> Owner {
    Owner("bob".to_owned())
}

fn lookup(owner: Owner, hint: Option<&str>) -> Lookup {
    Lookup {
        owner,
        origin: Origin::Browser,
        hint: hint.map(str::to_owned),
        session_key: "tenant".to_owned(),
        tab: 7,
        browser_run: Some("run".to_owned()),
        now_ms: 1_000,
    }
}

async fn conversation(store: &Store, owner: Owner, hint: &str) -> ConversationId {
    store
        .conversation_for(lookup(owner, Some(hint)))
        .await
        .unwrap()
        .id
}

fn running(id: &str, prompt: &str) -> TurnRecord {
    TurnRecord {
        media: vec![picture()],
        page: Some(PageStub {
            title: "Page".to_owned(),
            url: "https://console.example/lb".to_owned(),
        }),
        model: Some("m".to_owned()),
        ..TurnRecord::begun(TurnId(id.to_owned()), prompt, Mode::Configuration, 1_000)
    }
}

fn picture() -> Media {
    let hash = "0f".repeat(32);
    serde_json::from_value(json!({
        "version": 1, "id": format!("media_{}", &hash[..24]), "kind": "image",
        "original": { "ref": format!("blob:sha256:{hash}"), "mimeType": "image/png", "bytes": 3 },
        "provenance": { "sourceType": "tool", "source": "page_screenshot" },
        "playback": { "autoplay": false, "loop": false, "muted": true, "fpsCap": 12 },
    }))
    .unwrap()
}

fn question(conversation: ConversationId, owner: Owner, id: &str, prompt: &str) -> BeginTurn {
    BeginTurn {
        conversation,
        owner,
        turn: running(id, prompt),
        user_message: Message::text(Role::User, prompt),
        history_bytes: HISTORY,
        now_ms: 2_000,
    }
}

/// Asks as Ann.
async fn ask(store: &Store, conversation: ConversationId, id: &str, prompt: &str) -> Begun {
    store
        .begin_turn(question(conversation, ann(), id, prompt))
        .await
        .unwrap()
}

fn answered(id: &str, prompt: &str, text: &str) -> TurnRecord {
    let mut record = TurnRecord {
        text: text.to_owned(),
        ..running(id, prompt)
    };
    record.end(&TurnOutcome::Done, &[]);
    record
}

fn reply(text: &str) -> Vec<Message> {
    vec![Message::text(Role::Assistant, text)]
}

/// A turn of which nothing was kept before.
fn so_far(record: TurnRecord, messages: Vec<Message>) -> PartialTurn {
    PartialTurn {
        record,
        kept: 0,
        messages,
    }
}

/// The end of a turn that changed no file.
fn ended(record: TurnRecord, messages: Vec<Message>) -> TurnEnd {
    TurnEnd {
        record,
        messages,
        diffs: Vec::new(),
    }
}

/// A whole turn of Ann's, at a time.
async fn turn_at(
    store: &Store,
    conversation: ConversationId,
    (id, prompt, text): (&str, &str, &str),
    now_ms: i64,
) {
    let begin = BeginTurn {
        now_ms,
        ..question(conversation, ann(), id, prompt)
    };
    let begun = store.begin_turn(begin).await.unwrap();
    let record = answered(id, prompt, text);
    store
        .finish_turn(conversation, begun.number, ended(record, reply(text)), now_ms)
        .await
        .unwrap();
}

/// A conversation of Ann's with one turn, named after its question.
async fn conversation_with(store: &Store, prompt: &str, text: &str, now_ms: i64) -> ConversationId {
    let id = conversation(store, ann(), prompt).await;
    turn_at(store, id, (prompt, prompt, text), now_ms).await;
    id
}

async fn turns(store: &Store, conversation: ConversationId) -> Vec<TurnRecord> {
    store
        .transcript(&ann(), conversation, None, usize::MAX)
        .await
        .unwrap()
        .turns
}

fn titles(conversations: &[ConversationRecord]) -> Vec<&str> {
    conversations
        .iter()
        .map(|conversation| conversation.title.as_str())
        .collect()
}
