//! Pictures in requests, and servers that refuse them.

use sidewire_agent::provider::{ModelRequest, Picture};

use super::*;

/// A request whose one tool result holds a text and a picture.
fn with_picture() -> ModelRequest {
    let call = Part::ToolCall {
        call_id: "c1".into(),
        name: "page_screenshot".into(),
        arguments: json!({}),
    };
    let picture = |blob: &str| ResultContent::Image {
        mime_type: "image/png".into(),
        blob: blob.into(),
    };
    let text = ResultContent::Text {
        text: "800×600".into(),
    };
    let result = Part::ToolResult {
        call_id: "c1".into(),
        content: vec![text, picture("blob:a"), picture("blob:old")],
        is_error: false,
    };
    let said = |role, part| Message {
        role,
        parts: vec![part],
    };
    let shown = Picture {
        blob: "blob:a".into(),
        mime_type: "image/png".into(),
        bytes: b"abc"[..].into(),
    };
    ModelRequest {
        messages: vec![
            Message::text(Role::User, "hi"),
            said(Role::Assistant, call),
            said(Role::Tool, result),
        ],
        pictures: vec![shown],
        ..request()
    }
}

async fn ask(provider: &OpenAiProvider) -> Events {
    without_retries(provider.stream(with_picture()).await.unwrap().collect().await)
}

/// Content of the last two messages of a request.
fn last_two(body: &serde_json::Value) -> serde_json::Value {
    let messages = body["messages"].as_array().unwrap();
    json!([
        messages[messages.len() - 2]["content"],
        messages[messages.len() - 1]["content"]
    ])
}

#[tokio::test]
async fn a_picture_follows_its_tool_result_and_one_that_is_not_at_hand_is_mentioned() {
    let server = Server::start(vec![stream(&hello())]).await;
    assert!(ask(&server.provider()).await.iter().all(Result::is_ok));
    assert_eq!(
        last_two(&server.requests()[0].1),
        json!([
            "800×600\n(a picture; it follows)\n(a picture, which is not shown to you)",
            [
                { "type": "text", "text": "The pictures of the tool results above, in their order:" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,YWJj" } },
            ],
        ])
    );
}

#[tokio::test]
async fn a_server_that_refuses_pictures_is_asked_without_and_not_troubled_again() {
    for refusal in [
        "400 Bad Request",
        "415 Unsupported Media Type",
        "422 Unprocessable Entity",
    ] {
        let forms = if refusal.starts_with("400") { 3 } else { 1 };
        let script = std::iter::repeat_n(status(refusal), forms).chain([stream(&hello())]);
        let server = Server::start(script.collect()).await;
        let provider = server.provider();
        assert_eq!(
            ask(&provider).await.last(),
            Some(&finished(FinishReason::Stop)),
            "{refusal}"
        );
        assert_eq!(
            ask(&provider).await.last(),
            Some(&finished(FinishReason::Stop)),
            "{refusal}"
        );
        let requests = server.requests();
        assert_eq!(requests.len(), forms + 2, "{refusal}");
        for (_, body) in &requests[forms..] {
            let [_, result] = [0, 1].map(|at| last_two(body)[at].clone());
            assert_eq!(
                result,
                "800×600\n(a picture, which is not shown to you)\n(a picture, which is not shown to you)",
                "{refusal}"
            );
        }
    }
}

#[tokio::test]
async fn a_server_that_fails_over_pictures_is_asked_without_each_time() {
    let server = Server::start(vec![status("500 Internal Server Error"), stream(&hello())]).await;
    assert_eq!(
        ask(&server.provider()).await.last(),
        Some(&finished(FinishReason::Stop))
    );
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_refusal_that_is_not_about_pictures_stays_what_it_is() {
    let server = Server::start(vec![status("422 Unprocessable Entity")]).await;
    assert_eq!(
        ask(&server.provider()).await,
        [Err(ProviderError::Refused { status: 422 })]
    );
}
