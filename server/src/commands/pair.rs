//! `sidewire pair`: lets a browser without native messaging connect (decision 3), and shows or ends pairings.
//!
//! The offer goes into the store, which a running worker shares; so it does not matter whether one runs.

use std::time::Duration;

use anyhow::{Context as _, bail};
use jiff::{SignedDuration, Timestamp};
use sidewire_agent::store::{PairingRecord, Secret, Store};
use sidewire_contract::identity::PORT_FIRST;
use sidewire_contract::ids::KeyId;
use sidewire_contract::layout::Layout;

use super::env::{Env, worker_lives};
use crate::cli::PairArgs;
use crate::link::running_worker;
use crate::private_file::private_folder;
use crate::ui;

/// Long enough to switch to the browser and paste, short enough to be worthless in a shell history.
const OFFER: Duration = Duration::from_secs(10 * 60);

/// Runs `sidewire pair`.
pub(crate) async fn run(env: &Env, args: &PairArgs) -> anyhow::Result<()> {
    let layout = &env.layout;
    private_folder(&layout.data)?;
    let folder = layout.data.clone();
    let store = tokio::task::spawn_blocking(move || Store::open(&folder, "sidewire pair")).await??;
    if args.list {
        list(&store).await
    } else if let Some(key_id) = &args.revoke {
        revoke(&store, key_id).await
    } else {
        offer(&store, layout).await
    }
}

async fn offer(store: &Store, layout: &Layout) -> anyhow::Result<()> {
    let worker = if worker_lives(layout) {
        running_worker(layout)?
    } else {
        None
    };
    let port = worker.map(|(state, _)| state.port);
    let code = create_offer(store, port.unwrap_or(PORT_FIRST), Timestamp::now()).await?;
    ui::say(code);
    ui::note(
        "Paste this line into the options page of the Sidewire extension within 10 minutes. It works once.",
    );
    if port.is_none() {
        ui::note(format_args!(
            "No worker is running: start `sidewire serve --port {PORT_FIRST}` first."
        ));
    }
    Ok(())
}

/// Makes an offer and the line that takes it.
async fn create_offer(store: &Store, port: u16, now: Timestamp) -> anyhow::Result<String> {
    let key_id = KeyId::pairing(random()?);
    let secret = Secret(random()?);
    let expires = now.checked_add(SignedDuration::try_from(OFFER)?)?;
    store
        .pairing_offer_create(key_id.as_ref(), &secret, expires.as_millisecond())
        .await?;
    Ok(format!("sidewire:{port}:{key_id}:{}", hex::encode(secret.0)))
}

async fn list(store: &Store) -> anyhow::Result<()> {
    let pairings = store.pairings().await?;
    if pairings.is_empty() {
        ui::say("nothing is paired");
    }
    pairings.iter().map(line).for_each(ui::say);
    Ok(())
}

fn line(pairing: &PairingRecord) -> String {
    let day = |ms| {
        Timestamp::from_millisecond(ms).map_or_else(|_| "?".to_owned(), |at| at.strftime("%F").to_string())
    };
    let (created, seen) = (day(pairing.created_at_ms), day(pairing.last_seen_at_ms));
    format!(
        "{}  paired {created}, last seen {seen}  {}",
        pairing.key_id, pairing.label
    )
}

async fn revoke(store: &Store, key_id: &str) -> anyhow::Result<()> {
    if !store.pairing_revoke(key_id).await? {
        bail!("nothing is paired under {key_id:?}; `sidewire pair --list` shows what is");
    }
    ui::say(format_args!(
        "{key_id} can no longer connect; an open connection ends within seconds"
    ));
    Ok(())
}

fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).context("failed to get random numbers from the system")?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_750_000_000_000;

    #[tokio::test]
    async fn an_offer_is_one_line_whose_secret_stands_for_ten_minutes() {
        let store = Store::in_memory().unwrap();
        let code = create_offer(&store, 19230, Timestamp::from_millisecond(NOW).unwrap())
            .await
            .unwrap();
        let parts: Vec<&str> = code.split(':').collect();
        let ["sidewire", "19230", key_id, secret] = parts.as_slice() else {
            panic!("{code}")
        };
        assert!(key_id.parse::<KeyId>().unwrap().is_pairing());
        let last = NOW + 600_000 - 1;
        let stored = store.pairing_offer(key_id, last).await.unwrap().unwrap();
        assert_eq!(hex::encode(stored.0), *secret);
        assert_eq!(store.pairing_offer(key_id, last + 1).await.unwrap(), None);
    }

    #[tokio::test]
    async fn two_offers_share_nothing() {
        let store = Store::in_memory().unwrap();
        let now = Timestamp::from_millisecond(NOW).unwrap();
        let one = create_offer(&store, 1, now).await.unwrap();
        let two = create_offer(&store, 1, now).await.unwrap();
        assert!(
            one.split(':')
                .skip(2)
                .zip(two.split(':').skip(2))
                .all(|(one, two)| one != two)
        );
    }

    #[tokio::test]
    async fn pairings_are_listed_without_their_secret_and_revoked_by_name() {
        let store = Store::in_memory().unwrap();
        let record = PairingRecord {
            key_id: "key-abcdefgh12345678".into(),
            secret: Secret([7; 32]),
            label: "Chromium".into(),
            instance: "i".into(),
            created_at_ms: NOW,
            last_seen_at_ms: NOW,
        };
        assert_eq!(
            line(&record),
            "key-abcdefgh12345678  paired 2025-06-15, last seen 2025-06-15  Chromium"
        );
        store
            .pairing_offer_create("pair-abcd1234", &record.secret, NOW + 1)
            .await
            .unwrap();
        assert!(
            store
                .pairing_accept("pair-abcd1234", record.clone())
                .await
                .unwrap()
        );
        revoke(&store, &record.key_id).await.unwrap();
        let error = revoke(&store, &record.key_id).await.unwrap_err();
        assert!(error.to_string().contains("--list"), "{error}");
    }
}
