//! Reading media: who may, what is answered to nonsense, and that an answer is never held up by it (attack S21).

use std::collections::BTreeMap;

use serde_json::json;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::media::Asset;
use sidewire_contract::media_asset::Chunk;
use sidewire_tests::requests::named;
use sidewire_tests::{
    Gate, Home, Hosted, Identity, NativeHost, Peer, Script, ScriptedModel, Worker, media_read, part, png,
    read_media, reference, until_quiet, within,
};

use crate::media::{original, show};

/// A worker, and a client that was shown a picture.
async fn shown(home: &Home, model: &ScriptedModel, picture: &[u8]) -> (Worker, Identity, Asset) {
    let worker = home.worker().await;
    let identity = worker.paired(home).await;
    let mut client = worker.client_as(&identity).await;
    let turn = show(&mut client, model, named("a", "c-1", "Show me"), &[picture]).await;
    (worker, identity, original(&turn.media[0]))
}

/// The one answer to a read that is not carried out.
async fn check_unavailable(peer: &mut impl Peer, frame: &str) {
    peer.send_text(frame).await;
    let frames = peer.receive_only(1).await;
    let [WorkerFrame::MediaAssetError(error)] = frames.as_slice() else {
        panic!("{frame:.200}: {frames:?}")
    };
    assert_eq!(error.request_id.as_str(), "r-1", "{frame:.200}");
}

#[tokio::test]
async fn s21_only_what_was_announced_to_a_client_is_read_by_it() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let picture = png(b"secret");
    let (worker, identity, asset) = shown(&home, &model, &picture).await;
    let mut owner = worker.client_as(&identity).await;
    assert_eq!(
        read_media(&mut owner, &asset).await,
        Some(picture),
        "from another window too"
    );
    // A stranger of any kind, even one that knows the name.
    let stranger = worker.paired(&home).await;
    assert_eq!(
        read_media(&mut worker.client_as(&stranger).await, &asset).await,
        None
    );
    assert_eq!(read_media(&mut worker.client().await, &asset).await, None);
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    assert_eq!(read_media(&mut host, &asset).await, None);
    // A file that lies in the folder, but was announced to nobody.
    let orphan = png(b"orphan");
    let name = reference(&orphan).as_str().replace("blob:sha256:", "media/");
    std::fs::write(home.path().join(name), &orphan).unwrap();
    let unannounced = Asset {
        reference: reference(&orphan),
        ..asset
    };
    assert_eq!(read_media(&mut owner, &unannounced).await, None);
}

#[tokio::test]
async fn s21_rubbish_in_the_place_of_a_name_gets_the_one_answer() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let (worker, identity, asset) = shown(&home, &model, &png(b"secret")).await;
    let mut client = worker.client_as(&identity).await;
    let good = asset.reference.as_str();
    let long = format!("blob:sha256:{}", "a".repeat(100_000));
    for name in [
        "",
        "../sidewire.db",
        "/etc/passwd",
        "file:///etc/passwd",
        "blob:sha256:",
        "blob:sha256:../../../../../../../../../../../../../../../../../../../../etc/passwd",
        &good.to_uppercase(),
        &good.replace("blob:sha256:", "blob:sha256:A").replace("AA", "A"),
        &good[..good.len() - 1],
        &format!("{good}0"),
        &format!("{good}\u{0}"),
        &good.replace("sha256", "sha512"),
        &good["blob:sha256:".len()..],
        &long,
    ] {
        let frame = json!({ "type": "media_asset_read", "requestId": "r-1", "ref": name });
        check_unavailable(&mut client, &frame.to_string()).await;
    }
    for members in [
        json!({ "offset": asset.bytes.get() + 1 }),
        json!({ "offset": u64::MAX }),
        json!({ "offset": 1e300 }),
        json!({ "offset": -1 }),
        json!({ "offset": 0.5 }),
        json!({ "offset": null }),
        json!({ "length": 0 }),
        json!({ "length": -1 }),
        json!({ "length": "1" }),
        json!({ "path": "/etc/passwd" }),
    ] {
        let mut frame = json!({ "type": "media_asset_read", "requestId": "r-1", "ref": good });
        frame
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        check_unavailable(&mut client, &frame.to_string()).await;
    }
    assert!(
        read_media(&mut client, &asset).await.is_some(),
        "the connection is as good as before"
    );
}

