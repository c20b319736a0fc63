//! Permission cards: when there is one, what it shows, what each answer does.

use serde_json::{Value, json};
use sidewire_tests::{
    Asked, Editor, Home, Project, PromptTurn, Script, ScriptedModel, full_editor, plain_editor,
};

use crate::acp_files::{calls, told};

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

    fn writes(&self, name: &str) {
        let arguments = json!({ "path": self.project.file(name), "content": "written\n" });
        calls(&self.model, "write_file", &arguments);
    }

    fn runs(&self, command: &str) {
        calls(&self.model, "bash", &json!({ "command": command }));
    }
}

fn kinds(card: &Asked) -> Vec<&str> {
    let options = card.params["options"].as_array().unwrap();
    options
        .iter()
        .filter_map(|option| option["kind"].as_str())
        .collect()
}

fn cards(turn_cards: &Editor) -> usize {
    turn_cards.requests("session/request_permission").len()
}

#[tokio::test]
async fn a_card_shows_what_it_is_about_with_official_kinds_only() {
    let scene = Scene::new().await;
    scene.writes("b.txt");
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    assert_eq!(kinds(&card), ["allow_once", "allow_always", "reject_once"]);
    for option in card.params["options"].as_array().unwrap() {
        assert_eq!(option["optionId"], option["kind"]);
        assert!(!option["name"].as_str().unwrap().is_empty());
    }
    let call = &card.params["toolCall"];
    let title = call["title"].as_str().unwrap();
    assert!(title.contains("Write") && title.contains("b.txt"), "{title}");
    assert_eq!(
        (&call["name"], &call["kind"], &call["status"]),
        (&json!("write_file"), &json!("edit"), &json!("pending"))
    );
    assert_eq!(call["locations"][0]["path"], json!(scene.project.file("b.txt")));
    assert_eq!(call["rawInput"]["content"], "written\n");
    let diff = json!({ "type": "diff", "path": scene.project.file("b.txt"), "newText": "written\n" });
    assert_eq!(call["content"][0], diff);
    let id = call["toolCallId"].clone();
    editor.decide(&card, "allow_once");
    let turn = prompt.ended().await;
    assert_eq!(turn.done(), "done");
    assert_eq!(
        turn.call().began["toolCallId"],
        id,
        "the card is about the call that waits"
    );
    assert_eq!(scene.project.read("b.txt"), "written\n");
}

#[tokio::test]
async fn an_edit_is_shown_before_it_is_allowed_and_one_that_cannot_be_made_is_not_asked_about() {
    let scene = Scene::new().await;
    let edit = |path: &str, old: &str| json!({ "path": path, "old_string": old, "new_string": "two" });
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    let outside = scene.home.path().join("notes");
    for (path, old, why) in [
        ("a.txt", "never there", "was not found"),
        ("b.txt", "one", "does not exist"),
        (outside.to_str().unwrap(), "one", "is "),
    ] {
        calls(&scene.model, "edit_file", &edit(path, old));
        assert_eq!(session.prompt("go").await.call().status(), "failed", "{path}");
        assert!(told(&scene.model).contains(why), "{}", told(&scene.model));
    }
    assert_eq!(cards(&editor), 0, "what is bound to fail costs nobody an answer");
    calls(&scene.model, "edit_file", &edit("a.txt", "one"));
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    let diff = json!({
        "type": "diff", "path": scene.project.file("a.txt"), "oldText": "one\n", "newText": "two\n",
    });
    assert_eq!(card.params["toolCall"]["content"][0], diff);
    assert_eq!(scene.project.read("a.txt"), "one\n", "showing changes nothing");
    editor.decide(&card, "reject_once");
    prompt.ended().await.done();
    assert_eq!(scene.project.read("a.txt"), "one\n");

    // Allowed, but the file is another by then: what the person did to it meanwhile is not lost.
    calls(
        &scene.model,
        "write_file",
        &json!({ "path": "a.txt", "content": "all new\n" }),
    );
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    scene.project.write("a.txt", "one, and mine\n");
    editor.decide(&card, "allow_once");
    assert_eq!(prompt.ended().await.call().status(), "failed");
    assert_eq!(scene.project.read("a.txt"), "one, and mine\n");
}

#[tokio::test]
async fn a_card_for_a_command_shows_the_command() {
    let scene = Scene::new().await;
    scene.runs("rm -r build");
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    let call = &card.params["toolCall"];
    assert!(call["title"].as_str().unwrap().contains("rm -r build"), "{call}");
    assert_eq!(
        (&call["name"], &call["kind"]),
        (&json!("bash"), &json!("execute"))
    );
    editor.decide(&card, "reject_once");
    prompt.ended().await.done();
}

