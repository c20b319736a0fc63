//! What git may do for a command, and what a project cannot make it do.

use serde_json::json;
use sidewire_tests::{Editor, plain_editor, skipped};

use super::{Scene, cards, outside};

/// The repository of a project may say which program its files go through.
#[tokio::test]
async fn what_only_looks_changes_nothing_whatever_a_project_makes_it_run() {
    let Some(scene) = Scene::new().await else { return };
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let plant = "git init -q && echo '*.txt filter=evil' > .gitattributes && echo one > a.txt && git add . && \
                 git -c user.name=a -c user.email=b commit -qm first && \
                 git config filter.evil.clean 'touch pwned; echo ran; cat' && echo two > a.txt";
    let planted = scene.run(&session, json!({ "command": plant })).await;
    if planted.contains("git: ") && planted.contains("not found") {
        skipped("there is no git here");
        return;
    }
    assert_eq!(planted, "(no output)");
    session.set("tool_approval", "ask").await.unwrap();
    let told = scene.run(&session, json!({ "command": "git diff" })).await;
    assert!(
        told.contains("+two") && told.contains("+ran"),
        "it ran and could be read: {told}"
    );
    assert!(!scene.project.has("pwned"), "{told}");
    session.set_mode("plan").await.unwrap();
    for command in ["git status", "git log -p", "git blame a.txt", "sort a.txt"] {
        let told = scene.run(&session, json!({ "command": command })).await;
        assert!(
            !told.contains("permission.") && !told.contains("exit status"),
            "{command}: {told}"
        );
        assert!(!scene.project.has("pwned"), "{command}");
    }
    assert_eq!(cards(&editor), 0);
    // The same, where writing is allowed: or nothing was tested.
    session.set_mode("normal").await.unwrap();
    session.set("tool_approval", "yolo").await.unwrap();
    scene.run(&session, json!({ "command": "A=b git diff" })).await;
    assert!(scene.project.has("pwned"));
}

/// Git's own folder lies elsewhere for them.
#[tokio::test]
async fn git_works_in_a_worktree_and_in_a_folder_of_a_repository() {
    let Some(scene) = Scene::new().await else { return };
    let Some(place) = outside() else { return };
    let main = place.path().join("main");
    std::fs::create_dir_all(main.join("part")).unwrap();
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(&place.path().display().to_string()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let plant = "command -v git > /dev/null || exit 77; cd main && git init -q && git config user.name a && \
                 git config user.email b && git commit -q --allow-empty -m first && git worktree add -q ../linked";
    let planted = scene.run(&session, json!({ "command": plant })).await;
    if planted.ends_with("exit status 77") {
        skipped("there is no git here");
        return;
    }
    assert_eq!(planted, "(no output)");
    for folder in ["main/part", "linked"] {
        let root = place.path().join(folder);
        let session = editor.session(&root.display().to_string()).await;
        session.set("tool_approval", "auto").await.unwrap();
        let commit =
            "echo one > file && git add file && git commit -q -m second && git log --oneline | wc -l";
        let told = scene.run(&session, json!({ "command": commit })).await;
        assert_eq!(told.trim(), "2", "{folder}");
        // No editor is opened for a message that is missing.
        let told = scene
            .run(
                &session,
                json!({ "command": "git commit --amend --reset-author" }),
            )
            .await;
        assert!(told.contains("second"), "{folder}: {told}");
        let beside = scene
            .run(&session, json!({ "command": "x=..; touch $x/beside" }))
            .await;
        assert!(beside.contains("Permission denied"), "{folder}: {beside}");
    }
    assert_eq!(cards(&editor), 0);
}
