//! S16: JSON made to break parsers. Each text is answered or ignored, and then a good question is answered.

use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::reason::ErrorReason;
use sidewire_tests::{Client, Home, Peer, Worker, page, play, question, until_quiet};

async fn connected() -> (Home, Worker, Client) {
    let home = Home::new();
    let worker = home.worker().await;
    let client = worker.client().await;
    (home, worker, client)
}

/// A question with a piece of it replaced.
fn spoilt(from: &str, to: &str) -> String {
    let request = sidewire_contract::chat::ChatRequest {
        context: Some(page()),
        ..question("c-bad", "What?")
    };
    let good = sidewire_contract::frames::ClientFrame::ChatRequest(Box::new(request)).encode();
    let bad = good.replacen(from, to, 1);
    assert_ne!(good, bad, "{from} is part of a question");
    bad
}

async fn check_still_answers(client: &mut Client, id: &str) {
    let request = sidewire_contract::chat::ChatRequest {
        context: Some(page()),
        ..question(id, "Which domains?")
    };
    assert!(play(client, request).await.done().contains("lb1.example.com"));
}

/// What a question that cannot be taken is answered with: its own end, once.
fn assert_refused(frames: &[WorkerFrame], what: &str) {
    let [WorkerFrame::ChatError(error)] = frames else {
        panic!("{what}: {frames:?}")
    };
    assert_eq!(
        (error.id.as_str(), error.reason),
        ("c-bad", ErrorReason::Provider4xx),
        "{what}"
    );
}

