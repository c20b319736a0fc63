//! Every limit of decision 7 at −1, 0 and +1.

use sidewire_contract::bridge::conversations::RequestErrorCode;
use sidewire_contract::bridge::handshake::BridgeErrorCode;
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::limits;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::NoticeCode;
use sidewire_tests::{
    Client, Home, Peer, Script, ScriptedModel, Worker, play, play_all, question, until_quiet,
};
use tokio_tungstenite::tungstenite::Message;

async fn offline() -> (Home, Worker, Client) {
    let home = Home::new();
    let worker = home.worker().await;
    let client = worker.client().await;
    (home, worker, client)
}

#[tokio::test]
async fn the_text_of_a_question() {
    let (_home, _worker, mut client) = offline().await;
    for (len, expected) in [
        (limits::CHAT_TEXT - 1, None),
        (limits::CHAT_TEXT, None),
        (limits::CHAT_TEXT + 1, Some(ErrorReason::Provider4xx)),
    ] {
        // Counted in bytes: the last character has two.
        let text = format!("{}é", "x".repeat(len - 2));
        let turn = play(&mut client, question(&format!("c-{len}"), &text)).await;
        assert_eq!(turn.error, expected, "{len}");
    }
}

/// A ping of exactly this many bytes.
fn long_ping(len: usize) -> String {
    let ping = r#"{"type":"ping"}"#;
    format!("{ping}{}", " ".repeat(len - ping.len()))
}

#[tokio::test]
async fn a_frame_to_the_worker() {
    let (_home, worker, mut client) = offline().await;
    for len in [limits::INBOUND_FRAME - 1, limits::INBOUND_FRAME] {
        client.send_text(&long_ping(len)).await;
        assert!(matches!(client.receive().await, WorkerFrame::Pong(_)), "{len}");
    }
    client
        .try_send(Message::text(long_ping(limits::INBOUND_FRAME + 1)))
        .await;
    client.closed().await;
    assert_eq!(
        until_quiet(&mut worker.client().await).await,
        [],
        "others are not concerned"
    );
}

/// A question whose JSON has exactly this many levels.
fn nested_question(id: &str, levels: usize) -> String {
    // The request, its context, the API response; then the body.
    let body = levels - 3;
    format!(
        r#"{{"type":"chat_request","id":"{id}","text":"x","mode":"educational","tabId":1,"sessionKey":"s","context":
        {{"v":1,"capturedAt":0,"tabId":1,"url":"","path":"","title":"","ax":null,"truncated":false,"api":
        {{"url":"","status":200,"resourceType":null,"truncated":false,"body":{}{}}}}}}}"#,
        "[".repeat(body),
        "]".repeat(body),
    )
}

#[tokio::test]
async fn the_levels_of_a_frame() {
    let (_home, _worker, mut client) = offline().await;
    for (levels, fails) in [
        (limits::DEPTH - 1, false),
        (limits::DEPTH, false),
        (limits::DEPTH + 1, true),
    ] {
        let id = format!("c-{levels}");
        client.send_text(&nested_question(&id, levels)).await;
        let turns = play_all(&mut client, [id.parse().unwrap()]).await;
        let errors: Vec<_> = turns.values().map(|turn| turn.error).collect();
        assert_eq!(errors, [fails.then_some(ErrorReason::Provider4xx)], "{levels}");
    }
}

