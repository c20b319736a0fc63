//! New, load, resume, close, delete, and an editor that leaves.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use sidewire_agent::store::Store;

use super::super::Start;
use super::support::{Editor, editor, silent_in};
use super::world::World;

pub(super) async fn reopen(editor: &mut Editor, method: &str, session: &str) -> Result<Value, Value> {
    let params = json!({"sessionId": session, "cwd": editor.cwd(), "mcpServers": []});
    editor.ask(method, params).await
}

#[tokio::test]
async fn the_answer_comes_before_everything_that_is_said_about_a_session() {
    let mut editor = editor(Start::default()).await;
    let params = json!({"cwd": editor.cwd(), "mcpServers": []});
    let opened = editor.ask("session/new", params).await.unwrap();
    assert_eq!(editor.kinds(), Vec::<String>::new());
    assert_eq!(opened["modes"]["currentModeId"], "normal");
    assert!(opened.get("models").is_none(), "no longer in the protocol");
    let commands = editor.hear().await;
    let names: Vec<_> = commands["params"]["update"]["availableCommands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command["name"].clone())
        .collect();
    assert_eq!(names, ["clear", "compact", "status"]);
    let usage = editor.hear().await;
    assert_eq!(
        (
            &usage["params"]["update"]["used"],
            &usage["params"]["update"]["size"]
        ),
        (&json!(0), &json!(100_000))
    );
}

#[tokio::test]
async fn nothing_is_opened_without_a_model_or_with_bad_parameters() {
    let mut editor = editor(Start::default()).await;
    let cwd = editor.cwd();
    let server = |entry: Value| json!({"cwd": cwd, "mcpServers": [entry]});
    let rows = [
        (json!({"cwd": "relative"}), "cwd must be an absolute path"),
        (json!({"cwd": 7}), "invalid params"),
        (server(json!({"name": "n"})), "command is required"),
        (
            json!({"cwd": cwd, "additionalDirectories": "none"}),
            "invalid params",
        ),
    ];
    for (params, part) in rows {
        let (code, text) = editor.refused("session/new", params).await;
        assert_eq!(code, -32602, "{text}");
        assert!(text.contains(part), "{text}");
    }
    editor.world.models.lock().unwrap().clear();
    let (code, _) = editor
        .refused("session/new", json!({"cwd": cwd, "mcpServers": []}))
        .await;
    assert_eq!(code, -32000);
    let list = editor.ask("session/list", json!({})).await.unwrap();
    assert_eq!(list["sessions"], json!([]));
}

#[tokio::test]
async fn servers_of_both_shapes_reach_their_desk() {
    let mut editor = editor(Start::default()).await;
    let servers = json!([
        {"name": "a", "command": "/bin/a", "args": [], "env": [{"name": "K", "value": "v"}]},
        {"name": "b", "type": "sse", "url": "http://b", "headers": {"K": "v"}},
    ]);
    let params = json!({"cwd": editor.cwd(), "mcpServers": servers});
    editor.ask("session/new", params).await.unwrap();
    let names: Vec<_> = editor
        .world
        .servers
        .lock()
        .unwrap()
        .iter()
        .map(|server| server.name.clone())
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test]
async fn a_conversation_is_shown_again_before_the_answer_and_not_when_it_is_resumed() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "first question").await;
    editor.prompt(&session, "second question").await;
    let mut editor = editor.after(Start::default()).await;
    reopen(&mut editor, "session/resume", &session).await.unwrap();
    assert_eq!(editor.kinds(), Vec::<String>::new());
    // Open by now, and shown again all the same.
    reopen(&mut editor, "session/load", &session).await.unwrap();
    let shown = editor.kinds();
    let turn = ["user_message_chunk", "agent_message_chunk"];
    let expected: Vec<_> = ["available_commands_update", "session_info_update"]
        .into_iter()
        .chain(turn)
        .chain(turn)
        .collect();
    assert_eq!(shown, expected);
    editor.prompt(&session, "third question").await;
    let asked = editor.world.asked.lock().unwrap().pop().unwrap().1;
    let text = format!("{:?}", asked.messages);
    assert!(text.contains("first question") && text.contains("second question"));
}

#[tokio::test]
async fn unknown_sessions_are_named_and_bad_ids_refused() {
    let mut editor = editor(Start::default()).await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    for id in [unknown, "never-was"] {
        for method in ["session/load", "session/resume"] {
            let error = reopen(&mut editor, method, id).await.unwrap_err();
            assert_eq!(
                (&error["code"], &error["data"]["sessionId"]),
                (&json!(-32002), &json!(id)),
                "{method}"
            );
        }
        let params = json!({"sessionId": id, "prompt": [{"type": "text", "text": "hi"}]});
        let error = editor.ask("session/prompt", params).await.unwrap_err();
        assert_eq!(
            (&error["code"], &error["data"]["sessionId"]),
            (&json!(-32002), &json!(id))
        );
    }
    for (id, part) in [
        ("", "missing sessionId"),
        ("../x", "invalid sessionId"),
        ("..", "invalid sessionId"),
    ] {
        for method in [
            "session/load",
            "session/close",
            "session/delete",
            "session/set_mode",
        ] {
            let (code, text) = editor.refused(method, json!({"sessionId": id, "cwd": "/"})).await;
            assert!(code == -32602 && text.contains(part), "{method}: {text}");
        }
    }
}

