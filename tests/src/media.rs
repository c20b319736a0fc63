//! Pictures that a scripted client makes, and the loop with which a panel reads them again.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use sha2::{Digest, Sha256};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::Asset;
use sidewire_contract::media_asset::{Chunk, MediaAssetRead};
use sidewire_contract::number::{Count, Positive};
use sidewire_contract::text::NonEmpty;

use crate::{Peer, settle};

/// A PNG of 30 by 20 pixels that is as long as its filling makes it. Only its structure is right.
///
/// # Panics
/// When the filling is longer than any picture.
#[must_use]
pub fn png(filling: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], body: &[u8]| {
        let len = u32::try_from(body.len()).expect("a picture of usual size");
        [&len.to_be_bytes(), kind.as_slice(), body, &[0; 4]].concat()
    };
    let header = [&30_u32.to_be_bytes()[..], &20_u32.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &header),
        chunk(b"IDAT", filling),
        chunk(b"IEND", b""),
    ]
    .concat()
}

/// What a file with these bytes is called.
#[must_use]
pub fn reference(bytes: &[u8]) -> BlobRef {
    BlobRef::from_sha256(Sha256::digest(bytes).into())
}

/// A result that is a picture, as a frame.
#[must_use]
pub fn picture_result(id: &str, png: &[u8]) -> String {
    let block = json!({ "type": "image", "mimeType": "image/png", "data": BASE64_STANDARD.encode(png) });
    settle(id, &json!({ "result": { "content": [block] } }))
}

/// Asks for a part of a file.
///
/// # Panics
/// When the length is zero.
#[must_use]
pub fn media_read(request: &str, file: &BlobRef, offset: usize, length: Option<u64>) -> ClientFrame {
    ClientFrame::MediaAssetRead(MediaAssetRead {
        request_id: NonEmpty::new(request).expect("a name"),
        reference: file.clone(),
        offset: Some(Count::from(offset)),
        length: length.map(|length| Positive::new(length).expect("some bytes")),
    })
}

/// The bytes of a part, which must be what it says of itself.
///
/// # Panics
/// When a part contradicts itself or its file.
#[must_use]
pub fn part(chunk: &Chunk, asset: &Asset) -> Vec<u8> {
    let bytes = BASE64_STANDARD.decode(&chunk.data).expect("base64");
    assert_eq!(
        (&chunk.reference, chunk.mime_type),
        (&asset.reference, asset.mime_type)
    );
    assert_eq!(u64::from(chunk.bytes.get()), bytes.len() as u64);
    assert_eq!(chunk.next_offset.get(), chunk.offset.get() + bytes.len() as u64);
    assert_eq!(chunk.eof, chunk.next_offset.get() >= asset.bytes.get());
    bytes
}

/// Reads a file as a panel does, part by part; nothing when it cannot be had.
///
/// # Panics
/// When something else is answered, or the bytes are not those of the name.
pub async fn read_media(peer: &mut impl Peer, asset: &Asset) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let request = format!("read-{}", bytes.len());
        match peer
            .call(media_read(&request, &asset.reference, bytes.len(), None))
            .await
        {
            WorkerFrame::MediaAssetChunk(answer) => {
                assert_eq!(answer.request_id.as_str(), request);
                assert_eq!(answer.chunk.offset.get(), bytes.len() as u64);
                bytes.extend(part(&answer.chunk, asset));
                if answer.chunk.eof {
                    break;
                }
            }
            WorkerFrame::MediaAssetError(answer) => {
                assert_eq!(answer.request_id.as_str(), request);
                return None;
            }
            other => panic!("no answer to a read: {other:?}"),
        }
    }
    assert_eq!(bytes.len() as u64, asset.bytes.get());
    assert_eq!(reference(&bytes), asset.reference);
    Some(bytes)
}
