//! Frames through the native host: sizes around every border, both ways, and nothing else on standard output.

use sidewire_contract::bridge::handshake::BridgeErrorCode;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::{limits, native_frame};
use sidewire_tests::{
    Gate, Home, Identity, NativeHost, Peer, Script, ScriptedModel, Worker, question, until_quiet,
};

async fn connected() -> (Home, Worker, NativeHost) {
    let home = Home::new();
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    (home, worker, host)
}

/// A ping of exactly this many bytes.
fn ping(len: usize) -> Vec<u8> {
    let mut ping = br#"{"type":"ping"}"#.to_vec();
    ping.resize(len, b' ');
    ping
}

async fn pong_or_error(host: &mut NativeHost) -> Option<BridgeErrorCode> {
    match host.receive().await {
        WorkerFrame::Pong(_) => None,
        WorkerFrame::BridgeError(error) => Some(error.code),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn frames_of_every_size_reach_the_worker() {
    let (_home, _worker, mut host) = connected().await;
    let limit = limits::INBOUND_FRAME;
    for len in [
        15,
        255,
        256,
        65_535,
        65_536,
        65_537,
        1_048_575,
        1_048_576,
        1_048_577,
        limit - 1,
        limit,
    ] {
        host.write_frame(&ping(len)).await;
        assert_eq!(pong_or_error(&mut host).await, None, "{len}");
    }
}

#[tokio::test]
async fn a_frame_above_the_workers_limit_is_reported_and_the_port_stays() {
    let (_home, _worker, mut host) = connected().await;
    for len in [
        limits::INBOUND_FRAME + 1,
        limits::NATIVE_IN - 1,
        limits::NATIVE_IN,
    ] {
        host.write_frame(&vec![b' '; len]).await;
        assert_eq!(
            pong_or_error(&mut host).await,
            Some(BridgeErrorCode::FrameTooLarge),
            "{len}"
        );
        host.write_frame(&ping(20)).await;
        assert_eq!(pong_or_error(&mut host).await, None, "after {len}");
    }
}

#[tokio::test]
async fn s25_a_length_no_browser_sends_ends_the_host_before_anything_is_allocated() {
    let (_home, _worker, mut host) = connected().await;
    let pid = host.process().pid();
    let length = u32::try_from(limits::NATIVE_IN + 1).unwrap();
    host.write(&length.to_ne_bytes()).await;
    // Not one byte of what was announced comes; only the length can be the reason.
    let peak = peak_memory(pid);
    let (frames, status, _) = host.ended().await;
    let [WorkerFrame::BridgeError(error)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    assert_eq!(error.code, BridgeErrorCode::FrameTooLarge);
    assert!(!status.success());
    assert!(peak.is_none_or(|kib| kib < 64 * 1024), "{peak:?} KiB");
}

/// Most memory a process ever used, in KiB, while it can still be asked.
fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[tokio::test]
async fn a_frame_that_is_no_text_is_reported_and_the_port_stays() {
    let (_home, _worker, mut host) = connected().await;
    for payload in [b"\xff\xfe".as_slice(), b"", b"no json", b"{}", b"[1]"] {
        host.write_frame(payload).await;
        assert_eq!(
            pong_or_error(&mut host).await,
            Some(BridgeErrorCode::BadFrame),
            "{payload:?}"
        );
    }
    assert_eq!(until_quiet(&mut host).await, []);
}

#[tokio::test]
async fn many_frames_in_one_write_and_one_frame_in_many_writes_are_the_same() {
    let (_home, _worker, mut host) = connected().await;
    let frame = native_frame::encode(&ping(100), limits::NATIVE_IN).unwrap();
    host.write(&frame.repeat(20)).await;
    for _ in 0..20 {
        assert_eq!(pong_or_error(&mut host).await, None);
    }
    for byte in frame {
        host.write(&[byte]).await;
    }
    assert_eq!(pong_or_error(&mut host).await, None);
}

#[tokio::test]
async fn the_largest_answers_pass() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    // Everything is there when the first delta is made, so that deltas become as large as they may.
    let piece = "\u{1}".repeat(64 * 1024);
    model.script(Script::stream().texts(vec![piece.as_str(); 8]).done());
    host.send(ClientFrame::ChatRequest(Box::new(question("c-1", "Go?"))))
        .await;
    let mut text = 0;
    loop {
        // That every length is one a browser takes is checked on reading.
        match host.receive().await {
            WorkerFrame::ChatDelta(delta) => text += delta.delta.len(),
            WorkerFrame::ChatDone(_) => break,
            WorkerFrame::TurnAccepted(_) | WorkerFrame::TurnReport(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(text, piece.len() * 8);
}

#[tokio::test]
async fn the_end_of_input_ends_the_host_quietly() {
    let (_home, _worker, mut host) = connected().await;
    host.close();
    let (frames, status, errors) = host.ended().await;
    assert_eq!((frames, status.code(), errors.as_str()), (vec![], Some(0), ""));
}

#[tokio::test]
async fn s25_the_end_of_input_within_a_frame_is_an_end_as_any_other() {
    let frame = native_frame::encode(&ping(100), limits::NATIVE_IN).unwrap();
    for end in [1, 3, 4, 5, frame.len() - 1] {
        let (_home, _worker, mut host) = connected().await;
        host.write(&frame[..end]).await;
        host.close();
        let (frames, status, errors) = host.ended().await;
        assert_eq!(
            (frames, status.code(), errors.as_str()),
            (vec![], Some(0), ""),
            "after {end} bytes"
        );
    }
}

#[tokio::test]
async fn the_end_of_input_ends_the_host_while_an_answer_comes() {
    let model = ScriptedModel::playing(Script::stream().text("half").wait(&Gate::new())).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    host.send(ClientFrame::ChatRequest(Box::new(question("c-1", "Go?"))))
        .await;
    while !matches!(host.receive().await, WorkerFrame::ChatDelta(_)) {}
    host.close();
    assert_eq!(host.ended().await.1.code(), Some(0));
}

#[tokio::test]
async fn a_browser_that_no_longer_reads_ends_the_host_quietly() {
    let (_home, _worker, mut host) = connected().await;
    host.close_output();
    // Its answer has nowhere to go. The input stays open, so only that can be the reason.
    host.write_frame(&ping(20)).await;
    let status = host.process().ended().await;
    assert_eq!(
        (status.code(), host.process().errors().await.as_str()),
        (Some(0), "")
    );
}

#[tokio::test]
async fn a_worker_that_dies_is_reported() {
    let (_home, worker, host) = connected().await;
    worker.kill().await;
    let (frames, status, _) = host.ended().await;
    let [WorkerFrame::BridgeError(error)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    assert_eq!(error.code, BridgeErrorCode::WorkerUnreachable);
    assert!(!status.success());
}
