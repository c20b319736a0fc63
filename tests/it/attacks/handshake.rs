//! S5, S6, S13, S19: a key that is missing, wrong, another's or only overheard. "Refused" means closed before
//! anything is dispatched (decision 2).

use sidewire_contract::bridge::handshake::{BridgeErrorCode, Role};
use sidewire_contract::bridge::mac::{MacLabel, mac_transcript};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::{Hex256, KeyId};
use sidewire_tests::{
    Client, Home, Identity, Key, Peer, Refused, ScriptedModel, Worker, ping, play, question,
};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

const POLICY: Refused = Refused::Closed(Some(CloseCode::Policy));
const WRONG: Hex256 = Hex256::from_bytes([7; 32]);

/// Names a key and proves it with whatever secret the identity holds, without checking the worker's proof.
async fn try_key(worker: &Worker, identity: &Identity) -> Result<(), Refused> {
    let mut client = Client::stranger(worker.port, identity.origin.as_deref()).await?;
    let nonce_c = client.hello(&identity.key).await;
    let challenge = client.challenge().await?;
    let context = client.context(identity, &nonce_c, &challenge.nonce_s);
    let mac_c = Client::client_mac(identity, &context);
    client.send(ClientFrame::Proof(identity.proof(mac_c))).await;
    client.next_or_close().await.map(drop)
}

#[tokio::test]
async fn s05_without_origin_only_the_local_secret_opens() {
    let home = Home::new();
    let worker = home.worker().await;
    let paired = worker.paired(&home).await;
    let offer = home.offer().await;
    let local = |key: Key| Identity {
        key,
        ..worker.local()
    };
    let rows = [
        (
            "a wrong local secret",
            local(Key {
                id: KeyId::local(),
                secret: WRONG,
            }),
        ),
        (
            "an unknown key",
            local(Key {
                id: KeyId::client([1; 16]),
                secret: WRONG,
            }),
        ),
        (
            "the key of an extension",
            Identity {
                origin: None,
                ..paired
            },
        ),
        ("a pairing offer", local(offer.key())),
    ];
    for (what, identity) in rows {
        assert_eq!(try_key(&worker, &identity).await, Err(POLICY), "{what}");
    }
    assert_eq!(try_key(&worker, &worker.local()).await, Ok(()));
}

#[tokio::test]
async fn s06_an_extension_needs_a_key_of_its_own() {
    let home = Home::new();
    let worker = home.worker().await;
    let good = worker.paired(&home).await;
    let other = worker.paired(&home).await;
    let with = |key: Key| Identity { key, ..good.clone() };
    let rows = [
        (
            "the local secret",
            with(Key {
                id: KeyId::local(),
                secret: worker.secret,
            }),
        ),
        (
            "an unknown key",
            with(Key {
                id: KeyId::client([1; 16]),
                secret: WRONG,
            }),
        ),
        (
            "an unknown offer",
            with(Key {
                id: KeyId::pairing([1; 8]),
                secret: WRONG,
            }),
        ),
        (
            "the wrong secret",
            with(Key {
                id: good.key.id.clone(),
                secret: WRONG,
            }),
        ),
        (
            "another profile's name for its secret",
            with(Key {
                id: other.key.id.clone(),
                secret: good.key.secret,
            }),
        ),
        (
            "another profile's key",
            Identity {
                key: other.key.clone(),
                ..good.clone()
            },
        ),
    ];
    for (what, identity) in rows {
        assert_eq!(try_key(&worker, &identity).await, Err(POLICY), "{what}");
    }
    assert_eq!(try_key(&worker, &good).await, Ok(()));
}

#[tokio::test]
async fn s06_a_revoked_key_no_longer_opens() {
    let home = Home::new();
    let worker = home.worker().await;
    let extension = worker.paired(&home).await;
    home.run(&["pair", "--revoke", extension.key.id.as_str()])
        .await
        .ok();
    assert_eq!(try_key(&worker, &extension).await, Err(POLICY));
}

#[tokio::test]
async fn s06_no_secret_is_in_the_log() {
    let home = Home::new();
    let worker = home.worker().await;
    let offer = home.offer().await;
    let newcomer = Identity::browser(offer.key());
    let extension = worker.client_as(&newcomer).await.paired_identity(&newcomer);
    let wrong = Identity {
        key: Key {
            secret: WRONG,
            ..extension.key.clone()
        },
        ..extension.clone()
    };
    try_key(&worker, &wrong).await.unwrap_err();
    let local = worker.secret;
    worker.end().await;
    for secret in [local, offer.key().secret, extension.key.secret] {
        let logs = home.layout().log_folder();
        let found = home.files_with(&secret.to_string());
        assert!(!found.iter().any(|path| path.starts_with(&logs)), "{found:?}");
    }
    assert_eq!(
        home.files_with(&local.to_string()),
        [home.layout().local_secret()]
    );
}

#[tokio::test]
async fn s06_a_contract_of_another_major_version_is_refused() {
    let home = Home::new();
    let worker = home.worker().await;
    for (version, result) in [
        ("2.0.0", Ok(())),
        ("2.9.9", Ok(())),
        ("1.9.0", Err(POLICY)),
        ("3.0.0", Err(POLICY)),
    ] {
        let identity = Identity {
            contract_version: version.parse().unwrap(),
            ..worker.local()
        };
        assert_eq!(try_key(&worker, &identity).await, result, "{version}");
    }
}

