//! `sidewire ask`: the same question as a browser's, from the terminal.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sidewire_tests::{Home, Script, ScriptedModel, canary_page, is_alive, page};

fn sample_console() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../e2e/sample-console/page.html")
}

/// A file of the home with this text.
fn file(home: &Home, name: &str, text: &str) -> String {
    let path = home.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_question_about_a_snapshot_is_answered() {
    let home = Home::new();
    let _worker = home.worker().await;
    let snapshot = file(&home, "page.json", &serde_json::to_string(&page()).unwrap());
    let out = home
        .run(&[
            "ask", "--page", &snapshot, "Which", "domains", "does", "it", "have?",
        ])
        .await
        .ok();
    assert!(out.contains("lb1.example.com"), "{out}");
}

#[tokio::test]
async fn a_question_about_an_html_page_is_answered() {
    let home = Home::new();
    let _worker = home.worker().await;
    let page = sample_console();
    let out = home
        .run(&["ask", "--page", page.to_str().unwrap(), "What is this page?"])
        .await
        .ok();
    assert!(out.contains("lb1"), "{out}");
}

#[tokio::test]
async fn the_model_sees_the_page_and_the_terminal_the_answer() {
    let model = ScriptedModel::playing(
        Script::stream()
            .texts(["It is ", "lb1. See ", "https://docs.example/lb."])
            .done(),
    )
    .await;
    let home = Home::with_model(&model);
    let _worker = home.worker().await;
    let html = file(
        &home,
        "page.html",
        "<title>lb1</title><main><h1>lb1</h1><button>Edit</button></main>",
    );
    let out = home
        .run(&["ask", "--page", &html, "--json", "What is it?"])
        .await
        .ok();
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["text"], "It is lb1. See https://docs.example/lb.");
    assert_eq!(
        (&report["model"], &report["error"]),
        (&"scripted".into(), &Value::Null)
    );
    assert_eq!(report["references"][0]["url"], "https://docs.example/lb");
    assert!(
        model.request(0).await.question().contains("button"),
        "{}",
        model.request(0).await.question()
    );
}

#[tokio::test]
async fn a_failed_turn_is_a_failed_command_and_says_what_to_do() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let _worker = home.worker().await;
    for (status, part) in [(401, "refused the key"), (404, "refused the request")] {
        model.script(Script::fails(status));
        let error = home.run(&["ask", "Hello?"]).await.failed();
        assert!(
            error.contains(part) && error.contains("sidewire setup"),
            "{error}"
        );
        assert!(!error.contains("PROVIDER-TEXT"), "{error}");
    }
    model.script(Script::fails(401));
    let ran = home.run(&["ask", "--json", "Hello?"]).await;
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["error"], "provider-auth");
    assert!(!ran.status.success());
}

#[tokio::test]
async fn without_a_worker_it_starts_one_that_stays() {
    let home = Home::new();
    let snapshot = file(&home, "page.json", &serde_json::to_string(&page()).unwrap());
    let out = home
        .run(&["ask", "--page", &snapshot, "Which domains?"])
        .await
        .ok();
    assert!(out.contains("lb1.example.com"), "{out}");
    let worker = home.worker_state().unwrap();
    assert!(is_alive(worker.pid));
    home.run(&["ask", "Hello?"]).await.ok();
    assert_eq!(home.worker_state().unwrap().pid, worker.pid);
}

#[tokio::test]
async fn what_the_terminal_asks_is_not_kept() {
    let model = ScriptedModel::playing(Script::says("CANARY-answer")).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let elsewhere = Home::new();
    let snapshot = file(
        &elsewhere,
        "page.json",
        &serde_json::to_string(&canary_page("CANARY-page")).unwrap(),
    );
    home.run(&["ask", "--page", &snapshot, "CANARY-question?"])
        .await
        .ok();
    worker.end().await;
    home.assert_nowhere("CANARY");
}

#[tokio::test]
async fn a_page_that_cannot_be_read_is_named() {
    let home = Home::new();
    let deep = format!("{{\"ax\":{}", "[".repeat(10_000));
    let rows = [
        ("missing.json".to_owned(), "missing.json"),
        (file(&home, "empty.json", "{}"), "no page snapshot"),
        (file(&home, "deep.json", &deep), "nested"),
        (home.path().to_str().unwrap().to_owned(), "failed to read"),
    ];
    for (path, part) in rows {
        let error = home.run(&["ask", "--page", &path, "What?"]).await.failed();
        assert!(error.contains(part), "{path}: {error}");
    }
}
