//! Further folders of a session: each one is vetted, one refused folder refuses the request, and they are not kept.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use sidewire_tests::{
    Editor, Home, Project, Refusal, ScriptedModel, is_built_apart, is_confined, is_root, plain_editor,
};

use crate::acp_files::calls;

async fn scene() -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    (model, home, Project::new())
}

fn with(project: &Project, folders: &Value) -> Value {
    json!({ "cwd": project.cwd(), "mcpServers": [], "additionalDirectories": folders })
}

fn code(refusal: &Refusal) -> &str {
    assert_eq!(refusal.code, -32602, "{refusal:?}");
    refusal.data["code"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_further_folder_can_be_written_and_others_cannot() {
    let (model, home, project) = scene().await;
    let (further, other) = (Project::new(), Project::new());
    let editor = Editor::start(&home).await;
    let session = editor.session_with(with(&project, &json!([further.cwd()]))).await;
    session.set("tool_approval", "yolo").await.unwrap();
    calls(
        &model,
        "write_file",
        &json!({ "path": further.file("a.txt"), "content": "a\n" }),
    );
    session.prompt("go").await.done();
    assert_eq!(further.read("a.txt"), "a\n");
    calls(
        &model,
        "write_file",
        &json!({ "path": other.file("a.txt"), "content": "a\n" }),
    );
    assert_eq!(session.prompt("go").await.call().status(), "failed");
    assert!(!other.has("a.txt"));
}

#[tokio::test]
async fn each_fault_has_its_code_and_refuses_everything() {
    let (_model, home, project) = scene().await;
    let good = Project::new();
    let odd = Project::with("a-file", "");
    std::fs::create_dir(odd.path().join(".ssh")).unwrap();
    std::fs::create_dir(odd.path().join(".gnupg")).unwrap();
    symlink(odd.path().join(".ssh"), odd.path().join("to-keys")).unwrap();
    symlink(project.path(), odd.path().join("to-cwd")).unwrap();
    symlink("nowhere", odd.path().join("to-nothing")).unwrap();
    let inside = project.folder("inside");
    let own_home = home.path().to_str().unwrap().to_owned();
    let editor = Editor::start(&home).await;
    for (folder, expected) in [
        ("relative", "workspace_roots.not_absolute"),
        ("", "workspace_roots.not_absolute"),
        (&odd.file("none"), "workspace_roots.missing"),
        (&odd.file("to-nothing"), "workspace_roots.missing"),
        (&odd.file("a-file"), "workspace_roots.not_directory"),
        (&odd.file(".ssh"), "workspace_roots.protected"),
        (&odd.file(".gnupg"), "workspace_roots.protected"),
        (&odd.file("to-keys"), "workspace_roots.protected"),
        (&own_home, "workspace_roots.protected"),
        (&inside, "workspace_roots.overlap"),
        (project.cwd(), "workspace_roots.overlap"),
        (&odd.file("to-cwd"), "workspace_roots.overlap"),
    ] {
        let refusal = editor
            .new_session(with(&project, &json!([good.cwd(), folder])))
            .await
            .unwrap_err();
        assert_eq!(code(&refusal), expected, "{folder}");
    }
    let mut params = with(&project, &json!([good.cwd(), project.cwd()]));
    params["cwd"] = json!(inside);
    let around = editor.new_session(params).await.unwrap_err();
    assert_eq!(code(&around), "workspace_roots.overlap");
    assert_eq!(
        editor.session_ids(json!({})).await,
        [] as [String; 0],
        "no session is made"
    );
}

#[tokio::test]
async fn a_folder_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let (_model, home, project) = scene().await;
    let theirs = Project::new();
    std::os::unix::fs::chown(theirs.path(), Some(12_345), None).unwrap();
    let editor = Editor::start(&home).await;
    let refusal = editor
        .new_session(with(&project, &json!([theirs.cwd()])))
        .await
        .unwrap_err();
    assert_eq!(code(&refusal), "workspace_roots.not_owned");
}

#[tokio::test]
async fn thirty_two_folders_are_the_most() {
    let (_model, home, project) = scene().await;
    let folders = Project::new();
    let all: Vec<String> = (0..33)
        .map(|number| folders.folder(&format!("f{number}")))
        .collect();
    let editor = Editor::start(&home).await;
    let refusal = editor.new_session(with(&project, &json!(all))).await.unwrap_err();
    assert_eq!(code(&refusal), "acp.additional_directories.too_many");
    editor.session_with(with(&project, &json!(all[..32]))).await;
}

#[tokio::test]
async fn two_further_folders_do_not_overlap_either() {
    let (_model, home, project) = scene().await;
    let further = Project::new();
    let inside = further.folder("inside");
    let editor = Editor::start(&home).await;
    let refusal = editor
        .new_session(with(&project, &json!([further.cwd(), inside])))
        .await
        .unwrap_err();
    assert_eq!(code(&refusal), "workspace_roots.overlap");
}

#[tokio::test]
async fn an_agent_that_writes_in_its_folder_only_refuses_them() {
    let (model, home, project) = scene().await;
    let further = Project::new();
    let editor = Editor::with(&home, &["--workspace-only"], &plain_editor()).await;
    let refusal = editor
        .new_session(with(&project, &json!([further.cwd()])))
        .await
        .unwrap_err();
    assert_eq!(code(&refusal), "acp.additional_directories.disabled");
    let session = editor.session_with(with(&project, &json!([]))).await;
    session.set("tool_approval", "yolo").await.unwrap();
    calls(
        &model,
        "write_file",
        &json!({ "path": project.file("a.txt"), "content": "a\n" }),
    );
    session.prompt("go").await.done();
    assert!(project.has("a.txt"));
}

#[tokio::test]
async fn an_open_session_keeps_its_set_and_a_closed_one_takes_another() {
    let (_model, home, project) = scene().await;
    let (one, other) = (Project::new(), Project::new());
    let editor = Editor::start(&home).await;
    let session = editor
        .session_with(with(&project, &json!([one.cwd(), other.cwd()])))
        .await;
    session.prompt("hello").await.done();
    let again = |folders: Value| {
        let mut params = with(&project, &folders);
        params["sessionId"] = json!(session.id);
        params
    };
    for method in ["session/load", "session/resume"] {
        let same = again(json!([other.cwd(), one.cwd(), one.cwd()]));
        let answer = editor.request(method, same).await;
        assert!(answer.is_ok(), "order and repetition do not matter: {answer:?}");
        for different in [json!([one.cwd()]), json!([])] {
            let refusal = editor.request(method, again(different)).await.unwrap_err();
            assert_eq!(
                code(&refusal),
                "acp.additional_directories.session_open",
                "{method}"
            );
        }
    }
    editor.close(&session.id).await;
    assert!(
        editor
            .request("session/resume", again(json!([one.cwd()])))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn they_are_not_kept_with_the_session() {
    let (model, home, project) = scene().await;
    let further = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session_with(with(&project, &json!([further.cwd()]))).await;
    session.prompt("hello").await.done();
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    let editor = Editor::start(&home).await;
    let session = editor.load(&id, project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    calls(
        &model,
        "write_file",
        &json!({ "path": further.file("a.txt"), "content": "a\n" }),
    );
    assert_eq!(session.prompt("go").await.call().status(), "failed");
    assert!(!further.has("a.txt"));
}

#[tokio::test]
async fn a_command_writes_nowhere_else_where_the_kernel_can_hold_it() {
    let (model, home, project) = scene().await;
    if !is_confined(&home).await || !is_built_apart() {
        return;
    }
    let further = Project::new();
    // Every command may write in a temporary folder, so that another one must lie elsewhere.
    let other = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let outside = other.path().join("outside");
    let editor = Editor::start(&home).await;
    let session = editor.session_with(with(&project, &json!([further.cwd()]))).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let command = format!(
        "touch inside; touch {}; touch {}; true",
        further.file("further"),
        outside.display()
    );
    calls(&model, "bash", &json!({ "command": command }));
    session.prompt("go").await.done();
    assert_eq!(
        (project.has("inside"), further.has("further"), outside.exists()),
        (true, true, false)
    );
}
