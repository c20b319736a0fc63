//! What comes before what: answers before updates on opening, updates before answers in a turn, replay before both.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Frame, Gate, Home, Project, Script, ScriptedModel, within};

/// Opens a session and gives the numbers of its answer and of its updates, of which this kind is the last.
async fn open(editor: &Editor, (method, params): (&str, Value), last: &'static str) -> (usize, Vec<Frame>) {
    let from = editor.count();
    let opened = editor.request(method, params.clone()).await.unwrap();
    let id = params["sessionId"]
        .as_str()
        .or(opened["sessionId"].as_str())
        .unwrap()
        .to_owned();
    // What follows an answer may be overtaken by the answer to the next request.
    let is_last = |frame: &Frame| (frame.update_of(&id)?["sessionUpdate"] == last).then_some(());
    editor.until(last, from, is_last).await;
    editor.quiet(from).await;
    let frames = editor.since(from);
    let answer = frames
        .iter()
        .find(|frame| frame.json.get("result").is_some())
        .expect("an answer")
        .at;
    let updates = frames.into_iter().filter(|frame| frame.update_of(&id).is_some());
    (answer, updates.collect())
}

fn kinds(frames: &[Frame]) -> Vec<&str> {
    frames
        .iter()
        .filter_map(|frame| frame.json["params"]["update"]["sessionUpdate"].as_str())
        .collect()
}

#[tokio::test]
async fn commands_and_usage_follow_the_answer_that_opened_the_session() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.use_model_with_window(&model, 32_000);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let new = json!({ "cwd": project.cwd(), "mcpServers": [] });
    let (answer, updates) = open(&editor, ("session/new", new), "usage_update").await;
    assert!(updates.iter().all(|update| update.at > answer));
    assert_eq!(kinds(&updates), ["available_commands_update", "usage_update"]);
    let usage = &updates[1].json["params"]["update"];
    assert_eq!((&usage["used"], &usage["size"]), (&json!(0), &json!(32_000)));

    let session = editor.session(project.cwd()).await;
    session.prompt("hello").await;
    for method in ["session/load", "session/resume"] {
        for closed in [false, true] {
            if closed {
                editor.close(&session.id).await;
            }
            let params = json!({ "sessionId": session.id, "cwd": project.cwd(), "mcpServers": [] });
            let (answer, updates) = open(&editor, (method, params), "session_info_update").await;
            let (before, after): (Vec<Frame>, Vec<Frame>) =
                updates.into_iter().partition(|update| update.at < answer);
            let replayed: &[&str] = if method == "session/load" {
                &["user_message_chunk", "agent_message_chunk"]
            } else {
                &[]
            };
            assert_eq!(kinds(&before), replayed, "{method}, closed before: {closed}");
            assert_eq!(
                kinds(&after),
                ["available_commands_update", "usage_update", "session_info_update"],
                "{method}, closed before: {closed}"
            );
        }
    }
}

#[tokio::test]
async fn all_updates_of_a_turn_come_before_its_answer() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.use_model_with_window(&model, 32_000);
    let project = Project::with("a.txt", "a\n");
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for round in 0..5 {
        let pieces: Vec<String> = (0..200).map(|piece| format!("{round}.{piece} ")).collect();
        model.script(
            Script::stream()
                .thinks("hm")
                .call("c1", "read_file", &json!({ "path": project.file("a.txt") }))
                .done(),
        );
        model.script(Script::stream().texts(pieces.iter().map(String::as_str)).done());
        // The harness fails the test when an update of the turn follows; here, that all of them came.
        let turn = session.prompt("go").await;
        assert_eq!(turn.done(), pieces.concat());
        let kinds: Vec<&str> = turn
            .updates
            .iter()
            .filter_map(|update| update["sessionUpdate"].as_str())
            .collect();
        assert!(
            kinds.ends_with(&["usage_update", "session_info_update"]),
            "{kinds:?}"
        );
        let position = |kind| kinds.iter().position(|one| *one == kind);
        assert!(position("agent_thought_chunk") < position("tool_call"));
        assert!(position("tool_call") < position("tool_call_update"));
        assert!(position("tool_call_update") < position("agent_message_chunk"));
    }
}

#[tokio::test]
async fn all_updates_of_a_cancelled_turn_come_before_its_answer() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for _ in 0..5 {
        model.script(Script::stream().text("half").wait(&Gate::new()).done());
        let prompt = session.begin("go").await;
        prompt.update("agent_message_chunk").await;
        session.cancel().await;
        let turn = prompt.ended().await;
        assert_eq!((turn.stop(), turn.text().as_str()), ("cancelled", "half"));
    }
}

#[tokio::test]
async fn a_replay_of_many_turns_is_whole_and_in_order() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.use_model_with_window(&model, 1_000_000);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let mut expected = String::new();
    for number in 0..30 {
        let answer = format!("answer {number} {}", "x".repeat(20_000));
        model.script(Script::says(&answer));
        session.prompt(&format!("question {number}")).await;
        expected += &format!("question {number}{answer}");
    }
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    let replayed: String = loaded
        .updates_since(from)
        .iter()
        .filter_map(|update| update["content"]["text"].as_str().map(str::to_owned))
        .collect();
    assert!(
        replayed == expected,
        "{} and {} bytes",
        replayed.len(),
        expected.len()
    );
}

#[tokio::test]
async fn a_slow_editor_holds_no_model_up_and_loses_nothing() {
    let words = "0123456789".repeat(20);
    let script = (0..2_000)
        .fold(Script::stream(), |script, _| script.text(&words))
        .done();
    let left = script.left();
    let model = ScriptedModel::playing(script).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    editor.stop_reading();
    let prompt = session.begin("go").await;
    within("the end of the model's answer", left.passed()).await;
    editor.go_on_reading();
    let turn = prompt.ended().await;
    assert!(turn.done() == words.repeat(2_000), "{} bytes", turn.text().len());
    let chunks = turn.of("agent_message_chunk").len();
    assert!(chunks < 2_000, "what was behind is merged: {chunks} chunks");
}
