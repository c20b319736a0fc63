//! What a turn tells: attempts, thoughts, plans, usage, ends of every kind, failures that leak nothing.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Home, Project, PromptTurn, Script, ScriptedModel};

use crate::acp_files::calls;

/// Plays one turn of a model that follows these scripts.
async fn turn(scripts: Vec<Script>) -> (PromptTurn, ScriptedModel) {
    turn_in(&Project::new(), scripts).await
}

/// Plays one turn in a folder.
async fn turn_in(project: &Project, scripts: Vec<Script>) -> (PromptTurn, ScriptedModel) {
    let model = ScriptedModel::start().await;
    for script in scripts {
        model.script(script);
    }
    let home = Home::with_model(&model);
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("go").await;
    // Whatever happened, the session goes on.
    assert_eq!(session.prompt("and now?").await.done(), "ok");
    (turn, model)
}

fn message_ids(turn: &PromptTurn, kind: &str) -> Vec<String> {
    let mut ids: Vec<String> = turn
        .of(kind)
        .iter()
        .map(|chunk| chunk["messageId"].as_str().expect("a message id").to_owned())
        .collect();
    ids.dedup();
    ids
}

#[tokio::test]
async fn an_answer_streams_with_one_message_id_for_each_attempt() {
    let project = Project::with("a.txt", "a\n");
    let first = Script::stream()
        .texts(["One, ", "two. "])
        .call("c1", "read_file", &json!({ "path": project.file("a.txt") }))
        .done();
    let second = Script::stream().texts(["Three, ", "four."]).done();
    let (turn, _model) = turn_in(&project, vec![first, second]).await;
    assert_eq!(turn.done(), "One, two. Three, four.");
    let ids = message_ids(&turn, "agent_message_chunk");
    assert_eq!(ids.len(), 2, "a model call is an attempt of its own: {ids:?}");
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again_as_a_new_attempt() {
    let (turn, model) = turn(vec![
        Script::stream().text("A draft that is ").cut(),
        Script::says("The answer."),
    ])
    .await;
    assert_eq!(turn.stop(), "end_turn");
    let ids = message_ids(&turn, "agent_message_chunk");
    assert_eq!(ids.len(), 2, "{ids:?}");
    let last: String = turn
        .of("agent_message_chunk")
        .iter()
        .filter(|chunk| chunk["messageId"] == json!(ids[1]))
        .filter_map(|chunk| chunk["content"]["text"].as_str())
        .collect();
    assert_eq!(last, "The answer.");
    // What was discarded is not part of the conversation.
    let stored = model.request(2).await.texts("assistant").join("\n");
    assert!(
        stored.contains("The answer.") && !stored.contains("A draft"),
        "{stored}"
    );
}

/// Nothing of these was shown, so nothing tells the person but that the answer comes.
#[tokio::test]
async fn a_cut_within_a_call_and_an_overload_inside_the_stream_are_survived() {
    let begun = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "id": "b", "type": "function",
        "function": { "name": "write_file", "arguments": "{\"path\": \"/half" } }] } }] });
    let busy = json!({ "error": { "code": 529 } });
    for script in [
        Script::stream().event(&begun).cut(),
        Script::stream().event(&busy).done(),
    ] {
        let (turn, model) = turn(vec![script, Script::says("The answer.")]).await;
        assert!(turn.done().ends_with("The answer."), "{turn:?}");
        assert!(turn.calls().is_empty());
        assert_eq!(model.requests().len(), 3, "two for the first prompt");
    }
}

/// Some models refuse a question after a question, and would do so for the rest of the conversation.
#[tokio::test]
async fn after_a_failed_turn_both_sides_still_take_turns() {
    let (_failed, model) = turn(vec![Script::fails(401)]).await;
    let body = model.request(1).await.body;
    let roles: Vec<&str> = body["messages"].as_array().unwrap()[1..]
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
}

#[tokio::test]
async fn an_answer_that_breaks_off_twice_fails_the_turn() {
    let (turn, _model) = turn(vec![
        Script::stream().text("A draft ").cut(),
        Script::stream().text("Another ").cut(),
    ])
    .await;
    assert_eq!(
        (turn.refusal().code, &turn.refusal().data["code"]),
        (-32603, &json!("turn_failed"))
    );
}

#[tokio::test]
async fn thoughts_are_told_as_such() {
    let (turn, _model) = turn(vec![
        Script::stream()
            .thinks("Let me ")
            .thinks("see.")
            .text("So.")
            .done(),
    ])
    .await;
    assert_eq!(
        (turn.thoughts().as_str(), turn.done().as_str()),
        ("Let me see.", "So.")
    );
}

/// Plays a turn of a model that always does the same, until it has failed.
async fn failing(script: &Script) -> PromptTurn {
    let model = ScriptedModel::start().await;
    model.otherwise(script.clone());
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("go").await;
    model.otherwise(Script::says("better"));
    assert_eq!(session.prompt("and now?").await.done(), "better");
    turn
}