#[tokio::test]
async fn closing_ends_what_a_session_started_and_can_be_repeated() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(&session, "hi").await;
    editor.update("agent_message_chunk").await;
    let close = editor.send("session/close", json!({"sessionId": session})).await;
    let stopped = editor.answer(prompt).await.unwrap();
    assert_eq!(stopped["stopReason"], "cancelled");
    assert_eq!(editor.answer(close).await.unwrap(), json!({}));
    assert_eq!(editor.world.ended.load(Ordering::SeqCst), 2, "jobs and servers");
    assert_eq!(
        editor
            .ask("session/close", json!({"sessionId": session}))
            .await
            .unwrap(),
        json!({})
    );
    reopen(&mut editor, "session/load", &session).await.unwrap();
    assert!(
        editor.kinds().contains(&"agent_message_chunk".to_owned()),
        "the partial answer is kept"
    );
}

#[tokio::test]
async fn what_is_deleted_does_not_come_back() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(&session, "hi").await;
    editor.update("agent_message_chunk").await;
    let delete = editor.send("session/delete", json!({"sessionId": session})).await;
    assert_eq!(editor.answer(prompt).await.unwrap()["stopReason"], "cancelled");
    assert_eq!(editor.answer(delete).await.unwrap(), json!({}));
    for _ in 0..2 {
        assert_eq!(
            editor
                .ask("session/delete", json!({"sessionId": session}))
                .await
                .unwrap(),
            json!({})
        );
    }
    let error = reopen(&mut editor, "session/load", &session).await.unwrap_err();
    assert_eq!(error["code"], -32002);
    let mut editor = editor.after(Start::default()).await;
    assert_eq!(
        editor.ask("session/list", json!({})).await.unwrap()["sessions"],
        json!([])
    );
}

#[tokio::test]
async fn an_open_session_keeps_its_folders() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let other = tempfile::tempdir().unwrap();
    let other = other.path().to_str().unwrap();
    let params = json!({"sessionId": session, "cwd": editor.cwd(), "mcpServers": [], "additionalDirectories": [other]});
    let error = editor.ask("session/resume", params).await.unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32602), &json!("acp.additional_directories.session_open"))
    );
    let params = json!({"sessionId": session, "cwd": other, "mcpServers": []});
    let (code, text) = editor.refused("session/resume", params).await;
    assert!(code == -32602 && text.contains("another folder"), "{text}");
}

#[tokio::test]
async fn an_open_session_gets_the_servers_that_are_passed_when_it_is_opened_again() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let passing = |cwd: &str, names: &[&str]| {
        let server = |name: &&str| json!({"name": name, "command": "/bin/x", "args": [], "env": []});
        let servers: Vec<_> = names.iter().map(server).collect();
        json!({"sessionId": session, "cwd": cwd, "mcpServers": servers})
    };
    let (cwd, world) = (editor.cwd(), Arc::clone(&editor.world));
    let started = || {
        let servers = world.servers.lock().unwrap();
        servers
            .iter()
            .map(|server| server.name.clone())
            .collect::<Vec<_>>()
    };
    // The same ones go on, and so do those of a client that names none.
    for params in [
        passing(&cwd, &["a"]),
        passing(&cwd, &["a"]),
        json!({"sessionId": session, "cwd": cwd}),
    ] {
        editor.ask("session/resume", params).await.unwrap();
        assert_eq!(
            (started(), world.ended.load(Ordering::SeqCst)),
            (vec!["a".to_owned()], 1)
        );
    }
    world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(&session, "hi").await;
    editor.update("agent_message_chunk").await;
    let refused = editor
        .ask("session/load", passing(&cwd, &["b"]))
        .await
        .unwrap_err();
    assert_eq!(
        (&refused["code"], &refused["data"]["code"]),
        (&json!(-32602), &json!("acp.mcp_servers.session_busy"))
    );
    assert_eq!(started(), ["a"]);
    world.gate.add_permits(1);
    editor.answer(prompt).await.unwrap();
    editor.ask("session/load", passing(&cwd, &["b"])).await.unwrap();
    assert_eq!(
        (started(), world.ended.load(Ordering::SeqCst)),
        (vec!["a".to_owned(), "b".to_owned()], 2)
    );
}

