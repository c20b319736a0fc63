//! Cancelling: a turn in each of its phases, one request, and whatever is not there to be cancelled.

use serde_json::json;
use sidewire_tests::{
    Editor, Gate, Home, Project, PromptTurn, Prompting, Script, ScriptedModel, Session, TerminalScript,
    eventually, is_built_apart, within,
};

/// A model, a home and a folder.
struct Scene {
    model: ScriptedModel,
    home: Home,
    project: Project,
}

impl Scene {
    async fn new() -> Self {
        let model = ScriptedModel::start().await;
        let home = Home::with_model(&model);
        let project = Project::with("a.txt", "one\n");
        Self { model, home, project }
    }

    /// The model calls a tool with these arguments.
    fn calls(&self, tool: &str, arguments: &serde_json::Value) {
        self.model
            .script(Script::stream().call("call-1", tool, arguments).done());
    }
}

/// Cancels; the turn ends as it should and the next one works at once.
async fn cancel(session: &Session<'_>, prompt: Prompting<'_>) -> PromptTurn {
    session.cancel().await;
    let turn = prompt.ended().await;
    assert_eq!(turn.stop(), "cancelled");
    for call in turn.calls() {
        assert!(["completed", "failed"].contains(&call.status()), "{call:?}");
    }
    assert_eq!(session.prompt("and now?").await.done(), "ok");
    turn
}

#[tokio::test]
async fn while_the_model_is_silent() {
    let scene = Scene::new().await;
    let script = Script::hangs();
    let left = script.left();
    scene.model.script(script);
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    scene.model.request(0).await;
    let turn = cancel(&session, prompt).await;
    assert_eq!(turn.text(), "");
    within("the end of the model's request", left.passed()).await;
}

#[tokio::test]
async fn while_the_answer_streams() {
    let scene = Scene::new().await;
    let script = Script::stream()
        .text("half")
        .wait(&Gate::new())
        .text("NEVER")
        .done();
    let left = script.left();
    scene.model.script(script);
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    prompt.update("agent_message_chunk").await;
    assert_eq!(cancel(&session, prompt).await.text(), "half");
    within("the end of the model's request", left.passed()).await;
    // What was said stays said.
    assert!(
        scene
            .model
            .request(1)
            .await
            .texts("assistant")
            .contains(&"half".to_owned())
    );
}

#[tokio::test]
async fn while_a_command_runs_here() {
    let scene = Scene::new().await;
    let started = scene.project.file("started");
    scene.calls(
        "bash",
        &json!({ "command": format!("touch {started} && exec tail -f /dev/null") }),
    );
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let prompt = session.begin("go").await;
    eventually("the command's start", || scene.project.has("started")).await;
    let turn = cancel(&session, prompt).await;
    assert_eq!(turn.call().status(), "failed");
    drop(session);
    assert_eq!(editor.leave().await.survivors, [] as [u32; 0]);
}

#[tokio::test]
async fn while_a_card_waits() {
    let scene = Scene::new().await;
    scene.calls(
        "write_file",
        &json!({ "path": scene.project.file("b.txt"), "content": "b" }),
    );
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    // A lazy editor does not answer the card; the turn ends all the same.
    let turn = cancel(&session, prompt).await;
    assert_eq!(turn.call().status(), "failed");
    // A late answer changes nothing.
    editor.decide(&card, "allow_once");
    editor.quiet(0).await;
    assert!(!scene.project.has("b.txt"));
}

#[tokio::test]
async fn while_a_card_waits_and_the_editor_answers_it_as_cancelled() {
    let scene = Scene::new().await;
    scene.calls(
        "write_file",
        &json!({ "path": scene.project.file("b.txt"), "content": "b" }),
    );
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    session.cancel().await;
    editor.decide(&card, "cancelled");
    assert_eq!(prompt.ended().await.stop(), "cancelled");
    assert_eq!(session.prompt("and now?").await.done(), "ok");
    assert!(!scene.project.has("b.txt"));
}

#[tokio::test]
async fn while_the_editor_is_asked_for_a_file() {
    let scene = Scene::new().await;
    scene.calls("read_file", &json!({ "path": scene.project.file("a.txt") }));
    let editor = Editor::full(&scene.home).await;
    editor.hold("fs/read_text_file");
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let asked = editor.asked("fs/read_text_file").await;
    let turn = cancel(&session, prompt).await;
    assert_eq!(turn.call().status(), "failed");
    editor.answer(&asked, json!({ "content": "late" }));
    assert_eq!(session.prompt("still there?").await.done(), "ok");
}

#[tokio::test]
async fn while_the_editor_is_asked_to_write() {
    let scene = Scene::new().await;
    let path = scene.project.file("a.txt");
    scene.calls("write_file", &json!({ "path": path, "content": "two\n" }));
    let editor = Editor::full(&scene.home).await;
    editor.hold("fs/write_text_file");
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let prompt = session.begin("go").await;
    editor.asked("fs/write_text_file").await;
    cancel(&session, prompt).await;
    assert_eq!(scene.project.read("a.txt"), "one\n");
}

