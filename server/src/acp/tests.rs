//! The front as an editor sees it: dispatch, sessions, controls and prompts.

mod controls;
mod lifecycle;
mod listing;
mod prompts;
mod support;
mod world;

use serde_json::json;

use super::Start;
use support::{editor, silent};
pub(super) use world::Silent;

#[tokio::test]
async fn nothing_is_answered_before_the_introduction() {
    let store = sidewire_agent::store::Store::in_memory().unwrap();
    let mut editor = silent(Start::default(), store, tempfile::tempdir().unwrap());
    let (code, _) = editor.refused("session/new", json!({"cwd": "/"})).await;
    assert_eq!(code, -32600);
    let (code, _) = editor.refused("no/method", json!({})).await;
    assert_eq!(code, -32601);
    editor.introduce().await;
    let (code, _) = editor.refused("session/steer", json!({})).await;
    assert_eq!(code, -32601);
}

#[tokio::test]
async fn the_introduction_tells_what_works_and_nothing_else() {
    let store = sidewire_agent::store::Store::in_memory().unwrap();
    let mut editor = silent(Start::default(), store, tempfile::tempdir().unwrap());
    let broken = [
        json!(null),
        json!([]),
        json!({"protocolVersion": "1.0", "clientCapabilities": 7}),
    ];
    for params in broken {
        let answer = editor.ask("initialize", params).await.unwrap();
        assert_eq!(answer["protocolVersion"], 1);
        assert_eq!(answer["authMethods"], json!([]));
    }
    let params = json!({"protocolVersion": 9, "clientCapabilities": {"auth": {"terminal": true}}});
    let answer = editor.ask("initialize", params).await.unwrap();
    let capabilities = json!({
        "loadSession": true,
        "promptCapabilities": {"image": true, "audio": false, "embeddedContext": true},
        "mcpCapabilities": {"http": true, "sse": false},
        "sessionCapabilities": {"list": {}, "delete": {}, "additionalDirectories": {}, "resume": {}, "close": {}},
        "auth": {},
    });
    assert_eq!(answer["agentCapabilities"], capabilities);
    assert_eq!(answer["agentInfo"]["name"], "sidewire");
    let method = &answer["authMethods"][0];
    assert_eq!(
        (&method["id"], &method["type"], &method["args"]),
        (&json!("reasonix-setup"), &json!("terminal"), &json!(["setup"]))
    );
}

#[tokio::test]
async fn a_terminal_method_cannot_be_authenticated_here() {
    let mut editor = editor(Start::default()).await;
    for method in ["reasonix-setup", "other"] {
        let (code, _) = editor.refused("authenticate", json!({"methodId": method})).await;
        assert_eq!(code, -32602, "{method}");
    }
}
