//! Media from the tool that made it to the client that reads it, and its end.

use std::fs;

use serde_json::{Value, json};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::media::{Asset, Media, MediaKind, MimeType};
use sidewire_contract::mode::Mode;
use sidewire_tests::requests::{branch, delete, delete_everything, get, named, refusal, restore, transcript};
use sidewire_tests::{
    Home, Hosted, Identity, NativeHost, Peer, Script, ScriptedModel, Turn, eventually, offer, picture_result,
    play, png, read_media, reference,
};

/// Asks for pictures, which the client's own tool makes.
pub(crate) async fn show(
    peer: &mut impl Peer,
    model: &ScriptedModel,
    request: ChatRequest,
    pictures: &[&[u8]],
) -> Turn {
    offer(peer, &["page_screenshot"]).await;
    let wanted = (0..pictures.len()).fold(Script::stream(), |script, at| {
        script.call(&format!("call_{at}"), "page_screenshot", &json!({}))
    });
    model.script(wanted.done());
    model.script(Script::says("There."));
    let mut hosted = Hosted::ask(peer, request).await;
    for bytes in pictures {
        let called = hosted.called(peer).await;
        peer.send_text(&picture_result(&called.call.id, bytes)).await;
    }
    let turn = hosted.ended(peer).await;
    assert_eq!((turn.error, turn.media.len()), (None, pictures.len()));
    turn
}

/// The file of a picture.
pub(crate) fn original(media: &Media) -> Asset {
    media.original.clone().expect("a picture has its file")
}

/// The files that are kept.
fn kept(home: &Home) -> usize {
    fs::read_dir(home.layout().media_folder()).map_or(0, Iterator::count)
}

async fn check_a_picture(peer: &mut impl Peer, model: &ScriptedModel) {
    let bytes = png(&vec![7; 600_000]);
    let turn = show(peer, model, named("pictures", "c-1", "Show me"), &[&bytes]).await;
    let at = |frame| turn.frames.iter().position(|name| *name == frame);
    let last_notice = turn.frames.iter().rposition(|name| *name == "chat_tool_notice");
    assert!(
        at("chat_media").is_some() && at("chat_media") < last_notice,
        "{:?}",
        turn.frames
    );
    assert!(turn.tool_notices.last().is_some_and(|notice| notice.ok));
    let media = turn.media.first().unwrap();
    assert_eq!(media.kind, MediaKind::Image);
    assert_eq!(
        original(media),
        Asset {
            reference: reference(&bytes),
            mime_type: MimeType::Png,
            bytes: sidewire_contract::number::Positive::new(bytes.len() as u64).unwrap(),
        }
    );
    let json = serde_json::to_value(media).unwrap();
    assert_eq!(
        (json["width"].as_u64(), json["height"].as_u64()),
        (Some(30), Some(20))
    );
    assert_eq!(
        json["provenance"],
        json!({ "sourceType": "tool", "source": "page_screenshot" })
    );
    assert_eq!(json["playback"]["muted"], true);
    // The turn is over; its picture can still be had.
    assert_eq!(read_media(peer, &original(media)).await, Some(bytes));
    let again = transcript(peer.call(get(&turn.accepted.unwrap().conversation, None)).await);
    let shown = again.turns.last().unwrap();
    assert_eq!(serde_json::to_value(&shown.media).unwrap(), json!([json]));
}

#[tokio::test]
async fn a_picture_of_a_tool_is_announced_before_its_notice_and_read_in_parts() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    check_a_picture(&mut worker.client().await, &model).await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    check_a_picture(&mut host, &model).await;
    assert_eq!(kept(&home), 1, "the same bytes are one file");
    assert_eq!(home.mode("media"), 0o700);
    let name = reference(&png(&vec![7; 600_000]))
        .as_str()
        .replace("blob:sha256:", "media/");
    assert_eq!(home.mode(&name), 0o600);
}

