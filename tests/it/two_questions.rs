//! More than one question: busy conversations, two at once, and the same question twice.

use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::ChatId;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::TurnState;
use sidewire_tests::{Gate, Home, Peer, Script, ScriptedModel, play, play_all, question, until_quiet};

fn ids<const N: usize>(ids: [&str; N]) -> [ChatId; N] {
    ids.map(|id| ChatId::new(id).unwrap())
}

fn ask(request: ChatRequest) -> ClientFrame {
    ClientFrame::ChatRequest(Box::new(request))
}

fn in_tab(tab: i64, request: ChatRequest) -> ChatRequest {
    ChatRequest {
        tab_id: tab.into(),
        ..request
    }
}

#[tokio::test]
async fn a_busy_conversation_refuses_a_second_question_and_goes_on() {
    let gate = Gate::new();
    let model =
        ScriptedModel::playing(Script::stream().text("first ").wait(&gate).text("answer").done()).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send(ask(question("c-1", "First?"))).await;
    model.request(0).await;
    client.send(ask(question("c-2", "Second?"))).await;
    let mut turns = play_both(&mut client, "c-1", "c-2", &gate).await;
    let refused = turns.remove(1);
    assert_eq!(
        (refused.error, refused.accepted),
        (Some(ErrorReason::SessionBusy), None)
    );
    assert_eq!(turns.remove(0).done(), "first answer");
    assert_eq!(model.requests().len(), 1, "the model was asked once");
}

/// Follows two turns; opens the gate when the second has ended.
async fn play_both(
    peer: &mut impl Peer,
    first: &str,
    second: &str,
    gate: &Gate,
) -> Vec<sidewire_tests::Turn> {
    let [first, second] = ids([first, second]);
    let mut turns = [sidewire_tests::Turn::default(), sidewire_tests::Turn::default()];
    while !turns.iter().all(sidewire_tests::Turn::has_ended) {
        let frame = peer.receive().await;
        let json = frame.encode();
        let number = usize::from(json.contains(&format!("\"id\":\"{second}\"")));
        assert!(
            number == 1 || json.contains(&format!("\"id\":\"{first}\"")),
            "{json}"
        );
        turns[number].take(frame);
        if turns[1].has_ended() {
            gate.open();
        }
    }
    turns.into()
}

#[tokio::test]
async fn two_conversations_answer_at_once_on_one_connection() {
    let gates = [Gate::new(), Gate::new()];
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    for (number, gate) in gates.iter().enumerate() {
        let text = format!("answer {number}");
        model.script(Script::stream().text("an ").wait(gate).text(&text).done());
        let request = in_tab(
            i64::try_from(number).unwrap(),
            question(&format!("c-{number}"), "Go?"),
        );
        client.send(ask(request)).await;
        model.request(number).await;
    }
    // The second ends first.
    gates[1].open();
    let mut turns = play_both(&mut client, "c-0", "c-1", &gates[0]).await;
    assert_eq!(turns.remove(0).done(), "an answer 0");
    assert_eq!(turns.remove(0).done(), "an answer 1");
}

#[tokio::test]
async fn two_connections_answer_at_once_and_hear_nothing_of_each_other() {
    let gates = [Gate::new(), Gate::new()];
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut clients = [worker.client().await, worker.client().await];
    for (number, client) in clients.iter_mut().enumerate() {
        model.script(
            Script::stream()
                .wait(&gates[number])
                .text(&format!("for {number}"))
                .done(),
        );
        // The same id and tab: they are told apart by who asks.
        client.send(ask(question("c-1", "Go?"))).await;
        model.request(number).await;
    }
    for (number, client) in clients.iter_mut().enumerate().rev() {
        gates[number].open();
        let [id] = ids(["c-1"]);
        let turn = play_all(client, [id.clone()]).await.remove(&id).unwrap();
        assert_eq!(turn.done(), format!("for {number}"));
        assert_eq!(until_quiet(client).await, []);
    }
}

#[tokio::test]
async fn the_same_question_again_follows_the_running_turn() {
    let gate = Gate::new();
    let model = ScriptedModel::playing(
        Script::stream()
            .text("the only ")
            .wait(&gate)
            .text("answer")
            .done(),
    )
    .await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.send(ask(question("c-1", "Go?"))).await;
    let mut turn = sidewire_tests::Turn::default();
    while turn.deltas == 0 {
        turn.take(client.receive().await);
    }
    client.send(ask(question("c-1", "Go?"))).await;
    let WorkerFrame::TurnSnapshot(snapshot) = client.receive().await else {
        panic!("no snapshot")
    };
    assert_eq!(
        (snapshot.turn.state, snapshot.turn.text.as_str()),
        (TurnState::Running, "the only ")
    );
    turn.take(WorkerFrame::TurnSnapshot(snapshot));
    gate.open();
    while !turn.has_ended() {
        turn.take(client.receive().await);
    }
    assert_eq!(turn.done(), "the only answer");
    assert_eq!(model.requests().len(), 1, "the model was asked once");
}

#[tokio::test]
async fn the_same_question_again_shows_the_turn_that_has_ended() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    assert_eq!(play(&mut client, question("c-1", "Go?")).await.done(), "ok");
    client.send(ask(question("c-1", "Something else?"))).await;
    let frames = client.receive_only(1).await;
    let [WorkerFrame::TurnSnapshot(snapshot)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    assert_eq!(
        (snapshot.turn.state, snapshot.turn.prompt.as_str()),
        (TurnState::Done, "Go?")
    );
    assert_eq!(model.requests().len(), 1, "the model was asked once");
}
