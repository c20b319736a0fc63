//! Parts of files, as far as a client may ask for them (chat-worker.md §6.5).

use bytes::Bytes;
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::Asset;
use sidewire_contract::number::{ChunkLen, Count, Positive};

use super::blobs::BlobError;

/// What a client wants to read.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The file.
    pub(crate) reference: BlobRef,
    offset: u64,
    length: u64,
}

/// A part of a file.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The file.
    pub(crate) asset: Asset,
    /// Where the part begins.
    pub(crate) offset: u64,
    /// What is in it.
    pub(crate) bytes: Bytes,
}

/// Why a part cannot be had. A client is told one code for all of them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unavailable {
    /// No conversation of this client shows the file.
    #[error("the file was never announced to this client")]
    NotAnnounced,
    /// The part would begin behind the end.
    #[error("the file ends before that")]
    BehindTheEnd,
    /// The file cannot be had.
    #[error(transparent)]
    File(#[from] BlobError),
    /// The store failed.
    #[error("the reference could not be looked up")]
    Store(#[from] sidewire_agent::store::StoreError),
    /// The worker is ending.
    #[error("the worker is ending")]
    Ending,
}

impl Wanted {
    /// From `offset` (the start when absent) as much as asked for, at most a chunk.
    pub(crate) fn new(reference: BlobRef, offset: Option<Count>, length: Option<Positive>) -> Self {
        let most = u64::from(ChunkLen::MAX.get());
        Self {
            reference,
            offset: offset.map_or(0, Count::get),
            length: length.map_or(most, |length| length.get().min(most)),
        }
    }

    /// Which bytes of a file of `size` bytes that is; none at all when it begins right at the end.
    pub(super) fn range(&self, size: u64) -> Result<(u64, usize), Unavailable> {
        let left = size.checked_sub(self.offset).ok_or(Unavailable::BehindTheEnd)?;
        let length = usize::try_from(self.length.min(left)).map_err(|_| Unavailable::BehindTheEnd)?;
        Ok((self.offset, length))
    }
}

impl Part {
    /// Where the next part begins.
    pub(crate) fn next_offset(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }

    /// Whether nothing follows.
    pub(crate) fn is_last(&self) -> bool {
        self.next_offset() >= self.asset.bytes.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(offset: Option<u64>, length: Option<u64>, size: u64) -> Option<(u64, usize)> {
        let length = length.map(|length| Positive::new(length).unwrap());
        Wanted::new(BlobRef::from_sha256([0; 32]), offset.map(Count::from), length)
            .range(size)
            .ok()
    }

    /// chat-worker.md §6.5, "Vectors" and the rows above them.
    #[test]
    fn chat_worker_6_5_vectors() {
        assert_eq!(range(Some(1), Some(3), 6), Some((1, 3)));
        assert_eq!(range(Some(4), Some(99), 6), Some((4, 2)));
        assert_eq!(range(None, Some(1_000_000), 300_000), Some((0, 262_144)));
        assert_eq!(range(None, None, 300_000), Some((0, 262_144)));
        assert_eq!(range(Some(262_144), None, 300_000), Some((262_144, 37_856)));
        assert_eq!(range(Some(6), None, 6), Some((6, 0)), "at the end: an empty part");
        assert_eq!(range(Some(7), None, 6), None, "behind it: none");
        assert_eq!(range(Some(u64::MAX), Some(u64::MAX), 6), None);
    }
}
