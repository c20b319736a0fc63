//! Postures and their ceiling: what `--permission-mode` lets a client choose, and what each posture does.

use serde_json::json;
use sidewire_tests::{Editor, Home, Project, ScriptedModel, plain_editor, value_of};

use crate::acp_files::calls;

/// Values that tool approval offers.
fn offered(options: &serde_json::Value) -> Vec<String> {
    let option = options
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["id"] == "tool_approval");
    let values = option.unwrap()["options"].as_array().unwrap().iter();
    values
        .filter_map(|one| one["value"].as_str().map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn the_flag_sets_the_posture_and_is_its_ceiling() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let all = ["readOnly", "dontAsk", "ask", "auto", "yolo"];
    for (flag, posture, below) in [
        ("read-only", "readOnly", 1),
        ("dontAsk", "dontAsk", 2),
        ("ask", "ask", 3),
        ("manual", "ask", 3),
        ("acceptEdits", "ask", 3),
        ("auto", "auto", 4),
        ("bypassPermissions", "yolo", 5),
    ] {
        let editor = Editor::with(&home, &["--permission-mode", flag], &plain_editor()).await;
        let session = editor.session(project.cwd()).await;
        let options = &session.opened["configOptions"];
        assert_eq!(value_of(options, "tool_approval"), posture, "{flag}");
        assert_eq!(offered(options), all[..below], "{flag}");
        for lower in &all[..below] {
            assert!(
                session.set("tool_approval", lower).await.is_ok(),
                "{flag}: {lower}"
            );
        }
        for higher in &all[below..] {
            let refusal = session.set("tool_approval", higher).await.unwrap_err();
            assert_eq!(
                (refusal.code, &refusal.data["code"], &refusal.data["ceiling"]),
                (-32602, &json!("acp.tool_approval.above_ceiling"), &json!(posture)),
                "{flag}: {higher}"
            );
        }
    }
}

#[tokio::test]
async fn a_raise_is_refused_by_both_methods_and_changes_nothing() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::with(&home, &["--permission-mode", "ask"], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    session.set_mode("plan").await.unwrap();
    session.set("tool_approval", "dontAsk").await.unwrap();
    let from = editor.count();
    let by_mode = session.set_mode("auto").await.unwrap_err();
    let by_option = session.set("tool_approval", "yolo").await.unwrap_err();
    for refusal in [by_mode, by_option] {
        assert_eq!(
            (refusal.code, &refusal.data["code"], &refusal.data["ceiling"]),
            (-32602, &json!("acp.tool_approval.above_ceiling"), &json!("ask"))
        );
    }
    editor.quiet(from).await;
    assert_eq!(session.updates_since(from), [] as [serde_json::Value; 0]);
    let loaded = editor.load(&session.id, project.cwd()).await;
    let options = &loaded.opened["configOptions"];
    assert_eq!(
        (value_of(options, "tool_approval"), value_of(options, "mode")),
        ("dontAsk".to_owned(), "plan".to_owned())
    );
}

#[tokio::test]
async fn a_saved_higher_posture_opens_at_the_ceiling_and_stays_saved() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    session.prompt("hello").await.done();
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    for _ in 0..2 {
        let editor = Editor::with(&home, &["--permission-mode", "ask"], &plain_editor()).await;
        let session = editor.load(&id, project.cwd()).await;
        assert_eq!(value_of(&session.opened["configOptions"], "tool_approval"), "ask");
        session.prompt("again").await.done();
        drop(session);
        editor.leave().await;
    }
    let editor = Editor::start(&home).await;
    let session = editor.load(&id, project.cwd()).await;
    assert_eq!(
        value_of(&session.opened["configOptions"], "tool_approval"),
        "yolo"
    );
    drop(session);
    editor.leave().await;
    // A choice of the client under the ceiling is what is saved from then on.
    let editor = Editor::with(&home, &["--permission-mode", "ask"], &plain_editor()).await;
    let session = editor.load(&id, project.cwd()).await;
    session.set("tool_approval", "dontAsk").await.unwrap();
    drop(session);
    editor.leave().await;
    let editor = Editor::start(&home).await;
    let session = editor.load(&id, project.cwd()).await;
    assert_eq!(
        value_of(&session.opened["configOptions"], "tool_approval"),
        "dontAsk"
    );
}

