//! Clients that ask for much and take nothing: whatever else they say is heard all the same.

use sidewire_contract::chat::ChatStop;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::ChatId;
use sidewire_tests::requests::named;
use sidewire_tests::{Gate, Home, Hosted, Peer, Script, ScriptedModel, media_read, png, within};

use crate::media::{original, show};

/// More than are served and wait together, together with what a socket takes by itself.
const READS: usize = 280;
/// Beyond that.
const MORE: usize = 400;

#[tokio::test]
async fn reads_that_wait_hold_up_nothing_else_and_each_has_its_answer() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let picture = png(&vec![7; 300_000]);
    let turn = show(&mut client, &model, named("a", "c-1", "Show me"), &[&picture]).await;
    let asset = original(&turn.media[0]);
    let script = Script::stream().text("begun").wait(&Gate::new()).done();
    let left = script.left();
    model.script(script);
    let mut hosted = Hosted::ask(&mut client, named("a", "c-2", "Write")).await;
    hosted.until(&mut client, "chat_delta").await;
    // From here on the client takes nothing.
    for at in 0..READS {
        let read = media_read(&format!("r-{at}"), &asset.reference, 0, None);
        client.send(read).await;
    }
    let id = ChatId::new("c-2").unwrap();
    client.send(ClientFrame::ChatStop(ChatStop { id })).await;
    within("the end of the model's request", left.passed()).await;
    for at in 0..MORE {
        let read = media_read(&format!("more-{at}"), &asset.reference, 0, Some(1));
        client.send(read).await;
    }
    let (mut parts, mut refused) = (0, 0);
    while parts + refused < READS + MORE || !hosted.turn.has_ended() {
        match client.receive().await {
            WorkerFrame::MediaAssetChunk(_) => parts += 1,
            WorkerFrame::MediaAssetError(_) => refused += 1,
            frame => hosted.take(frame),
        }
    }
    assert!(parts >= 256 && refused > 0, "{parts} {refused}");
    assert_eq!((hosted.turn.text.as_str(), hosted.turn.error), ("begun", None));
}