#[tokio::test]
async fn media_outlives_its_worker_even_a_killed_one() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.paired(&home).await;
    let mut client = worker.client_as(&identity).await;
    let bytes = png(b"kept");
    let turn = show(&mut client, &model, named("a", "c-1", "Show me"), &[&bytes]).await;
    let asset = original(&turn.media[0]);
    worker.kill().await;
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    assert_eq!(read_media(&mut client, &asset).await, Some(bytes.clone()));
    worker.end().await;
    // What is damaged meanwhile is not given, and what is whole again is.
    let file = home
        .layout()
        .media_folder()
        .join(asset.reference.as_str().replace("blob:sha256:", ""));
    let mut damaged = bytes.clone();
    damaged[20] ^= 1;
    fs::write(&file, &damaged).unwrap();
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    assert_eq!(read_media(&mut client, &asset).await, None);
    show(&mut client, &model, named("a", "c-2", "Again"), &[&bytes]).await;
    assert_eq!(read_media(&mut client, &asset).await, Some(bytes));
}

#[tokio::test]
async fn media_goes_with_the_last_conversation_that_shows_it() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let (mut one, mut other) = (worker.client().await, worker.client().await);
    let (mine, shared) = (png(b"mine"), png(b"shared"));
    let pictures = [mine.as_slice(), &shared];
    let turn = show(&mut one, &model, named("a", "c-1", "Show me"), &pictures).await;
    show(&mut other, &model, named("a", "c-1", "Show me"), &[&shared]).await;
    assert_eq!(kept(&home), 2);
    let mut assets: Vec<Asset> = turn.media.iter().map(original).collect();
    // The two results of one step may overtake each other; the one that is only here is the shorter one.
    assets.sort_by_key(|asset| asset.bytes.get());
    let conversation = turn.accepted.unwrap().conversation;

    // A deleted conversation shows nothing; restored, it does again; a branch shows it too.
    assert_eq!(refusal(&one.call(delete(&conversation)).await), None);
    assert_eq!(read_media(&mut one, &assets[0]).await, None);
    assert_eq!(refusal(&one.call(restore(&conversation)).await), None);
    let copy = transcript(one.call(branch(&conversation, "c-1")).await);
    assert_eq!(copy.conversation.branch_of.as_ref(), Some(&conversation));
    assert_eq!(refusal(&one.call(delete(&conversation)).await), None);
    assert_eq!(read_media(&mut one, &assets[0]).await, Some(mine));

    assert_eq!(refusal(&one.call(delete_everything()).await), None);
    assert_eq!(kept(&home), 1, "only what the other one shows is left");
    assert_eq!(read_media(&mut one, &assets[1]).await, None);
    assert_eq!(read_media(&mut other, &assets[1]).await, Some(shared));
    let said = home.run(&["data", "delete", "--yes"]).await;
    assert!(said.status.success() || said.err.contains("traces"), "{said:?}");
    assert_eq!(kept(&home), 0);
}

#[tokio::test]
async fn orphans_are_swept_when_a_worker_starts() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.paired(&home).await;
    let mut client = worker.client_as(&identity).await;
    let turn = show(
        &mut client,
        &model,
        named("a", "c-1", "Show me"),
        &[&png(b"kept")],
    )
    .await;
    worker.end().await;
    let orphan = home.layout().media_folder().join("0".repeat(64));
    fs::write(&orphan, b"left by a crash").unwrap();
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    // The sweep runs beside the start; it is over once the orphan is gone.
    eventually("the sweep", || !orphan.exists()).await;
    let kept = read_media(&mut client, &original(&turn.media[0])).await;
    assert_eq!(kept, Some(png(b"kept")));
}

#[tokio::test]
async fn of_a_private_window_no_picture_is_on_the_disk() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.paired(&home).await;
    let mut private = worker.client_as(&identity.clone().private()).await;
    let bytes = png(b"CANARY-PICTURE");
    let turn = show(&mut private, &model, named("a", "c-1", "Show me"), &[&bytes]).await;
    let asset = original(&turn.media[0]);
    assert_eq!(read_media(&mut private, &asset).await, Some(bytes));
    let mut open = worker.client_as(&identity).await;
    assert_eq!(read_media(&mut open, &asset).await, None);
    assert_eq!(kept(&home), 0);
    home.assert_nowhere("CANARY-PICTURE");
    worker.end().await;
    home.assert_nowhere("CANARY-PICTURE");
}

