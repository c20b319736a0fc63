//! Slash commands: what is offered, which one wins, what the model gets, and the built-in ones.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Home, Project, Script, ScriptedModel, Session};

async fn scene() -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    project.write(
        ".sidewire/commands/review.md",
        "---\ndescription: Review a change\nargument-hint: file\n---\nReview $1 with care. All: $ARGUMENTS\n",
    );
    project.write(".sidewire/commands/plain.md", "Do the plain thing.\n");
    project.write(
        ".sidewire/skills/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Tidy code\n---\nTidy everything up.\n",
    );
    (model, home, project)
}

/// The commands that were offered after opening.
async fn offered(editor: &Editor, session: &Session<'_>) -> Vec<Value> {
    editor.quiet(0).await;
    let update = session.update("available_commands_update", 0).await;
    update["availableCommands"].as_array().unwrap().clone()
}

fn names(commands: &[Value]) -> Vec<&str> {
    commands
        .iter()
        .filter_map(|command| command["name"].as_str())
        .collect()
}

#[tokio::test]
async fn commands_and_skills_of_the_project_are_offered_sorted() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let commands = offered(&editor, &session).await;
    let names = names(&commands);
    assert!(names.is_sorted(), "{names:?}");
    for name in ["clear", "compact", "plain", "review", "status", "tidy"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let named = |name: &str| commands.iter().find(|command| command["name"] == name).unwrap();
    assert_eq!(
        (&named("review")["description"], &named("review")["input"]["hint"]),
        (&json!("Review a change"), &json!("file"))
    );
    assert_eq!(named("plain")["description"], "Run the plain command");
    assert_eq!(named("tidy")["description"], "Tidy code");
}

#[tokio::test]
async fn a_command_reaches_the_model_with_its_arguments_and_the_person_as_it_was_typed() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("/review main.rs quickly").await.done();
    let asked = model.request(0).await.question();
    assert!(
        asked.contains("Review main.rs with care. All: main.rs quickly"),
        "{asked}"
    );
    session.prompt("/tidy the tests").await.done();
    let asked = model.request(1).await.question();
    assert!(
        asked.contains("Tidy everything up.") && asked.contains("the tests"),
        "{asked}"
    );
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    let shown: Vec<Value> = loaded
        .updates_since(from)
        .into_iter()
        .filter(|update| update["sessionUpdate"] == "user_message_chunk")
        .map(|update| update["content"]["text"].clone())
        .collect();
    assert_eq!(
        shown,
        [json!("/review main.rs quickly"), json!("/tidy the tests")]
    );
}

#[tokio::test]
async fn what_is_no_command_goes_to_the_model_unchanged() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for (number, text) in [
        "/no-such-command at all",
        "/",
        "/etc/hosts is a file",
        "see /review",
    ]
    .into_iter()
    .enumerate()
    {
        session.prompt(text).await.done();
        assert!(model.request(number).await.question().contains(text), "{text}");
    }
}

#[tokio::test]
async fn hidden_skills_and_broken_files_are_left_out_and_break_nothing() {
    let (_model, home, project) = scene().await;
    project.write(
        ".sidewire/skills/secret/SKILL.md",
        "---\nname: secret\ndescription: x\nhidden: true\n---\nSecret.\n",
    );
    project.write(
        ".sidewire/commands/broken.md",
        "---\ndescription: [unclosed\n---\nBroken.\n",
    );
    project.write(".sidewire/commands/binary.md", [0xff, 0xfe, 0x00]);
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let commands = offered(&editor, &session).await;
    assert!(!names(&commands).contains(&"secret"));
    assert!(!names(&commands).contains(&"binary"));
    assert!(names(&commands).contains(&"review"));
}

#[tokio::test]
async fn a_conversation_is_cleared_and_keeps_its_id() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("FORGET-me").await.done();
    // Whoever clears by hand in the editor is asked first, unless the posture says otherwise.
    session.set("tool_approval", "yolo").await.unwrap();
    let turn = session.prompt("/clear").await;
    assert_eq!(turn.stop(), "end_turn");
    model.script(Script::says("fresh"));
    assert_eq!(session.prompt("hello").await.done(), "fresh");
    let last = model.requests().last().unwrap().body.to_string();
    assert!(!last.contains("FORGET-me"), "{last}");
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    let replayed = loaded.updates_since(from);
    assert!(
        !replayed
            .iter()
            .any(|update| update.to_string().contains("FORGET-me"))
    );
    assert!(!home.run(&["data", "export"]).await.ok().contains("FORGET-me"));
}

#[tokio::test]
async fn clearing_asks_first_and_can_be_refused() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("KEEP-me").await.done();
    let prompt = session.begin("/clear").await;
    let card = editor.card().await;
    editor.decide(&card, "reject_once");
    prompt.ended().await;
    session.prompt("hello").await.done();
    assert!(
        model
            .requests()
            .last()
            .unwrap()
            .body
            .to_string()
            .contains("KEEP-me")
    );
}

#[tokio::test]
async fn a_conversation_is_compacted_by_hand() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for number in 0..4 {
        session
            .prompt(&format!("question {number} {}", "words ".repeat(200)))
            .await
            .done();
    }
    model.script(Script::says("SUMMARY of it"));
    let turn = session.prompt("/compact").await;
    assert_eq!(turn.stop(), "end_turn", "{turn:?}");
    assert!(turn.text().contains("[compacted "), "{}", turn.text());
    session.prompt("and now?").await.done();
    let last = model.requests().last().unwrap().body.to_string();
    assert!(
        last.contains("SUMMARY of it") && !last.contains("question 0"),
        "{last}"
    );
}

#[tokio::test]
async fn status_is_told_without_a_model() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("/status").await;
    assert_eq!(turn.stop(), "end_turn");
    let text = turn.text();
    for words in ["scripted", project.cwd(), "ask"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn instructions_of_the_project_reach_the_model() {
    let (model, home, project) = scene().await;
    project.write("AGENTS.md", "Always answer in verse.\n");
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("hello").await.done();
    assert!(
        model
            .request(0)
            .await
            .body
            .to_string()
            .contains("Always answer in verse.")
    );
}