#[tokio::test]
async fn what_a_person_refuses_is_not_done_and_the_model_is_told() {
    // An answer that names no option is a refusal too, as is an editor that fails.
    for answer in ["reject_once", "cancelled", "no-such-option", "error"] {
        let scene = Scene::new().await;
        scene.writes("b.txt");
        let editor = Editor::start(&scene.home).await;
        let session = editor.session(scene.project.cwd()).await;
        let prompt = session.begin("go").await;
        let card = editor.card().await;
        if answer == "error" {
            editor.fail(&card, -32603);
        } else {
            editor.decide(&card, answer);
        }
        let turn = prompt.ended().await;
        assert!(!scene.project.has("b.txt"), "{answer}");
        assert_eq!(turn.call().status(), "failed", "{answer}");
        // Dismissing a card may end the turn; refusing does not.
        if turn.stop() == "end_turn" {
            assert!(!told(&scene.model).is_empty(), "{answer}");
        } else {
            assert_eq!((answer, turn.stop()), ("cancelled", "cancelled"));
        }
    }
}

#[tokio::test]
async fn allowed_for_the_session_is_not_asked_again_in_it_and_is_asked_in_another() {
    let scene = Scene::new().await;
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    scene.runs("touch made && rm made");
    editor.choose("allow_always");
    session.prompt("go").await.done();
    scene.runs("touch made && rm made");
    session.prompt("again").await.done();
    assert_eq!(cards(&editor), 1);
    let other = editor.session(scene.project.cwd()).await;
    scene.runs("touch made && rm made");
    editor.choose("reject_once");
    other.prompt("go").await.done();
    assert_eq!(cards(&editor), 2);
    // Nothing of it is written down: after a restart it is asked again.
    let id = session.id.clone();
    drop((session, other));
    editor.leave().await;
    let editor = Editor::start(&scene.home).await;
    let session = editor.load(&id, scene.project.cwd()).await;
    scene.runs("touch made && rm made");
    editor.choose("reject_once");
    session.prompt("go").await.done();
    assert_eq!(cards(&editor), 1);
}

#[tokio::test]
async fn reading_asks_nobody() {
    let scene = Scene::new().await;
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    for command in [
        "ls -la",
        "git status",
        "cat a.txt | wc -l",
        "grep -rn one . && head -1 a.txt",
        "find . -name '*.txt'",
    ] {
        scene.runs(command);
        session.prompt("go").await.done();
        assert_eq!(cards(&editor), 0, "{command}");
    }
    calls(
        &scene.model,
        "read_file",
        &json!({ "path": scene.project.file("a.txt") }),
    );
    session.prompt("go").await.done();
    assert_eq!(cards(&editor), 0);
}

#[tokio::test]
async fn whatever_may_change_something_asks() {
    let scene = Scene::new().await;
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    let commands = [
        "echo hi > b.txt",
        "cat a.txt; rm a.txt",
        "ls $(rm a.txt)",
        "find . -delete",
        "find . -exec rm {} +",
        "sort -o a.txt a.txt",
        "git push",
        "env rm a.txt",
        "python3 -c 'print(1)'",
        "sed -i s/one/two/ a.txt",
        "awk 'BEGIN{system(\"rm a.txt\")}'",
        "ls `rm a.txt`",
        "xargs rm < a.txt",
        "FOO=bar ls",
        "ls & rm a.txt",
        "eval ls",
        "git -c core.pager=rm log",
        "unclosed 'quote",
    ];
    for (number, command) in commands.into_iter().enumerate() {
        scene.runs(command);
        editor.choose("reject_once");
        session.prompt("go").await.done();
        assert_eq!(cards(&editor), number + 1, "{command}");
    }
    assert_eq!(scene.project.read("a.txt"), "one\n");
}

#[tokio::test]
async fn two_calls_at_once_wait_in_line_for_their_cards() {
    let scene = Scene::new().await;
    let write = |name: &str| json!({ "path": scene.project.file(name), "content": "x\n" });
    scene.model.script(
        Script::stream()
            .call("c1", "write_file", &write("b.txt"))
            .call("c2", "write_file", &write("c.txt"))
            .done(),
    );
    scene.model.script(Script::says("done"));
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let first = editor.card().await;
    editor.quiet(0).await;
    assert_eq!(cards(&editor), 1, "one at a time");
    editor.decide(&first, "allow_once");
    let second = editor.card().await;
    editor.decide(&second, "reject_once");
    assert_eq!(prompt.ended().await.done(), "done");
    assert_eq!(
        (scene.project.has("b.txt"), scene.project.has("c.txt")),
        (true, false)
    );
}

