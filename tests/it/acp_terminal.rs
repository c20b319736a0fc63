//! Commands of a turn: in the editor's terminal, or here when it has none.

use serde_json::{Value, json};
use sidewire_tests::{
    Call, Editor, Home, Project, ScriptedModel, Session, TerminalScript, full_editor, is_built_apart,
    plain_editor, within,
};

use crate::acp_files::{calls, told};

async fn scene() -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    (model, home, Project::new())
}

async fn bash(session: &Session<'_>, model: &ScriptedModel, arguments: Value) -> Call {
    session.set("tool_approval", "yolo").await.unwrap();
    calls(model, "bash", &arguments);
    let turn = session.prompt("go").await;
    assert_eq!(turn.done(), "done");
    turn.call()
}

/// The terminal methods that were used, in order.
fn methods(editor: &Editor) -> Vec<String> {
    let frames = editor.since(0).into_iter();
    frames
        .filter(|frame| frame.method().starts_with("terminal/"))
        .map(|frame| frame.method().to_owned())
        .collect()
}

#[tokio::test]
async fn a_command_runs_in_the_editors_terminal() {
    if !is_built_apart() {
        return;
    }
    let (model, home, project) = scene().await;
    let editor = Editor::full(&home).await;
    editor.terminal(TerminalScript::prints("from the terminal\n"));
    let session = editor.session(project.cwd()).await;
    let call = bash(
        &session,
        &model,
        json!({ "command": "make all && echo \"$HOME\"" }),
    )
    .await;
    assert_eq!(
        methods(&editor),
        [
            "terminal/create",
            "terminal/wait_for_exit",
            "terminal/output",
            "terminal/release"
        ]
    );
    let create = &editor.requests("terminal/create")[0];
    assert_eq!(
        (&create["sessionId"], &create["cwd"], &create["outputByteLimit"]),
        (&json!(session.id), &json!(project.cwd()), &json!(1_048_576))
    );
    // A program and its arguments: an editor starts it without a shell of its own.
    let program = create["command"].as_str().unwrap();
    assert!(!program.contains(' '), "{create}");
    assert_eq!(
        create["args"].as_array().unwrap().last(),
        Some(&json!("make all && echo \"$HOME\""))
    );
    assert!(told(&model).contains("from the terminal"));
    assert_eq!(
        (call.began["kind"].as_str(), call.status()),
        (Some("execute"), "completed")
    );
    assert_eq!(
        call.content("terminal").len(),
        1,
        "the editor is told to show it: {call:?}"
    );
    let variables = create["env"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = variables.iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("KEY")), "{names:?}");
}

