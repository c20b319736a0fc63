mod answers;
mod faults;
mod fields;
mod pictures;
mod thinking;

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Part, ResultContent, Role, Usage};
use sidewire_agent::provider::{FinishReason, ModelEvent, Provider, ToolSpec};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::http::scripted::*;
use super::super::http::{Limits, ModelServer, Settings, SetupError};
use super::{OpenAi, OpenAiProvider};
use crate::providers::detect::{LocalPlace, detect_local_servers};

const DONE: &str = "data: [DONE]\n\n";

fn delta(delta: &Value) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    )
}

fn finish(reason: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "delta": {}, "finish_reason": reason }] })
    )
}

fn hello() -> String {
    let first = json!({ "role": "assistant", "content": null });
    [
        delta(&first),
        delta(&json!({ "content": "grüß" })),
        delta(&json!({ "content": " dich" })),
        finish("stop"),
        DONE.into(),
    ]
    .concat()
}

async fn answer_to(reply: Reply) -> Events {
    let server = Server::start(vec![reply]).await;
    run(&server.provider::<OpenAi>()).await
}

#[tokio::test]
async fn models_tell_their_windows() {
    let list = json!({ "object": "list", "data": [
        { "id": "m1", "meta": { "n_ctx": 4096 } }, { "id": "b", "max_model_len": 8192 },
        { "id": "c", "context_length": 16384 }, { "id": "d", "owned_by": "library" }, { "id": "e", "context_length": "big" },
        { "id": "f", "context_window": 131_072 }, { "id": "g", "max_context_length": 32_768 },
    ] });
    let server = Server::start(vec![stream(&list.to_string())]).await;
    let provider = server.provider::<OpenAi>();
    let windows: Vec<Option<u64>> = provider
        .models()
        .await
        .unwrap()
        .iter()
        .map(|model| model.window)
        .collect();
    assert_eq!(
        windows,
        [
            Some(4096),
            Some(8192),
            Some(16384),
            None,
            None,
            Some(131_072),
            Some(32_768)
        ]
    );
    assert_eq!(provider.describe().window, Some(4096));
    assert!(server.requests()[0].0.starts_with("get /v1/models"));
}

#[tokio::test]
async fn a_window_is_learned_once_and_nobody_waits_long_for_it() {
    let list = |entry: Value| stream(&json!({ "data": [entry] }).to_string());
    for (answer, window, most) in [
        (list(json!({ "id": "m1", "max_model_len": 8192 })), Some(8192), 1),
        (list(json!({ "id": "m1" })), None, 1),
        (status("404 Not Found"), None, 1),
        // It may only be busy; but not for ever.
        (Reply::Hang(vec![]), None, 3),
    ] {
        let server = Server::start(vec![answer]).await;
        let provider = server.provider_with::<OpenAi>(|settings| {
            // What is to come must have the time for it.
            settings.limits.learn = Duration::from_millis(if window.is_some() { 60_000 } else { 200 });
        });
        for _ in 0..5 {
            provider.learn().await;
            assert_eq!(provider.describe().window, window);
        }
        assert!(server.requests().len() <= most, "{window:?}");
    }
}

#[tokio::test]
async fn a_server_that_still_loads_is_asked_for_its_window_again() {
    let list = stream(&json!({ "data": [{ "id": "m1", "max_model_len": 8192 }] }).to_string());
    let server = Server::start(vec![status("503 Service Unavailable"), list]).await;
    let provider = server.provider_with::<OpenAi>(|settings| {
        settings.limits.learn = Duration::from_secs(60);
    });
    for window in [None, Some(8192)] {
        provider.learn().await;
        assert_eq!(provider.describe().window, window);
    }
}

