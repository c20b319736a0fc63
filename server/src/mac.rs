//! HMAC-SHA-256 of the bridge handshake; what it is computed over is the contract's
//! ([`sidewire_contract::bridge::mac`]).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Length of every secret, in bytes.
pub(crate) const SECRET_BYTES: usize = 32;
/// A shared secret.
pub(crate) type Secret = [u8; SECRET_BYTES];

/// The MAC of a transcript.
pub(crate) fn sign(secret: &Secret, transcript: &[u8]) -> [u8; 32] {
    keyed(secret, transcript).finalize().into_bytes().into()
}

/// Whether `mac` is the MAC of a transcript, in constant time.
pub(crate) fn verify(secret: &Secret, transcript: &[u8], mac: &[u8; 32]) -> bool {
    keyed(secret, transcript).verify_slice(mac).is_ok()
}

fn keyed(secret: &Secret, transcript: &[u8]) -> Hmac<Sha256> {
    // A key of exactly this length fits the block, so it is taken as it is.
    let mut block = [0; 64];
    for (place, byte) in block.iter_mut().zip(secret) {
        *place = *byte;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
    mac.update(transcript);
    mac
}
