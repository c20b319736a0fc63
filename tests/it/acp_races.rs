//! Requests about one session that overtake each other: each is answered, and what is left is a state that works.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Project, Script};

use crate::acp_lifecycle::saying;

/// Codes that a request may be refused with because another one was faster.
const LATE: [i64; 4] = [-32600, -32002, -32800, -32602];

fn about(id: &str, project: &Project) -> Value {
    json!({ "sessionId": id, "cwd": project.cwd(), "mcpServers": [] })
}

#[tokio::test]
async fn loading_twice_at_once_is_answered_twice() {
    let (_model, home) = saying(&["one"]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("first").await.done();
    for _ in 0..10 {
        editor.close(&session.id).await;
        let first = editor.begin("session/load", about(&session.id, &project)).await;
        let second = editor.begin("session/load", about(&session.id, &project)).await;
        let answers = [first.answer().await, second.answer().await];
        assert!(answers.iter().any(Result::is_ok), "{answers:?}");
        for refusal in answers.into_iter().filter_map(Result::err) {
            assert!(LATE.contains(&refusal.code), "{refusal:?}");
        }
    }
    assert_eq!(session.prompt("second").await.done(), "ok");
}

#[tokio::test]
async fn closing_and_deleting_overtake_whatever_runs() {
    let (model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    for round in 0..20 {
        let session = editor.session(project.cwd()).await;
        session.prompt("first").await.done();
        let method = if round % 2 == 0 {
            "session/close"
        } else {
            "session/delete"
        };
        if round % 4 < 2 {
            // The model may not be asked at all.
            model.otherwise(Script::hangs());
            let prompt = session.begin("second").await;
            let ended = editor.begin(method, json!({ "sessionId": session.id })).await;
            assert_eq!(prompt.ended().await.stop(), "cancelled", "round {round}");
            model.otherwise(Script::says("ok"));
            assert_eq!(ended.answer().await, Ok(json!({})));
        } else {
            editor.close(&session.id).await;
            let loaded = editor.begin("session/load", about(&session.id, &project)).await;
            let ended = editor.begin(method, json!({ "sessionId": session.id })).await;
            if let Err(refusal) = loaded.answer().await {
                assert!(LATE.contains(&refusal.code), "round {round}: {refusal:?}");
            }
            assert_eq!(ended.answer().await, Ok(json!({})));
        }
        if method == "session/delete" {
            let refusal = editor.try_load(&session.id, project.cwd()).await.unwrap_err();
            assert_eq!(refusal.code, -32002, "round {round}");
        }
    }
}

#[tokio::test]
async fn a_prompt_right_behind_an_opening_or_a_closing_is_answered() {
    let (_model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("first").await.done();
    let words = json!({ "sessionId": session.id, "prompt": [{ "type": "text", "text": "quick" }] });
    for _ in 0..10 {
        let closing = editor
            .begin("session/close", json!({ "sessionId": session.id }))
            .await;
        let prompt = editor.begin("session/prompt", words.clone()).await;
        assert!(closing.answer().await.is_ok());
        match prompt.answer().await {
            Ok(end) => assert_eq!(end["stopReason"], "cancelled"),
            Err(refusal) => assert!(LATE.contains(&refusal.code), "{refusal:?}"),
        }
        editor.resume_session(&session.id, project.cwd()).await;
    }
    assert_eq!(session.prompt("at last").await.done(), "ok");
}

#[tokio::test]
async fn sessions_have_a_limit_and_closing_one_makes_room() {
    let (_model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let params = json!({ "cwd": project.cwd(), "mcpServers": [] });
    let mut open = Vec::new();
    let refusal = loop {
        match editor.new_session(params.clone()).await {
            Ok(opened) => open.push(opened["sessionId"].as_str().unwrap().to_owned()),
            Err(refusal) => break refusal,
        }
        assert!(open.len() <= 64);
    };
    assert_eq!((open.len(), refusal.code), (64, -32600));
    editor.close(&open[0]).await;
    assert!(editor.new_session(params).await.is_ok());
}
