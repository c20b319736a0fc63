//! What a good answer becomes.

use sidewire_agent::provider::ModelRequest;

use super::*;

#[tokio::test]
async fn text_streams_with_usage_and_reasoning() {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 4,
        "prompt_tokens_details": { "cached_tokens": 3 } } });
    let stream_text = [
        ": comment\n\n".to_owned(),
        delta(&json!({ "role": "assistant", "content": null, "reasoning_content": "hm" })),
        delta(&json!({ "reasoning": "m" })),
        delta(&json!({ "content": "hello" })),
        finish("length"),
        format!("data: {usage}\n\n"),
        DONE.into(),
    ];
    let events = answer_to(stream(&stream_text.concat())).await;
    assert_eq!(
        events,
        [
            Ok(ModelEvent::Reasoning("hm".into())),
            Ok(ModelEvent::Reasoning("m".into())),
            text("hello"),
            Ok(ModelEvent::Usage(Usage {
                input: 9,
                output: 4,
                cached: Some(3),
                reasoning: None,
            })),
            finished(FinishReason::Length),
        ]
    );
}

/// Some servers send the sum so far with every piece.
#[tokio::test]
async fn tokens_that_are_counted_again_and_again_are_told_once() {
    let piece = |word: &str, output: u64| {
        let counted = json!({ "choices": [{ "index": 0, "delta": { "content": word } }],
            "usage": { "prompt_tokens": 1000, "completion_tokens": output } });
        format!("data: {counted}\n\n")
    };
    let sent = [
        piece("a", 1),
        piece("b", 2),
        piece("c", 3),
        finish("stop"),
        DONE.into(),
    ];
    let events = answer_to(stream(&sent.concat())).await;
    let counted: Vec<(u64, u64)> = events
        .iter()
        .filter_map(|event| match event {
            Ok(ModelEvent::Usage(usage)) => Some((usage.input, usage.output)),
            _ => None,
        })
        .collect();
    assert_eq!(counted, [(1000, 3)]);
}

/// What is sent for a call of this name and id.
async fn called(model: &str, id: &str, name: &str) -> (Value, Value) {
    let call = Part::ToolCall {
        call_id: id.into(),
        name: name.into(),
        arguments: json!({}),
    };
    let result = Part::ToolResult {
        call_id: id.into(),
        content: Vec::new(),
        is_error: false,
    };
    let message = |role, part| Message {
        role,
        parts: vec![part],
    };
    let mut asked = request();
    asked.messages = vec![
        Message::text(Role::User, "hi"),
        message(Role::Assistant, call),
        message(Role::Tool, result),
    ];
    let server = Server::start(vec![stream(&hello())]).await;
    let provider = server.provider_with::<OpenAi>(|settings| settings.model = model.into());
    ask(&provider, asked).await;
    let body = server.requests().remove(0).1;
    let call = &body["messages"][2]["tool_calls"][0];
    assert_eq!(call["id"], body["messages"][3]["tool_call_id"], "{body}");
    (call["id"].clone(), call["function"]["name"].clone())
}

/// A name that a model made up would have every later request refused, and so would an id that another server gave.
#[tokio::test]
async fn names_and_ids_of_calls_go_back_as_servers_take_them() {
    let (id, name) = called("m1", "functions.read:0", "functions.read").await;
    assert_eq!((id, name), (json!("functions.read:0"), json!("functions_read")));
    assert_eq!(called("m1", "a", "").await.1, json!("unnamed"));
    for model in ["mistral-large-latest", "mistralai/Devstral-Small"] {
        let (id, _) = called(model, "call_0-2", "read").await;
        let id = id.as_str().unwrap();
        assert!(
            id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{id}"
        );
        assert_eq!(called(model, "D681PevKs", "read").await.0, json!("D681PevKs"));
    }
}

