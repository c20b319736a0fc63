mod answers;
mod faults;
mod requests;
mod thinking;

use serde_json::{Value, json};
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Part, ResultContent, Role, Usage};
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelRequest, Picture, Provider, ToolSpec};

use super::super::http::scripted::*;
use super::super::http::{ModelServer, Settings};
use super::{Anthropic, AnthropicProvider};

/// One event as a server writes it.
fn event(json: &Value) -> String {
    format!("event: {}\ndata: {json}\n\n", json["type"].as_str().unwrap())
}

fn begun() -> String {
    event(
        &json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
        "content": [], "usage": { "input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 1 } } }),
    )
}

/// A block whose beginning and pieces are these.
fn block(index: u64, begin: &Value, pieces: &[Value]) -> String {
    let begin = event(&json!({ "type": "content_block_start", "index": index, "content_block": begin }));
    let pieces = pieces
        .iter()
        .map(|delta| event(&json!({ "type": "content_block_delta", "index": index, "delta": delta })));
    let end = event(&json!({ "type": "content_block_stop", "index": index }));
    [begin, pieces.collect(), end].concat()
}

fn said(index: u64, pieces: &[&str]) -> String {
    let deltas: Vec<Value> = pieces
        .iter()
        .map(|text| json!({ "type": "text_delta", "text": text }))
        .collect();
    block(index, &json!({ "type": "text", "text": "" }), &deltas)
}

fn ended(reason: &str) -> String {
    let delta = json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 15 } });
    event(&delta) + &event(&json!({ "type": "message_stop" }))
}

fn hello() -> String {
    [
        begun(),
        event(&json!({ "type": "ping" })),
        said(0, &["grüß", " dich"]),
        ended("end_turn"),
    ]
    .concat()
}

const USAGE: Usage = Usage {
    input: 330,
    output: 15,
    cached: Some(300),
    reasoning: None,
};

/// What is left when signs of life do not matter.
fn telling(events: Events) -> Events {
    let alive = |event: &Result<ModelEvent, ProviderError>| *event == Ok(ModelEvent::Alive);
    events.into_iter().filter(|event| !alive(event)).collect()
}

async fn answer_to(reply: Reply) -> Events {
    let server = Server::start(vec![reply]).await;
    telling(run(&server.provider::<Anthropic>()).await)
}

#[tokio::test]
async fn models_are_listed_with_their_names() {
    let list = json!({ "data": [{ "type": "model", "id": "m1", "display_name": "Model One", "max_input_tokens": 200000 }], "has_more": false });
    let server = Server::start(vec![stream(&list.to_string())]).await;
    let provider = server.provider::<Anthropic>();
    let listed = provider.models().await.unwrap();
    assert_eq!(
        (listed[0].model.as_str(), listed[0].label.as_str()),
        ("m1", "Model One")
    );
    assert_eq!(provider.describe().window, Some(200_000));
    let head = &server.requests()[0].0;
    assert!(head.starts_with("get /v1/models?limit=1000 http"), "{head}");
    assert!(
        head.contains("x-api-key: sk-secret") && head.contains("anthropic-version: 2023-06-01"),
        "{head}"
    );
}

#[tokio::test]
async fn base_urls_are_taken_as_people_paste_them() {
    for (pasted, path) in [
        ("", "/v1/messages"),
        ("/", "/v1/messages"),
        ("/v1", "/v1/messages"),
        ("/v1/messages", "/v1/messages"),
        ("/anthropic", "/anthropic/v1/messages"),
        ("/anthropic/v1/", "/anthropic/v1/messages"),
    ] {
        let server = Server::start(vec![stream(&hello())]).await;
        let base_url = format!("{}{pasted}", server.url);
        run(&server.provider_with::<Anthropic>(|settings| settings.base_url = base_url)).await;
        let head = &server.requests()[0].0;
        assert!(head.starts_with(&format!("post {path} http")), "{pasted}: {head}");
    }
}

#[tokio::test]
async fn a_probe_is_one_small_request() {
    let server = Server::start(vec![stream(&hello())]).await;
    server.provider::<Anthropic>().probe().await.unwrap();
    assert_eq!(server.requests()[0].1["max_tokens"], 16);
    let server = Server::start(vec![status("529 Overloaded")]).await;
    assert_eq!(
        server.provider::<Anthropic>().probe().await,
        Err(ProviderError::Server { status: 529 })
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_key_is_never_shown() {
    let settings = Settings::new("http://localhost", "m1", Some("sk-secret".into()));
    assert!(!format!("{:?}", AnthropicProvider::new(settings).unwrap()).contains("secret"));
}
