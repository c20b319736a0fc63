//! What a server may do wrong.

use super::*;

#[tokio::test]
async fn statuses_become_typed_errors() {
    for (line, expected, asked) in [
        ("400 Bad Request", ProviderError::Refused { status: 400 }, 2),
        ("401 Unauthorized", ProviderError::Auth { status: 401 }, 1),
        ("403 Forbidden", ProviderError::Auth { status: 403 }, 1),
        ("404 Not Found", ProviderError::Refused { status: 404 }, 1),
        ("413 Too Large", ProviderError::Refused { status: 413 }, 1),
        ("429 Too Many Requests", ProviderError::Refused { status: 429 }, 3),
        ("500 Oops", ProviderError::Server { status: 500 }, 3),
        ("529 Overloaded", ProviderError::Server { status: 529 }, 3),
        ("302 Found", ProviderError::BadResponse, 1),
    ] {
        let server = Server::start(vec![status(line)]).await;
        let events = without_retries(run(&server.provider::<Anthropic>()).await);
        assert_eq!(
            (events, server.requests().len()),
            (vec![Err(expected)], asked),
            "{line}"
        );
    }
}

#[tokio::test]
async fn an_overloaded_server_is_asked_again() {
    let server = Server::start(vec![status("529 Overloaded"), stream(&hello())]).await;
    let events = run(&server.provider::<Anthropic>()).await;
    assert!(
        matches!(events[0], Ok(ModelEvent::Retrying { attempt: 2, .. })),
        "{events:?}"
    );
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
}

/// The API tells an overload inside the answer more often than by a status.
#[tokio::test]
async fn an_overload_inside_the_stream_is_tried_again_before_anything_was_said() {
    let busy = json!({ "type": "error", "error": { "type": "overloaded_error" } });
    let server = Server::start(vec![stream(&(begun() + &event(&busy))), stream(&hello())]).await;
    let events = run(&server.provider::<Anthropic>()).await;
    assert!(
        matches!(events[0], Ok(ModelEvent::Retrying { attempt: 2, .. })),
        "{events:?}"
    );
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn an_error_inside_the_stream_is_read_by_its_kind() {
    for (kind, expected) in [
        (json!("overloaded_error"), ProviderError::Server { status: 529 }),
        (json!("rate_limit_error"), ProviderError::Refused { status: 429 }),
        (json!("authentication_error"), ProviderError::Auth { status: 401 }),
        (
            json!("invalid_request_error"),
            ProviderError::Refused { status: 400 },
        ),
        (json!("api_error"), ProviderError::Server { status: 500 }),
        (Value::Null, ProviderError::Server { status: 500 }),
    ] {
        let error = json!({ "type": "error", "error": { "type": kind, "message": "401" } });
        let sent = [begun(), said(0, &["a"]), event(&error)].concat();
        assert_eq!(answer_to(stream(&sent)).await, [text("a"), Err(expected.clone())]);
        let whole = without_retries(answer_to(stream(&error.to_string())).await);
        assert_eq!(whole, [Err(expected)]);
    }
}

#[tokio::test]
async fn a_cut_answer_is_an_error_never_a_silent_end() {
    let half = begun() + &said(0, &["a"]);
    for reply in [
        stream(&half),
        Reply::Cut(body(&half)),
        stream(&format!("{half}event: message_de")),
    ] {
        assert_eq!(
            answer_to(reply).await,
            [text("a"), Err(ProviderError::BrokenStream)]
        );
    }
}

#[tokio::test]
async fn a_finished_answer_does_not_wait_for_its_trailer() {
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
    let sent = begun() + &said(0, &["a"]) + &event(&end);
    let events = answer_to(Reply::Hang(vec![body(&sent)])).await;
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
}

#[tokio::test]
async fn what_is_not_the_protocol_is_refused() {
    let start = |index: u64| {
        event(
            &json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } }),
        )
    };
    let delta = event(
        &json!({ "type": "content_block_delta", "index": 5, "delta": { "type": "text_delta", "text": "a" } }),
    );
    let endless: String = (0..600).map(|index| said(index, &[])).collect();
    for odd in [
        "<html>sign in</html>",
        "data: not json\n\n",
        "data: {\"choices\":[]}\n\n",
        "{\"choices\":[]}",
        "{\"content\":",
        &(start(0) + &start(1)),
        &(start(0) + &delta),
        &endless,
    ] {
        let events = answer_to(stream(odd)).await;
        assert_eq!(events.last(), Some(&Err(ProviderError::BadResponse)), "{odd}");
    }
}