#[tokio::test]
async fn an_editor_that_leaves_takes_everything_with_it_and_the_answer_so_far_stays() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(&session, "hi").await;
    editor.update("agent_message_chunk").await;
    let world = Arc::clone(&editor.world);
    let mut editor = editor.after(Start::default()).await;
    assert_eq!(world.ended.load(Ordering::SeqCst), 2);
    reopen(&mut editor, "session/load", &session).await.unwrap();
    assert!(
        editor.kinds().contains(&"agent_message_chunk".to_owned()),
        "prompt {prompt}"
    );
}

#[tokio::test]
async fn what_is_in_flight_is_answered_although_the_editor_says_no_more() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(&session, "hi").await;
    editor.update("agent_message_chunk").await;
    let said = editor.leave().await;
    let answers: Vec<_> = said.iter().filter(|message| message["id"] == prompt).collect();
    assert_eq!(answers.len(), 1, "{said:?}");
    assert_eq!(answers[0]["error"]["code"], -32800);
}

#[tokio::test]
async fn what_opens_and_ends_a_session_is_done_in_the_order_it_was_asked() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "hi").await;
    let named = json!({"sessionId": session, "cwd": editor.cwd(), "mcpServers": []});
    let mut left = Vec::new();
    for method in ["session/close", "session/load", "session/close", "session/resume"] {
        left.push(editor.send(method, named.clone()).await);
    }
    while !left.is_empty() {
        let message = editor.hear().await;
        assert!(message["error"].is_null(), "{message}");
        left.retain(|id| message["id"] != *id);
    }
    assert_eq!(editor.world.ended.load(Ordering::SeqCst), 4, "two sessions ended");
    assert_eq!(editor.prompt(&session, "and now?").await, "end_turn");
}

#[tokio::test]
async fn a_close_right_behind_a_load_leaves_nothing_open() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "hi").await;
    let mut editor = editor.after(Start::default()).await;
    let named = json!({"sessionId": session, "cwd": editor.cwd(), "mcpServers": []});
    let load = editor.send("session/load", named.clone()).await;
    let close = editor.send("session/close", named).await;
    editor.answer(load).await.unwrap();
    editor.answer(close).await.unwrap();
    let told = editor.kinds().pop();
    assert_eq!(
        told.as_deref(),
        Some("session_info_update"),
        "everything stands before the answer"
    );
    assert_eq!(editor.world.ended.load(Ordering::SeqCst), 2);
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]});
    let (code, _) = editor.refused("session/prompt", prompt).await;
    assert_eq!(code, -32002);
}

#[tokio::test]
async fn a_session_that_cannot_be_deleted_stays_open() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let held = editor.hold_elsewhere(&session);
    let (code, text) = editor
        .refused("session/delete", json!({"sessionId": session}))
        .await;
    assert!(code == -32600 && text.contains("in use"), "{text}");
    assert_eq!(editor.world.ended.load(Ordering::SeqCst), 0);
    drop(held);
    assert_eq!(editor.prompt(&session, "hi").await, "end_turn");
}

#[tokio::test]
async fn no_more_than_sixty_four_sessions_are_open() {
    let mut editor = editor(Start::default()).await;
    let mut last = String::new();
    for _ in 0..64 {
        last = editor.open().await;
    }
    let params = json!({"cwd": editor.cwd(), "mcpServers": []});
    let (code, text) = editor.refused("session/new", params).await;
    assert!(code == -32600 && text.contains("64 sessions"), "{text}");
    editor
        .ask("session/close", json!({"sessionId": last}))
        .await
        .unwrap();
    editor.open().await;
}

/// What tools must know of the disk is found out beside the threads that serve everybody else.
#[tokio::test]
async fn opening_a_session_holds_up_nobody() {
    let mut editor = editor(Start::default()).await;
    editor.open().await;
    let opened_on = editor.world.opened_on.lock().unwrap().clone();
    // This runtime has one thread, which is this one.
    assert_eq!(opened_on.len(), 1);
    assert_ne!(opened_on[0], std::thread::current().id());
}

#[tokio::test]
async fn what_could_not_be_opened_is_opened_with_a_later_request() {
    let world = Arc::new(World::default());
    *world.closed.lock().unwrap() = Some("config.toml cannot be used".to_owned());
    let kept = (Store::in_memory().unwrap(), tempfile::tempdir().unwrap());
    let mut editor = silent_in(world, Start::default(), kept);
    editor.introduce().await;
    let (code, text) = editor.refused("session/list", json!({})).await;
    assert_eq!((code, text.as_str()), (-32603, "config.toml cannot be used"));
    *editor.world.closed.lock().unwrap() = None;
    assert!(editor.ask("session/list", json!({})).await.is_ok());
}

#[tokio::test]
async fn what_was_deleted_elsewhere_is_unknown_though_it_is_open_here() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "hello").await;
    editor.delete_elsewhere(&session).await;
    for method in ["session/load", "session/resume"] {
        let refused = reopen(&mut editor, method, &session).await.unwrap_err();
        assert_eq!(refused["code"], -32002, "{method}: {refused}");
        assert_eq!(refused["data"]["sessionId"], session, "{method}");
    }
}
