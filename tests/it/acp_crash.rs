//! Crashes and second processes: what is kept, what is free again, who may open what.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Gate, Home, Project, Script, ScriptedModel};

/// How often an agent is killed; `make soak` kills it more often.
fn rounds() -> usize {
    if std::env::var_os("SOAK").is_some() {
        200
    } else {
        12
    }
}

/// What was asked and answered, as a replay shows it.
fn said(replay: &[Value]) -> Vec<(String, String)> {
    let mut said: Vec<(String, String)> = Vec::new();
    for update in replay {
        let text = update["content"]["text"].as_str().unwrap_or_default();
        match (update["sessionUpdate"].as_str(), said.last_mut()) {
            (Some("user_message_chunk"), _) => said.push((text.to_owned(), String::new())),
            (Some("agent_message_chunk"), Some((_, answer))) => answer.push_str(text),
            _ => {}
        }
    }
    said
}

#[tokio::test]
async fn an_agent_that_is_killed_at_any_moment_loses_at_most_the_turn_in_flight() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::with("a.txt", "a\n");
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("question 0").await.done();
    let id = session.id.clone();
    drop(session);
    editor.kill().await;
    let mut kept = vec![("question 0".to_owned(), "ok".to_owned())];
    for round in 1..=rounds() {
        let editor = Editor::start(&home).await;
        let from = editor.count();
        let session = editor.load(&id, project.cwd()).await;
        let mut said = said(&session.updates_since(from));
        // A turn that was in flight may be there as far as it went; the ones before it are.
        said.retain(|(question, _)| !question.starts_with("lost"));
        assert_eq!(said, kept, "round {round}");
        let (question, answer) = (format!("question {round}"), format!("answer {round}"));
        // For every request without a script: one of a killed agent may still be on its way.
        model.otherwise(Script::says(&answer));
        assert_eq!(session.prompt(&question).await.done(), answer);
        kept.push((question, answer));
        crash(&model, &project, editor, &id, round).await;
    }
}

/// Begins something and kills the agent in the middle of it, in another phase each round.
async fn crash(model: &ScriptedModel, project: &Project, editor: Editor, id: &str, round: usize) {
    let asked = model.requests().len();
    let session = editor.load(id, project.cwd()).await;
    let question = format!("lost {round}");
    match round % 6 {
        0 => {
            model.script(Script::hangs());
            drop(session.begin(&question).await);
            model.request(asked).await;
        }
        1 => {
            model.script(Script::stream().text("half").wait(&Gate::new()).done());
            let prompt = session.begin(&question).await;
            prompt.update("agent_message_chunk").await;
        }
        2 => {
            let arguments = json!({ "path": project.file("b.txt"), "content": "b" });
            model.script(Script::stream().call("c", "write_file", &arguments).done());
            drop(session.begin(&question).await);
            editor.card().await;
        }
        3 => {
            // After any one of many pieces, while the others come and are stored.
            let pieces: Vec<String> = (0..200).map(|piece| format!("{piece} ")).collect();
            let script = Script::stream().texts(pieces.iter().map(String::as_str));
            model.script(script.wait(&Gate::new()).done());
            let prompt = session.begin(&question).await;
            prompt
                .until("a piece", |update| reached(update, round * 73 % 200))
                .await;
        }
        4 => drop(
            editor
                .begin(
                    "session/load",
                    json!({ "sessionId": id, "cwd": project.cwd(), "mcpServers": [] }),
                )
                .await,
        ),
        _ => drop(session.begin(&question).await),
    }
    drop(session);
    editor.kill().await;
}

/// Whether a chunk ends with this numbered piece or a later one.
fn reached(update: &Value, piece: usize) -> Option<()> {
    let words = update["content"]["text"].as_str()?.split_whitespace();
    let newest: usize = words.last()?.parse().ok()?;
    (newest >= piece).then_some(())
}

#[tokio::test]
async fn a_session_of_a_killed_agent_is_free_at_once() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("hello").await.done();
    let id = session.id.clone();
    model.script(Script::hangs());
    drop(session.begin("and then").await);
    model.request(1).await;
    drop(session);
    editor.kill().await;
    let editor = Editor::start(&home).await;
    assert_eq!(
        editor
            .load(&id, project.cwd())
            .await
            .prompt("still there?")
            .await
            .done(),
        "ok"
    );
}

#[tokio::test]
async fn a_second_process_on_a_busy_session_is_told_who_holds_it() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let first = Editor::start(&home).await;
    let session = first.session(project.cwd()).await;
    session.prompt("hello").await.done();
    let gate = Gate::new();
    model.script(Script::says("slow").after(&gate));
    let prompt = session.begin("wait").await;
    model.request(1).await;
    let second = Editor::start(&home).await;
    for method in ["session/load", "session/resume"] {
        let params = json!({ "sessionId": session.id, "cwd": project.cwd(), "mcpServers": [] });
        let refusal = second.request(method, params).await.unwrap_err();
        assert_eq!(refusal.code, -32600, "{refusal:?}");
        let pid = first.process().pid().to_string();
        assert!(refusal.message.contains(&pid), "who holds it: {refusal:?}");
    }
    gate.open();
    assert_eq!(prompt.ended().await.done(), "slow");
    // Between turns it is free.
    assert_eq!(
        second
            .load(&session.id, project.cwd())
            .await
            .prompt("mine")
            .await
            .done(),
        "ok"
    );
    assert_eq!(session.prompt("mine again").await.done(), "ok");
}

#[tokio::test]
async fn two_editors_work_side_by_side() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let (one, other) = (Project::new(), Project::new());
    let (first, second) = (Editor::start(&home).await, Editor::start(&home).await);
    let (here, there) = (first.session(one.cwd()).await, second.session(other.cwd()).await);
    for _ in 0..5 {
        let (mine, theirs) = (here.begin("a").await, there.begin("b").await);
        assert_eq!(mine.ended().await.done(), "ok");
        assert_eq!(theirs.ended().await.done(), "ok");
    }
    let mut both = first.session_ids(json!({})).await;
    both.sort();
    let mut expected = vec![here.id.clone(), there.id.clone()];
    expected.sort();
    assert_eq!(both, expected);
}

#[tokio::test]
async fn a_damaged_store_is_an_error_and_no_crash() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    home.write_private(
        "sidewire.db",
        "this is no database, whatever it is called, and it is long enough to be read",
    );
    let editor = Editor::start(&home).await;
    let params = json!({ "cwd": project.cwd(), "mcpServers": [] });
    let refusal = editor.new_session(params).await.unwrap_err();
    assert_eq!(refusal.code, -32603, "{refusal:?}");
    let left = editor.leave().await;
    assert!(left.status.success(), "{left:?}");
    assert!(!left.errors.contains("panicked"), "{}", left.errors);
}
