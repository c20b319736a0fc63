//! What is listed, and what is told of the same: titles, folders and times.

use serde_json::{Value, json};

use super::super::Start;
use super::lifecycle::reopen;
use super::support::editor;

fn ids(list: &Value) -> Vec<String> {
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions
        .map(|session| session["sessionId"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn what_a_session_is_called_and_when_it_was_used_is_told_to_whoever_opens_it() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "first question").await;
    let listed = editor.ask("session/list", json!({})).await.unwrap();
    let row = &listed["sessions"][0];
    let told = |info: &Value| (info["title"].clone(), info["updatedAt"].clone());
    editor.update("session_info_update").await;
    let at_the_end = editor.update("session_info_update").await;
    assert_eq!(told(&at_the_end), told(row));
    let mut editor = editor.after(Start::default()).await;
    for method in ["session/resume", "session/load"] {
        reopen(&mut editor, method, &session).await.unwrap();
        let info = editor.update("session_info_update").await;
        assert_eq!(told(&info), told(row), "{method}");
    }
}

#[tokio::test]
async fn one_session_that_was_never_used_is_listed_and_no_more() {
    let mut editor = editor(Start::default()).await;
    let used = editor.open().await;
    editor.prompt(&used, "hi").await;
    let unused = [editor.open().await, editor.open().await, editor.open().await];
    for params in [json!({}), json!({"cwd": editor.cwd()})] {
        let list = editor.ask("session/list", params).await.unwrap();
        let ids = ids(&list);
        assert!(ids.len() == 2 && ids.contains(&used), "{ids:?}");
        assert!(ids.iter().any(|id| unused.contains(id)), "{ids:?}");
    }
}

#[tokio::test]
async fn lists_hold_what_was_used_and_what_is_open() {
    let mut editor = editor(Start::default()).await;
    let used = editor.open().await;
    editor.prompt(&used, "what is   this\nabout?").await;
    editor.update("session_info_update").await;
    let unused = editor.open().await;
    let list = editor
        .ask("session/list", json!({"cwd": editor.cwd()}))
        .await
        .unwrap();
    assert_eq!(ids(&list), [unused.clone(), used.clone()]);
    let row = &list["sessions"][1];
    assert_eq!(
        (&row["title"], &row["cwd"]),
        (&json!("what is this about?"), &json!(editor.cwd()))
    );
    assert!(row["updatedAt"].as_str().unwrap().ends_with('Z'), "{row}");
    let elsewhere = editor
        .ask("session/list", json!({"cwd": "/elsewhere"}))
        .await
        .unwrap();
    assert_eq!(elsewhere["sessions"], json!([]));
    for (params, part) in [
        (json!({"cwd": "x"}), "absolute"),
        (json!({"cursor": "made up"}), "unsupported cursor"),
    ] {
        let (code, text) = editor.refused("session/list", params).await;
        assert!(code == -32602 && text.contains(part), "{text}");
    }
    let mut editor = editor.after(Start::default()).await;
    let list = editor.ask("session/list", json!({})).await.unwrap();
    assert_eq!(
        ids(&list),
        [used],
        "what was never used does not outlive its process"
    );
}

#[tokio::test]
async fn a_folder_has_its_sessions_however_it_is_written() {
    let mut editor = editor(Start::default()).await;
    let (used, unused) = (editor.open().await, editor.open().await);
    editor.prompt(&used, "hi").await;
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("project");
    std::os::unix::fs::symlink(editor.folder.path(), &link).unwrap();
    for cwd in [format!("{}/", editor.cwd()), link.to_str().unwrap().to_owned()] {
        let list = editor.ask("session/list", json!({"cwd": cwd})).await.unwrap();
        assert_eq!(ids(&list).len(), 2, "{cwd}");
        assert!(ids(&list).contains(&unused));
        assert_eq!(list["sessions"][0]["cwd"], cwd.as_str());
    }
}