#[tokio::test]
async fn a_probe_is_one_real_request() {
    let server = Server::start(vec![stream(&hello())]).await;
    server.provider::<OpenAi>().probe().await.unwrap();
    assert_eq!(server.requests()[0].1["max_tokens"], 16);
    let server = Server::start(vec![status("500 Oops")]).await;
    assert_eq!(
        server.provider::<OpenAi>().probe().await,
        Err(ProviderError::Server { status: 500 })
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn base_urls_are_taken_as_people_paste_them() {
    for (pasted, path) in [
        ("", "/v1"),
        ("/", "/v1"),
        ("/v1/ ", "/v1"),
        ("/v1/chat/completions", "/v1"),
        ("/api/v1?x=1#y", "/api/v1"),
    ] {
        let server = Server::start(vec![stream(&hello())]).await;
        let base_url = format!(" {}{pasted}", server.url);
        run(&server.provider_with::<OpenAi>(|settings| settings.base_url = base_url)).await;
        let head = &server.requests()[0].0;
        assert!(
            head.starts_with(&format!("post {path}/chat/completions http")),
            "{pasted}: {head}"
        );
    }
}

#[test]
fn odd_settings_are_refused() {
    let set_up = |base_url: &str, change: fn(&mut Settings)| {
        let mut settings = Settings::new(base_url, "m1", None);
        change(&mut settings);
        OpenAiProvider::new(settings).map(drop).unwrap_err()
    };
    for odd in [
        "",
        "localhost:11434",
        "ftp://x/",
        "file:///etc/passwd",
        "https://user:pw@api.example.com",
        "http://",
    ] {
        assert!(matches!(set_up(odd, |_| {}), SetupError::BaseUrl), "{odd}");
    }
    let key = set_up("http://x", |settings| settings.key = Some("sk\nx".into()));
    assert!(matches!(key, SetupError::Key));
    let header = set_up("http://x", |settings| {
        settings.headers = vec![("a b".into(), "c".into())];
    });
    assert!(matches!(header, SetupError::Header(name) if name == "a b"));
}

#[test]
fn the_key_is_never_shown() {
    let settings = Settings::new("http://localhost", "m1", Some("sk-secret".into()));
    assert!(!format!("{settings:?}").contains("sk-secret"));
    assert!(!format!("{:?}", OpenAiProvider::new(settings).unwrap()).contains("secret"));
}

#[tokio::test]
async fn configured_headers_are_sent_and_never_instead_of_the_key() {
    let server = Server::start(vec![stream(&hello())]).await;
    let headers = vec![
        ("X-Title".into(), "mine".into()),
        ("Authorization".into(), "other".into()),
    ];
    run(&server.provider_with::<OpenAi>(|settings| settings.headers = headers)).await;
    let head = &server.requests()[0].0;
    assert!(
        head.contains("x-title: mine") && head.contains("authorization: bearer sk-secret"),
        "{head}"
    );
    assert!(!head.contains("other"), "{head}");
}

#[tokio::test]
async fn local_servers_are_found_by_their_list_only() {
    let list = |owner: &str| stream(&json!({ "data": [{ "id": "m1", "owned_by": owner }] }).to_string());
    let proper = Server::start(vec![list("me")]).await;
    let vllm = Server::start(vec![list("vllm")]).await;
    let web = Server::start(vec![stream("<html>hello</html>")]).await;
    let other = Server::start(vec![stream("{\"ok\":true}")]).await;
    let hanging = Server::start(vec![Reply::Hang(vec![])]).await;
    let places = [&proper, &vllm, &web, &other, &hanging].map(|server| LocalPlace {
        label: "Ollama",
        port: server.port,
    });
    let found = detect_local_servers(&places).await;
    let labels: Vec<(&str, &str)> = found
        .iter()
        .map(|server| (server.label.as_str(), server.base_url.as_str()))
        .collect();
    let base = |server: &Server| format!("{}/v1", server.url);
    assert_eq!(
        labels,
        [("Ollama", base(&proper).as_str()), ("vLLM", base(&vllm).as_str())]
    );
    assert_eq!(found[0].models, ["m1"]);
    assert!(!proper.requests()[0].0.contains("authorization"));
}
