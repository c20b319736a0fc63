//! Media: parts per second over both transports, what reading does to a running answer, taking pictures in.

mod bare;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use sha2::{Digest, Sha256};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::BlobRef;
use sidewire_tests::requests::named;
use sidewire_tests::{
    Home, Hosted, Identity, NativeHost, Peer, Script, ScriptedModel, Worker, offer, picture_result, png,
    question, reference,
};
use tokio::runtime;

use crate::provider::{self, Pace};
use crate::table::{Table, percentile};
pub(crate) use bare::{ROLE, serve};

const CHUNK: usize = 262_144;
/// What the file is that is read, and how often, for 64 MiB: no client can send a longer one as a result.
const FILE: usize = PICTURE;
const ROUNDS: usize = 16;
/// Parts that are asked for at once: what the worker reads side by side.
const WINDOW: usize = 4;
const PICTURES: usize = 24;
const PICTURE: usize = 4 * 1024 * 1024;
/// An answer of two seconds.
const ANSWER: Pace = Pace {
    deltas: 2_000,
    apart_us: 1_000,
};

pub(crate) async fn measure(table: &mut Table) {
    let home = Home::new();
    let (identity, file) = take_in(table, &home).await;
    throughput(table, &home, &identity, &file).await;
    beside_an_answer(table, &home, &identity, &file).await;
}

/// Shows pictures: from the result of their tool to their announcement, beside a server that does the bare steps.
async fn take_in(table: &mut Table, home: &Home) -> (Identity, BlobRef) {
    let model = ScriptedModel::start().await;
    home.use_model(&model);
    let worker = home.worker().await;
    let identity = worker.paired(home).await;
    let mut client = worker.client_as(&identity).await;
    offer(&mut client, &["page_screenshot"]).await;
    let pictures: Vec<Vec<u8>> = (0..PICTURES).map(picture).collect();
    let file = home.path().join("bare");
    fs::write(&file, b"").unwrap();
    let (_bare, port) = bare::start(&file).await;
    let mut socket = bare::connect(port).await;
    let (mut ours, mut bare, mut hashing) = (Vec::new(), Vec::new(), Vec::new());
    for (at, bytes) in pictures.iter().enumerate() {
        ours.push(announced(&mut client, &model, at, bytes).await);
        let frame = picture_result("id", bytes);
        let began = Instant::now();
        socket.send_text(&frame).await;
        socket.receive_text().await.expect("the connection stands");
        bare.push(millis(began));
        let began = Instant::now();
        assert_eq!(Sha256::digest(bytes).len(), 32);
        hashing.push(millis(began));
    }
    worker.end().await;
    table.ratio(
        "a picture of 4 MiB, from its result to its announcement, p50",
        "ms",
        percentile(&mut ours, 0.5),
        percentile(&mut bare, 0.5),
        "≤ 1.5 × decode, hash, write, flush",
    );
    table.value(
        "of that, SHA-256 alone, p50",
        "ms",
        percentile(&mut hashing, 0.5),
        "-",
    );
    (identity, reference(pictures.first().unwrap()))
}

/// How long it takes from the result of a tool to the announcement of its picture.
async fn announced(client: &mut impl Peer, model: &ScriptedModel, at: usize, bytes: &[u8]) -> f64 {
    let calls = Script::stream().call("call_1", "page_screenshot", &json!({}));
    model.script(calls.done());
    model.script(Script::says("There."));
    let mut hosted = Hosted::ask(client, named("media", &format!("c-{at}"), "Show me")).await;
    let called = hosted.called(client).await;
    let frame = picture_result(&called.call.id, bytes);
    let began = Instant::now();
    client.send_text(&frame).await;
    hosted.until(client, "chat_media").await;
    let took = millis(began);
    hosted.ended(client).await;
    took
}

fn millis(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1_000.0
}

fn picture(at: usize) -> Vec<u8> {
    let mut filling = vec![7; PICTURE - png(b"").len()];
    if let Some(first) = filling.first_mut() {
        *first = u8::try_from(at).unwrap();
    }
    png(&filling)
}

fn file_of(home: &Home, name: &BlobRef) -> PathBuf {
    home.layout().media_folder().join(name.hash())
}

/// The first part of a file waits until all of it is hashed.
async fn first_part(table: &mut Table, client: &mut impl Peer, (name, path): (&BlobRef, &Path)) {
    let began = Instant::now();
    let bytes = fs::read(path).unwrap();
    assert_eq!(Sha256::digest(&bytes).len(), 32);
    let hashing = millis(began);
    let began = Instant::now();
    client.send_text(&read_frame(name, 0)).await;
    while !is_part(&client.receive_text().await.expect("the connection stands")) {}
    table.ratio(
        "the first part of a file of 4 MiB, beside reading and hashing it",
        "ms",
        millis(began),
        hashing,
        "≤ 1.3",
    );
}