#[tokio::test]
async fn a_read_without_a_usable_name_is_answered_to_the_connection() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let (worker, identity, asset) = shown(&home, &model, &png(b"secret")).await;
    let mut client = worker.client_as(&identity).await;
    for name in [json!(""), json!(7), json!(null), json!("r".repeat(100_000))] {
        let frame = json!({ "type": "media_asset_read", "requestId": name, "ref": asset.reference.as_str() });
        client.send_text(&frame.to_string()).await;
        let frames = client.receive_only(1).await;
        assert!(
            matches!(frames.as_slice(), [WorkerFrame::BridgeError(_)]),
            "{frames:?}"
        );
    }
}

/// chat-worker.md §6.5, "Vectors", on the wire.
#[tokio::test]
async fn parts_are_clamped_and_an_empty_one_ends_a_file() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let picture = png(&[7; 300_000]);
    let (worker, identity, asset) = shown(&home, &model, &picture).await;
    let mut client = worker.client_as(&identity).await;
    let size = picture.len();
    for (offset, length, expected) in [
        (1, Some(3), &picture[1..4]),
        (size - 2, Some(99), &picture[size - 2..]),
        (0, Some(1_000_000), &picture[..262_144]),
        (0, None, &picture[..262_144]),
        (size, None, &[]),
    ] {
        let frame = media_read("r-1", &asset.reference, offset, length);
        let WorkerFrame::MediaAssetChunk(answer) = client.call(frame).await else {
            panic!("no part at {offset}")
        };
        assert_eq!(part(&answer.chunk, &asset), expected, "{offset} {length:?}");
    }
}

#[tokio::test]
async fn many_reads_at_once_are_all_answered() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let picture = png(&vec![7; 1_000_000]);
    let (worker, identity, asset) = shown(&home, &model, &picture).await;
    let mut client = worker.client_as(&identity).await;
    let mut expected = BTreeMap::new();
    for at in 0..200_usize {
        let offset = at * 5_000;
        expected.insert(format!("r-{at}"), offset);
        client
            .send(media_read(&format!("r-{at}"), &asset.reference, offset, None))
            .await;
    }
    while !expected.is_empty() {
        let WorkerFrame::MediaAssetChunk(answer) = client.receive().await else {
            panic!("a read was not answered: {expected:?}")
        };
        let offset = expected
            .remove(answer.request_id.as_str())
            .expect("one answer each");
        let end = (offset + 262_144).min(picture.len());
        assert_eq!(part(&answer.chunk, &asset), &picture[offset..end]);
    }
    assert_eq!(until_quiet(&mut client).await, []);
}

/// Reads of which a client takes nothing.
const READS: usize = 200;
/// Parts of which it cannot be told whether they were read: four are on their way in the worker, and more than the
/// buffers of a loopback connection never hold, 10 MB, have left it.
const UNDERWAY: usize = 4 + 10_000_000 / 350_000;

#[tokio::test]
async fn of_what_a_client_does_not_take_no_more_than_four_parts_are_read() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let picture = png(&vec![7; 1_000_000]);
    let (worker, identity, asset) = shown(&home, &model, &picture).await;
    let mut client = worker.client_as(&identity).await;
    for at in 0..READS {
        client
            .send(media_read(&format!("r-{at}"), &asset.reference, at, None))
            .await;
    }
    // Frames are taken in their order: once the model is asked, every read had its chance.
    let asked = Gate::new();
    model.script(Script::stream().wait(&asked).text("done").done());
    let before = model.requests().len();
    let request = ClientFrame::ChatRequest(Box::new(named("a", "c-behind", "Go on")));
    client.send(request).await;
    model.request(before).await;
    while !matches!(client.receive().await, WorkerFrame::MediaAssetChunk(_)) {}
    // From now on whatever is read is damaged.
    let file = home.layout().media_folder().join(asset.reference.hash());
    let mut damaged = picture.clone();
    damaged[20] ^= 1;
    std::fs::write(&file, &damaged).unwrap();
    asked.open();
    let (mut parts, mut refused) = (1, 0);
    while parts + refused < READS {
        match client.receive().await {
            WorkerFrame::MediaAssetChunk(_) => parts += 1,
            WorkerFrame::MediaAssetError(_) => refused += 1,
            _ => {}
        }
    }
    assert!(parts <= UNDERWAY, "{parts} parts were read ahead");
}

