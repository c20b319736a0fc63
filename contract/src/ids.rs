//! Names of things that more than one process knows; each constructor holds the pattern of the schema.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

use crate::text::{Text, TextError};

/// Names one turn; made by the panel, begins with `c-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChatId(String);
checked_text!(ChatId, "a turn id that begins with c-", |text| text
    .starts_with("c-"));

/// What stands before the hash in a blob reference.
const BLOB_SCHEME: &str = "blob:sha256:";

/// Names a media file by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobRef(String);
checked_text!(BlobRef, "a blob reference", |text| text
    .strip_prefix(BLOB_SCHEME)
    .is_some_and(|hash| is_hex(hash, 64)));

impl BlobRef {
    /// The reference of a file with this SHA-256.
    #[must_use]
    pub fn from_sha256(hash: [u8; 32]) -> Self {
        Self(format!("{BLOB_SCHEME}{}", Hex256(hash)))
    }

    /// The reference of a file whose SHA-256 is written as 64 lower-case hex digits.
    pub fn from_hash(hash: &str) -> Result<Self, TextError> {
        Self::new(format!("{BLOB_SCHEME}{hash}"))
    }

    /// The SHA-256 of the file, as 64 lower-case hex digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        self.0.strip_prefix(BLOB_SCHEME).unwrap_or_default()
    }
}

/// Names one media message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MediaId(String);
checked_text!(MediaId, "a media id", |text| text
    .strip_prefix("media_")
    .is_some_and(|rest| is_hex(rest, 24)));

/// Which account or tenant a conversation belongs to; not empty, otherwise opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey(String);
checked_text!(SessionKey, "a session key that is not empty", |text| !text
    .is_empty());

/// Names a conversation; minted by the worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationId(String);
checked_text!(ConversationId, "a lower-case UUID", is_uuid);

/// Names one installed client, such as a browser profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(String);
checked_text!(InstanceId, "a lower-case UUID", is_uuid);

/// Names one run of a browser, from start to quit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BrowserRun(String);
checked_text!(BrowserRun, "a lower-case UUID", is_uuid);

impl ConversationId {
    /// The id with these 128 bits.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid_text(bytes))
    }
}

impl InstanceId {
    /// The id with these 128 bits.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid_text(bytes))
    }
}

impl BrowserRun {
    /// The id with these 128 bits.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid_text(bytes))
    }
}

/// Names the secret of a connection: `local`, `pair-…` (single use) or `key-…` (one per paired client).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(String);
checked_text!(KeyId, "a key id", is_key_id);

impl KeyId {
    /// The id of the secret that lies in the person's own folder.
    #[must_use]
    pub fn local() -> Self {
        Self("local".to_owned())
    }

    /// A pairing id from random bytes; it names the secret and is none.
    #[must_use]
    pub fn pairing(random: [u8; 8]) -> Self {
        Self(format!("pair-{}", base36(&random)))
    }

    /// The id of a paired client's key from random bytes; it names the secret and is none.
    #[must_use]
    pub fn client(random: [u8; 16]) -> Self {
        Self(format!("key-{}", base36(&random)))
    }

    /// Whether this is the secret in the person's own folder.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.0 == "local"
    }

    /// Whether this is a single-use pairing secret.
    #[must_use]
    pub fn is_pairing(&self) -> bool {
        self.0.starts_with("pair-")
    }
}

/// Names a request of a client, which its answer repeats.
pub type RequestId = Text<64>;

/// Where a paged list goes on; only the worker reads it.
pub type Cursor = Text<256>;

/// 32 bytes, written as 64 lower-case hex digits: a nonce or a MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hex256([u8; 32]);

impl Hex256 {
    /// Wraps the bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes. Compare secrets in constant time, not with `==`.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Hex256 {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let error = TextError::new("64 lower-case hex digits");
        if !is_hex(text, 64) {
            return Err(error);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = str::from_utf8(pair).map_err(|_| error)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| error)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Hex256 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl<'de> Deserialize<'de> for Hex256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::read_text(deserializer, str::parse)
    }
}

impl Serialize for Hex256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_uuid(text: &str) -> bool {
    let mut groups = text.split('-');
    let shape = [8, 4, 4, 4, 12]
        .iter()
        .all(|&length| groups.next().is_some_and(|group| is_hex(group, length)));
    shape && groups.next().is_none()
}

fn is_key_id(text: &str) -> bool {
    let of = |rest: &str, length| {
        rest.len() == length
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text == "local"
        || text.strip_prefix("pair-").is_some_and(|rest| of(rest, 8))
        || text.strip_prefix("key-").is_some_and(|rest| of(rest, 16))
}

fn uuid_text(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.extend(
            [byte >> 4, byte & 15]
                .into_iter()
                .filter_map(|digit| char::from_digit(digit.into(), 16)),
        );
    }
    text
}

fn base36(bytes: &[u8]) -> String {
    bytes
        .iter()
        .filter_map(|byte| char::from_digit(u32::from(byte % 36), 36))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_hold_the_patterns() {
        assert!(ChatId::new("c-").is_ok() && ChatId::new("C-1").is_err());
        assert!(BlobRef::new(format!("blob:sha256:{}", "a".repeat(64))).is_ok());
        assert!(BlobRef::new(format!("blob:sha256:{}", "A".repeat(64))).is_err());
        assert!(MediaId::new(format!("media_{}", "0".repeat(24))).is_ok());
        assert!(MediaId::new(format!("media_{}", "0".repeat(23))).is_err());
        assert!(SessionKey::new("").is_err());
        assert!(ConversationId::new("11111111-2222-4333-8444-555555555555").is_ok());
        assert!(ConversationId::new("11111111-2222-4333-8444-55555555555").is_err());
        assert!(ConversationId::new("11111111-2222-4333-8444-555555555555-").is_err());
        assert!(ConversationId::new("11111111-2222-4333-8444-55555555555F").is_err());
        assert!(KeyId::new("pair-abcd1234").is_ok() && KeyId::new("pair-abcd123").is_err());
        assert!(KeyId::new("key-0123456789abcdef").is_ok() && KeyId::new("key-0123").is_err());
    }

    #[test]
    fn made_ids_hold_the_patterns() {
        let random = [255; 16];
        assert!(ConversationId::new(ConversationId::from_bytes(random).as_str()).is_ok());
        assert!(KeyId::new(KeyId::client(random).as_str()).is_ok());
        assert!(KeyId::new(KeyId::pairing([7; 8]).as_str()).is_ok_and(|id| id.is_pairing()));
        assert!(BlobRef::new(BlobRef::from_sha256([0xab; 32]).as_str()).is_ok());
    }

    #[test]
    fn a_blob_reference_is_its_hash() {
        let blob = BlobRef::from_sha256([0xab; 32]);
        assert_eq!(blob.hash(), "ab".repeat(32));
        assert_eq!(BlobRef::from_hash(blob.hash()).as_ref(), Ok(&blob));
        for hash in ["", "AB", blob.as_str(), "../../etc/passwd"] {
            assert!(BlobRef::from_hash(hash).is_err(), "{hash}");
        }
    }

    #[test]
    fn hex_goes_both_ways() {
        let bytes: [u8; 32] = std::array::from_fn(|index| u8::try_from(index * 8).unwrap());
        let hex = Hex256::from_bytes(bytes);
        assert_eq!(hex.to_string().parse(), Ok(hex));
        assert!("AA".repeat(32).parse::<Hex256>().is_err());
        assert!("+a".repeat(32).parse::<Hex256>().is_err());
    }
}
