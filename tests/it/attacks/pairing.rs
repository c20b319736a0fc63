//! S12: pairing is offered by the person, taken once, and gives each browser a key of its own.

use sidewire_contract::bridge::conversations::RequestErrorCode;
use sidewire_contract::bridge::models::{PairingList, PairingRevoke};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::Hex256;
use sidewire_tests::{Client, Home, Identity, Key, Peer, Refused, Worker, requests, until_quiet};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

const POLICY: Refused = Refused::Closed(Some(CloseCode::Policy));

/// Tries an offer with a wrong secret, as somebody who only guesses it.
async fn guess(worker: &Worker, key: &Key) -> Result<(), Refused> {
    let guess = Identity::browser(Key {
        id: key.id.clone(),
        secret: Hex256::from_bytes([9; 32]),
    });
    let mut client = Client::stranger(worker.port, guess.origin.as_deref()).await?;
    let nonce_c = client.hello(&guess.key).await;
    let challenge = client.challenge().await?;
    let context = client.context(&guess, &nonce_c, &challenge.nonce_s);
    let mac_c = Client::client_mac(&guess, &context);
    client.send(ClientFrame::Proof(guess.proof(mac_c))).await;
    client.next_or_close().await.map(drop)
}

#[tokio::test]
async fn s12_an_offer_is_taken_once() {
    let home = Home::new();
    let worker = home.worker().await;
    let offer = home.offer().await;
    worker.client_as(&Identity::browser(offer.key())).await;
    let again = worker.try_client(&Identity::browser(offer.key())).await;
    assert_eq!(again.err(), Some(POLICY));
}

#[tokio::test]
async fn s12_two_browsers_that_race_for_an_offer_do_not_both_win() {
    let home = Home::new();
    let worker = home.worker().await;
    let offer = home.offer().await;
    let (one, other) = (Identity::browser(offer.key()), Identity::browser(offer.key()));
    let (one, other) = tokio::join!(worker.try_client(&one), worker.try_client(&other));
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
}

#[tokio::test]
async fn s12_five_wrong_tries_spoil_an_offer_and_no_other() {
    let home = Home::new();
    let worker = home.worker().await;
    let (spoilt, good) = (home.offer().await, home.offer().await);
    for attempt in 0..5 {
        assert_eq!(guess(&worker, &spoilt.key()).await, Err(POLICY), "{attempt}");
    }
    assert_eq!(
        worker.try_client(&Identity::browser(spoilt.key())).await.err(),
        Some(POLICY)
    );
    worker.client_as(&Identity::browser(good.key())).await;
}

#[tokio::test]
async fn s12_four_wrong_tries_leave_an_offer_good() {
    let home = Home::new();
    let worker = home.worker().await;
    let offer = home.offer().await;
    for attempt in 0..4 {
        assert_eq!(guess(&worker, &offer.key()).await, Err(POLICY), "{attempt}");
    }
    worker.client_as(&Identity::browser(offer.key())).await;
}

#[tokio::test]
async fn s12_without_an_offer_nothing_can_be_paired() {
    let home = Home::new();
    let worker = home.worker().await;
    let made_up = Key {
        id: sidewire_contract::ids::KeyId::pairing([3; 8]),
        secret: Hex256::from_bytes([3; 32]),
    };
    assert_eq!(
        worker.try_client(&Identity::browser(made_up)).await.err(),
        Some(POLICY)
    );
}

#[tokio::test]
async fn s12_each_browser_has_a_key_of_its_own_and_revoking_one_leaves_the_other() {
    let home = Home::new();
    let worker = home.worker().await;
    let (one, other) = (worker.paired(&home).await, worker.paired(&home).await);
    assert!(one.key.id != other.key.id && one.key.secret != other.key.secret);
    let listed = home.run(&["pair", "--list"]).await.ok();
    assert!(
        listed.contains(one.key.id.as_str()) && listed.contains(other.key.id.as_str()),
        "{listed}"
    );
    assert!(
        !listed.contains(&one.key.secret.to_string()),
        "a list shows no secret"
    );
    home.run(&["pair", "--revoke", one.key.id.as_str()]).await.ok();
    assert_eq!(worker.try_client(&one).await.err(), Some(POLICY));
    worker.client_as(&other).await;
}

#[tokio::test]
async fn s12_a_pairing_survives_a_restart() {
    let home = Home::new();
    let worker = home.worker().await;
    let extension = worker.paired(&home).await;
    worker.end().await;
    home.worker().await.client_as(&extension).await;
}

#[tokio::test]
async fn s12_an_extension_sees_all_pairings_and_ends_only_its_own() {
    let home = Home::new();
    let worker = home.worker().await;
    let (one, other) = (worker.paired(&home).await, worker.paired(&home).await);
    let mut client = worker.client_as(&one).await;
    let list = ClientFrame::PairingList(PairingList {
        request_id: requests::id("l"),
    });
    let WorkerFrame::PairingPage(page) = client.call(list).await else {
        panic!("no page")
    };
    let mut current: Vec<_> = page
        .items
        .iter()
        .map(|item| (item.current == Some(true), item.key_id.clone()))
        .collect();
    current.sort();
    assert_eq!(
        current,
        [(false, other.key.id.clone()), (true, one.key.id.clone())]
    );
    let revoke = |key: &Identity| {
        ClientFrame::PairingRevoke(PairingRevoke {
            request_id: requests::id("x"),
            key_id: key.key.id.clone(),
        })
    };
    let WorkerFrame::RequestError(error) = client.call(revoke(&other)).await else {
        panic!("not refused")
    };
    assert_eq!(error.code, RequestErrorCode::Forbidden);
    let WorkerFrame::RequestDone(_) = client.call(revoke(&one)).await else {
        panic!("refused")
    };
    assert_eq!(worker.try_client(&one).await.err(), Some(POLICY));
    worker.client_as(&other).await;
}

#[tokio::test]
async fn s12_revoking_a_pairing_ends_its_connection() {
    let home = Home::new();
    let worker = home.worker().await;
    let (one, other) = (worker.paired(&home).await, worker.paired(&home).await);
    let (mut revoked, mut kept) = (worker.client_as(&one).await, worker.client_as(&other).await);
    home.run(&["pair", "--revoke", one.key.id.as_str()]).await.ok();
    while revoked.receive_text().await.is_some() {}
    assert_eq!(until_quiet(&mut kept).await, []);
}