#[tokio::test]
async fn s16_a_question_that_cannot_be_read_is_answered_by_its_id() {
    let (_home, _worker, mut client) = connected().await;
    let deep = format!(
        "{}{}",
        r#"{"role":"x","children":["#.repeat(10_000),
        "]}".repeat(10_000)
    );
    let rows = [
        (
            "10,000 levels",
            spoilt(r#""children":["#, &format!(r#""children":[{deep},"#)),
        ),
        (
            "a field twice",
            spoilt(r#""text":"What?""#, r#""text":"What?","text":"Why?""#),
        ),
        ("a lone surrogate", spoilt("What?", r"\ud800")),
        (
            "a lone surrogate in the title",
            spoilt(r#""title":""#, r#""title":"\udc00"#),
        ),
        (
            "the wrong type",
            spoilt(r#""text":"What?""#, r#""text":["What?"]"#),
        ),
        ("a null", spoilt(r#""mode":"educational""#, r#""mode":null"#)),
        ("an unknown mode", spoilt("educational", "destructive")),
        (
            "no session",
            spoilt(r#""sessionKey":"example-corp|production""#, r#""sessionKey":"""#),
        ),
        ("not a number", spoilt(r#""tabId":7"#, r#""tabId":"7""#)),
    ];
    for (number, (what, text)) in rows.into_iter().enumerate() {
        client.send_text(&text).await;
        assert_refused(&until_quiet(&mut client).await, what);
        check_still_answers(&mut client, &format!("c-{number}")).await;
    }
}

#[tokio::test]
async fn s16_numbers_beyond_every_type_are_taken_or_refused() {
    let (_home, _worker, mut client) = connected().await;
    for (at, number) in [
        "1e999",
        "-1e999",
        &"9".repeat(400),
        "1e-999",
        "-0",
        "1.5e300",
        "18446744073709551616",
    ]
    .iter()
    .enumerate()
    {
        client
            .send_text(&spoilt(r#""tabId":7"#, &format!(r#""tabId":{number}"#)))
            .await;
        let frames = until_quiet_and_ended(&mut client).await;
        assert!(
            frames
                .iter()
                .any(|frame| matches!(frame, WorkerFrame::ChatError(_) | WorkerFrame::ChatDone(_))),
            "{number}"
        );
        check_still_answers(&mut client, &format!("c-{at}")).await;
    }
}

/// Frames up to the end of the bad turn, however it ends.
async fn until_quiet_and_ended(client: &mut Client) -> Vec<WorkerFrame> {
    let mut frames = Vec::new();
    loop {
        let frame = client.receive().await;
        // The same id again shows the turn that it named first.
        let ended = matches!(frame, WorkerFrame::ChatError(_) | WorkerFrame::ChatDone(_));
        let snapshot = matches!(frame, WorkerFrame::TurnSnapshot(_));
        frames.push(frame);
        if ended {
            return frames;
        }
        if snapshot {
            frames.push(WorkerFrame::ChatDone(sidewire_contract::chat::ChatDone {
                id: "c-bad".parse().unwrap(),
                references: None,
            }));
            return frames;
        }
    }
}

#[tokio::test]
async fn s16_what_names_nothing_is_answered_to_the_connection() {
    let (_home, _worker, mut client) = connected().await;
    let rows = [
        ("no JSON", "{".to_owned()),
        ("nothing", String::new()),
        ("an array", "[]".to_owned()),
        ("10,000 levels of nothing", "[".repeat(10_000)),
        (
            "a type twice",
            r#"{"type":"ping","type":"chat_request"}"#.to_owned(),
        ),
        ("an unknown type", r#"{"type":"shutdown"}"#.to_owned()),
        (
            "a frame of the worker",
            r#"{"type":"chat_done","id":"c-1"}"#.to_owned(),
        ),
        ("a surrogate as type", r#"{"type":"\ud800"}"#.to_owned()),
        ("two objects", r#"{"type":"ping"}{"type":"ping"}"#.to_owned()),
        ("a byte order mark", "\u{feff}{\"type\":\"ping\"}".to_owned()),
        ("a NUL", "{\"type\":\"ping\"}\0".to_owned()),
        ("an id that is none", spoilt(r#""id":"c-bad""#, r#""id":"x-bad""#)),
    ];
    for (number, (what, text)) in rows.into_iter().enumerate() {
        client.send_text(&text).await;
        let frames = until_quiet(&mut client).await;
        assert!(
            matches!(frames.as_slice(), [WorkerFrame::BridgeError(_)]),
            "{what}: {frames:?}"
        );
        check_still_answers(&mut client, &format!("c-{number}")).await;
    }
}

#[tokio::test]
async fn s16_a_page_with_broken_text_is_answered_without_it() {
    let (_home, _worker, mut client) = connected().await;
    let rows = [
        ("in the tree", spoilt(r#""name":"Edit""#, r#""name":"\ud800""#)),
        (
            "in the body",
            spoilt(r#""name":"lb1"},"spec""#, r#""name":"\udfff"},"spec""#),
        ),
    ];
    for (number, (what, text)) in rows.into_iter().enumerate() {
        let id = format!("c-page{number}");
        client.send_text(&text.replace("c-bad", &id)).await;
        let frames = sidewire_tests::play_all(&mut client, [id.parse().unwrap()]).await;
        assert!(
            frames.values().all(|turn| turn.error.is_none()),
            "{what}: {frames:?}"
        );
    }
}

#[tokio::test]
async fn s16_a_client_that_sends_only_rubbish_is_sent_away() {
    let (_home, worker, mut client) = connected().await;
    let mut sent = 0;
    while sent < 10_000 && client.try_send("rubbish".into()).await {
        sent += 1;
    }
    while client.receive_text().await.is_some() {}
    assert_eq!(until_quiet(&mut worker.client().await).await, []);
}

#[tokio::test]
async fn s16_an_error_never_repeats_what_was_sent() {
    let (_home, _worker, mut client) = connected().await;
    for text in [
        r#"{"type":"SECRET words"}"#,
        r#"{"type":"model_select","requestId":"r","model":{"SECRET":1}}"#,
        r#"{"type":"provider_set","requestId":"r","kind":"openai","apiKey":["SECRET"]}"#,
        r#"{"type":"resume","turns":"SECRET"}"#,
    ] {
        client.send_text(text).await;
        let answer = client.receive_text().await.unwrap();
        assert!(!answer.contains("SECRET"), "{answer}");
    }
}