#[tokio::test]
async fn how_a_command_ended_is_told() {
    if !is_built_apart() {
        return;
    }
    let (model, home, project) = scene().await;
    let editor = Editor::full(&home).await;
    let session = editor.session(project.cwd()).await;
    for (script, words) in [
        (TerminalScript::runs("failed\n").exits(3), "exit status 3"),
        (TerminalScript::runs("cut\n").signalled("SIGSEGV"), "SIGSEGV"),
        (
            TerminalScript::prints("tail of it\n").truncated(),
            "output truncated by the client terminal",
        ),
    ] {
        editor.terminal(script);
        let call = bash(&session, &model, json!({ "command": "make" })).await;
        let told = told(&model);
        assert!(told.contains(words), "{words}: {told}");
        let failed = words != "output truncated by the client terminal";
        assert_eq!(call.status() == "failed", failed, "{words}");
    }
    assert_eq!(editor.requests("terminal/release").len(), 3);
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_killed_and_its_terminal_given_back() {
    if !is_built_apart() {
        return;
    }
    let (model, home, project) = scene().await;
    let editor = Editor::full(&home).await;
    editor.terminal(TerminalScript::runs("so far\n"));
    let session = editor.session(project.cwd()).await;
    let call = bash(
        &session,
        &model,
        json!({ "command": "sleep 1000", "timeout_seconds": 3 }),
    )
    .await;
    assert_eq!(call.status(), "failed");
    let methods = methods(&editor);
    assert!(methods.contains(&"terminal/kill".to_owned()), "{methods:?}");
    assert_eq!(methods.last().map(String::as_str), Some("terminal/release"));
    let told = told(&model);
    assert!(told.contains("so far"), "what it printed is told: {told}");
}

#[tokio::test]
async fn an_editor_that_makes_no_terminal_is_done_without() {
    let (model, home, project) = scene().await;
    let editor = Editor::full(&home).await;
    editor.refuse("terminal/create");
    let session = editor.session(project.cwd()).await;
    bash(&session, &model, json!({ "command": "printf 'ran %s' here" })).await;
    assert!(told(&model).contains("ran here"));
}

#[tokio::test]
async fn without_a_terminal_commands_run_here_and_their_output_is_shown() {
    let (model, home, project) = scene().await;
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    let call = bash(
        &session,
        &model,
        json!({ "command": "echo out; echo err >&2; pwd; exit 4" }),
    )
    .await;
    let told = told(&model);
    for words in ["out", "err", project.cwd(), "exit status 4"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(call.status(), "failed");
    assert!(call.text().contains("out"));
}

#[tokio::test]
async fn commands_run_here_without_keys_in_their_environment() {
    let (model, home, project) = scene().await;
    home.key("sk-CANARY-key");
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    bash(&session, &model, json!({ "command": "env" })).await;
    assert!(!told(&model).contains("CANARY"), "{}", told(&model));
}

#[tokio::test]
async fn commands_in_the_background_are_read_waited_for_and_ended() {
    let (model, home, project) = scene().await;
    let editor = Editor::with(&home, &[], &full_editor()).await;
    let session = editor.session(project.cwd()).await;
    let start = async |command: &str| {
        let job = json!({ "command": command, "run_in_background": true });
        bash(&session, &model, job).await;
        json!({ "job_id": job_id(&told(&model)) })
    };
    let about = async |job: &Value, tool: &str| {
        calls(&model, tool, job);
        session.prompt("go").await.done();
        told(&model)
    };
    let lasting = start("echo begun; exec tail -f /dev/null").await;
    assert_eq!(methods(&editor), [] as [String; 0], "never in a terminal");
    let read = async { while !about(&lasting, "bash_output").await.contains("begun") {} };
    within("the output of a job", read).await;
    let ending = start("while [ ! -e go ]; do sleep 0.02; done; echo over; exit 4").await;
    project.write("go", "");
    let waited = about(&ending, "wait").await;
    assert!(
        waited.contains("over") && waited.contains("exit status 4"),
        "{waited}"
    );
    let ended = about(&lasting, "kill_shell").await;
    assert!(ended.starts_with("[stopped after "), "{ended}");
    editor.childless().await;
}

/// The name of a background job in the text that told it.
pub(crate) fn job_id(told: &str) -> String {
    let mut words = told.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let name = words.find(|word| word.starts_with("job-"));
    name.unwrap_or_else(|| panic!("no name of a job in {told}"))
        .to_owned()
}

#[tokio::test]
async fn background_jobs_end_with_their_session_and_their_process() {
    let (model, home, project) = scene().await;
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    let command = "exec tail -f /dev/null";
    bash(
        &session,
        &model,
        json!({ "command": command, "run_in_background": true }),
    )
    .await;
    assert!(!editor.children().is_empty());
    editor.close(&session.id).await;
    editor.childless().await;
    let session = editor.session(project.cwd()).await;
    bash(
        &session,
        &model,
        json!({ "command": command, "run_in_background": true }),
    )
    .await;
    assert!(!editor.children().is_empty());
    drop(session);
    assert_eq!(editor.leave().await.survivors, [] as [u32; 0]);
}

#[tokio::test]
async fn a_line_that_begins_with_an_exclamation_mark_is_the_persons_own_command() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("!printf 'mine %s' alone").await;
    let call = turn.call();
    assert_eq!(
        (turn.stop(), call.began["kind"].as_str()),
        ("end_turn", Some("execute"))
    );
    assert!(call.text().contains("mine alone"), "{call:?}");
    assert_eq!(model.requests().len(), 0, "no model is asked");
}
