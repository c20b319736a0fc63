//! S14, and the room of strangers in general: they get little time, little space and few places.

use sidewire_contract::limits;
use sidewire_tests::{Client, Home, Peer, Refused, until_quiet, within};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

#[tokio::test]
async fn s14_a_stranger_that_says_nothing_is_sent_away() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut silent = Client::stranger(worker.port, None).await.unwrap();
    let mut half = Client::stranger(worker.port, None).await.unwrap();
    half.hello(&worker.local().key).await;
    half.challenge().await.unwrap();
    let (one, other) = tokio::join!(silent.closed(), half.closed());
    assert_eq!((one, other), (Some(CloseCode::Policy), Some(CloseCode::Policy)));
}

#[tokio::test]
async fn s14_pings_of_the_protocol_buy_a_stranger_no_time() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = Client::stranger(worker.port, None).await.unwrap();
    let closed = async {
        loop {
            if let Err(code) = client.protocol_ping().await {
                return code;
            }
        }
    };
    let code = within("the end of the patience", closed).await;
    assert!(matches!(code, None | Some(CloseCode::Policy)), "{code:?}");
}

#[tokio::test]
async fn s14_headers_that_never_end_are_not_waited_for() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut nothing = worker.raw().await;
    let mut half = worker.raw().await;
    half.send(format!("GET /health HTTP/1.1\r\n{}\r\nX: ", half.host()).as_bytes())
        .await;
    let (one, other) = tokio::join!(nothing.until_closed(), half.until_closed());
    for answer in [one, other] {
        let text = String::from_utf8(answer).unwrap();
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 408"), "{text}");
    }
}

#[tokio::test]
async fn s14_headers_without_end_are_not_kept() {
    let home = Home::new();
    let worker = home.worker().await;
    for endless in [
        "X-Y: z\r\n".repeat(10_000),
        format!("X-Y: {}", "z".repeat(1_000_000)),
    ] {
        let mut raw = worker.raw().await;
        raw.send(format!("GET /health HTTP/1.1\r\n{}\r\n{endless}", raw.host()).as_bytes())
            .await;
        let text = String::from_utf8(raw.until_closed().await).unwrap();
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
}

#[tokio::test]
async fn s14_strangers_have_sixteen_places_and_friends_are_not_in_their_way() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut friend = worker.client().await;
    let mut strangers = Vec::new();
    // The friend's own place may be on its way back.
    let full = loop {
        match Client::stranger(worker.port, None).await {
            Ok(stranger) => strangers.push(stranger),
            Err(refused) => break refused,
        }
        assert!(strangers.len() <= 16, "a seventeenth stranger found a place");
    };
    assert_eq!(full, Refused::Http(StatusCode::SERVICE_UNAVAILABLE));
    assert!(strangers.len() >= 15, "{}", strangers.len());
    assert_eq!(
        until_quiet(&mut friend).await,
        [],
        "who has proved itself is served"
    );
    // Places come back when strangers go.
    drop(strangers);
    within("a free place", async {
        while worker.try_client(&worker.local()).await.is_err() {}
    })
    .await;
}

#[tokio::test]
async fn s14_a_stranger_has_room_for_a_handshake_only() {
    let home = Home::new();
    let worker = home.worker().await;
    for len in [limits::HANDSHAKE_FRAME + 1, limits::INBOUND_FRAME] {
        let mut client = Client::stranger(worker.port, None).await.unwrap();
        client.try_send(Message::text(" ".repeat(len))).await;
        let code = client.closed().await;
        assert!(matches!(code, None | Some(CloseCode::Policy)), "{len}: {code:?}");
    }
    // Many small ones are no way around it.
    let mut client = Client::stranger(worker.port, None).await.unwrap();
    let mut sent = 0;
    while sent < 10_000 && client.try_send(Message::Pong(vec![0; 100].into())).await {
        sent += 1;
    }
    assert!(sent < 10_000, "the worker took a megabyte from a stranger");
    assert_eq!(until_quiet(&mut worker.client().await).await, []);
}

#[tokio::test]
async fn s14_a_stranger_that_vanishes_leaves_nothing_behind() {
    let home = Home::new();
    let worker = home.worker().await;
    for _ in 0..100 {
        // Places come back a moment after a stranger has gone.
        if let Ok(mut stranger) = Client::stranger(worker.port, None).await {
            stranger.send_text("{\"type\":\"hel").await;
            stranger.vanish();
        }
    }
    within("a free place", async {
        while worker.try_client(&worker.local()).await.is_err() {}
    })
    .await;
}
