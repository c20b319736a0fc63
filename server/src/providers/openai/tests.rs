mod answers;
mod faults;
mod pictures;
mod server;

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Part, ResultContent, Role, Usage};
use sidewire_agent::provider::{FinishReason, ModelEvent, Provider, ToolSpec};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{Limits, OpenAiConfig, OpenAiProvider, OpenAiSetupError, normalised};
use crate::providers::detect::{LocalPlace, detect_local_servers};
use server::*;

#[tokio::test]
async fn models_tell_their_windows() {
    let list = json!({ "object": "list", "data": [
        { "id": "m1", "meta": { "n_ctx": 4096 } }, { "id": "b", "max_model_len": 8192 },
        { "id": "c", "context_length": 16384 }, { "id": "d", "owned_by": "library" }, { "id": "e", "context_length": "big" },
    ] });
    let server = Server::start(vec![stream(&list.to_string())]).await;
    let provider = server.provider();
    let windows: Vec<Option<u64>> = provider
        .models()
        .await
        .unwrap()
        .iter()
        .map(|model| model.window)
        .collect();
    assert_eq!(windows, [Some(4096), Some(8192), Some(16384), None, None]);
    assert_eq!(provider.describe().window, Some(4096));
    assert!(server.requests()[0].0.starts_with("get /v1/models"));
}

#[tokio::test]
async fn a_probe_is_one_real_request() {
    let server = Server::start(vec![stream(&hello())]).await;
    let probe = server.provider().probe().await.unwrap();
    assert_eq!(probe.window, None);
    assert_eq!(server.requests()[0].1["max_tokens"], 16);
    let server = Server::start(vec![status("500 Oops")]).await;
    assert_eq!(
        server.provider().probe().await,
        Err(ProviderError::Server { status: 500 })
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn base_urls_are_taken_as_people_paste_them() {
    for (pasted, expected) in [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        (" https://api.example.com/v1/ ", "https://api.example.com/v1"),
        (
            "https://api.example.com/v1/chat/completions",
            "https://api.example.com/v1",
        ),
        (
            "https://api.example.com/api/v1?x=1#y",
            "https://api.example.com/api/v1",
        ),
    ] {
        assert_eq!(normalised(pasted).unwrap().as_str(), expected);
    }
    for odd in [
        "",
        "localhost:11434",
        "ftp://x/",
        "file:///etc/passwd",
        "https://user:pw@api.example.com",
        "http://",
    ] {
        assert!(normalised(odd).is_none(), "{odd}");
    }
}

#[test]
fn the_key_is_never_shown() {
    let provider =
        |key: &str| OpenAiProvider::new(OpenAiConfig::new("http://localhost", "m1", Some(key.into())));
    assert!(!format!("{:?}", provider("sk-secret").unwrap()).contains("secret"));
    let config = OpenAiConfig::new("http://localhost", "m1", Some("sk-secret".into()));
    assert!(!format!("{config:?}").contains("sk-secret"));
    assert!(matches!(provider("sk\nx"), Err(OpenAiSetupError::Key)));
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