#[tokio::test]
async fn s13_nothing_is_dispatched_before_the_handshake_is_done() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let early = [
        ClientFrame::ChatRequest(Box::new(question("c-early", "EARLY?"))).encode(),
        ping().encode(),
        r#"{"type":"conversation_list","requestId":"r"}"#.to_owned(),
        r#"{"type":"client_info"}"#.to_owned(),
        "{}".to_owned(),
        "no json".to_owned(),
        String::new(),
    ];
    for text in &early {
        let mut first = Client::stranger(worker.port, None).await.unwrap();
        first.send_text(text).await;
        assert_eq!(
            first.closed().await,
            Some(CloseCode::Policy),
            "instead of hello: {text}"
        );
        let mut second = Client::stranger(worker.port, None).await.unwrap();
        second.hello(&worker.local().key).await;
        second.challenge().await.unwrap();
        second.send_text(text).await;
        assert_eq!(
            second.closed().await,
            Some(CloseCode::Policy),
            "instead of proof: {text}"
        );
    }
    assert_eq!(model.requests().len(), 0);
    home.assert_nowhere("EARLY");
    assert_eq!(
        play(&mut worker.client().await, question("c-1", "Go?"))
            .await
            .done(),
        "ok"
    );
}

/// What an extension says of itself behind a native host.
fn introduction() -> String {
    let uuid = "11111111-2222-4333-8444-555555555555";
    serde_json::json!({
        "type": "client_info", "client": { "name": "x", "version": "1" }, "contractVersion": "2.1.0",
        "instance": uuid, "browserRun": uuid,
    })
    .to_string()
}

#[tokio::test]
async fn s13_only_a_host_may_introduce_somebody_else() {
    let home = Home::new();
    let worker = home.worker().await;
    let extension = worker.paired(&home).await;
    for identity in [extension, worker.local()] {
        let mut client = worker.client_as(&identity).await;
        client.send_text(&introduction()).await;
        assert!(client.next_or_close().await.is_err(), "{:?}", identity.role);
    }
    let mut host = worker
        .client_as(&Identity {
            role: Role::Host,
            ..worker.local()
        })
        .await;
    host.send_text(&introduction()).await;
    assert!(matches!(host.receive().await, WorkerFrame::HelloAck(_)));
}

#[tokio::test]
async fn s13_a_second_handshake_is_refused() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client.hello(&worker.local().key).await;
    let WorkerFrame::BridgeError(error) = client.receive().await else {
        panic!("not refused")
    };
    assert_eq!(error.code, BridgeErrorCode::BadFrame);
}

#[tokio::test]
async fn s13_a_host_asks_nothing_before_its_browser_said_who_it_is() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut host = worker
        .client_as(&Identity {
            role: Role::Host,
            ..worker.local()
        })
        .await;
    for text in [
        ClientFrame::ChatRequest(Box::new(question("c-1", "EARLY?"))).encode(),
        r#"{"type":"conversation_list","requestId":"r"}"#.to_owned(),
        r#"{"type":"resume","turns":["c-1"]}"#.to_owned(),
    ] {
        host.send_text(&text).await;
        assert!(
            matches!(host.receive().await, WorkerFrame::BridgeError(_)),
            "{text}"
        );
    }
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn s06_a_pairing_does_not_make_a_local_program() {
    let home = Home::new();
    let worker = home.worker().await;
    let extension = worker.paired(&home).await;
    for role in [Role::Host, Role::Cli, Role::Editor] {
        let pretender = Identity {
            role,
            ..extension.clone()
        };
        assert_eq!(try_key(&worker, &pretender).await, Err(POLICY), "{role:?}");
    }
}

#[tokio::test]
async fn s19_an_overheard_proof_is_worth_nothing() {
    let home = Home::new();
    let worker = home.worker().await;
    let identity = worker.local();
    let mut honest = Client::stranger(worker.port, None).await.unwrap();
    let nonce_c = honest.hello(&identity.key).await;
    let challenge = honest.challenge().await.unwrap();
    let context = honest.context(&identity, &nonce_c, &challenge.nonce_s);
    let proof = ClientFrame::Proof(identity.proof(Client::client_mac(&identity, &context)));
    let hello = format!(r#"{{"type":"hello","bridge":1,"keyId":"local","nonceC":"{nonce_c}"}}"#);
    honest.send(proof.clone()).await;
    honest.next_or_close().await.unwrap();

    let mut replay = Client::stranger(worker.port, None).await.unwrap();
    replay.send_text(&hello).await;
    let second = replay.challenge().await.unwrap();
    assert_ne!(second.nonce_s, challenge.nonce_s, "each challenge is new");
    replay.send(proof).await;
    assert_eq!(replay.closed().await, Some(CloseCode::Policy));
}

#[tokio::test]
async fn s19_the_workers_own_proof_does_not_prove_a_client() {
    let home = Home::new();
    let worker = home.worker().await;
    let identity = worker.local();
    let mut mirror = Client::stranger(worker.port, None).await.unwrap();
    let nonce_c = mirror.hello(&identity.key).await;
    let challenge = mirror.challenge().await.unwrap();
    let context = mirror.context(&identity, &nonce_c, &challenge.nonce_s);
    assert_ne!(
        mac_transcript(MacLabel::Server, &context),
        mac_transcript(MacLabel::Client, &context)
    );
    mirror
        .send(ClientFrame::Proof(identity.proof(challenge.mac_s)))
        .await;
    assert_eq!(mirror.closed().await, Some(CloseCode::Policy));
}