#[tokio::test]
async fn every_failure_is_a_typed_error_without_a_word_of_the_provider() {
    for script in [
        Script::fails(400),
        Script::fails(401),
        Script::fails(403),
        Script::fails(404),
        Script::fails(422),
        Script::stream()
            .bytes("data: {\"error\":{\"message\":\"PROVIDER-TEXT sk-live\"}}\n\n")
            .done(),
        Script::stream().bytes("data: this is no JSON PROVIDER-TEXT\n\n"),
    ] {
        let turn = failing(&script).await;
        assert!(turn.end.is_err(), "{script:?}: {turn:?}");
        let refusal = turn.refusal();
        assert_eq!(
            (refusal.code, &refusal.data["code"]),
            (-32603, &json!("turn_failed")),
            "{refusal:?}"
        );
        let told = format!("{} {} {:?}", refusal.message, refusal.data, turn.updates);
        assert!(
            !told.contains("PROVIDER-TEXT") && !told.contains("sk-live"),
            "{told}"
        );
        assert!(!refusal.message.is_empty() && refusal.message.len() <= 2048);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_fails_the_turn_and_is_no_cancel() {
    let home = Home::new();
    home.use_dead_model();
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for _ in 0..2 {
        let turn = session.prompt("go").await;
        assert_eq!(
            (turn.refusal().code, &turn.refusal().data["code"]),
            (-32603, &json!("turn_failed"))
        );
    }
    // A failed turn is still in the conversation, and loads.
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    assert!(
        loaded
            .updates_since(from)
            .iter()
            .any(|update| update["content"]["text"] == "go")
    );
}

#[tokio::test]
async fn ends_have_their_stop_reasons() {
    let finished = |reason: &str| {
        Script::stream()
            .text("words")
            .event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
            .bytes("data: [DONE]\n\n")
    };
    for (reason, stop) in [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
    ] {
        let (turn, _model) = turn(vec![finished(reason)]).await;
        assert_eq!(turn.stop(), stop, "{reason}");
    }
}

#[tokio::test]
async fn a_turn_that_never_stops_calling_tools_is_ended() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::with("a.txt", "a\n");
    for step in 0..80 {
        let arguments = json!({ "path": project.file("a.txt"), "offset": step });
        model.script(
            Script::stream()
                .call(&format!("c{step}"), "read_file", &arguments)
                .done(),
        );
    }
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("go").await;
    assert_eq!(turn.stop(), "max_turn_requests");
    assert!(model.requests().len() <= 51, "{}", model.requests().len());
}

#[tokio::test]
async fn a_plan_is_told_whole_each_time() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let todos = json!([
        { "content": "Look", "status": "completed", "activeForm": "Looking", "level": 0 },
        { "content": "Change", "status": "in_progress", "activeForm": "Changing", "level": 1 },
        { "content": "Check", "status": "pending", "activeForm": "Checking", "level": 1 },
    ]);
    calls(&model, "todo_write", &json!({ "todos": todos }));
    let turn = session.prompt("go").await;
    turn.done();
    assert_eq!(
        turn.of("plan").last().unwrap()["entries"],
        json!([
            { "content": "Look", "priority": "high", "status": "completed" },
            { "content": "Change", "priority": "medium", "status": "in_progress" },
            { "content": "Check", "priority": "medium", "status": "pending" },
        ])
    );
    calls(&model, "todo_write", &json!({ "todos": [] }));
    let cleared = session.prompt("clear").await;
    assert_eq!(cleared.of("plan").last().unwrap()["entries"], json!([]));
    // A replay shows the plan again.
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    let plans = loaded
        .updates_since(from)
        .into_iter()
        .filter(|update| update["sessionUpdate"] == "plan");
    assert_eq!(plans.count(), 2);
}

#[tokio::test]
async fn usage_is_told_after_each_turn_against_the_window() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.use_model_with_window(&model, 32_000);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("go").await;
    let usage = turn.of("usage_update").last().copied().cloned().expect("usage");
    assert_eq!(usage["size"], 32_000);
    // What the scripted model counts: 11 in, 7 out.
    assert_eq!(usage["used"], 18);
    assert!(
        usage.get("cost").is_none_or(Value::is_null),
        "an unknown price is not made up"
    );
}

