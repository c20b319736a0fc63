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

async fn see(provider: &OpenAiProvider) -> Events {
    without_retries(ask(provider, with_picture()).await)
}

/// Content of the last two messages of a request.
fn last_two(body: &Value) -> Value {
    let messages = body["messages"].as_array().unwrap();
    json!([
        messages[messages.len() - 2]["content"],
        messages[messages.len() - 1]["content"]
    ])
}

#[tokio::test]
async fn a_picture_follows_its_tool_result_and_one_that_is_not_at_hand_is_mentioned() {
    let server = Server::start(vec![stream(&hello())]).await;
    assert!(see(&server.provider()).await.iter().all(Result::is_ok));
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

/// What the last tool result of a request says.
fn result_text(body: &Value) -> Value {
    let messages = body["messages"].as_array().unwrap();
    let result = messages
        .iter()
        .rfind(|message| message["role"] == "tool")
        .unwrap();
    result["content"].clone()
}

/// The same with another picture.
fn with_another() -> ModelRequest {
    let text = serde_json::to_string(&with_picture().messages).unwrap();
    let messages = serde_json::from_str(&text.replace("blob:a", "blob:b")).unwrap();
    let mut request = ModelRequest {
        messages,
        ..with_picture()
    };
    request.pictures[0].blob = "blob:b".into();
    request
}

async fn ends(provider: &OpenAiProvider, request: ModelRequest) {
    let events = ask(provider, request).await;
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
}

const UNSEEN: &str =
    "800×600\n(a picture, which is not shown to you)\n(a picture, which is not shown to you)";

#[tokio::test]
async fn a_server_that_refuses_two_different_pictures_is_not_troubled_again() {
    for refusal in ["415 Unsupported Media Type", "422 Unprocessable Entity"] {
        let refused = || [status(refusal), stream(&hello())];
        let server = Server::start([refused(), refused(), refused()].concat()).await;
        let provider = server.provider::<OpenAi>();
        ends(&provider, with_picture()).await;
        // The same picture again proves nothing new.
        ends(&provider, with_picture()).await;
        ends(&provider, with_another()).await;
        assert_eq!(server.requests().len(), 6, "{refusal}");
        ends(&provider, with_another()).await;
        let requests = server.requests();
        assert_eq!(requests.len(), 7, "{refusal}");
        assert_eq!(result_text(&requests[6].1), UNSEEN, "{refusal}");
    }
}

#[tokio::test]
async fn one_bad_picture_does_not_blind_a_model_that_sees() {
    let script = vec![
        stream(&hello()),
        status("422 Unprocessable Entity"),
        stream(&hello()),
        status("413 Payload Too Large"),
        stream(&hello()),
    ];
    let server = Server::start(script).await;
    let provider = server.provider::<OpenAi>();
    ends(&provider, with_picture()).await;
    ends(&provider, with_another()).await;
    ends(&provider, with_picture()).await;
    ends(&provider, with_another()).await;
    let last = &server.requests()[5].1;
    assert!(
        result_text(last).as_str().unwrap().contains("it follows"),
        "{last}"
    );
}

#[tokio::test]
async fn a_picture_that_is_mentioned_often_is_sent_once() {
    let server = Server::start(vec![stream(&hello())]).await;
    let mut request = with_picture();
    let step = request.messages[1..].to_vec();
    request.messages.extend(step);
    ends(&server.provider(), request).await;
    let body = server.requests()[0].1.to_string();
    assert_eq!(body.matches("data:image/png").count(), 1, "{body}");
    assert!(body.contains("it comes again below"), "{body}");
}

#[tokio::test]
async fn a_server_that_fails_over_pictures_is_asked_without_each_time() {
    let server = Server::start(vec![status("500 Internal Server Error"), stream(&hello())]).await;
    assert_eq!(
        see(&server.provider()).await.last(),
        Some(&finished(FinishReason::Stop))
    );
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_refusal_that_is_not_about_pictures_stays_what_it_is() {
    let server = Server::start(vec![status("422 Unprocessable Entity")]).await;
    assert_eq!(
        see(&server.provider()).await,
        [Err(ProviderError::Refused { status: 422 })]
    );
}

#[tokio::test]
async fn a_model_that_is_known_to_see_nothing_is_shown_nothing() {
    let server = Server::start(vec![stream(&hello())]).await;
    let provider = server.provider_with::<OpenAi>(|settings| settings.blind = true);
    ends(&provider, with_picture()).await;
    let requests = server.requests();
    assert_eq!(
        (requests.len(), &result_text(&requests[0].1)),
        (1, &json!(UNSEEN))
    );
}
