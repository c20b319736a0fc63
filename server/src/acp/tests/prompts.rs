//! Prompts: their updates, their ends, cancellation, and slash commands.

use serde_json::{Value, json};
use sidewire_agent::error::ProviderError;

use super::super::Start;
use super::super::desks::McpPrompt;
use super::support::{Editor, editor};

async fn waiting(editor: &mut Editor, session: &str) -> u64 {
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(session, "hi").await;
    editor.update("agent_message_chunk").await;
    prompt
}

#[tokio::test]
async fn everything_of_a_turn_comes_before_its_answer() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    assert_eq!(editor.prompt(&session, "hello").await, "end_turn");
    let kinds = editor.kinds();
    assert_eq!(kinds.first().map(String::as_str), Some("session_info_update"));
    assert!(kinds.contains(&"agent_message_chunk".to_owned()), "{kinds:?}");
    assert_eq!(kinds.last().map(String::as_str), Some("session_info_update"));
    assert_eq!(editor.prompt(&session, "again").await, "end_turn");
    let kinds = editor.kinds();
    let told = kinds.iter().filter(|kind| *kind == "session_info_update").count();
    assert_eq!(told, 1, "the title is the same, the time is not: {kinds:?}");
}

#[tokio::test]
async fn one_prompt_at_a_time_and_two_sessions_at_once() {
    let mut editor = editor(Start::default()).await;
    let (first, second) = (editor.open().await, editor.open().await);
    let prompt = waiting(&mut editor, &first).await;
    let text = json!([{"type": "text", "text": "hi"}]);
    let (code, _) = editor
        .refused("session/prompt", json!({"sessionId": first, "prompt": text}))
        .await;
    assert_eq!(code, -32600);
    assert_eq!(editor.prompt(&second, "hi").await, "end_turn");
    editor.world.gate.add_permits(1);
    assert_eq!(editor.answer(prompt).await.unwrap()["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_turn_that_was_stopped_says_so_and_the_next_one_works() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = waiting(&mut editor, &session).await;
    editor.tell("session/cancel", json!({"sessionId": session})).await;
    assert_eq!(
        editor.answer(prompt).await.unwrap(),
        json!({"stopReason": "cancelled"})
    );
    assert_eq!(editor.prompt(&session, "hi").await, "end_turn");
    // Nothing runs; and a cancel right behind its prompt finds it.
    editor.tell("session/cancel", json!({"sessionId": session})).await;
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait".to_owned()));
    let prompt = editor.begin(&session, "hi").await;
    editor.tell("session/cancel", json!({"sessionId": session})).await;
    assert_eq!(editor.answer(prompt).await.unwrap()["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_prompt_right_behind_a_cancel_waits_its_turn() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let first = waiting(&mut editor, &session).await;
    // Its end waits for a look at the model that was chosen meanwhile.
    editor.set(&session, "model", "p/two+").await.unwrap();
    let (go_on, look) = std::sync::mpsc::sync_channel(1);
    *editor.world.look.lock().unwrap() = Some(look);
    editor.tell("session/cancel", json!({"sessionId": session})).await;
    let second = editor.begin(&session, "not that").await;
    editor.tell("session/cancel", json!({"sessionId": session})).await;
    let third = editor.begin(&session, "this instead").await;
    let fourth = editor.begin(&session, "too many").await;
    let refused = editor.answer(fourth).await.unwrap_err();
    assert_eq!(refused["code"], -32600, "beside a turn that nobody stopped");
    editor.kinds();
    go_on.send(()).unwrap();
    for stopped in [first, second] {
        assert_eq!(editor.answer(stopped).await.unwrap()["stopReason"], "cancelled");
        let told = editor.kinds();
        assert!(!told.contains(&"agent_message_chunk".to_owned()), "{told:?}");
    }
    assert_eq!(editor.answer(third).await.unwrap()["stopReason"], "end_turn");
    assert!(editor.kinds().contains(&"agent_message_chunk".to_owned()));
    let asked = editor.world.asked.lock().unwrap();
    let questions: Vec<_> = asked
        .iter()
        .map(|(model, request)| (model.as_str(), request.question.as_str()))
        .collect();
    assert_eq!(questions, [("p/one", "hi"), ("p/two+", "this instead")]);
}

#[tokio::test]
async fn a_request_that_was_given_up_says_so_and_an_answered_one_is_left_alone() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = waiting(&mut editor, &session).await;
    editor
        .tell("$/cancel_request", json!({"requestId": prompt}))
        .await;
    assert_eq!(editor.answer(prompt).await.unwrap_err()["code"], -32800);
    for id in [json!(prompt), json!("unknown")] {
        editor.tell("$/cancel_request", json!({"requestId": id})).await;
    }
    assert_eq!(editor.prompt(&session, "hi").await, "end_turn");
}

#[tokio::test]
async fn servers_that_are_late_are_named_and_a_prompt_stopped_meanwhile_is_kept() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.world.settled.forget_permits(1);
    let prompt = editor.begin(&session, "are you there?").await;
    let told = editor.update("agent_message_chunk").await;
    assert!(chunk(&told).contains("MCP servers to start: slow"), "{told}");
    assert_eq!(
        told["_meta"]["reasonix.io"]["notice"]["code"],
        "waiting_for_servers"
    );
    editor.tell("session/cancel", json!({"sessionId": session})).await;
    assert_eq!(editor.answer(prompt).await.unwrap()["stopReason"], "cancelled");
    assert!(
        editor.world.asked.lock().unwrap().is_empty(),
        "no model was asked"
    );
    editor.world.settled.add_permits(1);
    assert_eq!(editor.prompt(&session, "and now?").await, "end_turn");
    editor.kinds();
    let params = json!({"sessionId": session, "cwd": editor.cwd(), "mcpServers": []});
    let load = editor.send("session/load", params).await;
    for question in ["are you there?", "and now?"] {
        assert_eq!(chunk(&editor.update("user_message_chunk").await), question);
    }
    editor.answer(load).await.unwrap();
}

#[tokio::test]
async fn a_turn_that_fails_is_an_error_and_not_a_stop_reason() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Err(ProviderError::Refused { status: 400 }));
    let prompt = editor.begin(&session, "hi").await;
    let error = editor.answer(prompt).await.unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32603), &json!("turn_failed"))
    );
    assert_eq!(editor.prompt(&session, "hi").await, "end_turn");
}