#[tokio::test]
async fn each_posture_does_what_it_says() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    for (args, posture, writes) in [
        (["--permission-mode", "read-only"], "readOnly", false),
        (["--permission-mode", "dontAsk"], "dontAsk", false),
        (["--permission-mode", "auto"], "auto", true),
        (["--permission-mode", "bypassPermissions"], "yolo", true),
    ] {
        let project = Project::new();
        let editor = Editor::with(&home, &args, &plain_editor()).await;
        let session = editor.session(project.cwd()).await;
        calls(
            &model,
            "write_file",
            &json!({ "path": project.file("a.txt"), "content": "a\n" }),
        );
        let turn = session.prompt("go").await;
        assert_eq!(turn.done(), "done");
        assert_eq!(project.has("a.txt"), writes, "{posture}");
        assert_eq!(turn.call().status() == "completed", writes, "{posture}");
        assert_eq!(
            editor.requests("session/request_permission").len(),
            0,
            "{posture}"
        );
        if !writes {
            let told = model.requests().last().unwrap().texts("tool");
            assert!(told[0].contains("permission."), "the model is told why: {told:?}");
        }
    }
}

#[tokio::test]
async fn accepting_edits_asks_for_commands_only() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::with(&home, &["--permission-mode", "acceptEdits"], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    calls(
        &model,
        "write_file",
        &json!({ "path": project.file("a.txt"), "content": "a\n" }),
    );
    session.prompt("go").await.done();
    assert!(project.has("a.txt"));
    assert_eq!(editor.requests("session/request_permission").len(), 0);
    calls(&model, "bash", &json!({ "command": "rm a.txt" }));
    editor.choose("reject_once");
    session.prompt("go").await.done();
    assert_eq!(editor.requests("session/request_permission").len(), 1);
    assert!(project.has("a.txt"));
}

#[tokio::test]
async fn a_project_cannot_loosen_the_posture() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    for name in [
        "config.toml",
        ".sidewire/config.toml",
        "sidewire.toml",
        ".sidewire/sidewire.toml",
    ] {
        project.write(
            name,
            "permission_mode = \"bypassPermissions\"\n[permissions]\nallow = [\"write_file\", \"Bash\"]\n",
        );
    }
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    assert_eq!(value_of(&session.opened["configOptions"], "tool_approval"), "ask");
    calls(
        &model,
        "write_file",
        &json!({ "path": project.file("a.txt"), "content": "a\n" }),
    );
    editor.choose("reject_once");
    session.prompt("go").await.done();
    assert!(!project.has("a.txt"));
    assert_eq!(editor.requests("session/request_permission").len(), 1);
}

#[tokio::test]
async fn a_persons_own_command_asks_nobody_and_heeds_posture_plan_mode_and_rules() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let denied = "[permissions]\ndeny = [\"Bash(touch denied:*)\"]\n";
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n\n{denied}",
        model.base_url()
    ));
    for (mode, command, runs) in [
        ("read-only", "touch made", false),
        ("dontAsk", "touch made", false),
        ("plan", "touch made", false),
        ("ask", "touch denied", false),
        ("bypassPermissions", "touch denied", false),
        ("ask", "touch made", true),
        ("ask", "touch $(echo made)", true),
        ("read-only", "ls", true),
    ] {
        let project = Project::new();
        let ceiling = if mode == "plan" { "ask" } else { mode };
        let editor = Editor::with(&home, &["--permission-mode", ceiling], &plain_editor()).await;
        let session = editor.session(project.cwd()).await;
        if mode == "plan" {
            session.set_mode("plan").await.unwrap();
        }
        let turn = session.prompt(&format!("!{command}")).await;
        assert_eq!(turn.call().status() == "completed", runs, "{mode}: {command}");
        let is_made = project.has("made") || project.has("denied");
        assert_eq!(is_made, runs && command != "ls", "{mode}: {command}");
        assert_eq!(
            editor.requests("session/request_permission").len(),
            0,
            "{mode}: {command}"
        );
        drop(session);
        editor.leave().await;
    }
    assert_eq!(model.requests().len(), 0, "no model is asked");
}