/// Servers refuse a request whose answer might grow beyond the window.
#[tokio::test]
async fn an_answer_and_thinking_never_get_more_than_the_window_has_left() {
    for (window, input, answer, limit) in [
        // A quarter of the window is for thinking, as long as there is room.
        (Some(32_000), 1_000, Some(4_000), json!(12_000)),
        (Some(32_000), 25_000, Some(4_000), json!(6_488)),
        (Some(32_000), 31_000, Some(4_000), json!(4_000)),
        (None, 31_000, None, Value::Null),
    ] {
        let server = Server::start(vec![stream(&hello())]).await;
        let provider = server.provider_with::<OpenAi>(|settings| settings.window = window);
        let provider = provider.with_effort(Some("high"));
        let asked = ModelRequest {
            input_tokens: input,
            max_output_tokens: answer,
            ..request()
        };
        let events: Events = provider.stream(asked).await.unwrap().collect().await;
        assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
        assert_eq!(server.requests()[0].1["max_tokens"], limit, "{window:?} {input}");
    }
}

#[tokio::test]
async fn the_request_carries_transcript_tools_and_limits() {
    let server = Server::start(vec![stream(&hello())]).await;
    let call = |arguments| Part::ToolCall {
        call_id: "c1".into(),
        name: "read".into(),
        arguments,
    };
    let result = Part::ToolResult {
        call_id: "c1".into(),
        content: vec![ResultContent::Text { text: "42".into() }],
        is_error: false,
    };
    let mut asked = request();
    asked.messages = vec![
        Message::text(Role::User, "hi"),
        Message {
            role: Role::Assistant,
            parts: vec![call(json!({ "a": 1 }))],
        },
        Message {
            role: Role::Tool,
            parts: vec![result],
        },
        Message {
            role: Role::Assistant,
            parts: vec![Part::Text { text: "t".into() }, call(json!("{broken"))],
        },
        Message {
            role: Role::Assistant,
            parts: vec![],
        },
    ];
    asked.tools = vec![ToolSpec {
        name: "read".into(),
        description: "reads".into(),
        parameters: json!({ "type": "object" }),
    }];
    ask(&server.provider::<OpenAi>(), asked).await;
    let (head, body) = server.requests().remove(0);
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains("authorization: bearer sk-secret"));
    let called = |arguments: &str| json!([{ "id": "c1", "type": "function", "function": { "name": "read", "arguments": arguments } }]);
    assert_eq!(
        body,
        json!({
            "model": "m1", "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 77,
            "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": "hi" },
                { "role": "assistant", "content": null, "tool_calls": called("{\"a\":1}") },
                { "role": "tool", "content": "42", "tool_call_id": "c1" },
                { "role": "assistant", "content": "t", "tool_calls": called(r#"{"not_an_object":"{broken"}"#) },
            ],
            "tools": [{ "type": "function", "function": { "name": "read", "description": "reads", "parameters": { "type": "object" } } }],
        })
    );
}

#[tokio::test]
async fn tool_calls_are_put_together_by_index() {
    let piece = |index: usize, id: Option<&str>, name: Option<&str>, arguments: &str| {
        delta(
            &json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }] }),
        )
    };
    let stream_text = [
        piece(0, Some("a"), Some("one"), ""),
        piece(0, None, None, "{\"x\":"),
        piece(1, None, Some("two"), "{oops"),
        piece(0, None, None, "1}"),
        piece(2, Some("c"), Some("three"), ""),
        finish("tool_calls"),
        DONE.into(),
    ];
    let events = answer_to(stream(&stream_text.concat())).await;
    let call = |id: &str, name: &str, arguments| {
        Ok(ModelEvent::ToolCall {
            call_id: id.into(),
            name: name.into(),
            arguments,
        })
    };
    let told: Events = events
        .into_iter()
        .filter(|event| *event != Ok(ModelEvent::Alive))
        .collect();
    assert_eq!(
        told,
        [
            call("a", "one", json!({ "x": 1 })),
            call("call_1", "two", json!("{oops")),
            call("c", "three", json!({})),
            finished(FinishReason::ToolCalls),
        ]
    );
}

