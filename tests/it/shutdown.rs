//! How a worker ends: the first signal lets turns finish, the second does not wait.

use rustix::process::Signal;
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::ClientFrame;
use sidewire_contract::reason::ErrorReason;
use sidewire_tests::{Client, Gate, Home, Peer, Script, ScriptedModel, Turn, Worker, play, question};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// A worker whose model is half-way through an answer, and the client that waits for the rest.
struct MidTurn {
    _model: ScriptedModel,
    home: Home,
    worker: Worker,
    client: Client,
    turn: Turn,
    gate: Gate,
}

impl MidTurn {
    async fn begin() -> Self {
        let gate = Gate::new();
        let model =
            ScriptedModel::playing(Script::stream().text("half ").wait(&gate).text("whole").done()).await;
        let home = Home::with_model(&model);
        let worker = home.worker().await;
        let mut client = worker.client().await;
        client
            .send(ClientFrame::ChatRequest(Box::new(question("c-1", "Go?"))))
            .await;
        let mut turn = Turn::default();
        while turn.deltas == 0 {
            turn.take(client.receive().await);
        }
        Self {
            _model: model,
            home,
            worker,
            client,
            turn,
            gate,
        }
    }

    /// Sends the signal and waits until new questions are refused: it has been heard.
    async fn signal_and_wait(&mut self) {
        let mut other = self.worker.client().await;
        self.worker.process().signal(Signal::TERM);
        for number in 0.. {
            let id = format!("c-other-{number}");
            let request = ChatRequest {
                history_hint: Some(id.clone()),
                ..question(&id, "And?")
            };
            match play(&mut other, request).await.error {
                None => {}
                Some(reason) => return assert_eq!(reason, ErrorReason::SessionDisposed),
            }
        }
    }

    async fn until_end(&mut self) {
        while !self.turn.has_ended() {
            self.turn.take(self.client.receive().await);
        }
    }
}

#[tokio::test]
async fn the_first_signal_lets_a_turn_finish() {
    let mut mid = MidTurn::begin().await;
    mid.signal_and_wait().await;
    mid.gate.open();
    mid.until_end().await;
    assert_eq!((mid.turn.text.as_str(), mid.turn.error), ("half whole", None));
    assert_eq!(mid.client.closed().await, Some(CloseCode::Away));
    assert!(mid.worker.process().ended().await.success());
    assert!(mid.home.worker_state().is_none(), "nobody should look for it");
}

#[tokio::test]
async fn the_second_signal_ends_the_turn_and_keeps_its_text() {
    let mut mid = MidTurn::begin().await;
    mid.signal_and_wait().await;
    mid.worker.process().signal(Signal::INT);
    mid.until_end().await;
    assert_eq!(
        (mid.turn.text.as_str(), mid.turn.error),
        ("half ", Some(ErrorReason::SessionDisposed))
    );
    assert!(mid.worker.process().ended().await.success());
    assert!(mid.home.run(&["data", "export"]).await.ok().contains("half "));
}

#[tokio::test]
async fn an_idle_worker_ends_at_once_with_every_signal() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::new();
        let mut worker = home.worker().await;
        let mut client = worker.client().await;
        let mut stranger = Client::stranger(worker.port, None).await.unwrap();
        worker.process().signal(signal);
        assert_eq!(client.closed().await, Some(CloseCode::Away));
        assert!(worker.process().ended().await.success());
        stranger.closed().await;
        assert!(home.worker_state().is_none());
    }
}
