//! The bytes that both sides feed to HMAC-SHA-256 during the handshake.
//!
//! Layout, the same for every implementation: each field in order as a 32-bit big-endian length in bytes, then the
//! field in UTF-8. Nonces stand as their 64 hex digits.
//!
//! * Proof of either side: label, nonceC, nonceS, authority, origin, key id. The labels are `sidewire bridge 1 server`
//!   and `sidewire bridge 1 client`. The authority is `127.0.0.1:PORT` as the client dialled it, so that an impostor on
//!   another port cannot pass a proof on. The origin is what the `Origin` header said, or empty without one.
//! * Fresh secret after pairing: `sidewire bridge 1 pairing`, nonceC, nonceS, instance. Its HMAC under the pairing
//!   secret is the new secret; both sides compute it and it never crosses the wire.
//!
//! `schema/mac-vectors.json` holds vectors for every implementation. The HMAC itself is done by the callers.

use crate::ids::{Hex256, InstanceId, KeyId};

/// Which side proves itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacLabel {
    /// The worker.
    Server,
    /// The client.
    Client,
}

impl MacLabel {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "sidewire bridge 1 server",
            Self::Client => "sidewire bridge 1 client",
        }
    }
}

/// What a proof is bound to: this connection and no other.
#[derive(Clone, Copy, Debug)]
pub struct MacContext<'a> {
    /// Random bytes of the client.
    pub nonce_c: &'a Hex256,
    /// Random bytes of the worker.
    pub nonce_s: &'a Hex256,
    /// `127.0.0.1:PORT` as the client dialled it.
    pub authority: &'a str,
    /// The `Origin` header, if there was one.
    pub origin: Option<&'a str>,
    /// The secret in use.
    pub key_id: &'a KeyId,
}

/// The bytes of one side's proof.
#[must_use]
pub fn mac_transcript(label: MacLabel, context: &MacContext<'_>) -> Vec<u8> {
    transcript(&[
        label.as_str(),
        &context.nonce_c.to_string(),
        &context.nonce_s.to_string(),
        context.authority,
        context.origin.unwrap_or_default(),
        context.key_id.as_str(),
    ])
}

/// The bytes from which a paired client's own secret is made.
#[must_use]
pub fn pair_secret_transcript(nonce_c: &Hex256, nonce_s: &Hex256, instance: &InstanceId) -> Vec<u8> {
    transcript(&[
        "sidewire bridge 1 pairing",
        &nonce_c.to_string(),
        &nonce_s.to_string(),
        instance.as_str(),
    ])
}

fn transcript(fields: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(fields.iter().map(|field| field.len() + 4).sum());
    for field in fields {
        // No field of ours comes near 4 GiB: frames end at 16 MiB.
        let length = u32::try_from(field.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(field.as_bytes());
    }
    bytes
}
