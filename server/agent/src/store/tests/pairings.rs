use super::*;
use crate::store::{PairingRecord, Secret};

fn pairing(key_id: &str, instance: &str) -> PairingRecord {
    PairingRecord {
        key_id: key_id.to_owned(),
        secret: Secret([9; 32]),
        label: "Chrome".to_owned(),
        instance: instance.to_owned(),
        created_at_ms: 500,
        last_seen_at_ms: 500,
    }
}

async fn offered() -> Store {
    let store = memory();
    store
        .pairing_offer_create("offer", &Secret([1; 32]), 1_000)
        .await
        .unwrap();
    store
}

#[tokio::test]
async fn an_offer_is_taken_once() {
    let store = offered().await;
    assert_eq!(
        store.pairing_offer("offer", 999).await.unwrap(),
        Some(Secret([1; 32]))
    );
    assert!(store.pairing_accept("offer", pairing("k1", "i1")).await.unwrap());
    assert_eq!(store.pairing_offer("offer", 999).await.unwrap(), None);
    assert!(!store.pairing_accept("offer", pairing("k2", "i2")).await.unwrap());
    assert_eq!(store.pairings().await.unwrap(), [pairing("k1", "i1")]);
}

#[tokio::test]
async fn an_offer_runs_out() {
    let store = offered().await;
    assert_eq!(store.pairing_offer("offer", 1_000).await.unwrap(), None);
    let late = PairingRecord {
        created_at_ms: 1_000,
        ..pairing("k1", "i1")
    };
    assert!(!store.pairing_accept("offer", late).await.unwrap());
    assert!(store.pairings().await.unwrap().is_empty());
    store.purge(1_000).await.unwrap();
    assert!(
        !store.pairing_accept("offer", pairing("k1", "i1")).await.unwrap(),
        "purged"
    );
}

#[tokio::test]
async fn the_fifth_wrong_try_voids_this_offer_only() {
    let store = offered().await;
    store
        .pairing_offer_create("other", &Secret([2; 32]), 1_000)
        .await
        .unwrap();
    for _ in 0..4 {
        store.pairing_offer_wrong("offer").await.unwrap();
    }
    assert!(store.pairing_offer("offer", 0).await.unwrap().is_some());
    store.pairing_offer_wrong("offer").await.unwrap();
    assert!(store.pairing_offer("offer", 0).await.unwrap().is_none());
    assert!(store.pairing_offer("other", 0).await.unwrap().is_some());
    store.pairing_offer_wrong("unknown").await.unwrap();
}

#[tokio::test]
async fn an_instance_has_one_pairing_and_a_refused_swap_changes_nothing() {
    let store = offered().await;
    assert!(store.pairing_accept("offer", pairing("k1", "i1")).await.unwrap());
    store
        .pairing_offer_create("offer", &Secret([1; 32]), 1_000)
        .await
        .unwrap();
    store
        .pairing_offer_create("third", &Secret([1; 32]), 1_000)
        .await
        .unwrap();
    assert!(store.pairing_accept("offer", pairing("k2", "i1")).await.unwrap());
    assert_eq!(store.pairings().await.unwrap(), [pairing("k2", "i1")]);
    // The same key for another instance cannot be stored: then the offer stands as before.
    store
        .pairing_accept("third", pairing("k2", "i3"))
        .await
        .unwrap_err();
    assert!(store.pairing_offer("third", 0).await.unwrap().is_some());
}

#[tokio::test]
async fn a_pairing_is_seen_and_revoked() {
    let store = offered().await;
    store.pairing_accept("offer", pairing("k1", "i1")).await.unwrap();
    store.pairing_seen("k1", 700).await.unwrap();
    assert_eq!(store.pairing("k1").await.unwrap().unwrap().last_seen_at_ms, 700);
    assert!(store.pairing_revoke("k1").await.unwrap());
    assert!(!store.pairing_revoke("k1").await.unwrap());
    assert_eq!(store.pairing("k1").await.unwrap(), None);
}

#[test]
fn a_secret_is_never_printed() {
    assert!(!format!("{:?}", pairing("k1", "i1")).contains('9'));
}

#[tokio::test]
async fn a_setting_is_replaced() {
    let store = memory();
    assert_eq!(store.setting_get("theme").await.unwrap(), None);
    for value in [json!({ "name": "dark" }), json!(null)] {
        store.setting_set("theme", &value).await.unwrap();
        assert_eq!(store.setting_get("theme").await.unwrap(), Some(value));
    }
}
