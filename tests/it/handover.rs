//! Two versions of the worker: a newer host or command line has the older one make room, and never the other way round.

use sidewire_contract::bridge::handshake::{Handover, Role};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::Hex256;
use sidewire_contract::text::Text;
use sidewire_tests::{Fake, FakeWorker, Home, Identity, NativeHost, Peer, Worker};

fn extension() -> Identity {
    Identity::local(Hex256::from_bytes([0; 32]))
}

fn asked_to_hand_over(fake: &FakeWorker) -> bool {
    fake.heard()
        .iter()
        .any(|text| matches!(ClientFrame::decode(text), Ok(ClientFrame::Handover(_))))
}

async fn ask_to_hand_over(worker: &Worker, identity: &Identity, version: &str) -> bool {
    let mut client = worker.client_as(identity).await;
    match client
        .call(ClientFrame::Handover(Handover {
            version: Text::new(version).unwrap(),
        }))
        .await
    {
        WorkerFrame::HandoverAck(ack) => ack.accepted,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_host_replaces_an_older_worker() {
    let home = Home::new();
    let fake = FakeWorker::start(&home, Fake::Worker("0.0.9")).await;
    let mut host = NativeHost::start(&home);
    let ack = host.introduce(&extension()).await;
    assert!(asked_to_hand_over(&fake));
    assert_eq!(ack.worker.version.as_str(), env!("CARGO_PKG_VERSION"));
    assert_ne!(home.worker_state().unwrap().port, fake.port);
}

#[tokio::test]
async fn a_host_leaves_a_worker_that_is_not_older_alone() {
    for version in [env!("CARGO_PKG_VERSION"), "9.9.9"] {
        let home = Home::new();
        let fake = FakeWorker::start(&home, Fake::Worker(version)).await;
        let mut host = NativeHost::start(&home);
        host.send_text(r#"{"type":"ping"}"#).await;
        assert!(matches!(host.receive().await, WorkerFrame::Pong(_)), "{version}");
        assert!(!asked_to_hand_over(&fake), "{version}");
    }
}

#[tokio::test]
async fn a_worker_makes_room_for_a_newer_one_only() {
    let home = Home::new();
    let mut worker = home.worker().await;
    let local = worker.local();
    for version in [env!("CARGO_PKG_VERSION"), "0.0.1", "newest", "1.0", "1.0.0-beta"] {
        assert!(!ask_to_hand_over(&worker, &local, version).await, "{version}");
    }
    assert!(ask_to_hand_over(&worker, &local, "9.9.9").await);
    assert!(worker.process().ended().await.success());
    assert!(home.worker_state().is_none(), "nobody should look for it");
}

#[tokio::test]
async fn an_extension_cannot_end_the_worker() {
    let home = Home::new();
    let worker = home.worker().await;
    let paired = worker.paired(&home).await;
    let local_browser = Identity {
        role: Role::Browser,
        ..worker.local()
    };
    for identity in [paired, local_browser] {
        assert!(!ask_to_hand_over(&worker, &identity, "9.9.9").await);
    }
}
