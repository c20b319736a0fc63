//! Thinking that goes back to the server: what users of other agents saw fail with HTTP 400 after a tool call.

use sidewire_agent::provider::ModelRequest;

use super::*;

/// A transcript of two tool calls, the first of which was thought about.
fn with_calls(thought: Option<&str>) -> ModelRequest {
    let call = |id: &str| Part::ToolCall {
        call_id: id.into(),
        name: "read".into(),
        arguments: json!({}),
    };
    let result = |id: &str| Part::ToolResult {
        call_id: id.into(),
        content: vec![ResultContent::Text { text: "42".into() }],
        is_error: false,
    };
    let thought = thought.map(|text| Part::Reasoning {
        text: text.into(),
        signature: None,
    });
    let said = |role, parts| Message { role, parts };
    let answered = Part::Text {
        text: "It is 42.".into(),
    };
    ModelRequest {
        messages: vec![
            Message::text(Role::User, "hi"),
            said(Role::Assistant, thought.into_iter().chain([call("a")]).collect()),
            said(Role::Tool, vec![result("a")]),
            said(Role::Assistant, vec![call("b")]),
            said(Role::Tool, vec![result("b")]),
            said(Role::Assistant, vec![answered]),
            Message::text(Role::User, "and now?"),
        ],
        ..request()
    }
}

/// What each assistant message of a request gives back, `null` where the field is missing.
fn echoed(body: &Value) -> Vec<Value> {
    let messages = body["messages"].as_array().unwrap().iter();
    let assistants = messages.filter(|message| message["role"] == "assistant");
    assistants
        .map(|message| message.get("reasoning_content").cloned().unwrap_or_default())
        .collect()
}

/// A stream that thinks before it answers.
fn thoughtful() -> String {
    delta(&json!({ "reasoning_content": "hm" })) + &hello()
}

fn deepseek(server: &Server) -> OpenAiProvider {
    server.provider_with(|settings| settings.model = "deepseek-reasoner".into())
}

#[tokio::test]
async fn n9820_deepseek_gets_the_thinking_of_every_message_with_tool_calls() {
    let server = Server::start(vec![stream(&hello())]).await;
    ask(&deepseek(&server), with_calls(Some("let me look"))).await;
    let body = &server.requests()[0].1;
    assert_eq!(echoed(body), [json!("let me look"), json!(""), Value::Null]);
}

#[tokio::test]
async fn n9829_thinking_is_present_though_empty_where_there_was_none() {
    let server = Server::start(vec![stream(&hello())]).await;
    ask(&deepseek(&server), with_calls(None)).await;
    let body = &server.requests()[0].1;
    assert_eq!(echoed(body), [json!(""), json!(""), Value::Null]);
    assert_eq!(
        body["messages"][2]["content"],
        Value::Null,
        "a pure call has content, which is null"
    );
    assert!(body["messages"][2].as_object().unwrap().contains_key("content"));
}

#[tokio::test]
async fn n9934_a_server_that_showed_that_it_thinks_gets_it_back() {
    let server = Server::start(vec![stream(&thoughtful()), stream(&hello())]).await;
    let provider = server.provider::<OpenAi>();
    run(&provider).await;
    ask(&provider, with_calls(None)).await;
    assert_eq!(
        echoed(&server.requests()[1].1),
        [json!(""), json!(""), Value::Null]
    );
}

#[tokio::test]
async fn n9934_a_transcript_that_was_loaded_shows_it_too() {
    let server = Server::start(vec![stream(&hello())]).await;
    ask(&server.provider::<OpenAi>(), with_calls(Some("let me look"))).await;
    let echoed = echoed(&server.requests()[0].1);
    assert_eq!(echoed, [json!("let me look"), json!(""), Value::Null]);
}

#[tokio::test]
async fn servers_that_never_thought_get_nothing_they_may_not_know() {
    let server = Server::start(vec![stream(&hello())]).await;
    ask(&server.provider::<OpenAi>(), with_calls(None)).await;
    assert_eq!(
        echoed(&server.requests()[0].1),
        [Value::Null, Value::Null, Value::Null]
    );
}

/// Whatever the first guess was, a refusal leads to the other, and what was taken is kept.
#[tokio::test]
async fn a_refusal_leads_to_the_other_way_and_is_remembered() {
    for (thought, then) in [(None, json!("")), (Some("hm"), Value::Null)] {
        let mut script = vec![status("400 Bad Request"); 3];
        script.push(stream(&hello()));
        let server = Server::start(script).await;
        let provider = server.provider::<OpenAi>();
        for _ in 0..2 {
            assert_eq!(
                ask(&provider, with_calls(thought)).await.last(),
                Some(&finished(FinishReason::Stop))
            );
        }
        let seen: Vec<Value> = server
            .requests()
            .iter()
            .map(|(_, body)| echoed(body)[1].clone())
            .collect();
        assert_eq!(seen.len(), 5, "{thought:?}");
        assert_eq!(seen[3..], [then.clone(), then], "{thought:?}");
    }
}

/// Some servers refuse unknown fields with 422, as when a conversation goes on with another model.
#[tokio::test]
async fn a_server_that_calls_thinking_unprocessable_is_asked_without() {
    let server = Server::start(vec![status("422 Unprocessable Entity"), stream(&hello())]).await;
    let provider = server.provider::<OpenAi>();
    let events = ask(&provider, with_calls(Some("hm"))).await;
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
    let seen: Vec<Value> = server
        .requests()
        .iter()
        .map(|(_, body)| echoed(body)[0].clone())
        .collect();
    assert_eq!(seen, [json!("hm"), Value::Null]);
    // Where nothing can be left out, it is about something else.
    let server = Server::start(vec![status("422 Unprocessable Entity")]).await;
    let events = ask(&server.provider::<OpenAi>(), with_calls(None)).await;
    assert_eq!(events, [Err(ProviderError::Refused { status: 422 })]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn thinking_that_another_api_sealed_is_not_told() {
    let mut asked = with_calls(Some("sealed"));
    if let Part::Reasoning { signature, .. } = &mut asked.messages[1].parts[0] {
        *signature = Some("thinking@elsewhere:seal".into());
    }
    let server = Server::start(vec![stream(&hello())]).await;
    ask(&deepseek(&server), asked).await;
    assert_eq!(echoed(&server.requests()[0].1)[0], json!(""));
}

/// The provider's cache holds only if what was sent before is sent again, byte for byte.
#[tokio::test]
async fn what_was_sent_before_is_sent_again_unchanged() {
    let server = Server::start(vec![stream(&thoughtful())]).await;
    let provider = deepseek(&server);
    let whole = with_calls(Some("let me look"));
    let shorter = ModelRequest {
        messages: whole.messages[..3].to_vec(),
        ..whole.clone()
    };
    ask(&provider, shorter).await;
    ask(&provider, whole).await;
    let requests = server.requests();
    let earlier = requests[0].1["messages"].as_array().unwrap();
    let later = requests[1].1["messages"].as_array().unwrap();
    assert_eq!(later[..earlier.len()], earlier[..]);
}