#[tokio::test]
async fn a_prompt_of_nothing_is_refused() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    for blocks in [json!([]), json!([{"type": "text", "text": " \n"}])] {
        let (code, text) = editor
            .refused("session/prompt", json!({"sessionId": session, "prompt": blocks}))
            .await;
        assert!(code == -32602 && text.contains("empty prompt"), "{text}");
    }
    let (code, _) = editor
        .refused("session/prompt", json!({"sessionId": session}))
        .await;
    assert_eq!(code, -32602);
    assert_eq!(editor.prompt(&session, "hi").await, "end_turn");
}

fn chunk(update: &Value) -> &str {
    update["content"]["text"].as_str().unwrap()
}

#[tokio::test]
async fn the_front_runs_its_own_commands() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "hello").await;
    assert_eq!(editor.prompt(&session, "/status").await, "end_turn");
    editor.kinds();
    editor.set(&session, "tool_approval", "yolo").await.unwrap();
    assert_eq!(editor.prompt(&session, "/clear").await, "end_turn");
    editor.update("session_info_update").await;
    let asked = editor.world.asked.lock().unwrap().len();
    assert_eq!(asked, 1, "no model was asked for a command");
    assert_eq!(editor.prompt(&session, "what now").await, "end_turn");
    let request = editor.world.asked.lock().unwrap().pop().unwrap().1;
    assert!(!format!("{:?}", request.messages).contains("hello"));
}

#[tokio::test]
async fn clearing_asks_the_person() {
    for (choice, cleared) in [("allow_once", true), ("reject_once", false)] {
        let mut editor = editor(Start::default()).await;
        let session = editor.open().await;
        editor.prompt(&session, "hello").await;
        editor.kinds();
        let prompt = editor.begin(&session, "/clear").await;
        let call = editor.hear().await["params"]["update"].clone();
        assert_eq!(
            (&call["sessionUpdate"], &call["status"]),
            (&json!("tool_call"), &json!("pending"))
        );
        let card = editor.hear().await;
        assert_eq!(card["method"], "session/request_permission");
        assert_eq!(card["params"]["toolCall"]["toolCallId"], call["toolCallId"]);
        let kinds: Vec<_> = card["params"]["options"]
            .as_array()
            .unwrap()
            .iter()
            .map(|option| option["kind"].clone())
            .collect();
        assert_eq!(kinds, ["allow_once", "reject_once"]);
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": choice}});
        editor.respond(&card["id"], outcome).await;
        let end = editor.hear().await["params"]["update"].clone();
        assert_eq!(end["status"], if cleared { "completed" } else { "failed" });
        assert_eq!(end["toolCallId"], call["toolCallId"]);
        assert_eq!(editor.answer(prompt).await.unwrap()["stopReason"], "end_turn");
        editor.prompt(&session, "what now").await;
        let request = editor.world.asked.lock().unwrap().pop().unwrap().1;
        assert_eq!(!format!("{:?}", request.messages).contains("hello"), cleared);
    }
}

#[tokio::test]
async fn prompts_of_servers_are_commands_and_what_is_no_command_goes_to_the_model() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.world.prompts.lock().unwrap().push(McpPrompt {
        name: "files:review".to_owned(),
        description: String::new(),
        arguments: true,
    });
    let changed = editor.world.changed.lock().unwrap().pop().unwrap();
    changed();
    let update = editor.update("available_commands_update").await;
    let command = &update["availableCommands"].as_array().unwrap()[2];
    assert_eq!(command["name"], "files:review");
    assert_eq!(command["description"], "Run the files:review MCP prompt");
    assert_eq!(command["input"]["hint"], "arguments");
    for (typed, read) in [
        ("/files:review src", "files:review of the server, with src"),
        ("/unknown thing", "/unknown thing"),
    ] {
        editor.prompt(&session, typed).await;
        let request = editor.world.asked.lock().unwrap().pop().unwrap().1;
        assert_eq!(request.question, read);
    }
    editor.kinds();
    let params = json!({"sessionId": session, "cwd": editor.cwd(), "mcpServers": []});
    let id = editor.send("session/load", params).await;
    assert_eq!(
        chunk(&editor.update("user_message_chunk").await),
        "/files:review src"
    );
    editor.answer(id).await.unwrap();
}
