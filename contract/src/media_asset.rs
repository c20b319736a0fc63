//! The messages that announce media and read its files.
//!
//! The schema allows no unknown member here, so each struct names `type` although the enums of `frames` chose by it.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ids::{BlobRef, ChatId};
use crate::media::{Media, MimeType};
use crate::number::{ChunkLen, Count, Positive};
use crate::text::NonEmpty;
use crate::wire::present;

/// Adds a piece of media to an answer (`chat_media`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "ChatMediaObject")]
pub struct ChatMedia {
    /// Name of the turn.
    pub id: ChatId,
    /// The media.
    pub media: Media,
}

/// Reads a part of a file (`media_asset_read`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "MediaAssetReadObject", rename_all = "camelCase")]
pub struct MediaAssetRead {
    /// Names the request.
    pub request_id: NonEmpty,
    /// The file.
    #[serde(rename = "ref")]
    pub reference: BlobRef,
    /// Where to begin; at the start when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<Count>,
    /// How much to read; as much as a chunk may hold when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Positive>,
}

/// A part of a file (`media_asset_chunk`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "MediaAssetChunkObject", rename_all = "camelCase")]
pub struct MediaAssetChunk {
    /// Names the request.
    pub request_id: NonEmpty,
    /// The part.
    pub chunk: Chunk,
}

/// The bytes of a part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
pub struct Chunk {
    /// The file.
    #[serde(rename = "ref")]
    pub reference: BlobRef,
    /// What is in it.
    pub mime_type: MimeType,
    /// Where this part begins.
    pub offset: Count,
    /// Where the next part begins.
    pub next_offset: Count,
    /// Whether this is the last part.
    pub eof: bool,
    /// Number of bytes in this part.
    pub bytes: ChunkLen,
    /// The bytes in base64.
    pub data: String,
}

/// A part of a file cannot be had (`media_asset_error`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "MediaAssetErrorObject", rename_all = "camelCase")]
pub struct MediaAssetError {
    /// Names the request.
    pub request_id: NonEmpty,
    /// The one reason there is.
    pub error: AssetUnavailable,
}

/// The constant `asset-unavailable`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AssetUnavailable;

const UNAVAILABLE: &str = "asset-unavailable";

impl<'de> Deserialize<'de> for AssetUnavailable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::read_text(deserializer, |text| {
            if text == UNAVAILABLE {
                Ok(Self)
            } else {
                Err("expected asset-unavailable")
            }
        })
    }
}

impl Serialize for AssetUnavailable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(UNAVAILABLE)
    }
}

#[derive(Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct ChatMediaObject {
    #[serde(rename = "type")]
    _type: IgnoredAny,
    id: ChatId,
    media: Media,
}

#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct MediaAssetReadObject {
    #[serde(rename = "type")]
    _type: IgnoredAny,
    request_id: NonEmpty,
    #[serde(rename = "ref")]
    reference: BlobRef,
    #[serde(default, deserialize_with = "present")]
    offset: Option<Count>,
    #[serde(default, deserialize_with = "present")]
    length: Option<Positive>,
}

#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct MediaAssetChunkObject {
    #[serde(rename = "type")]
    _type: IgnoredAny,
    request_id: NonEmpty,
    chunk: Chunk,
}

#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct MediaAssetErrorObject {
    #[serde(rename = "type")]
    _type: IgnoredAny,
    request_id: NonEmpty,
    error: AssetUnavailable,
}

objects!(Chunk);
read_objects!(
    ChatMediaObject,
    MediaAssetReadObject,
    MediaAssetChunkObject,
    MediaAssetErrorObject
);

impl From<ChatMediaObject> for ChatMedia {
    fn from(object: ChatMediaObject) -> Self {
        Self {
            id: object.id,
            media: object.media,
        }
    }
}

impl From<MediaAssetReadObject> for MediaAssetRead {
    fn from(object: MediaAssetReadObject) -> Self {
        let MediaAssetReadObject {
            request_id,
            reference,
            offset,
            length,
            ..
        } = object;
        Self {
            request_id,
            reference,
            offset,
            length,
        }
    }
}

impl From<MediaAssetChunkObject> for MediaAssetChunk {
    fn from(object: MediaAssetChunkObject) -> Self {
        Self {
            request_id: object.request_id,
            chunk: object.chunk,
        }
    }
}

impl From<MediaAssetErrorObject> for MediaAssetError {
    fn from(object: MediaAssetErrorObject) -> Self {
        Self {
            request_id: object.request_id,
            error: object.error,
        }
    }
}