#[tokio::test]
async fn calls_without_index_are_told_apart_by_id() {
    let piece = |id: &str| {
        delta(&json!({ "tool_calls": [{ "id": id, "function": { "name": id, "arguments": "{}" } }] }))
    };
    let events = answer_to(stream(&[piece("a"), piece("b"), finish("stop")].concat())).await;
    let names: Vec<String> = events
        .iter()
        .filter_map(|event| {
            if let Ok(ModelEvent::ToolCall { name, .. }) = event {
                Some(name.clone())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(events.last(), Some(&finished(FinishReason::ToolCalls)));
}

/// A piece of a call at index 0.
fn at_zero(id: Option<&str>, name: Option<&str>, arguments: &str) -> String {
    let function = json!({ "name": name, "arguments": arguments });
    delta(&json!({ "tool_calls": [{ "index": 0, "id": id, "function": function }] }))
}

/// Names and arguments of the calls of an answer, and how it ended.
async fn calls(pieces: &[String], end: &str) -> (Vec<(String, Value)>, FinishReason) {
    let mut events = answer_to(stream(&(pieces.concat() + &finish(end)))).await;
    let Some(Ok(ModelEvent::Finished(reason))) = events.pop() else {
        panic!("{events:?}")
    };
    let call = |event| match event {
        Ok(ModelEvent::ToolCall { name, arguments, .. }) => Some((name, arguments)),
        _ => None,
    };
    (events.into_iter().filter_map(call).collect(), reason)
}

#[tokio::test]
async fn n18_calls_that_share_an_index_are_told_apart_by_id() {
    let call = |name: &str, arguments| (name.to_owned(), arguments);
    let apart = [
        at_zero(Some("a"), Some("one"), "{\"x\":"),
        at_zero(None, None, "1}"),
        at_zero(Some("b"), Some("two"), ""),
        at_zero(Some("b"), Some("two"), "{\"y\":"),
        at_zero(Some(""), None, "2}"),
    ];
    let expected = vec![call("one", json!({ "x": 1 })), call("two", json!({ "y": 2 }))];
    assert_eq!(
        calls(&apart, "tool_calls").await,
        (expected, FinishReason::ToolCalls)
    );
    let one = [
        at_zero(None, Some("one"), ""),
        at_zero(Some("a"), Some("one"), "{\"x\":"),
        at_zero(Some("another in each piece"), None, "1}"),
    ];
    let expected = vec![call("one", json!({ "x": 1 }))];
    assert_eq!(
        calls(&one, "tool_calls").await,
        (expected, FinishReason::ToolCalls)
    );
}

#[tokio::test]
async fn n19_a_call_whose_arguments_were_cut_off_is_none() {
    let whole = at_zero(Some("a"), Some("one"), "{\"x\":1}");
    let expected = vec![("one".to_owned(), json!({ "x": 1 }))];
    for cut in ["", " ", "{\"path\": \"/t"] {
        let pieces = [whole.clone(), at_zero(Some("b"), Some("two"), cut)];
        assert_eq!(
            calls(&pieces, "length").await,
            (expected.clone(), FinishReason::Length)
        );
        assert_eq!(
            calls(&pieces, "tool_calls").await.0.len(),
            2,
            "nothing was cut off"
        );
    }
}

#[tokio::test]
async fn endless_tool_calls_are_refused() {
    let many: String = (0..200)
        .map(|n| delta(&json!({ "tool_calls": [{ "index": n, "id": n.to_string() }] })))
        .collect();
    assert_eq!(
        answer_to(stream(&many)).await.pop(),
        Some(Err(ProviderError::BadResponse))
    );
}

#[tokio::test]
async fn bytes_may_be_cut_anywhere() {
    let whole = body(&hello().replace('\n', "\r\n"));
    let head = OK.len();
    for cut in head + 1..whole.len() {
        let (one, other) = whole.split_at(cut);
        let events = answer_to(Reply::Pieces(vec![one.to_vec(), other.to_vec()])).await;
        assert_eq!(
            events,
            [text("grüß"), text(" dich"), finished(FinishReason::Stop)],
            "cut at {cut}"
        );
    }
    let single: Vec<Vec<u8>> = whole.chunks(1).map(<[u8]>::to_vec).collect();
    let events = answer_to(Reply::Pieces(single)).await;
    assert_eq!(
        events,
        [text("grüß"), text(" dich"), finished(FinishReason::Stop)]
    );
}
