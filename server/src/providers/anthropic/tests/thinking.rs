//! Thinking: how it is asked for, how it comes, and how it goes back unchanged.

use std::sync::Arc;

use futures_util::StreamExt;

use super::*;

const REFUSED: &str = "400 Bad Request";

fn provider(server: &Server, effort: Option<&str>) -> Arc<dyn ModelServer> {
    let provider = server.provider_with::<Anthropic>(|settings| settings.window = Some(200_000));
    provider.with_effort(effort)
}

async fn events(provider: &dyn ModelServer, asked: ModelRequest) -> Events {
    telling(provider.stream(asked).await.unwrap().collect().await)
}

/// An answer that thinks in the open, thinks sealed, and calls a tool.
fn thoughtful() -> String {
    let pieces =
        |kind: &str, name: &str, texts: [&str; 2]| texts.map(|text| json!({ "type": kind, name: text }));
    let thought = [
        pieces("thinking_delta", "thinking", ["let me", " look"]),
        pieces("signature_delta", "signature", ["Eq@", ":=="]),
    ];
    [
        begun(),
        block(
            0,
            &json!({ "type": "thinking", "thinking": "", "signature": "" }),
            &thought.concat(),
        ),
        block(1, &json!({ "type": "redacted_thinking", "data": "xyz" }), &[]),
        block(
            2,
            &json!({ "type": "thinking", "thinking": "", "signature": "" }),
            &[json!({ "type": "signature_delta", "signature": "hidden" })],
        ),
        block(
            3,
            &json!({ "type": "tool_use", "id": "c1", "name": "read", "input": {} }),
            &[],
        ),
        ended("tool_use"),
    ]
    .concat()
}

/// The parts of a message as the agent puts them together.
fn parts(events: Events) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for event in events {
        match (event.unwrap(), parts.last_mut()) {
            (
                ModelEvent::Reasoning(more),
                Some(Part::Reasoning {
                    text,
                    signature: None,
                }),
            ) => text.push_str(&more),
            (ModelEvent::Reasoning(text), _) => parts.push(Part::Reasoning {
                text,
                signature: None,
            }),
            (
                ModelEvent::Signature(seal),
                Some(Part::Reasoning {
                    signature: signature @ None,
                    ..
                }),
            ) => *signature = Some(seal),
            (ModelEvent::Signature(seal), _) => parts.push(Part::Reasoning {
                text: String::new(),
                signature: Some(seal),
            }),
            (
                ModelEvent::ToolCall {
                    call_id,
                    name,
                    arguments,
                },
                _,
            ) => parts.push(Part::ToolCall {
                call_id,
                name,
                arguments,
            }),
            _ => {}
        }
    }
    parts
}

/// The transcript after an answer with these parts.
fn after(parts: Vec<Part>) -> ModelRequest {
    let result = Part::ToolResult {
        call_id: "c1".into(),
        content: vec![ResultContent::Text { text: "42".into() }],
        is_error: false,
    };
    ModelRequest {
        messages: vec![
            Message::text(Role::User, "hi"),
            Message {
                role: Role::Assistant,
                parts,
            },
            Message {
                role: Role::Tool,
                parts: vec![result],
            },
        ],
        ..request()
    }
}

#[tokio::test]
async fn thinking_goes_back_unchanged_to_the_server_that_sealed_it() {
    let server = Server::start(vec![stream(&thoughtful()), stream(&hello())]).await;
    let provider = provider(&server, Some("high"));
    let parts = parts(events(&*provider, request()).await);
    events(&*provider, after(parts.clone())).await;
    let sent = &server.requests()[1].1["messages"][1]["content"];
    assert_eq!(
        *sent,
        json!([
            { "type": "thinking", "thinking": "let me look", "signature": "Eq@:==" },
            { "type": "redacted_thinking", "data": "xyz" },
            { "type": "thinking", "thinking": "", "signature": "hidden" },
            { "type": "tool_use", "id": "c1", "name": "read", "input": {} },
        ])
    );
    // Another server could not read those seals, and would refuse them.
    let other = Server::start(vec![stream(&hello())]).await;
    ask(&other.provider::<Anthropic>(), after(parts)).await;
    let sent = &other.requests()[0].1["messages"][1]["content"];
    assert_eq!(sent.as_array().unwrap().len(), 1, "{sent}");
}

