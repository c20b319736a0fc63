//! `media_asset_read`: a part of a file, or one code for every reason why there is none (chat-worker.md §6.5).
//!
//! Reads wait in a line of their own, so that no other frame waits behind them, and are served beside the connection,
//! a few at a time; what is ready waits in the writer until everything that belongs to turns has left.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use sidewire_contract::bridge::handshake::{BridgeError, BridgeErrorCode};
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::media_asset::{
    AssetUnavailable, Chunk, MediaAssetChunk, MediaAssetError, MediaAssetRead,
};
use sidewire_contract::number::{ChunkLen, Count};
use sidewire_contract::text::NonEmpty;
use tokio::sync::{mpsc, oneshot};

use super::desk::Desk;
use super::writer::Post;
use crate::media::{Part, Unavailable, Wanted};

/// Reads of one connection at once, each from its look-up until its part has left.
const READS: usize = 4;
/// Reads that wait behind them; one more cannot be had.
const WAITING: usize = 256;
/// Most bytes of a request's name: a part is sent under it, and both have to fit one frame.
const NAME: usize = 1024;
/// What stands behind the data of a part.
const CLOSING: &str = "\"}}";

/// The line of a connection's reads; clones are the same line.
#[derive(Clone)]
pub(super) struct Reads(mpsc::Sender<Read>);

/// A read that waits, for whoever asked.
pub(super) struct Read {
    desk: Arc<Desk>,
    read: MediaAssetRead,
}

/// A part on its way, as text. Its place is free again once it is dropped.
pub(super) struct ReadyPart {
    pub(super) text: String,
    _place: oneshot::Sender<()>,
}

impl Reads {
    /// An empty line and its other end, which is for [`serve`].
    pub(super) fn new() -> (Self, mpsc::Receiver<Read>) {
        let (line, reads) = mpsc::channel(WAITING);
        (Self(line), reads)
    }
}

/// Serves the reads of a connection in the order they came.
pub(super) async fn serve(reads: mpsc::Receiver<Read>) {
    let reads = stream::unfold(reads, async |mut reads| Some((reads.recv().await?, reads)));
    let serving =
        reads.for_each_concurrent(
            READS,
            |Read { desk, read }| async move { desk.read_media(read).await },
        );
    serving.await;
}

impl Desk {
    /// Puts a read into the line; gives what is to be answered at once instead.
    pub(super) fn queue_read(self: &Arc<Self>, read: MediaAssetRead) -> Option<WorkerFrame> {
        if read.request_id.as_str().len() > NAME {
            return Some(name_too_long());
        }
        let request_id = read.request_id.clone();
        let desk = Arc::clone(self);
        let queued = self.reads().0.try_send(Read { desk, read });
        queued.is_err().then(|| unavailable(request_id))
    }

    /// Answers one read, and waits until the answer has left.
    async fn read_media(&self, read: MediaAssetRead) {
        let MediaAssetRead {
            request_id,
            reference,
            offset,
            length,
        } = read;
        let whose = (self.client.agent.store(), &self.client.owner);
        let wanted = Wanted::new(reference, offset, length);
        let name = request_id.clone();
        let text = self
            .front
            .library
            .read(whose, wanted, move |part| encode(name, &part))
            .await;
        match text {
            Ok(text) => {
                let (place, left) = oneshot::channel();
                let part = ReadyPart { text, _place: place };
                self.post(Post::Part(Box::new(part))).await;
                // Nothing is ever sent: the part ends the waiting when it is dropped.
                let _left = left.await;
            }
            Err(reason) => {
                if let Unavailable::File(fault) = &reason {
                    tracing::warn!(%fault, "an announced media file cannot be given");
                } else {
                    tracing::debug!(%reason, "a media file was not given");
                }
                self.send(unavailable(request_id)).await;
            }
        }
    }
}

/// There is no such part, for whatever reason.
pub(super) fn unavailable(request_id: NonEmpty) -> WorkerFrame {
    WorkerFrame::MediaAssetError(MediaAssetError {
        request_id,
        error: AssetUnavailable,
    })
}

fn name_too_long() -> WorkerFrame {
    WorkerFrame::BridgeError(BridgeError {
        code: BridgeErrorCode::BadFrame,
        message: format!("a requestId takes at most {NAME} bytes"),
    })
}

/// The frame of a part, its data written straight into it.
fn encode(request_id: NonEmpty, part: &Part) -> String {
    let len = u32::try_from(part.bytes.len()).ok().and_then(ChunkLen::new);
    let frame = WorkerFrame::MediaAssetChunk(MediaAssetChunk {
        request_id,
        chunk: Chunk {
            reference: part.asset.reference.clone(),
            mime_type: part.asset.mime_type,
            offset: Count::from(part.offset),
            next_offset: Count::from(part.next_offset()),
            eof: part.is_last(),
            bytes: len.unwrap_or(ChunkLen::MAX),
            data: String::new(),
        },
    });
    let mut text = frame.encode();
    // The data is the last member: `the_data_is_written_where_it_belongs` holds the contract to it.
    text.truncate(text.len() - CLOSING.len());
    text.reserve_exact(base64_simd::STANDARD.encoded_length(part.bytes.len()) + CLOSING.len());
    base64_simd::STANDARD.encode_append(&part.bytes, &mut text);
    text.push_str(CLOSING);
    text
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use sidewire_contract::ids::BlobRef;
    use sidewire_contract::limits;
    use sidewire_contract::media::{Asset, MimeType};
    use sidewire_contract::number::Positive;

    use super::*;

    fn part(bytes: &[u8], offset: u64, size: u64) -> Part {
        Part {
            asset: Asset {
                reference: BlobRef::from_sha256([7; 32]),
                mime_type: MimeType::Png,
                bytes: Positive::new(size).unwrap(),
            },
            offset,
            bytes: Bytes::copy_from_slice(bytes),
        }
    }

    fn encoded(part: &Part) -> MediaAssetChunk {
        let text = encode(NonEmpty::clipped("media-1"), part);
        match WorkerFrame::decode(&text) {
            Ok(WorkerFrame::MediaAssetChunk(chunk)) => chunk,
            other => panic!("{other:?}: {text}"),
        }
    }

    #[test]
    fn the_data_is_written_where_it_belongs() {
        let whole = encoded(&part(b"img", 0, 3));
        assert_eq!(whole.request_id.as_str(), "media-1");
        assert_eq!(whole.chunk.data, "aW1n");
        assert_eq!((whole.chunk.bytes.get(), whole.chunk.eof), (3, true));
        let middle = encoded(&part(b"bcd", 1, 6));
        assert_eq!(
            (middle.chunk.offset.get(), middle.chunk.next_offset.get()),
            (1, 4)
        );
        assert!(!middle.chunk.eof);
        let end = encoded(&part(b"", 6, 6));
        assert_eq!(
            (end.chunk.data.as_str(), end.chunk.bytes.get(), end.chunk.eof),
            ("", 0, true)
        );
    }

    #[test]
    fn the_largest_part_under_the_longest_name_fits_a_frame() {
        let len = usize::try_from(ChunkLen::MAX.get()).unwrap();
        // Each of these takes six bytes in JSON.
        let name = NonEmpty::clipped(&"\u{1}".repeat(NAME));
        let text = encode(name, &part(&vec![1; len], u64::MAX / 2, u64::MAX));
        assert!(text.len() <= limits::BROWSER_FRAME, "{}", text.len());
    }
}
