//! What a good answer becomes.

use super::*;

fn call(id: &str, arguments: Value) -> Result<ModelEvent, ProviderError> {
    Ok(ModelEvent::ToolCall {
        call_id: id.into(),
        name: "read".into(),
        arguments,
    })
}

#[tokio::test]
async fn text_streams_and_tokens_are_counted_with_the_cache() {
    assert_eq!(
        answer_to(stream(&hello())).await,
        [
            text("grüß"),
            text(" dich"),
            Ok(ModelEvent::Usage(USAGE)),
            finished(FinishReason::Stop)
        ]
    );
}

#[tokio::test]
async fn every_stop_reason_has_its_meaning() {
    for (reason, expected) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("tool_use", FinishReason::ToolCalls),
        ("refusal", FinishReason::Filtered),
        ("something_new", FinishReason::Stop),
    ] {
        let events = answer_to(stream(&[begun(), said(0, &["a"]), ended(reason)].concat())).await;
        assert_eq!(events.last(), Some(&finished(expected)), "{reason}");
    }
}

#[tokio::test]
async fn n19_a_call_whose_arguments_were_cut_off_is_none() {
    let begin = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
    let json = |text: &str| json!({ "type": "input_json_delta", "partial_json": text });
    for cut in ["", "{\"path\": \"/t"] {
        let pieces = [
            begun(),
            block(0, &begin("a"), &[json("{\"x\":1}")]),
            block(1, &begin("b"), &[json(cut)]),
            ended("max_tokens"),
        ];
        let mut events = answer_to(stream(&pieces.concat())).await;
        events.retain(|event| matches!(event, Ok(ModelEvent::ToolCall { .. })));
        assert_eq!(events, [call("a", json!({ "x": 1 }))]);
    }
}

#[tokio::test]
async fn tool_calls_are_told_when_they_are_whole() {
    let begin = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
    let json = |text: &str| json!({ "type": "input_json_delta", "partial_json": text });
    let text_of_stream = [
        begun(),
        said(0, &["Let me see."]),
        block(1, &begin("a"), &[json(""), json("{\"x\":"), json(" 1}")]),
        block(2, &begin("b"), &[]),
        block(3, &begin(""), &[json("{oops")]),
        ended("tool_use"),
    ];
    assert_eq!(
        answer_to(stream(&text_of_stream.concat())).await,
        [
            text("Let me see."),
            call("a", json!({ "x": 1 })),
            call("b", json!({})),
            call("call_3", json!("{oops")),
            Ok(ModelEvent::Usage(USAGE)),
            finished(FinishReason::ToolCalls),
        ]
    );
}

#[tokio::test]
async fn what_is_newer_than_this_adapter_is_read_over() {
    let sent = [
        begun(),
        event(&json!({ "type": "brand_new", "x": 1 })),
        block(
            0,
            &json!({ "type": "server_tool_use", "id": "s" }),
            &[json!({ "type": "new_delta" })],
        ),
        said(1, &["a"]),
        ended("end_turn"),
    ];
    assert_eq!(answer_to(stream(&sent.concat())).await[0], text("a"));
}

#[tokio::test]
async fn a_whole_message_is_one_answer() {
    let whole = json!({ "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [{ "type": "text", "text": "all at once" }, { "type": "tool_use", "id": "a", "name": "read", "input": { "x": 1 } }],
        "usage": { "input_tokens": 1, "output_tokens": 2 } });
    let usage = Usage {
        input: 1,
        output: 2,
        cached: None,
        reasoning: None,
    };
    assert_eq!(
        answer_to(stream(&whole.to_string())).await,
        [
            text("all at once"),
            call("a", json!({ "x": 1 })),
            Ok(ModelEvent::Usage(usage)),
            finished(FinishReason::ToolCalls),
        ]
    );
}

#[tokio::test]
async fn bytes_may_be_cut_anywhere() {
    let whole = body(&hello());
    let pieces: Vec<Vec<u8>> = whole.chunks(7).map(<[u8]>::to_vec).collect();
    assert_eq!(
        answer_to(Reply::Pieces(pieces)).await[..2],
        [text("grüß"), text(" dich")]
    );
}