#[tokio::test]
async fn a_posture_that_allows_it_answers_a_waiting_card() {
    let scene = Scene::new().await;
    scene.writes("b.txt");
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    editor.card().await;
    let options = session.set("tool_approval", "yolo").await.unwrap();
    assert_eq!(sidewire_tests::value_of(&options, "tool_approval"), "yolo");
    // The card was never answered.
    assert_eq!(prompt.ended().await.done(), "done");
    assert_eq!(scene.project.read("b.txt"), "written\n");
}

#[tokio::test]
async fn rules_of_the_configuration_decide_before_a_person_does() {
    let scene = Scene::new().await;
    scene.home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n\n[permissions]\n\
         allow = [\"Bash(make:*)\"]\nask = [\"Bash(make deploy:*)\"]\ndeny = [\"Bash(rm:*)\", \"write_file(*secret*)\"]\n",
        scene.model.base_url()
    ));
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    let mut expected = 0;
    for (command, asks, refused) in [
        ("make all", false, false),
        ("makefile all", true, true),
        ("make deploy now", true, true),
        ("make all && rm a.txt", false, true),
        ("rm a.txt", false, true),
    ] {
        scene.runs(command);
        if asks {
            editor.choose("reject_once");
            expected += 1;
        }
        let turn = session.prompt("go").await;
        assert_eq!(cards(&editor), expected, "{command}");
        if refused {
            assert_eq!(turn.call().status(), "failed", "{command}");
        }
    }
    // A rule that denies holds in every posture.
    session.set("tool_approval", "yolo").await.unwrap();
    scene.runs("rm a.txt");
    session.prompt("go").await.done();
    scene.writes("my-secret.txt");
    session.prompt("go").await.done();
    assert_eq!(scene.project.read("a.txt"), "one\n");
    assert!(!scene.project.has("my-secret.txt"));
}

#[tokio::test]
async fn plan_mode_changes_nothing_in_any_posture() {
    let scene = Scene::new().await;
    let editor = Editor::with(&scene.home, &[], &full_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    session.set_mode("plan").await.unwrap();
    scene.writes("b.txt");
    let refused: PromptTurn = session.prompt("go").await;
    assert_eq!(refused.call().status(), "failed");
    scene.runs("touch c.txt");
    session.prompt("go").await.done();
    assert!(!scene.project.has("b.txt") && !scene.project.has("c.txt"));
    assert_eq!(editor.requests("fs/write_text_file"), [] as [Value; 0]);
    calls(
        &scene.model,
        "read_file",
        &json!({ "path": scene.project.file("a.txt") }),
    );
    assert_eq!(session.prompt("read").await.call().status(), "completed");
}

#[tokio::test]
async fn a_question_of_the_model_is_a_card_for_each_and_its_answer_reaches_it() {
    let scene = Scene::new().await;
    let question = json!({ "question": "Which one?", "options": [
        { "label": "Red", "description": "like a rose" }, { "label": "Blue", "description": "like the sky" },
    ] });
    calls(&scene.model, "ask", &json!({ "questions": [question] }));
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    assert!(
        card.params["toolCall"]["title"]
            .as_str()
            .unwrap()
            .contains("Which one?"),
        "{card:?}"
    );
    let blue = card.params["options"]
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["name"].as_str().unwrap().contains("Blue"))
        .unwrap();
    assert_eq!(blue["kind"], "allow_once");
    editor.decide(&card, blue["optionId"].as_str().unwrap());
    assert_eq!(prompt.ended().await.done(), "done");
    assert!(told(&scene.model).contains("Blue"));
    assert_eq!(kinds(&card).last(), Some(&"reject_once"));
}

#[tokio::test]
async fn a_card_does_not_hold_other_sessions_up() {
    let scene = Scene::new().await;
    scene.writes("b.txt");
    let editor = Editor::start(&scene.home).await;
    let (one, other) = (
        editor.session(scene.project.cwd()).await,
        editor.session(scene.project.cwd()).await,
    );
    let waiting = one.begin("go").await;
    let card = editor.card().await;
    // The script for the end of the first turn is the next one in line.
    assert_eq!(other.prompt("hello").await.done(), "done");
    editor.decide(&card, "allow_once");
    assert_eq!(waiting.ended().await.done(), "ok");
}