#[tokio::test]
async fn a_full_media_store_says_so_and_the_turn_goes_on() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    let url = model.base_url();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"scripted\"\n[media]\nquota_mib = 1\n"
    ));
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let (fits, too_much) = (png(&[1; 700_000]), png(&[2; 700_000]));
    show(&mut client, &model, named("a", "c-1", "Show me"), &[&fits]).await;
    model.script(
        Script::stream()
            .call("call_1", "page_screenshot", &json!({}))
            .done(),
    );
    model.script(Script::says("No picture."));
    let mut hosted = Hosted::ask(&mut client, named("a", "c-2", "Again")).await;
    let called = hosted.called(&mut client).await;
    client
        .send_text(&picture_result(&called.call.id, &too_much))
        .await;
    let turn = hosted.ended(&mut client).await;
    assert_eq!((turn.text.as_str(), turn.media.len()), ("No picture.", 0));
    let told = model.requests().last().unwrap().texts("tool").join("\n");
    assert!(told.contains("1048576 bytes for media"), "{told}");
    assert_eq!(kept(&home), 1);
    // Room is made by deleting what is shown.
    assert_eq!(refusal(&client.call(delete_everything()).await), None);
    show(&mut client, &model, named("a", "c-3", "Again"), &[&too_much]).await;
}

/// The model's own tool, which needs no client.
#[tokio::test]
async fn the_model_shows_frames_and_what_is_shown_already() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let ask = |id: &str| ChatRequest {
        mode: Mode::Screenshot,
        ..named("a", id, "Show me")
    };
    let shot = png(b"shot");
    show(&mut client, &model, ask("c-1"), &[&shot]).await;
    let frames = json!({ "caption": "Steps", "frames": [
        { "text": "one", "durationMs": 300 }, { "text": "two", "durationMs": 700 },
    ] });
    let again = json!({ "source": reference(&shot).as_str(), "alt": "the page" });
    let local = json!({ "source": "/etc/passwd" });
    model.script(
        Script::stream()
            .call("call_1", "display_media", &frames)
            .call("call_2", "display_media", &again)
            .call("call_3", "display_media", &local)
            .done(),
    );
    model.script(Script::says("There."));
    let turn = play(&mut client, ask("c-2")).await;
    let media: Vec<Value> = turn
        .media
        .iter()
        .map(|media| serde_json::to_value(media).unwrap())
        .collect();
    let kinds: Vec<_> = media
        .iter()
        .map(|media| media["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.len(), 2, "{media:?}");
    let text = media
        .iter()
        .find(|media| media["kind"] == "text-timeline")
        .unwrap();
    assert_eq!(
        (&text["caption"], &text["durationMs"]),
        (&json!("Steps"), &json!(1000))
    );
    let image = turn
        .media
        .iter()
        .find(|media| media.kind == MediaKind::Image)
        .unwrap();
    assert_eq!(image.alt.as_deref(), Some("the page"));
    assert_eq!(read_media(&mut client, &original(image)).await, Some(shot));
    let failed = turn.tool_notices.iter().filter(|notice| !notice.ok).count();
    assert_eq!(failed, 1, "a file of this machine is not shown");
    let told = model.requests().last().unwrap().texts("tool").join("\n");
    assert!(
        told.contains("Shown: Steps") && told.contains("local files are not shown"),
        "{told}"
    );
    // Offered where the mode has it.
    assert!(model.requests()[2].tools().contains(&"display_media".to_owned()));
    play(&mut client, named("a", "c-3", "And now?")).await;
    assert!(
        !model
            .requests()
            .last()
            .unwrap()
            .tools()
            .contains(&"display_media".to_owned())
    );
}
