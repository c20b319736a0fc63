//! Sessions from their opening to their end: new, load, resume, list, close, delete.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Home, Project, Script, ScriptedModel, Session, next_millisecond};

/// A home with a model that says these things in turn.
pub(crate) async fn saying(texts: &[&str]) -> (ScriptedModel, Home) {
    let model = ScriptedModel::start().await;
    for text in texts {
        model.script(Script::says(text));
    }
    let home = Home::with_model(&model);
    (model, home)
}

fn kinds(updates: &[Value]) -> Vec<&str> {
    updates
        .iter()
        .filter_map(|update| update["sessionUpdate"].as_str())
        .collect()
}

/// What was said, as a replay shows it.
fn said(updates: &[Value]) -> Vec<(&str, &str)> {
    updates
        .iter()
        .filter_map(|update| {
            Some((
                update["sessionUpdate"].as_str()?,
                update["content"]["text"].as_str()?,
            ))
        })
        .collect()
}

#[tokio::test]
async fn a_new_session_has_an_id_modes_and_options() {
    let (_model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let id: Vec<usize> = session.id.split('-').map(str::len).collect();
    assert_eq!(id, [8, 4, 4, 4, 12], "a UUID: {}", session.id);
    let modes = &session.opened["modes"];
    assert_eq!(modes["currentModeId"], "normal");
    let ids: Vec<&Value> = modes["availableModes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mode| &mode["id"])
        .collect();
    assert!(
        ids.contains(&&json!("normal")) && ids.contains(&&json!("plan")),
        "{ids:?}"
    );
    assert!(
        session.opened.get("models").is_none(),
        "removed from the protocol"
    );
    let other = editor.session(project.cwd()).await;
    assert_ne!(session.id, other.id);
}

#[tokio::test]
async fn a_folder_must_be_absolute_and_be_there() {
    let (_model, home) = saying(&[]).await;
    let project = Project::with("file", "");
    let editor = Editor::start(&home).await;
    for cwd in [
        "relative/path",
        "./",
        "~",
        &project.file("nowhere"),
        &project.file("file"),
    ] {
        let refusal = editor
            .new_session(json!({ "cwd": cwd, "mcpServers": [] }))
            .await
            .unwrap_err();
        assert_eq!(refusal.code, -32602, "{cwd}");
    }
    let refusal = editor.list(json!({ "cwd": "relative" })).await.unwrap_err();
    assert_eq!(refusal.code, -32602);
}

#[tokio::test]
async fn a_session_is_loaded_after_a_restart_with_everything_before_the_answer() {
    let (model, home) = saying(&[]).await;
    let project = Project::with("notes.txt", "the port is 8443\n");
    model.script(
        Script::stream()
            .thinks("I should look.")
            .text("Looking. ")
            .call("c1", "read_file", &json!({ "path": project.file("notes.txt") }))
            .done(),
    );
    model.script(Script::says("It is 8443."));
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let id = session.id.clone();
    assert_eq!(session.prompt("Which port?").await.done(), "Looking. It is 8443.");
    drop(session);
    editor.leave().await;

    let editor = Editor::start(&home).await;
    let from = editor.count();
    let session = editor.load(&id, project.cwd()).await;
    let updates = session.updates_since(from);
    assert_eq!(
        said(&updates),
        [
            ("user_message_chunk", "Which port?"),
            ("agent_thought_chunk", "I should look."),
            ("agent_message_chunk", "Looking. "),
            ("agent_message_chunk", "It is 8443."),
        ]
    );
    let call = updates
        .iter()
        .find(|update| update["sessionUpdate"] == "tool_call")
        .unwrap();
    assert_eq!(
        (&call["status"], &call["name"], &call["rawInput"]["path"]),
        (
            &json!("completed"),
            &json!("read_file"),
            &json!(project.file("notes.txt"))
        )
    );
    let result = updates
        .iter()
        .find(|update| update["sessionUpdate"] == "tool_call_update")
        .unwrap();
    assert!(result["content"].to_string().contains("the port is 8443"));
    let of_attempts = updates
        .iter()
        .filter(|update| update["sessionUpdate"] != "user_message_chunk" && update["messageId"].is_string());
    assert_eq!(
        of_attempts.count(),
        0,
        "nothing that is replayed belongs to an attempt"
    );
    assert!(session.opened.get("sessionId").is_none_or(Value::is_null));
    assert_eq!(session.opened["modes"]["currentModeId"], "normal");
    // It goes on where it was.
    model.script(Script::says("Still 8443."));
    assert_eq!(session.prompt("And now?").await.done(), "Still 8443.");
    let asked = model.request(2).await;
    assert!(asked.texts("user").join("\n").contains("Which port?"));
}

#[tokio::test]
async fn an_open_session_is_loaded_again_with_its_replay() {
    let (_model, home) = saying(&["one", "two"]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("first").await;
    for _ in 0..2 {
        let from = editor.count();
        let again = editor.load(&session.id, project.cwd()).await;
        assert_eq!(
            said(&again.updates_since(from)),
            [("user_message_chunk", "first"), ("agent_message_chunk", "one")]
        );
    }
    assert_eq!(session.prompt("second").await.done(), "two");
}

#[tokio::test]
async fn a_closed_session_is_loaded_with_its_replay() {
    let (_model, home) = saying(&["one", "two"]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("first").await;
    editor.close(&session.id).await;
    let resumed = editor.resume_session(&session.id, project.cwd()).await;
    editor.close(&resumed.id).await;
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    assert_eq!(
        said(&loaded.updates_since(from)),
        [("user_message_chunk", "first"), ("agent_message_chunk", "one")]
    );
}

#[tokio::test]
async fn a_resumed_session_remembers_and_repeats_nothing() {
    let (model, home) = saying(&["one"]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("first").await;
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    let editor = Editor::start(&home).await;
    let from = editor.count();
    let session = editor.resume_session(&id, project.cwd()).await;
    editor.quiet(from).await;
    let updates = session.updates_since(from);
    assert_eq!(said(&updates), [], "{:?}", kinds(&updates));
    model.script(Script::says("two"));
    assert_eq!(session.prompt("second").await.done(), "two");
    assert!(model.request(1).await.texts("user").join("\n").contains("first"));
}

#[tokio::test]
async fn what_does_not_exist_is_a_missing_resource() {
    let (_model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let id = "00000000-0000-4000-8000-000000000000";
    for method in ["session/load", "session/resume"] {
        let params = json!({ "sessionId": id, "cwd": project.cwd(), "mcpServers": [] });
        let refusal = editor.request(method, params).await.unwrap_err();
        assert_eq!(
            (refusal.code, &refusal.data["sessionId"]),
            (-32002, &json!(id)),
            "{method}"
        );
    }
    let params = json!({ "sessionId": id, "prompt": [{ "type": "text", "text": "hi" }] });
    let refusal = editor.request("session/prompt", params).await.unwrap_err();
    assert_eq!((refusal.code, &refusal.data["sessionId"]), (-32002, &json!(id)));
    for id in ["", "..", "../../etc/passwd", "a/b", " x", "x\u{0}"] {
        let params = json!({ "sessionId": id, "cwd": project.cwd(), "mcpServers": [] });
        let refusal = editor.request("session/load", params).await.unwrap_err();
        assert!([-32602, -32002].contains(&refusal.code), "{id:?}: {refusal:?}");
    }
}

#[tokio::test]
async fn the_list_is_newest_first_with_title_folder_and_time() {
    let (_model, home) = saying(&["a", "b", "c"]).await;
    let (one, other) = (Project::new(), Project::new());
    let editor = Editor::start(&home).await;
    let first = editor.session(one.cwd()).await;
    first.prompt("The first\n  question of all").await;
    next_millisecond().await;
    let second = editor.session(other.cwd()).await;
    second.prompt("The second question").await;
    let never = editor.session(one.cwd()).await;
    let listed = editor.list(json!({})).await.unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    let ids: Vec<&str> = sessions
        .iter()
        .filter_map(|session| session["sessionId"].as_str())
        .filter(|id| *id != never.id)
        .collect();
    assert_eq!(ids, [&second.id, &first.id]);
    let shown = sessions
        .iter()
        .find(|session| session["sessionId"] == json!(first.id))
        .unwrap();
    assert_eq!(
        (&shown["cwd"], &shown["title"]),
        (&json!(one.cwd()), &json!("The first question of all"))
    );
    assert!(shown["updatedAt"].as_str().unwrap().contains('T'), "{shown}");
    assert_eq!(
        editor.session_ids(json!({ "cwd": other.cwd() })).await,
        std::slice::from_ref(&second.id)
    );
    next_millisecond().await;
    first.prompt("again").await;
    let ids = editor.session_ids(json!({})).await;
    assert_eq!(ids.iter().find(|id| **id != never.id), Some(&first.id));
}

#[tokio::test]
async fn a_session_that_was_never_prompted_is_not_listed_and_can_be_opened_again() {
    let (_model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    let editor = Editor::start(&home).await;
    assert_eq!(editor.session_ids(json!({})).await, [] as [String; 0]);
    // Whoever still knows it goes on in it.
    let session = editor.load(&id, project.cwd()).await;
    assert_eq!(session.prompt("hello").await.done(), "ok");
    assert_eq!(editor.session_ids(json!({})).await, [id]);
}

#[tokio::test]
async fn the_list_comes_in_pages_that_miss_nothing() {
    let (model, home) = saying(&[]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let mut expected = Vec::new();
    for number in 0..120 {
        model.script(Script::says("ok"));
        let session = editor.session(project.cwd()).await;
        session.prompt(&format!("question {number}")).await;
        next_millisecond().await;
        editor.close(&session.id).await;
        expected.insert(0, session.id);
    }
    assert_eq!(editor.session_ids(json!({})).await, expected);
    assert_eq!(
        editor.session_ids(json!({ "cwd": project.cwd() })).await,
        expected
    );
    let page = editor.list(json!({})).await.unwrap();
    assert!(page["nextCursor"].is_string(), "more than a page");
    for cursor in ["rubbish", "", "\u{0}", &"9".repeat(5_000)] {
        if let Err(refusal) = editor.list(json!({ "cursor": cursor })).await {
            assert_eq!(refusal.code, -32602, "{cursor:.20}");
        }
    }
    let refusal = editor.list(json!({ "cursor": "rubbish" })).await.unwrap_err();
    assert_eq!(refusal.code, -32602);
}

#[tokio::test]
async fn closing_is_idempotent_and_ends_a_turn() {
    let model = ScriptedModel::playing(Script::hangs()).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let prompt = session.begin("wait").await;
    model.request(0).await;
    editor.close(&session.id).await;
    assert_eq!(prompt.ended().await.stop(), "cancelled");
    editor.close(&session.id).await;
    editor.close("00000000-0000-4000-8000-000000000000").await;
    let params = json!({ "sessionId": session.id, "prompt": [{ "type": "text", "text": "hi" }] });
    let refusal = editor.request("session/prompt", params).await.unwrap_err();
    assert_eq!(refusal.code, -32002, "a closed session is not open");
    assert_eq!(
        editor
            .load(&session.id, project.cwd())
            .await
            .prompt("hi")
            .await
            .done(),
        "ok"
    );
}

/// Makes sure that nothing is left of a session.
async fn is_gone(editor: &Editor, home: &Home, project: &Project, id: &str, words: &str) {
    assert!(!editor.session_ids(json!({})).await.contains(&id.to_owned()));
    for method in ["session/load", "session/resume"] {
        let params = json!({ "sessionId": id, "cwd": project.cwd(), "mcpServers": [] });
        assert_eq!(
            editor.request(method, params).await.unwrap_err().code,
            -32002,
            "{method}"
        );
    }
    assert!(!home.run(&["data", "export"]).await.ok().contains(words));
}

#[tokio::test]
async fn deleting_is_idempotent_and_nothing_comes_back() {
    let (_model, home) = saying(&["a"]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("WORDS-to-forget").await;
    let id = session.id.clone();
    for _ in 0..2 {
        editor.delete(&id).await;
        is_gone(&editor, &home, &project, &id, "WORDS-to-forget").await;
    }
    editor.delete("00000000-0000-4000-8000-000000000000").await;
    drop(session);
    editor.leave().await;
    let editor = Editor::start(&home).await;
    is_gone(&editor, &home, &project, &id, "WORDS-to-forget").await;
    editor.delete(&id).await;
}

#[tokio::test]
async fn deleting_in_the_middle_of_a_turn_writes_nothing_afterwards() {
    let script = Script::stream()
        .text("WORDS-half")
        .wait(&sidewire_tests::Gate::new())
        .done();
    let left = script.left();
    let model = ScriptedModel::playing(script).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let prompt = session.begin("WORDS-asked").await;
    prompt.update("agent_message_chunk").await;
    editor.delete(&session.id).await;
    assert_eq!(prompt.ended().await.stop(), "cancelled");
    left.passed().await;
    is_gone(&editor, &home, &project, &session.id, "WORDS-").await;
    let other = editor.session(project.cwd()).await;
    assert_eq!(other.prompt("hello").await.done(), "ok");
}

#[tokio::test]
async fn sessions_know_nothing_of_each_other() {
    let (model, home) = saying(&["a", "b"]).await;
    let (one, other) = (Project::new(), Project::new());
    let editor = Editor::start(&home).await;
    let (first, second): (Session<'_>, Session<'_>) =
        (editor.session(one.cwd()).await, editor.session(other.cwd()).await);
    first.set("tool_approval", "yolo").await.unwrap();
    first.set_mode("plan").await.unwrap();
    first.prompt("secret of the first").await;
    second.prompt("of the second").await;
    assert!(
        !model
            .request(1)
            .await
            .body
            .to_string()
            .contains("secret of the first")
    );
    let loaded = editor.load(&second.id, other.cwd()).await;
    assert_eq!(loaded.opened["modes"]["currentModeId"], "normal");
    assert_eq!(
        sidewire_tests::value_of(&loaded.opened["configOptions"], "tool_approval"),
        "ask"
    );
}

#[tokio::test]
async fn the_title_is_told_and_listed() {
    let (_model, home) = saying(&["a"]).await;
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let from = editor.count();
    let long = "word ".repeat(60);
    session.prompt(&long).await;
    let info = session.update("session_info_update", from).await;
    let title = info["title"].as_str().unwrap();
    assert!(
        title.starts_with("word word") && title.chars().count() <= 80,
        "{title}"
    );
    let listed = editor.list(json!({})).await.unwrap();
    assert_eq!(listed["sessions"][0]["title"], json!(title));
}
