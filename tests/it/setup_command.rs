//! `sidewire setup --yes`: tried with a real request, then kept, then used by whoever runs.

use std::fs;

use sidewire_contract::frames::WorkerFrame;
use sidewire_tests::{Home, Peer, Ran, Script, ScriptedModel, play, question};

async fn set_up(home: &Home, model: &ScriptedModel, key: &str) -> Ran {
    let url = model.base_url();
    home.run(&[
        "setup",
        "--kind",
        "openai",
        "--base-url",
        &url,
        "--model",
        "scripted",
        "--api-key",
        key,
        "--yes",
    ])
    .await
}

#[tokio::test]
async fn what_answers_is_kept_and_a_running_worker_uses_it() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-good");
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let out = set_up(&home, &model, "sk-good").await.ok();
    assert!(out.contains("config.toml") && !out.contains("sk-good"), "{out}");
    assert_eq!((home.mode("config.toml"), home.mode(".env")), (0o600, 0o600));
    assert!(
        !fs::read_to_string(home.path().join("config.toml"))
            .unwrap()
            .contains("sk-good")
    );
    let WorkerFrame::ModelChanged(changed) = client.receive().await else {
        panic!("the client is not told")
    };
    assert_eq!(changed.model.model.as_str(), "scripted");
    model.script(Script::says("from the model"));
    assert_eq!(
        play(&mut client, question("c-1", "Hello?")).await.done(),
        "from the model"
    );
    let asked = model.requests();
    assert_eq!(asked.len(), 2, "one request to try it, one to answer");
    assert_eq!(asked[1].headers["authorization"], "Bearer sk-good");
}

#[tokio::test]
async fn what_does_not_answer_is_not_kept() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-good");
    let home = Home::new();
    let error = set_up(&home, &model, "sk-wrong").await.failed();
    assert!(
        error.contains("nothing was saved") && error.contains("refused the key"),
        "{error}"
    );
    assert!(
        !error.contains("sk-wrong") && !error.contains("PROVIDER-TEXT"),
        "{error}"
    );
    assert_eq!(home.files(), []);
}

#[tokio::test]
async fn a_failed_set_up_leaves_the_earlier_one() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-good");
    let home = Home::new();
    set_up(&home, &model, "sk-good").await.ok();
    let before = home.files();
    set_up(&home, &model, "sk-wrong").await.failed();
    assert_eq!(home.files(), before);
}

#[tokio::test]
async fn the_key_can_come_over_standard_input() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-piped");
    let home = Home::new();
    let url = model.base_url();
    let args = [
        "setup",
        "--kind",
        "openai",
        "--base-url",
        &url,
        "--model",
        "scripted",
        "--api-key-stdin",
        "--yes",
    ];
    home.run_with_input(&args, "sk-piped\n").await.ok();
    assert!(
        fs::read_to_string(home.path().join(".env"))
            .unwrap()
            .contains("sk-piped")
    );
}

#[tokio::test]
async fn answering_without_a_model_can_be_chosen() {
    let home = Home::new();
    home.run(&["setup", "--kind", "offline", "--yes"]).await.ok();
    let worker = home.worker().await;
    assert!(worker.client().await.welcome().model.offline);
}

#[tokio::test]
async fn a_panel_sets_a_model_up_and_never_gets_the_key_back() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-panel");
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let set = |key: &str| {
        serde_json::json!({
            "type": "provider_set", "requestId": "s", "kind": "openai", "baseUrl": model.base_url(),
            "model": "scripted", "apiKey": key,
        })
        .to_string()
    };
    client.send_text(&set("sk-wrong")).await;
    let refused = client.receive_text().await.unwrap();
    assert!(
        refused.contains("provider-failed") && !refused.contains("sk-"),
        "{refused}"
    );
    assert!(client.welcome().model.offline && home.files_with("sk-wrong").is_empty());
    client.send_text(&set("sk-panel")).await;
    let (mut done, mut changed) = (false, false);
    while !(done && changed) {
        let answer = client.receive_text().await.unwrap();
        assert!(!answer.contains("sk-"), "{answer}");
        done |= answer.contains("request_done");
        changed |= answer.contains("model_changed") && answer.contains("scripted");
    }
    client.send_text(r#"{"type":"model_list","requestId":"l"}"#).await;
    let page = loop {
        if let WorkerFrame::ModelPage(page) = client.receive().await {
            break page;
        }
    };
    let ids: Vec<&str> = page.models.iter().map(|item| item.id.as_str()).collect();
    assert!(
        ids.contains(&"scripted") && page.models.iter().any(|item| item.offline),
        "{ids:?}"
    );
    assert_eq!(home.files_with("sk-panel"), [home.path().join(".env")]);
}
