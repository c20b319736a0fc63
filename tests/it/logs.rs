//! The log: what happened, and never what was said.

use std::fs;

use sidewire_contract::chat::ChatRequest;
use sidewire_tests::{Home, Identity, NativeHost, Peer, Script, ScriptedModel, canary_page, play, question};

/// All the log files of a home.
fn log(home: &Home) -> String {
    let files = fs::read_dir(home.layout().log_folder()).unwrap().flatten();
    files
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect()
}

#[tokio::test]
async fn the_log_tells_what_happened_and_nothing_that_was_said() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    home.key("sk-CANARY-key");
    let worker = home.worker().await;
    for script in [
        Script::says("CANARY-answer"),
        Script::fails(401),
        Script::fails(404),
        Script::stream().text("CANARY").cut(),
    ] {
        model.script(script);
    }
    let mut client = worker.client().await;
    for id in ["c-1", "c-2", "c-3", "c-4"] {
        let request = ChatRequest {
            context: Some(canary_page("CANARY-page")),
            ..question(id, "CANARY-question?")
        };
        play(&mut client, request).await;
    }
    for rubbish in [
        "CANARY",
        r#"{"type":"CANARY words"}"#,
        r#"{"type":"chat_request","id":"c-9","text":{"CANARY":1}}"#,
    ] {
        client.send_text(rubbish).await;
        client.receive().await;
    }
    let mut raw = worker.raw().await;
    raw.request(&[
        "GET /CANARY?token=CANARY HTTP/1.1",
        "Host: CANARY.example",
        "Cookie: CANARY",
    ])
    .await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    host.write_frame(b"CANARY").await;
    host.receive().await;
    host.close();
    let (_, _, errors) = host.ended().await;
    assert!(!errors.contains("CANARY"), "{errors}");
    worker.end().await;
    let log = log(&home);
    assert!(
        log.contains("the worker is ready") && log.contains("client connected"),
        "{log}"
    );
    assert!(!log.contains("CANARY"), "{log}");
}

#[tokio::test]
async fn even_the_most_talkative_log_holds_no_content() {
    let model = ScriptedModel::playing(Script::says("CANARY-answer")).await;
    let home = Home::with_model(&model);
    home.key("sk-CANARY-key");
    let worker = home.worker_that_logs("trace").await;
    let request = ChatRequest {
        context: Some(canary_page("CANARY-page")),
        ..question("c-1", "CANARY-question?")
    };
    play(&mut worker.client().await, request).await;
    worker.end().await;
    assert!(!log(&home).contains("CANARY"));
}
