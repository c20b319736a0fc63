//! S15: frames that no honest WebSocket sends. The connection ends, others go on.

use sidewire_contract::bridge::handshake::BridgeErrorCode;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::limits;
use sidewire_tests::{Client, Home, Peer, ping, until_quiet};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

fn fragment(bytes: Vec<u8>, first: bool, last: bool) -> Message {
    let data = if first { Data::Text } else { Data::Continue };
    Message::Frame(Frame::message(bytes, OpCode::Data(data), last))
}

/// Writes bytes below the WebSocket.
async fn write(client: &mut Client, bytes: &[u8]) {
    client.stream().write_all(bytes).await.unwrap();
    client.stream().flush().await.unwrap();
}

#[tokio::test]
async fn s15_what_is_no_web_socket_ends_the_connection_and_no_other() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut other = worker.client().await;
    // Bit by bit: FIN and opcode, mask and length, mask, payload.
    let rows: [(&str, Vec<u8>); 8] = [
        (
            "an unmasked frame",
            [&[0x81, 0x0F], br#"{"type":"ping"}"#.as_slice()].concat(),
        ),
        (
            "a compressed frame nobody agreed to",
            vec![0xC1, 0x82, 0, 0, 0, 0, b'{', b'}'],
        ),
        ("a reserved opcode", vec![0x83, 0x80, 0, 0, 0, 0]),
        ("text that is not UTF-8", vec![0x81, 0x82, 0, 0, 0, 0, 0xFF, 0xFE]),
        ("half a character", vec![0x81, 0x81, 0, 0, 0, 0, 0xC3]),
        ("the rest of nothing", vec![0x80, 0x80, 0, 0, 0, 0]),
        ("a control frame in pieces", vec![0x09, 0x80, 0, 0, 0, 0]),
        (
            "a claim of 2^63 bytes",
            vec![
                0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, b'x',
            ],
        ),
    ];
    for (what, bytes) in rows {
        let mut client = worker.client().await;
        write(&mut client, &bytes).await;
        client.closed().await;
        assert_eq!(until_quiet(&mut other).await, [], "{what}");
    }
}

#[tokio::test]
async fn s15_a_claimed_length_is_refused_before_its_bytes_come() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let claim = u64::try_from(limits::INBOUND_FRAME + 1).unwrap().to_be_bytes();
    write(
        &mut client,
        &[&[0x81, 0xFF], claim.as_slice(), &[0, 0, 0, 0]].concat(),
    )
    .await;
    client.closed().await;
}

#[tokio::test]
async fn s15_a_message_in_pieces_has_the_same_limit() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    // In pieces it is one message all the same.
    client
        .send_message(fragment(br#"{"type":"#.to_vec(), true, false))
        .await;
    client.send_message(Message::Ping(vec![1].into())).await;
    client
        .send_message(fragment(br#""ping"}"#.to_vec(), false, true))
        .await;
    assert!(matches!(client.receive().await, WorkerFrame::Pong(_)));
    let piece = vec![b' '; 1024 * 1024];
    client.send_message(fragment(piece.clone(), true, false)).await;
    let mut sent = piece.len();
    while client.try_send(fragment(piece.clone(), false, false)).await {
        sent += piece.len();
        assert!(
            sent <= 8 * limits::INBOUND_FRAME,
            "the worker takes pieces without end"
        );
    }
}

#[tokio::test]
async fn s15_endless_small_pieces_end_at_the_limit_too() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send_message(fragment(Vec::new(), true, false)).await;
    // Empty pieces cost nothing and mean nothing.
    for _ in 0..10_000 {
        client.send_message(fragment(Vec::new(), false, false)).await;
    }
    client
        .send_message(fragment(ping().encode().into_bytes(), false, true))
        .await;
    assert!(matches!(client.receive().await, WorkerFrame::Pong(_)));
}

#[tokio::test]
async fn s15_an_offer_to_compress_is_not_taken() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut raw = worker.raw().await;
    let offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits";
    let answer = raw
        .upgrade(&[&raw.host(), offer, "Sec-WebSocket-Protocol: chat"])
        .await;
    assert_eq!(answer.status, 101);
    assert!(
        !answer.has_header("sec-websocket-extensions") && !answer.has_header("sec-websocket-protocol"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn s15_binary_is_refused_and_the_connection_goes_on() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client
        .send_message(Message::binary(ping().encode().into_bytes()))
        .await;
    let WorkerFrame::BridgeError(error) = client.receive().await else {
        panic!("not refused")
    };
    assert_eq!(error.code, BridgeErrorCode::BadFrame);
    assert_eq!(until_quiet(&mut client).await, []);
}
