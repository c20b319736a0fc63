//! `chat_stop`: the turn ends at once, its text stays.

use sidewire_contract::bridge::conversations::ConversationGet;
use sidewire_contract::chat::ChatStop;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::ChatId;
use sidewire_contract::turn::TurnState;
use sidewire_tests::{
    Gate, Home, Peer, Script, ScriptedModel, Turn, page, play, play_all, question, requests, until_quiet,
    within,
};

fn stop(id: &str) -> ClientFrame {
    ClientFrame::ChatStop(ChatStop {
        id: ChatId::new(id).unwrap(),
    })
}

fn ask(id: &str) -> ClientFrame {
    ClientFrame::ChatRequest(Box::new(question(id, "What is this?")))
}

/// Takes frames until the first text of a turn has come.
async fn until_text(peer: &mut impl Peer, turn: &mut Turn) {
    while turn.deltas == 0 {
        turn.take(peer.receive().await);
    }
}

async fn until_end(peer: &mut impl Peer, turn: &mut Turn) {
    while !turn.has_ended() {
        turn.take(peer.receive().await);
    }
}

#[tokio::test]
async fn a_stopped_turn_is_done_and_keeps_its_text() {
    let script = Script::stream()
        .text("Half an answer")
        .wait(&Gate::new())
        .text("NEVER")
        .done();
    let left = script.left();
    let model = ScriptedModel::playing(script).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send(ask("c-1")).await;
    let mut turn = Turn::default();
    until_text(&mut client, &mut turn).await;
    client.send(stop("c-1")).await;
    until_end(&mut client, &mut turn).await;
    assert_eq!((turn.text.as_str(), turn.error), ("Half an answer", None));
    assert_eq!(turn.report.unwrap().stopped, Some(true));
    within("the end of the model's request", left.passed()).await;

    let conversation = turn.accepted.unwrap().conversation;
    let get = ConversationGet {
        request_id: requests::id("r"),
        conversation,
        before: None,
    };
    let WorkerFrame::ConversationTranscript(stored) = client.call(ClientFrame::ConversationGet(get)).await
    else {
        panic!("no transcript")
    };
    assert_eq!(
        (stored.turns[0].state, stored.turns[0].text.as_str()),
        (TurnState::Stopped, "Half an answer")
    );
}

#[tokio::test]
async fn a_stop_right_behind_its_question_is_not_lost() {
    let home = Home::new();
    let model = ScriptedModel::start().await;
    home.use_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    for number in 0..20 {
        let id = format!("c-{number}");
        // It would never end by itself.
        model.script(Script::hangs());
        client.send(ask(&id)).await;
        client.send(stop(&id)).await;
        let id = ChatId::new(id).unwrap();
        let turn = play_all(&mut client, [id.clone()]).await.remove(&id).unwrap();
        assert_eq!((turn.error, turn.report.unwrap().stopped), (None, Some(true)));
        // The model may not have been asked at all; then its script is still there for the next one.
    }
}

#[tokio::test]
async fn a_stop_of_what_does_not_run_is_ignored() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send(stop("c-never-asked")).await;
    assert_eq!(until_quiet(&mut client).await, []);
    let turn = play(
        &mut client,
        sidewire_contract::chat::ChatRequest {
            context: Some(page()),
            ..question("c-1", "What is this?")
        },
    )
    .await;
    assert_eq!(turn.report.as_ref().unwrap().stopped, None);
    client.send(stop("c-1")).await;
    assert_eq!(
        until_quiet(&mut client).await,
        [],
        "a turn that has ended stays as it is"
    );
}

#[tokio::test]
async fn a_turn_of_a_silent_model_can_be_stopped() {
    let script = Script::hangs();
    let left = script.left();
    let model = ScriptedModel::playing(script).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send(ask("c-1")).await;
    model.request(0).await;
    client.send(stop("c-1")).await;
    let mut turn = Turn::default();
    until_end(&mut client, &mut turn).await;
    assert_eq!((turn.text.as_str(), turn.error), ("", None));
    within("the end of the model's request", left.passed()).await;
    // The conversation is free again.
    assert_eq!(play(&mut client, question("c-2", "And now?")).await.done(), "ok");
}