/// What is read while an answer streams: this picture, by so many readers at once.
const PICTURE_BYTES: usize = 5_900_000;

/// The answer in order and whole, and so is everything that is read, whatever comes in between: the answer does not end
/// before each reader has the whole picture, and the readers do not end before the answer has.
async fn check_reading_beside_an_answer(peer: &mut impl Peer, model: &ScriptedModel, readers: usize) {
    let filling: Vec<u8> = (0_u32..).flat_map(u32::to_be_bytes).take(PICTURE_BYTES).collect();
    let picture = png(&filling);
    let request = named("a", "c-show", "Show me");
    let turn = show(peer, model, request, &[&picture]).await;
    let asset = original(&turn.media[0]);
    let (begin, end, words) = (Gate::new(), Gate::new(), words());
    let script = Script::stream().text("begun ").wait(&begin);
    let script = script.texts(words.iter().map(String::as_str)).wait(&end);
    model.script(script.text("ended").done());
    let mut hosted = Hosted::ask(peer, named("a", "c-text", "Write")).await;
    hosted.until(peer, "chat_delta").await;
    let mut reading = Reading::new(&asset, &picture, readers);
    // Reads are on their way before the answer goes on, and one follows each that is answered.
    for reader in 0..readers {
        peer.send(reading.next(reader)).await;
    }
    begin.open();
    let both = async {
        while !(hosted.turn.has_ended() && reading.is_over()) {
            match peer.receive().await {
                WorkerFrame::MediaAssetChunk(answer) => {
                    let ends = hosted.turn.has_ended();
                    if let Some(next) = reading.take(answer.request_id.as_str(), &answer.chunk, ends) {
                        peer.send(next).await;
                    }
                }
                frame => hosted.take(frame),
            }
            if reading.has_whole() {
                end.open();
            }
        }
    };
    within("an answer and its pictures", both).await;
    assert_eq!(hosted.turn.text, format!("begun {}ended", words.concat()));
}

fn words() -> Vec<String> {
    (0..2_000).map(|at| format!("word {at} ")).collect()
}

/// A file, read by several readers side by side, again and again.
struct Reading<'a> {
    asset: &'a Asset,
    picture: &'a [u8],
    /// What each reader has of it so far.
    files: Vec<Vec<u8>>,
    /// How often each had all of it.
    whole: Vec<usize>,
    /// Readers that have not stopped.
    left: usize,
}

impl<'a> Reading<'a> {
    fn new(asset: &'a Asset, picture: &'a [u8], readers: usize) -> Self {
        Self {
            asset,
            picture,
            files: vec![Vec::new(); readers],
            whole: vec![0; readers],
            left: readers,
        }
    }

    fn next(&self, reader: usize) -> ClientFrame {
        let name = reader.to_string();
        media_read(&name, &self.asset.reference, self.files[reader].len(), None)
    }

    /// Takes a part; gives what its reader asks for next. One that is at the end begins again, unless this is the end.
    fn take(&mut self, name: &str, chunk: &Chunk, ends: bool) -> Option<ClientFrame> {
        let reader: usize = name.parse().unwrap();
        let file = &mut self.files[reader];
        assert_eq!(chunk.offset.get(), file.len() as u64);
        file.extend(part(chunk, self.asset));
        if chunk.eof {
            assert!(file == self.picture, "{} bytes were read", file.len());
            file.clear();
            self.whole[reader] += 1;
        }
        if chunk.eof && ends {
            self.left -= 1;
            return None;
        }
        Some(self.next(reader))
    }

    /// Whether every reader had all of it.
    fn has_whole(&self) -> bool {
        self.whole.iter().all(|times| *times > 0)
    }

    /// Whether nobody reads any more.
    fn is_over(&self) -> bool {
        self.left == 0
    }
}

#[tokio::test]
async fn sixty_four_mebibytes_are_read_while_an_answer_streams() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    check_reading_beside_an_answer(&mut worker.client().await, &model, 12).await;
}

#[tokio::test]
async fn a_native_host_carries_media_and_an_answer_at_once() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    check_reading_beside_an_answer(&mut host, &model, 3).await;
}
