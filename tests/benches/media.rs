//! Media: parts per second over both transports, what reading does to a running answer, taking pictures in.

mod bare;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use sha2::{Digest, Sha256};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::media::Asset;
use sidewire_tests::requests::named;
use sidewire_tests::{
    Home, Hosted, Identity, NativeHost, Peer, Script, ScriptedModel, Worker, offer, picture_result, png,
    question,
};

use crate::provider::{self, Pace};
use crate::table::{Table, percentile};
pub(crate) use bare::{ROLE, serve};

const CHUNK: usize = 262_144;
/// What the file is that is read, and how often, for 64 MiB.
const FILE: usize = 4 * 1024 * 1024;
const ROUNDS: usize = 16;
/// Parts that are asked for at once: what the worker reads side by side.
const WINDOW: usize = 4;
const PICTURES: usize = 24;
/// An answer of two seconds.
const ANSWER: Pace = Pace {
    deltas: 2_000,
    apart_us: 1_000,
};

pub(crate) async fn measure(table: &mut Table) {
    let home = Home::new();
    let (identity, asset) = take_in(table, &home).await;
    throughput(table, &home, &identity, &asset).await;
    beside_an_answer(table, &home, &identity, &asset).await;
}

/// Shows pictures and compares what the worker says it took with the same steps written bare; gives one of them.
async fn take_in(table: &mut Table, home: &Home) -> (Identity, Asset) {
    let model = ScriptedModel::start().await;
    home.use_model(&model);
    let worker = home.worker_that_logs("sidewire=debug").await;
    let identity = worker.paired(home).await;
    let mut client = worker.client_as(&identity).await;
    offer(&mut client, &["page_screenshot"]).await;
    let pictures: Vec<Vec<u8>> = (0..PICTURES).map(picture).collect();
    let mut assets = Vec::new();
    for (at, bytes) in pictures.iter().enumerate() {
        model.script(
            Script::stream()
                .call("call_1", "page_screenshot", &json!({}))
                .done(),
        );
        let request = named("media", &format!("c-{at}"), "Show me");
        let mut hosted = Hosted::ask(&mut client, request).await;
        let called = hosted.called(&mut client).await;
        client.send_text(&picture_result(&called.call.id, bytes)).await;
        let turn = hosted.ended(&mut client).await;
        assets.extend(turn.media.iter().filter_map(|media| media.original.clone()));
    }
    assert_eq!(assets.len(), PICTURES);
    worker.end().await;
    let mut ours = logged_millis(home);
    let (mut bare, mut hashing) = bare_steps(&home.path().join("bare"), &pictures);
    table.ratio(
        "taking in a picture of 4 MiB, p50",
        "ms",
        percentile(&mut ours, 0.5),
        percentile(&mut bare, 0.5),
        "≤ 1.3",
    );
    table.value(
        "of that, SHA-256 alone, p50",
        "ms",
        percentile(&mut hashing, 0.5),
        "-",
    );
    (identity, assets.swap_remove(0))
}

fn picture(at: usize) -> Vec<u8> {
    let mut filling = vec![7; FILE - png(b"").len()];
    if let Some(first) = filling.first_mut() {
        *first = u8::try_from(at).unwrap();
    }
    png(&filling)
}

/// What the worker wrote down of each picture.
fn logged_millis(home: &Home) -> Vec<f64> {
    let logs = fs::read_dir(home.layout().log_folder()).unwrap().flatten();
    let text: String = logs.map(|log| fs::read_to_string(log.path()).unwrap()).collect();
    let micros = text
        .lines()
        .filter(|line| line.contains("an image was taken in"))
        .filter_map(|line| line.rsplit_once("micros=")?.1.trim().parse::<f64>().ok());
    let millis: Vec<f64> = micros.map(|micros| micros / 1_000.0).collect();
    assert_eq!(millis.len(), PICTURES, "the worker says how long each took");
    millis
}

/// Hash, write, flush and rename, and nothing else; and the hash alone.
fn bare_steps(folder: &Path, pictures: &[Vec<u8>]) -> (Vec<f64>, Vec<f64>) {
    fs::create_dir(folder).unwrap();
    let mut steps = Vec::new();
    let mut hashing = Vec::new();
    for bytes in pictures {
        let began = Instant::now();
        let mut file = File::create(folder.join("new")).unwrap();
        let digest = Sha256::digest(bytes);
        hashing.push(began.elapsed().as_secs_f64() * 1_000.0);
        file.write_all(bytes).unwrap();
        file.sync_all().unwrap();
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        fs::rename(folder.join("new"), folder.join(name)).unwrap();
        File::open(folder).unwrap().sync_all().unwrap();
        steps.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    (steps, hashing)
}

async fn throughput(table: &mut Table, home: &Home, identity: &Identity, asset: &Asset) {
    let worker = home.worker().await;
    let ask = |offset| read_frame(asset, offset);
    let ours = rate(&mut worker.client_as(identity).await, ask, WINDOW).await;
    let name = asset.reference.as_str().replace("blob:sha256:", "");
    let file = home.layout().media_folder().join(name);
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

fn read_frame(asset: &Asset, offset: usize) -> String {
    let name = asset.reference.as_str();
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

async fn beside_an_answer(table: &mut Table, home: &Home, identity: &Identity, asset: &Asset) {
    let url = provider::start().await;
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"{}\"\n",
        ANSWER.name()
    ));
    let worker = home.worker().await;
    let mut quiet = delays(&worker, identity, None).await;
    let mut busy = delays(&worker, identity, Some((asset, 1))).await;
    let mut busiest = delays(&worker, identity, Some((asset, WINDOW))).await;
    worker.end().await;
    for (parts, busy, goal) in [("one part", &mut busy, "≤ 2"), ("four parts", &mut busiest, "-")] {
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
async fn delays(worker: &Worker, identity: &Identity, read: Option<(&Asset, usize)>) -> Vec<f64> {
    let mut client = worker.client_as(identity).await;
    let (asset, window) = read.unzip();
    let id = format!("c-window-{}", window.unwrap_or_default());
    let request = ClientFrame::ChatRequest(Box::new(question(&id, "go")));
    client.send(request).await;
    let mut offsets = (0..FILE).step_by(CHUNK).cycle();
    if let Some(asset) = asset {
        for offset in offsets.by_ref().take(window.unwrap_or_default()) {
            client.send_text(&read_frame(asset, offset)).await;
        }
    }
    let mut delays = Vec::new();
    loop {
        let text = client.receive_text().await.expect("the connection stands");
        if is_part(&text) {
            if let (Some(asset), Some(offset)) = (asset, offsets.next()) {
                client.send_text(&read_frame(asset, offset)).await;
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