#[tokio::test]
async fn while_a_terminal_runs() {
    if !is_built_apart() {
        return;
    }
    let scene = Scene::new().await;
    scene.calls("bash", &json!({ "command": "sleep 1000" }));
    let editor = Editor::full(&scene.home).await;
    editor.terminal(TerminalScript::runs("so far"));
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let prompt = session.begin("go").await;
    editor
        .until("the wait for the terminal", 0, |frame| {
            (frame.method() == "terminal/wait_for_exit").then_some(())
        })
        .await;
    let turn = cancel(&session, prompt).await;
    assert_eq!(turn.call().status(), "failed");
    assert_eq!(editor.requests("terminal/kill").len(), 1);
    assert_eq!(editor.requests("terminal/release").len(), 1);
}

#[tokio::test]
async fn while_a_terminal_is_being_made() {
    if !is_built_apart() {
        return;
    }
    let scene = Scene::new().await;
    scene.calls("bash", &json!({ "command": "sleep 1000" }));
    let editor = Editor::full(&scene.home).await;
    editor.hold("terminal/create");
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let prompt = session.begin("go").await;
    let asked = editor.asked("terminal/create").await;
    cancel(&session, prompt).await;
    // An editor that had made it already gets it back.
    editor.answer(&asked, json!({ "terminalId": "late" }));
    editor
        .until("the release of a late terminal", 0, |frame| {
            (frame.method() == "terminal/release" && frame.json["params"]["terminalId"] == "late")
                .then_some(())
        })
        .await;
}

#[tokio::test]
async fn while_a_question_to_the_person_waits() {
    let scene = Scene::new().await;
    let question = json!({ "question": "Which one?", "options": [
        { "label": "A", "description": "the first" }, { "label": "B", "description": "the second" },
    ] });
    scene.calls("ask", &json!({ "questions": [question] }));
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    editor.card().await;
    cancel(&session, prompt).await;
}

#[tokio::test]
async fn a_second_prompt_is_refused_while_one_runs() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene.model.script(Script::says("first").after(&gate));
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let params = json!({ "sessionId": session.id, "prompt": [{ "type": "text", "text": "another" }] });
    let refusal = editor.request("session/prompt", params).await.unwrap_err();
    assert_eq!(refusal.code, -32600, "{refusal:?}");
    gate.open();
    assert_eq!(prompt.ended().await.done(), "first");
}

#[tokio::test]
async fn cancelling_nothing_changes_nothing() {
    let scene = Scene::new().await;
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    session.cancel().await;
    session.cancel().await;
    assert_eq!(session.prompt("hello").await.done(), "ok");
    session.cancel().await;
    assert_eq!(session.prompt("hello again").await.done(), "ok");
}

#[tokio::test]
async fn a_cancel_right_behind_its_prompt_is_not_lost() {
    let scene = Scene::new().await;
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    for _ in 0..20 {
        scene.model.script(Script::hangs());
        let prompt = session.begin("go").await;
        session.cancel().await;
        assert_eq!(prompt.ended().await.stop(), "cancelled");
    }
}

#[tokio::test]
async fn a_cancel_of_one_session_leaves_another_alone() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    let editor = Editor::start(&scene.home).await;
    let (one, other) = (
        editor.session(scene.project.cwd()).await,
        editor.session(scene.project.cwd()).await,
    );
    scene.model.script(Script::hangs());
    let first = one.begin("go").await;
    scene.model.request(0).await;
    scene.model.script(Script::says("well").after(&gate));
    let second = other.begin("go").await;
    scene.model.request(1).await;
    one.cancel().await;
    assert_eq!(first.ended().await.stop(), "cancelled");
    gate.open();
    assert_eq!(second.ended().await.done(), "well");
}

#[tokio::test]
async fn a_request_that_is_taken_back_is_answered_as_cancelled() {
    let scene = Scene::new().await;
    scene.model.script(Script::hangs());
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    scene.model.request(0).await;
    editor.cancel_request(prompt.id()).await;
    let turn = prompt.ended().await;
    assert_eq!(turn.refusal().code, -32800, "{turn:?}");
    // It ended that request and nothing else.
    assert_eq!(session.prompt("and now?").await.done(), "ok");
}

#[tokio::test]
async fn taking_back_what_is_unknown_or_answered_is_ignored() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let answered = editor.begin("session/list", json!({})).await;
    let id = answered.id.clone();
    answered.answer().await.unwrap();
    scene.model.script(Script::says("undisturbed").after(&gate));
    let prompt = session.begin("go").await;
    scene.model.request(0).await;
    for id in [id, json!(4711), json!("4711"), json!(null)] {
        editor.cancel_request(&id).await;
    }
    gate.open();
    assert_eq!(prompt.ended().await.done(), "undisturbed");
}
