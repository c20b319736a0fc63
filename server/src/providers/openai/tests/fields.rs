//! Fields that some servers refuse and others insist on: what is sent, and what is learned from a refusal.

use sidewire_agent::provider::ModelRequest;

use super::*;

const REFUSED: &str = "400 Bad Request";

/// A provider that thinks as hard as this.
fn with_effort(server: &Server, model: &str, effort: &str) -> std::sync::Arc<dyn ModelServer> {
    let provider = server.provider_with::<OpenAi>(|settings| settings.model = model.into());
    provider.with_effort(Some(effort))
}

async fn finishes(provider: &dyn ModelServer, asked: ModelRequest) {
    let events: Events = provider.stream(asked).await.unwrap().collect().await;
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
}

/// The field of each request a server got.
fn fields(server: &Server, name: &str) -> Vec<Value> {
    server
        .requests()
        .iter()
        .map(|(_, body)| body[name].clone())
        .collect()
}

#[tokio::test]
async fn an_effort_is_said_as_each_vendor_wants_it() {
    let rows = [
        ("gpt-5", Some("low"), json!([null, "low"])),
        ("gpt-5", None, json!([null, null])),
        ("deepseek-v4-flash", Some("low"), json!(["enabled", "low"])),
        ("deepseek-v4-pro", Some("max"), json!(["enabled", "max"])),
        ("deepseek-v4-pro", Some("none"), json!(["disabled", null])),
        ("vendor/deepseek-v4-pro", None, json!(["enabled", "high"])),
        ("deepseek-chat", None, json!([null, null])),
    ];
    for (model, effort, expected) in rows {
        let server = Server::start(vec![stream(&hello())]).await;
        let provider = server.provider_with::<OpenAi>(|settings| settings.model = model.into());
        finishes(&*provider.with_effort(effort), request()).await;
        let body = &server.requests()[0].1;
        assert_eq!(
            json!([body["thinking"]["type"], body["reasoning_effort"]]),
            expected,
            "{model} {effort:?}"
        );
    }
}

#[tokio::test]
async fn thinking_gets_room_beside_the_answer() {
    let rows = [
        (None, None, 77),
        (Some("low"), None, 77 + 4_096),
        (Some("low"), Some(1_000), 1_000),
    ];
    for (effort, most, expected) in rows {
        let server = Server::start(vec![stream(&hello())]).await;
        let provider = server.provider_with::<OpenAi>(|settings| {
            settings.window = Some(200_000);
            settings.most_output = most;
        });
        finishes(&*provider.with_effort(effort), request()).await;
        assert_eq!(
            fields(&server, "max_tokens"),
            [json!(expected)],
            "{effort:?} {most:?}"
        );
    }
}

#[tokio::test]
async fn a_model_that_counts_thinking_gets_room_from_then_on() {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 40,
        "completion_tokens_details": { "reasoning_tokens": 30 } } });
    let thought = format!("{}data: {usage}\n\n{DONE}", finish("length"));
    let server = Server::start(vec![stream(&thought), stream(&hello())]).await;
    let provider = server.provider_with::<OpenAi>(|settings| settings.window = Some(200_000));
    let events = run(&provider).await;
    assert!(
        matches!(events[0], Ok(ModelEvent::Usage(usage)) if usage.reasoning == Some(30)),
        "{events:?}"
    );
    run(&provider).await;
    assert_eq!(fields(&server, "max_tokens"), [json!(77), json!(77 + 16_384)]);
}

#[tokio::test]
async fn a_server_that_refuses_an_effort_is_asked_without() {
    let mut script = vec![status(REFUSED); 3];
    script.push(stream(&hello()));
    let server = Server::start(script).await;
    let provider = with_effort(&server, "m1", "high");
    finishes(&*provider, request()).await;
    // What was learned holds for the next call, and for other efforts only once they were tried.
    finishes(&*provider, request()).await;
    let asked = fields(&server, "reasoning_effort");
    assert_eq!(
        asked,
        [
            json!("high"),
            json!("high"),
            json!("high"),
            Value::Null,
            Value::Null
        ]
    );
}

#[tokio::test]
async fn a_refusal_after_all_was_learned_is_told_at_once() {
    let server = Server::start(vec![stream(&hello()), status(REFUSED)]).await;
    let provider = with_effort(&server, "m1", "high");
    finishes(&*provider, request()).await;
    let events: Events = provider.stream(request()).await.unwrap().collect().await;
    assert_eq!(events, [Err(ProviderError::Refused { status: 400 })]);
    assert_eq!(server.requests().len(), 2);
}