#[tokio::test]
async fn the_turns_of_a_resume() {
    let (_home, _worker, mut client) = offline().await;
    for (count, fails) in [(63, false), (64, false), (65, true)] {
        let ids: Vec<String> = (0..count).map(|number| format!("c-{number}")).collect();
        client
            .send_text(&serde_json::json!({ "type": "resume", "turns": ids }).to_string())
            .await;
        let frames = client.receive_only(if fails { 1 } else { count }).await;
        if fails {
            let [WorkerFrame::BridgeError(error)] = frames.as_slice() else {
                panic!("{count}: {frames:?}")
            };
            assert_eq!(error.code, BridgeErrorCode::BadFrame);
        } else {
            assert!(
                frames
                    .iter()
                    .all(|frame| matches!(frame, WorkerFrame::TurnUnknown(_))),
                "{count}: {frames:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_words_of_a_request() {
    let (_home, _worker, mut client) = offline().await;
    let unknown = "11111111-2222-4333-8444-555555555555";
    let search = |len: usize| {
        format!(
            r#"{{"type":"conversation_search","requestId":"r","query":"{}"}}"#,
            "ä".repeat(len)
        )
    };
    let rename = |len: usize| {
        let title = "ä".repeat(len);
        format!(
            r#"{{"type":"conversation_rename","requestId":"r","conversation":"{unknown}","title":"{title}"}}"#
        )
    };
    for (text, refused) in [
        (search(255), false),
        (search(256), false),
        (search(257), true),
        (search(0), true),
        (rename(199), false),
        (rename(200), false),
        (rename(201), true),
        (rename(0), true),
    ] {
        client.send_text(&text).await;
        let frame = client.receive().await;
        let bad =
            matches!(&frame, WorkerFrame::RequestError(error) if error.code == RequestErrorCode::BadRequest);
        assert_eq!(bad, refused, "{} bytes: {frame:?}", text.len());
    }
}

#[tokio::test]
async fn the_name_of_a_request() {
    let (_home, _worker, mut client) = offline().await;
    for (len, refused) in [(63, false), (64, false), (65, true)] {
        client
            .send_text(&format!(
                r#"{{"type":"conversation_list","requestId":"{}"}}"#,
                "r".repeat(len)
            ))
            .await;
        let frame = client.receive().await;
        // A name that cannot be repeated leaves only the connection to complain to.
        assert_eq!(
            matches!(frame, WorkerFrame::BridgeError(_)),
            refused,
            "{len}: {frame:?}"
        );
    }
}

#[tokio::test]
async fn the_answer_of_a_turn() {
    const LIMIT: usize = 512 * 1024;
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    for (len, notices) in [
        (LIMIT - 1, vec![]),
        (LIMIT, vec![]),
        (LIMIT + 1, vec![NoticeCode::AnswerClipped]),
    ] {
        let text = "x".repeat(len);
        let pieces = text
            .as_bytes()
            .chunks(64 * 1024)
            .map(|piece| std::str::from_utf8(piece).unwrap());
        model.script(Script::stream().texts(pieces).done());
        let turn = play(&mut client, in_its_own(&format!("c-{len}"))).await;
        assert_eq!(turn.notices, notices, "{len}");
        assert!(turn.done().len() >= LIMIT - 1, "{len}");
    }
}

/// A question in a conversation of its own.
fn in_its_own(id: &str) -> ChatRequest {
    ChatRequest {
        history_hint: Some(id.to_owned()),
        ..question(id, "Go?")
    }
}

#[tokio::test]
async fn a_model_that_never_stops_is_stopped() {
    let endless = Script::stream()
        .texts(vec!["more and more "; 50_000])
        .wait(&sidewire_tests::Gate::new());
    let left = endless.left();
    let model = ScriptedModel::playing(endless).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let turn = play(&mut worker.client().await, question("c-1", "Go?")).await;
    assert_eq!(turn.notices, [NoticeCode::AnswerClipped]);
    sidewire_tests::within("the end of the model's request", left.passed()).await;
}

/// Reads frames until the turn has ended, each of which must fit into what a browser takes.
async fn check_frames_fit(client: &mut Client, expected: &str) {
    let mut text = String::new();
    loop {
        let json = client.receive_text().await.unwrap();
        assert!(json.len() <= limits::BROWSER_FRAME, "{}", json.len());
        match WorkerFrame::decode(&json).unwrap() {
            WorkerFrame::ChatDelta(delta) => text.push_str(&delta.delta),
            WorkerFrame::ChatDone(_) => break,
            WorkerFrame::TurnAccepted(_) | WorkerFrame::TurnReport(_) | WorkerFrame::TurnNotice(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(
        text == expected,
        "{} of {} bytes arrived",
        text.len(),
        expected.len()
    );
}

#[tokio::test]
async fn every_frame_to_a_browser_fits_however_much_escaping_adds() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    for (id, piece) in [
        ("c-1", "\u{1}".repeat(60_000)),
        ("c-2", "\"\\".repeat(30_000)),
        ("c-3", "€".repeat(20_000)),
    ] {
        model.script(Script::stream().texts(vec![piece.as_str(); 8]).done());
        client
            .send(ClientFrame::ChatRequest(Box::new(in_its_own(id))))
            .await;
        check_frames_fit(&mut client, &piece.repeat(8)).await;
        // The same turn as a snapshot, where it has to be one frame.
        client.send(crate::resume::resume(&[id])).await;
        let json = client.receive_text().await.unwrap();
        assert!(json.len() <= limits::BROWSER_FRAME, "{id}: {}", json.len());
        let WorkerFrame::TurnSnapshot(snapshot) = WorkerFrame::decode(&json).unwrap() else {
            panic!("{json:.100}")
        };
        let whole = snapshot.turn.text == piece.repeat(8);
        assert_eq!(
            whole,
            snapshot.turn.clipped.is_none(),
            "{id}: what is cut is marked"
        );
    }
}

#[tokio::test]
async fn an_answer_full_of_links_still_ends_and_can_be_shown_again() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let links: String = (0..30_000)
        .map(|number| format!("https://a.b/{number} "))
        .collect();
    model.script(Script::says(&links));
    client
        .send(ClientFrame::ChatRequest(Box::new(in_its_own("c-1"))))
        .await;
    check_frames_fit(&mut client, &links).await;
    client.send(crate::resume::resume(&["c-1"])).await;
    let json = client.receive_text().await.unwrap();
    assert!(json.len() <= limits::BROWSER_FRAME, "{}", json.len());
    assert!(
        json.contains("turn_snapshot") && json.contains("https://a.b/0 "),
        "{json:.200}"
    );
}

#[tokio::test]
async fn a_long_question_about_a_page_with_a_long_name_can_be_shown_again() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let page = sidewire_tests::canary_page(&"\u{2}".repeat(400_000));
    let text = "\u{1}".repeat(limits::CHAT_TEXT);
    let request = ChatRequest {
        context: Some(page),
        ..question("c-1", &text)
    };
    assert_eq!(play(&mut client, request).await.error, None);
    client.send(crate::resume::resume(&["c-1"])).await;
    let json = client.receive_text().await.unwrap();
    assert!(
        json.len() <= limits::BROWSER_FRAME && json.contains("turn_snapshot"),
        "{} {json:.200}",
        json.len()
    );
    let list = sidewire_tests::requests::list(&mut client, None).await;
    let conversation = &list.items[0].id;
    client
        .send(sidewire_tests::requests::get(conversation, None))
        .await;
    let json = client.receive_text().await.unwrap();
    assert!(
        json.len() <= limits::BROWSER_FRAME && json.contains("conversation_transcript"),
        "{} {json:.200}",
        json.len()
    );
}