#[tokio::test]
async fn usage_is_not_told_when_the_window_is_unknown() {
    let (turn, _model) = turn(vec![]).await;
    assert_eq!(turn.of("usage_update"), [] as [&Value; 0]);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_or_gets_nonsense_fails_and_the_turn_goes_on() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for (tool, arguments) in [
        ("no_such_tool", json!({})),
        ("read_file", json!({ "path": 7 })),
        ("read_file", json!({})),
        ("read_file", json!({ "path": project.file("missing.txt") })),
        ("edit_file", json!([])),
    ] {
        calls(&model, tool, &arguments);
        editor.choose("allow_once");
        let turn = session.prompt("go").await;
        assert_eq!(turn.done(), "done", "{tool}");
        for call in turn.calls() {
            assert_eq!(call.status(), "failed", "{tool} {arguments}");
        }
    }
    let broken = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "id": "b", "type": "function",
        "function": { "name": "read_file", "arguments": "{\"path\": \"/unfinished" } }] } }] });
    model.script(
        Script::stream()
            .event(&broken)
            .event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }))
            .bytes("data: [DONE]\n\n"),
    );
    model.script(Script::says("done"));
    assert_eq!(session.prompt("go").await.done(), "done");
}

#[tokio::test]
async fn thinking_of_calls_goes_back_to_the_model_that_thought_it() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::with("a.txt", "a\n");
    model.script(
        Script::stream()
            .thinks("I must look.")
            .call("c1", "read_file", &json!({ "path": project.file("a.txt") }))
            .done(),
    );
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("go").await.done();
    session.prompt("again").await.done();
    for request in [1, 2] {
        let body = model.request(request).await.body;
        let called = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|message| message.get("tool_calls").is_some_and(|calls| !calls.is_null()))
            .expect("the call is in the history")
            .clone();
        assert_eq!(called["reasoning_content"], "I must look.", "request {request}");
        assert!(called.get("content").is_some(), "content is always there");
    }
}

#[tokio::test]
async fn the_beginning_of_every_request_stays_as_it_was() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::with("a.txt", "a\n");
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for number in 0..3 {
        calls(&model, "read_file", &json!({ "path": project.file("a.txt") }));
        session.prompt(&format!("question {number}")).await.done();
    }
    let requests = model.requests();
    for pair in requests.windows(2) {
        let messages = |at: usize| pair[at].body["messages"].as_array().unwrap().clone();
        let (earlier, later) = (messages(0), messages(1));
        assert_eq!(
            later[..earlier.len()],
            earlier[..],
            "a longer request begins like the one before it"
        );
        assert_eq!(pair[0].body["tools"], pair[1].body["tools"]);
    }
}

#[tokio::test]
async fn a_long_conversation_is_summed_up_and_goes_on() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.use_model_with_window(&model, 8_000);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let mut noticed = None;
    for number in 0..12 {
        let turn = session
            .prompt(&format!("question {number}: {}", "words ".repeat(600)))
            .await;
        assert_eq!(turn.stop(), "end_turn", "{number}");
        if turn.text().contains("earlier messages to save context]") {
            noticed = Some((number, turn.text()));
            break;
        }
    }
    let (number, text) = noticed.expect("it is told");
    assert!(text.contains("[compacted "), "{text}");
    let asked = model.requests();
    let (answering, earlier) = asked.split_last().unwrap();
    assert!(
        earlier
            .iter()
            .any(|asked| asked.body.to_string().contains("question 0:")),
        "it was there before"
    );
    // The newest question is there whole, and an early one is not.
    assert!(
        answering
            .body
            .to_string()
            .contains(&format!("question {number}:"))
    );
    assert!(!answering.body.to_string().contains("question 0:"));
}

#[tokio::test]
async fn an_address_is_fetched_with_permission_and_private_ones_are_not() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    calls(
        &model,
        "web_fetch",
        &json!({ "url": "http://169.254.169.254/latest/meta-data/" }),
    );
    let turn = session.prompt("go").await;
    assert_eq!((turn.done().as_str(), turn.call().status()), ("done", "failed"));
    assert!(
        turn.call().text().contains("private network"),
        "{:?}",
        turn.call()
    );
    assert_eq!(turn.call().began["kind"], "fetch");
    // The loopback address is the person's own machine: the scripted model answers there.
    calls(
        &model,
        "web_fetch",
        &json!({ "url": format!("{}/models", model.base_url()) }),
    );
    let turn = session.prompt("go").await;
    assert_eq!(turn.call().status(), "completed");
    assert!(turn.call().text().contains("scripted"), "{:?}", turn.call());
}

#[tokio::test]
async fn calls_of_a_step_that_change_something_run_in_their_order() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let (first, second, third) = (
        project.file("1.txt"),
        project.file("2.txt"),
        project.file("3.txt"),
    );
    for round in 0..5 {
        let words = format!("words of round {round}\n");
        model.script(
            Script::stream()
                .call("c1", "write_file", &json!({ "path": first, "content": words }))
                .call("c2", "bash", &json!({ "command": "cp 1.txt 2.txt" }))
                .call(
                    "c3",
                    "move_file",
                    &json!({ "source_path": second, "destination_path": third }),
                )
                .call("c4", "bash", &json!({ "command": "mv 3.txt 4.txt && rm 1.txt" }))
                .done(),
        );
        model.script(Script::says("done"));
        session.prompt("go").await.done();
        assert_eq!(project.read("4.txt"), words);
    }
}