#[tokio::test]
async fn thinking_without_a_seal_is_not_sent() {
    let bare = Part::Reasoning {
        text: "hm".into(),
        signature: None,
    };
    let call = Part::ToolCall {
        call_id: "c1".into(),
        name: "read".into(),
        arguments: json!({}),
    };
    let server = Server::start(vec![stream(&hello())]).await;
    ask(&server.provider::<Anthropic>(), after(vec![bare, call])).await;
    assert_eq!(
        server.requests()[0].1["messages"][1]["content"][0]["type"],
        "tool_use"
    );
}

/// What each request of a server said of thinking.
fn asked(server: &Server) -> Vec<Value> {
    let said = |body: &Value| json!([body["thinking"]["type"], body["output_config"]["effort"]]);
    server.requests().iter().map(|(_, body)| said(body)).collect()
}

#[tokio::test]
async fn an_effort_is_said_as_newer_models_want_it() {
    for (effort, expected) in [
        (Some("high"), json!(["adaptive", "high"])),
        (None, json!([null, null])),
        (Some("none"), json!([null, null])),
    ] {
        let server = Server::start(vec![stream(&hello())]).await;
        events(&*provider(&server, effort), request()).await;
        assert_eq!(asked(&server), [expected], "{effort:?}");
    }
}

#[tokio::test]
async fn an_older_model_gets_a_budget_which_leaves_room_for_the_answer() {
    let server = Server::start(vec![status(REFUSED), stream(&hello())]).await;
    let provider = provider(&server, Some("high"));
    for _ in 0..2 {
        events(&*provider, request()).await;
    }
    let adaptive = json!(["adaptive", "high"]);
    let budget = json!(["enabled", null]);
    assert_eq!(asked(&server), [adaptive, budget.clone(), budget]);
    let body = &server.requests()[1].1;
    assert_eq!(
        (
            body["thinking"]["budget_tokens"].as_u64(),
            body["max_tokens"].as_u64()
        ),
        (Some(32_768), Some(32_768 + 77))
    );
}

#[tokio::test]
async fn a_model_that_cannot_think_is_asked_without() {
    let server = Server::start(vec![status(REFUSED), status(REFUSED), stream(&hello())]).await;
    let provider = provider(&server, Some("low"));
    for _ in 0..2 {
        assert_eq!(
            events(&*provider, request()).await.last(),
            Some(&finished(FinishReason::Stop))
        );
    }
    assert_eq!(asked(&server)[2..], [json!([null, null]), json!([null, null])]);
}

/// A budget is refused in the middle of a step that began without thinking.
#[tokio::test]
async fn a_step_that_began_without_thinking_goes_on_without() {
    let server = Server::start(vec![status(REFUSED), stream(&hello())]).await;
    let provider = provider(&server, Some("high"));
    events(&*provider, request()).await;
    let call = Part::ToolCall {
        call_id: "c1".into(),
        name: "read".into(),
        arguments: json!({}),
    };
    events(&*provider, after(vec![call])).await;
    events(&*provider, request()).await;
    let budget = json!(["enabled", null]);
    assert_eq!(asked(&server)[1..], [budget.clone(), json!([null, null]), budget]);
}

#[tokio::test]
async fn seals_that_a_server_refuses_are_left_out() {
    let server = Server::start(vec![stream(&thoughtful()), status(REFUSED), stream(&hello())]).await;
    let provider = provider(&server, None);
    let parts = parts(events(&*provider, request()).await);
    assert_eq!(
        events(&*provider, after(parts)).await.last(),
        Some(&finished(FinishReason::Stop))
    );
    let kinds = |number: usize| server.requests()[number].1["messages"][1]["content"][0]["type"].clone();
    assert_eq!((kinds(1), kinds(2)), (json!("thinking"), json!("tool_use")));
}