async fn throughput(table: &mut Table, home: &Home, identity: &Identity, name: &BlobRef) {
    let worker = home.worker().await;
    let file = file_of(home, name);
    let mut client = worker.client_as(identity).await;
    first_part(table, &mut client, (name, &file)).await;
    let ask = |offset| read_frame(name, offset);
    let ours = rate(&mut client, ask, WINDOW).await;
    let (_bare, port) = bare::start(&file).await;
    let baseline = rate(
        &mut bare::connect(port).await,
        |offset| offset.to_string(),
        WINDOW,
    )
    .await;
    table.ratio(
        "media over a WebSocket",
        "MB/s",
        ours,
        baseline,
        "≥ 0.5 × read + base64 + frame",
    );
    table.value("read + base64 alone", "MB/s", bare::limit(&file), "-");

    let mut host = NativeHost::start(home);
    host.introduce(identity).await;
    let through_host = rate(&mut host, ask, 1).await;
    let direct = rate(&mut worker.client_as(identity).await, ask, 1).await;
    drop(host);
    let bare_relay = rate(&mut bare::Relay::start(port), |offset| offset.to_string(), 1).await;
    table.ratio(
        "media over native messaging, one part at a time",
        "MB/s",
        through_host,
        bare_relay,
        "-",
    );
    table.value("media over a WebSocket, one part at a time", "MB/s", direct, "-");
    worker.end().await;
}

fn read_frame(name: &BlobRef, offset: usize) -> String {
    let name = name.as_str();
    format!(r#"{{"type":"media_asset_read","requestId":"r","ref":"{name}","offset":{offset}}}"#)
}

/// Offsets of all parts of [`ROUNDS`] reads of the file.
fn offsets() -> VecDeque<usize> {
    (0..ROUNDS).flat_map(|_| (0..FILE).step_by(CHUNK)).collect()
}

/// Bytes of media per second, in millions, as raw bytes.
async fn rate(peer: &mut impl Peer, ask: impl Fn(usize) -> String, window: usize) -> f64 {
    let mut left = offsets();
    let mut awaited = left.len();
    let began = Instant::now();
    for offset in left.drain(..window) {
        peer.send_text(&ask(offset)).await;
    }
    while awaited > 0 {
        let text = peer.receive_text().await.expect("the connection stands");
        if !is_part(&text) {
            continue;
        }
        awaited -= 1;
        if let Some(offset) = left.pop_front() {
            peer.send_text(&ask(offset)).await;
        }
    }
    let bytes = u32::try_from(ROUNDS * FILE).unwrap();
    f64::from(bytes) / began.elapsed().as_secs_f64() / 1_000_000.0
}

/// Told without parsing: the client must not be what is measured.
fn is_part(text: &str) -> bool {
    text.starts_with(r#"{"type":"media_asset_chunk""#)
}

async fn beside_an_answer(table: &mut Table, home: &Home, identity: &Identity, file: &BlobRef) {
    // Stamps are made on a thread of their own: the client that reads must not hold them up.
    let apart = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let url = apart.spawn(provider::start()).await.unwrap();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"{}\"\n",
        ANSWER.name()
    ));
    let worker = home.worker().await;
    let mut quiet = delays(&worker, identity, None).await;
    let mut busy = delays(&worker, identity, Some((file, 1))).await;
    let mut busiest = delays(&worker, identity, Some((file, WINDOW))).await;
    worker.end().await;
    apart.shutdown_background();
    for (parts, busy, goal) in [("one part", &mut busy, "-"), ("four parts", &mut busiest, "≤ 2")] {
        for (name, share, goal) in [("p50", 0.5, "-"), ("p99", 0.99, goal)] {
            table.ratio(
                &format!("delay per delta while media is read, {parts} at a time, beside without, {name}"),
                "µs",
                percentile(busy, share),
                percentile(&mut quiet, share),
                goal,
            );
        }
    }
}

/// How long the deltas of an answer took while a file is read on the same connection from beginning to end.
async fn delays(worker: &Worker, identity: &Identity, read: Option<(&BlobRef, usize)>) -> Vec<f64> {
    let mut client = worker.client_as(identity).await;
    let (file, window) = read.unzip();
    let id = format!("c-window-{}", window.unwrap_or_default());
    let request = ClientFrame::ChatRequest(Box::new(question(&id, "go")));
    client.send(request).await;
    let mut offsets = (0..FILE).step_by(CHUNK).cycle();
    if let Some(file) = file {
        for offset in offsets.by_ref().take(window.unwrap_or_default()) {
            client.send_text(&read_frame(file, offset)).await;
        }
    }
    let mut delays = Vec::new();
    loop {
        let text = client.receive_text().await.expect("the connection stands");
        if is_part(&text) {
            if let (Some(file), Some(offset)) = (file, offsets.next()) {
                client.send_text(&read_frame(file, offset)).await;
            }
            continue;
        }
        match WorkerFrame::decode(&text).unwrap() {
            WorkerFrame::ChatDelta(delta) => delays.extend(provider::delays_us(&delta.delta)),
            WorkerFrame::ChatDone(_) => return delays,
            _ => {}
        }
    }
}
