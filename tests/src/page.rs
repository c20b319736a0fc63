//! Questions and pages, most of them the example of the chat contract.

use serde_json::{Value, json};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::ids::{ChatId, SessionKey};
use sidewire_contract::mode::Mode;
use sidewire_contract::number::Number;
use sidewire_contract::page::PageSnapshot;

const CONTRACT: &str = include_str!("../../contract/schema/chat-2.1.0.json");

/// The page that the chat contract gives as its example.
///
/// # Panics
/// When the contract has none.
#[must_use]
pub fn page() -> PageSnapshot {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let example = contract
        .pointer("/examples/valid/page_context_snapshot")
        .expect("the contract has an example");
    serde_json::from_str(&example.to_string()).unwrap()
}

/// A page that shows these words in its title, its tree and its API response.
///
/// # Panics
/// Never: the shape is right.
#[must_use]
pub fn canary_page(words: &str) -> PageSnapshot {
    let json = json!({
        "v": 1, "capturedAt": 1_719_000_000_000_u64, "tabId": 7, "url": "https://app.example/lb1", "path": "/lb1",
        "title": format!("title {words}"), "truncated": false,
        "ax": { "role": "WebArea", "name": "lb1", "children": [
            { "role": "heading", "name": format!("heading {words}") },
            { "role": "button", "name": "Edit", "ref": "e1" },
        ]},
        "api": { "url": "/api/lb1", "status": 200, "resourceType": null, "truncated": false,
            "body": { "metadata": { "description": format!("body {words}") } } },
    });
    serde_json::from_str(&json.to_string()).unwrap()
}

/// A question without a page, in tab 7 of the contract's example tenant.
///
/// # Panics
/// When the id is none.
#[must_use]
pub fn question(id: &str, text: &str) -> ChatRequest {
    ChatRequest {
        id: ChatId::new(id).unwrap(),
        text: text.to_owned(),
        context: None,
        mode: Mode::Educational,
        tab_id: Number::from(7_i64),
        session_key: SessionKey::new("example-corp|production").unwrap(),
        history_hint: None,
    }
}
