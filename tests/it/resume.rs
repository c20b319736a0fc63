//! A client that was away, or a worker that was killed: nothing is lost and nothing is shown twice.

use sidewire_contract::bridge::turns::{Resume, ResumeTurns};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::ChatId;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::TurnState;
use sidewire_tests::{Gate, Home, Identity, Peer, Script, ScriptedModel, Turn, Worker, play, question};

pub(crate) fn resume(ids: &[&str]) -> ClientFrame {
    let turns = ids.iter().map(|id| ChatId::new(*id).unwrap()).collect();
    ClientFrame::Resume(Resume {
        turns: ResumeTurns::new(turns).unwrap(),
    })
}

fn ask(id: &str) -> ClientFrame {
    ClientFrame::ChatRequest(Box::new(question(id, "Go?")))
}

fn stretch(name: &str) -> Vec<String> {
    (0..50).map(|number| format!("{name}{number} ")).collect()
}

#[tokio::test]
async fn a_client_that_returns_again_and_again_has_the_whole_text() {
    let gates = [Gate::new(), Gate::new(), Gate::new()];
    let mut script = Script::stream();
    let mut expected = String::new();
    for (number, gate) in gates.iter().enumerate() {
        let pieces = stretch(&format!("part{number}-"));
        expected.extend(pieces.iter().map(String::as_str));
        script = script.texts(pieces.iter().map(String::as_str)).wait(gate);
    }
    let model = ScriptedModel::playing(script.text("end").done()).await;
    expected.push_str("end");
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    client.send(ask("c-1")).await;
    let mut turn = Turn::default();
    for gate in &gates {
        // Leaves somewhere within the text, with frames unread.
        turn.take(client.receive().await);
        client.vanish();
        client = worker.client_as(&identity).await;
        client.send(resume(&["c-1"])).await;
        turn.take(client.receive().await);
        gate.open();
    }
    while !turn.has_ended() {
        turn.take(client.receive().await);
    }
    assert_eq!(turn.done(), expected);
}

#[tokio::test]
async fn a_second_client_of_the_same_browser_follows_too() {
    let gate = Gate::new();
    let model = ScriptedModel::playing(Script::stream().text("one ").wait(&gate).text("two").done()).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut clients = [
        worker.client_as(&identity).await,
        worker.client_as(&identity).await,
    ];
    let mut turns = [Turn::default(), Turn::default()];
    clients[0].send(ask("c-1")).await;
    while turns[0].deltas == 0 {
        turns[0].take(clients[0].receive().await);
    }
    clients[1].send(resume(&["c-1"])).await;
    turns[1].take(clients[1].receive().await);
    gate.open();
    for (client, turn) in clients.iter_mut().zip(&mut turns) {
        while !turn.has_ended() {
            turn.take(client.receive().await);
        }
        assert_eq!((turn.text.as_str(), turn.error), ("one two", None));
    }
}

#[tokio::test]
async fn a_turn_that_ended_meanwhile_is_shown_as_it_ended() {
    let gate = Gate::new();
    let model =
        ScriptedModel::playing(Script::stream().text("whole ").wait(&gate).text("answer").done()).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let (mut watcher, mut client) = (
        worker.client_as(&identity).await,
        worker.client_as(&identity).await,
    );
    client.send(ask("c-1")).await;
    model.request(0).await;
    client.vanish();
    watcher.send(resume(&["c-1"])).await;
    let mut turn = Turn::default();
    turn.take(watcher.receive().await);
    gate.open();
    while !turn.has_ended() {
        turn.take(watcher.receive().await);
    }
    let mut late = worker.client_as(&identity).await;
    late.send(resume(&["c-1"])).await;
    let frames = late.receive_only(1).await;
    let [WorkerFrame::TurnSnapshot(snapshot)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    assert_eq!(
        (snapshot.turn.state, snapshot.turn.text.as_str()),
        (TurnState::Done, "whole answer")
    );
}

#[tokio::test]
async fn what_the_worker_does_not_know_is_said_to_be_unknown() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send(resume(&["c-1", "c-2"])).await;
    let frames = client.receive_only(2).await;
    let unknown: Vec<&str> = frames
        .iter()
        .map(|frame| match frame {
            WorkerFrame::TurnUnknown(unknown) => unknown.id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(unknown, ["c-1", "c-2"]);
}

/// Asks until some text is on the disk, then kills the worker.
async fn kill_mid_turn(home: &Home, worker: Worker, identity: &Identity) {
    let mut client = worker.client_as(identity).await;
    client.send(ask("c-1")).await;
    home.until_stored("PARTIAL").await;
    worker.kill().await;
}

#[tokio::test]
async fn a_killed_worker_has_kept_the_partial_text() {
    let model = ScriptedModel::playing(Script::stream().text("PARTIAL answer").wait(&Gate::new())).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    kill_mid_turn(&home, worker, &identity).await;
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    client.send(resume(&["c-1"])).await;
    let frames = client.receive_only(1).await;
    let [WorkerFrame::TurnSnapshot(snapshot)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    let turn = &snapshot.turn;
    assert_eq!(
        (turn.state, turn.reason),
        (TurnState::Failed, Some(ErrorReason::SessionDisposed))
    );
    assert_eq!(turn.text, "PARTIAL answer");
    // The conversation is free, and remembers.
    assert_eq!(play(&mut client, question("c-2", "Again?")).await.done(), "ok");
    assert_eq!(model.request(1).await.texts("assistant"), ["PARTIAL answer"]);
}

#[tokio::test]
async fn a_question_whose_connection_drops_at_once_is_answered_once() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    client.send(ask("c-1")).await;
    client.vanish();
    // What a panel does: resume first, and ask again under the same id only when it is unknown (decision 11).
    let mut client = worker.client_as(&identity).await;
    client.send(resume(&["c-1"])).await;
    let mut turn = Turn::default();
    match client.receive().await {
        WorkerFrame::TurnUnknown(_) => client.send(ask("c-1")).await,
        frame => turn.take(frame),
    }
    while !turn.has_ended() {
        turn.take(client.receive().await);
    }
    assert_eq!(turn.done(), "ok");
    assert_eq!(model.requests().len(), 1, "the model was asked once");
}
