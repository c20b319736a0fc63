//! Who may connect over the network (decision 3): pairings with their secrets, and the offers they come from.

use std::fmt;

use rusqlite::{Connection, OptionalExtension, Row};

use super::error::StoreError;
use super::{Durability, Store};

/// Wrong tries after which an offer is void.
const WRONG_TRIES: i64 = 5;

/// A shared secret. Its debug form shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A paired client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingRecord {
    /// Names the secret in a handshake.
    pub key_id: String,
    /// What both sides know.
    pub secret: Secret,
    /// What to call the client.
    pub label: String,
    /// The browser profile it is; one pairing each.
    pub instance: String,
    /// Milliseconds since 1970.
    pub created_at_ms: i64,
    /// Milliseconds since 1970.
    pub last_seen_at_ms: i64,
}

impl Store {
    /// Offers a pairing until then; the first client that proves the secret takes it.
    pub async fn pairing_offer_create(
        &self,
        key_id: &str,
        secret: &Secret,
        expires_at_ms: i64,
    ) -> Result<(), StoreError> {
        let (key_id, secret) = (key_id.to_owned(), secret.0);
        self.write(Durability::Now, move |connection| {
            connection.execute(
                "INSERT INTO pairing_offer (key_id, secret, expires_at_ms, wrong_tries) VALUES (?1, ?2, ?3, 0)",
                (key_id, secret, expires_at_ms),
            )?;
            Ok(())
        })
        .await
    }

    /// The secret of an offer that still stands.
    pub async fn pairing_offer(&self, key_id: &str, now_ms: i64) -> Result<Option<Secret>, StoreError> {
        let key_id = key_id.to_owned();
        self.read(move |connection| {
            let secret = connection
                .query_row(
                    "SELECT secret FROM pairing_offer WHERE key_id = ?1 AND expires_at_ms > ?2",
                    (key_id, now_ms),
                    |row| row.get(0),
                )
                .optional()?;
            Ok(secret.map(Secret))
        })
        .await
    }

    /// Counts a wrong try against an offer; the fifth one voids it.
    pub async fn pairing_offer_wrong(&self, key_id: &str) -> Result<(), StoreError> {
        let key_id = key_id.to_owned();
        self.write(Durability::Now, move |connection| {
            connection.execute(
                "UPDATE pairing_offer SET wrong_tries = wrong_tries + 1 WHERE key_id = ?1",
                [&key_id],
            )?;
            connection.execute(
                "DELETE FROM pairing_offer WHERE key_id = ?1 AND wrong_tries >= ?2",
                (&key_id, WRONG_TRIES),
            )?;
            Ok(())
        })
        .await
    }

    /// Swaps an offer for a pairing, at the time the pairing is created; false when the offer no longer stands.
    /// An earlier pairing of the same instance ends.
    pub async fn pairing_accept(&self, offer: &str, pairing: PairingRecord) -> Result<bool, StoreError> {
        let offer = offer.to_owned();
        self.write(Durability::Now, move |connection| {
            let taken = connection.execute(
                "DELETE FROM pairing_offer WHERE key_id = ?1 AND expires_at_ms > ?2",
                (offer, pairing.created_at_ms),
            )?;
            if taken == 0 {
                return Ok(false);
            }
            pairing.insert(connection)?;
            Ok(true)
        })
        .await
    }

    /// The pairing whose secret has this name.
    pub async fn pairing(&self, key_id: &str) -> Result<Option<PairingRecord>, StoreError> {
        let key_id = key_id.to_owned();
        self.read(move |connection| {
            let found = connection.query_row(
                &format!("{SELECT} WHERE key_id = ?1"),
                [key_id],
                PairingRecord::read,
            );
            Ok(found.optional()?)
        })
        .await
    }

    /// Notes that a paired client connected.
    pub async fn pairing_seen(&self, key_id: &str, now_ms: i64) -> Result<(), StoreError> {
        let key_id = key_id.to_owned();
        self.write(Durability::Soon, move |connection| {
            connection.execute(
                "UPDATE pairing SET last_seen_at_ms = ?2 WHERE key_id = ?1",
                (key_id, now_ms),
            )?;
            Ok(())
        })
        .await
    }

    /// All pairings, oldest first.
    pub async fn pairings(&self) -> Result<Vec<PairingRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(&format!("{SELECT} ORDER BY created_at_ms, key_id"))?;
            let rows = statement.query_map([], PairingRecord::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Ends a pairing; false when there is none of that name.
    pub async fn pairing_revoke(&self, key_id: &str) -> Result<bool, StoreError> {
        let key_id = key_id.to_owned();
        self.write(Durability::Now, move |connection| {
            Ok(connection.execute("DELETE FROM pairing WHERE key_id = ?1", [key_id])? > 0)
        })
        .await
    }
}

const SELECT: &str = "SELECT key_id, secret, label, instance, created_at_ms, last_seen_at_ms FROM pairing";

impl PairingRecord {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            key_id: row.get("key_id")?,
            secret: Secret(row.get("secret")?),
            label: row.get("label")?,
            instance: row.get("instance")?,
            created_at_ms: row.get("created_at_ms")?,
            last_seen_at_ms: row.get("last_seen_at_ms")?,
        })
    }

    fn insert(&self, connection: &Connection) -> Result<(), StoreError> {
        connection.execute("DELETE FROM pairing WHERE instance = ?1", [&self.instance])?;
        connection.execute(
            "INSERT INTO pairing (key_id, secret, label, instance, created_at_ms, last_seen_at_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                &self.key_id,
                self.secret.0,
                &self.label,
                &self.instance,
                self.created_at_ms,
                self.last_seen_at_ms,
            ),
        )?;
        Ok(())
    }
}

/// Forgets offers nobody took in time.
pub(super) fn drop_expired(connection: &Connection, now_ms: i64) -> Result<(), StoreError> {
    connection.execute("DELETE FROM pairing_offer WHERE expires_at_ms <= ?1", [now_ms])?;
    Ok(())
}
