//! S18: another program took our place. Clients of ours notice, and have told it nothing by then.

use sidewire_contract::frames::ClientFrame;
use sidewire_tests::{Client, Fake, FakeWorker, Home, Identity, NativeHost, Peer, play, question};

/// What an impostor may hear: hellos, and nothing after its own proof was seen to be wrong.
fn assert_only_hellos(fake: &FakeWorker) {
    let heard = fake.heard();
    assert!(!heard.is_empty(), "it was asked");
    for text in heard {
        assert!(
            matches!(ClientFrame::decode(&text), Ok(ClientFrame::Hello(_))),
            "{text}"
        );
    }
}

#[tokio::test]
async fn s18_the_command_line_tells_an_impostor_nothing() {
    let home = Home::new();
    let fake = FakeWorker::start(&home, Fake::Impostor).await;
    let error = home.run(&["ask", "CANARY?"]).await.failed();
    assert!(error.contains("could not prove"), "{error}");
    assert_only_hellos(&fake);
}

#[tokio::test]
async fn s18_the_host_tells_an_impostor_nothing_and_finds_a_real_worker() {
    let home = Home::new();
    let fake = FakeWorker::start(&home, Fake::Impostor).await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(home.local_secret())).await;
    let turn = play(&mut host, question("c-1", "CANARY?")).await;
    assert_eq!(turn.error, None);
    assert_only_hellos(&fake);
    assert_ne!(home.worker_state().unwrap().port, fake.port);
}

#[tokio::test]
async fn s18_a_proof_that_was_fetched_from_the_real_worker_does_not_help() {
    let home = Home::new();
    let worker = home.worker().await;
    let fake = FakeWorker::start(&home, Fake::Relay(worker.port)).await;
    let error = home.run(&["ask", "CANARY?"]).await.failed();
    assert!(error.contains("could not prove"), "{error}");
    assert_only_hellos(&fake);
}

#[tokio::test]
async fn s18_a_proof_for_another_port_does_not_open_this_one() {
    let home = Home::new();
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = Client::stranger(worker.port, None).await.unwrap();
    let nonce_c = client.hello(&identity.key).await;
    let challenge = client.challenge().await.unwrap();
    let right = client.context(&identity, &nonce_c, &challenge.nonce_s);
    let authority = format!("127.0.0.1:{}", worker.port ^ 1);
    let mac_c = Client::client_mac(
        &identity,
        &sidewire_contract::bridge::mac::MacContext {
            authority: &authority,
            ..right
        },
    );
    client.send(ClientFrame::Proof(identity.proof(mac_c))).await;
    assert!(client.next_or_close().await.is_err());
}
