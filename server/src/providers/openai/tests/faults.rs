//! What a server may do wrong.

use super::*;

#[tokio::test]
async fn statuses_become_typed_errors() {
    for (line, expected) in [
        ("401 Unauthorized", ProviderError::Auth { status: 401 }),
        ("403 Forbidden", ProviderError::Auth { status: 403 }),
        ("404 Not Found", ProviderError::Refused { status: 404 }),
        ("400 Bad Request", ProviderError::Refused { status: 400 }),
        ("408 Request Timeout", ProviderError::Refused { status: 408 }),
        ("429 Too Many Requests", ProviderError::Refused { status: 429 }),
        ("500 Oops", ProviderError::Server { status: 500 }),
        ("503 Busy", ProviderError::Server { status: 503 }),
        ("302 Found", ProviderError::BadResponse),
    ] {
        assert_eq!(
            without_retries(answer_to(status(line)).await),
            [Err(expected)],
            "{line}"
        );
    }
}

#[tokio::test]
async fn failures_before_the_first_byte_are_tried_again() {
    let server = Server::start(vec![status("408 Slow"), Reply::Pieces(vec![]), stream(&hello())]).await;
    let events = run(&server.provider::<OpenAi>()).await;
    let attempts: Vec<u32> = events
        .iter()
        .filter_map(|event| {
            if let Ok(ModelEvent::Retrying { attempt, .. }) = event {
                Some(*attempt)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(attempts, [2, 3]);
    assert_eq!(
        without_retries(events),
        [text("grüß"), text(" dich"), finished(FinishReason::Stop)]
    );
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_client_error_is_not_tried_again() {
    let server = Server::start(vec![status("401 Unauthorized")]).await;
    run(&server.provider::<OpenAi>()).await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn retry_after_is_followed_and_told_at_once() {
    let busy = Reply::Pieces(vec![
        b"HTTP/1.1 429 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n".to_vec(),
    ]);
    let server = Server::start(vec![busy]).await;
    let mut events = server.provider::<OpenAi>().stream(request()).await.unwrap();
    assert_eq!(
        events.next().await,
        Some(Ok(ModelEvent::Retrying {
            attempt: 2,
            wait_ms: 7000
        }))
    );
}

#[tokio::test]
async fn a_server_without_stream_options_is_learned() {
    let server = Server::start(vec![
        status("400 Bad Request"),
        stream(&hello()),
        stream(&hello()),
    ])
    .await;
    let provider = server.provider::<OpenAi>();
    for _ in 0..2 {
        assert_eq!(run(&provider).await.last(), Some(&finished(FinishReason::Stop)));
    }
    let asked: Vec<bool> = server
        .requests()
        .iter()
        .map(|(_, body)| body["stream_options"].is_object())
        .collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn a_refusal_of_a_known_form_is_told_at_once() {
    let server = Server::start(vec![stream(&hello()), status("400 Bad Request")]).await;
    let provider = server.provider::<OpenAi>();
    run(&provider).await;
    assert_eq!(
        run(&provider).await,
        [Err(ProviderError::Refused { status: 400 })]
    );
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn silence_is_a_timeout_before_and_within_an_answer() {
    let short = Duration::from_millis(40);
    // What is to be read must have the time to come.
    for (sent, told, first_byte) in [
        (vec![], vec![], short),
        (vec![OK.into()], vec![], short),
        (
            vec![body(&delta(&json!({ "content": "a" })))],
            vec![text("a")],
            Duration::from_secs(5),
        ),
    ] {
        let limits = Limits {
            first_byte,
            idle: Duration::from_millis(500),
            ..quick()
        };
        let server = Server::start(vec![Reply::Hang(sent)]).await;
        let mut expected = told;
        expected.push(Err(ProviderError::Timeout));
        assert_eq!(
            run(&server.provider_with::<OpenAi>(|settings| settings.limits = limits)).await,
            expected
        );
    }
}

#[tokio::test]
async fn a_finished_answer_does_not_wait_for_its_trailer() {
    let sent = body(&[delta(&json!({ "content": "a" })), finish("stop")].concat());
    assert_eq!(
        answer_to(Reply::Hang(vec![sent])).await,
        [text("a"), finished(FinishReason::Stop)]
    );
}

#[tokio::test]
async fn a_cut_answer_is_an_error_never_a_silent_end() {
    let half = delta(&json!({ "content": "a" }));
    let promised = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let in_chunk = format!("{chunked}{:x}\r\n{half}\r\n", half.len());
    for reply in [
        stream(&half),
        Reply::Cut(format!("{promised}{half}").into()),
        Reply::Cut(in_chunk.into()),
        stream(&format!("{half}data: {{\"choi")),
    ] {
        assert_eq!(
            answer_to(reply).await,
            [text("a"), Err(ProviderError::BrokenStream)]
        );
    }
    assert_eq!(answer_to(stream("")).await, [Err(ProviderError::BrokenStream)]);
}

#[tokio::test]
async fn an_error_inside_the_stream_is_read_by_its_code() {
    for (error, expected) in [
        (
            json!({ "message": "x", "code": 401 }),
            ProviderError::Auth { status: 401 },
        ),
        (json!({ "code": "429" }), ProviderError::Refused { status: 429 }),
        (json!({ "code": 503 }), ProviderError::Server { status: 503 }),
        (
            json!({ "code": "context_length_exceeded", "message": "401" }),
            ProviderError::Refused { status: 400 },
        ),
        (
            json!({ "type": "overloaded_error", "message": "400" }),
            ProviderError::Server { status: 503 },
        ),
        (
            json!({ "type": "server_error", "code": 200 }),
            ProviderError::Server { status: 500 },
        ),
        (json!("text"), ProviderError::BadResponse),
    ] {
        let sent = format!(
            "{}event: error\ndata: {}\n\n",
            delta(&json!({ "content": "a" })),
            json!({ "error": error })
        );
        assert_eq!(answer_to(stream(&sent)).await, [text("a"), Err(expected)]);
    }
}

/// Some servers accept a request and say in the answer that they are too busy for it.
#[tokio::test]
async fn an_overload_that_is_told_before_anything_was_said_is_tried_again() {
    let busy = format!("data: {}\n\n", json!({ "error": { "code": 529 } }));
    let begun = delta(
        &json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{" } }] }),
    );
    let server = Server::start(vec![stream(&busy), stream(&(begun + &busy)), stream(&hello())]).await;
    let events = run(&server.provider::<OpenAi>()).await;
    let told: Events = without_retries(events)
        .into_iter()
        .filter(|event| *event != Ok(ModelEvent::Alive))
        .collect();
    assert_eq!(told, [text("grüß"), text(" dich"), finished(FinishReason::Stop)]);
    let asked = server.requests();
    assert_eq!(asked.len(), 3);
    assert!(
        asked.iter().all(|(_, body)| *body == asked[0].1),
        "the whole request each time"
    );
}

#[tokio::test]
async fn an_overload_that_lasts_and_a_refusal_inside_the_stream_are_told() {
    for (code, expected, tries) in [
        (503, ProviderError::Server { status: 503 }, 3),
        (429, ProviderError::Refused { status: 429 }, 3),
        (400, ProviderError::Refused { status: 400 }, 1),
        (401, ProviderError::Auth { status: 401 }, 1),
    ] {
        let sent = format!("data: {}\n\n", json!({ "error": { "code": code } }));
        let server = Server::start(vec![stream(&sent)]).await;
        let events = without_retries(run(&server.provider::<OpenAi>()).await);
        assert_eq!((events, server.requests().len()), (vec![Err(expected)], tries));
    }
}

#[tokio::test]
async fn what_is_not_the_protocol_is_refused() {
    for odd in [
        "<html>sign in</html>",
        "data: not json\n\n",
        "data: [1]\n\n",
        "data: {\"choices\":7}\n\n",
        "nonsense",
    ] {
        assert_eq!(
            answer_to(stream(odd)).await,
            [Err(ProviderError::BadResponse)],
            "{odd}"
        );
    }
    for odd in ["{\"models\":[]}", "{\"choices\":[]}", "{\"choices\":"] {
        assert_eq!(
            answer_to(stream(odd)).await,
            [Err(ProviderError::BadResponse)],
            "{odd}"
        );
    }
}

#[tokio::test]
async fn a_plain_completion_is_one_answer() {
    let whole = json!({ "choices": [{ "message": { "role": "assistant", "content": "all at once" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 } });
    let events = answer_to(stream(&whole.to_string())).await;
    let usage = Usage {
        input: 1,
        output: 2,
        cached: None,
        reasoning: None,
    };
    assert_eq!(
        events,
        [
            text("all at once"),
            Ok(ModelEvent::Usage(usage)),
            finished(FinishReason::Stop)
        ]
    );
}

#[tokio::test]
async fn events_and_answers_are_bounded() {
    let limits = Limits {
        event_bytes: 1000,
        answer_bytes: 5000,
        ..quick()
    };
    let run = |text: String| async move {
        let server = Server::start(vec![stream(&text)]).await;
        run(&server.provider_with::<OpenAi>(|settings| settings.limits = limits))
            .await
            .pop()
    };
    let event = |length: usize| delta(&json!({ "content": "x".repeat(length) }));
    assert_eq!(run(event(1000)).await, Some(Err(ProviderError::BadResponse)));
    assert_eq!(
        run(format!("data: {}", "x".repeat(2000))).await,
        Some(Err(ProviderError::BadResponse))
    );
    assert_eq!(
        run(event(500).repeat(12)).await,
        Some(Err(ProviderError::BadResponse))
    );
    assert_eq!(run(event(500) + DONE).await, Some(finished(FinishReason::Stop)));
    let whole = json!({ "choices": [{ "message": { "content": "x".repeat(9000) } }] });
    assert_eq!(
        run(whole.to_string()).await,
        Some(Err(ProviderError::BadResponse))
    );
}

/// S28: the key does not follow a redirect.
#[tokio::test]
async fn s28_a_redirect_is_not_followed() {
    let other = Server::start(vec![stream(&hello())]).await;
    for code in [
        "301 Moved",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let to = format!(
            "HTTP/1.1 {code}\r\nlocation: {}/v1/chat/completions\r\ncontent-length: 0\r\n\r\n",
            other.url
        );
        let server = Server::start(vec![Reply::Pieces(vec![to.into()])]).await;
        assert_eq!(
            run(&server.provider::<OpenAi>()).await,
            [Err(ProviderError::BadResponse)]
        );
        assert_eq!(
            server.provider::<OpenAi>().models().await,
            Err(ProviderError::BadResponse)
        );
    }
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let server = Server::start(Vec::new()).await;
    // Where nothing listens; a port that is given back may be somebody else's by now.
    let provider = server.provider_with::<OpenAi>(|settings| settings.base_url = "http://127.0.0.1:1".into());
    assert_eq!(
        without_retries(run(&provider).await),
        [Err(ProviderError::Unreachable)]
    );
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let settings = Settings {
        limits: quick(),
        ..Settings::new(url, "m1", None)
    };
    let mut events = OpenAiProvider::new(settings)
        .unwrap()
        .stream(request())
        .await
        .unwrap();
    let serve = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        assert!(socket.read(&mut request).await.unwrap() > 0);
        socket
            .write_all(&body(&delta(&json!({ "content": "a" }))))
            .await
            .unwrap();
        socket
    };
    let (mut socket, first) = tokio::join!(serve, events.next());
    assert_eq!(first, Some(text("a")));
    drop(events);
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(60), socket.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "the connection stayed open");
}
