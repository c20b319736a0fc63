//! Bytes on their way in: hashed while they are written, so that nothing of them is held twice.
//!
//! What was staged is in no one's way: it gets its name from its hash, and its place only from [`super::blobs`].

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write as _};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use sidewire_contract::ids::BlobRef;
use tempfile::{NamedTempFile, TempPath};

use super::intake::Share;

/// Why bytes were not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IncomingError {
    /// There is nothing in it.
    #[error("an empty file is no media")]
    Empty,
    /// It is longer than allowed.
    #[error("the media is longer than the {limit} bytes there are for it")]
    TooLarge {
        /// How many there are.
        limit: u64,
    },
    /// It does not fit beside all others.
    #[error(
        "it does not fit into the {quota} bytes for media beside what is there; delete conversations that show media"
    )]
    NoRoom {
        /// How many there are.
        quota: u64,
    },
    /// The disk said no.
    #[error("the media file could not be written")]
    Io(#[from] io::Error),
}

/// A file that grows.
pub(crate) struct Incoming {
    sink: Sink,
    hasher: Sha256,
    share: Share,
}

enum Sink {
    File(NamedTempFile),
    Memory(Vec<u8>),
}

impl Incoming {
    /// Writes to a file that has no place yet, as much as its share allows.
    pub(super) fn to_file(file: NamedTempFile, share: Share) -> Self {
        Self::to(Sink::File(file), share)
    }

    /// Keeps the bytes in memory, as many as their share allows.
    pub(super) fn to_memory(share: Share) -> Self {
        Self::to(Sink::Memory(Vec::new()), share)
    }

    fn to(sink: Sink, share: Share) -> Self {
        Self {
            sink,
            hasher: Sha256::new(),
            share,
        }
    }

    /// Takes more bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), IncomingError> {
        self.share.grow(bytes.len() as u64)?;
        self.hasher.update(bytes);
        match &mut self.sink {
            Sink::File(file) => file.write_all(bytes)?,
            Sink::Memory(held) => held.extend_from_slice(bytes),
        }
        Ok(())
    }

    /// Gives it its name. It may not be on the disk yet; see [`Staged::sync`].
    pub(crate) fn finish(self) -> Result<Staged, IncomingError> {
        if self.share.bytes() == 0 {
            return Err(IncomingError::Empty);
        }
        let kept = match self.sink {
            Sink::File(file) => Kept::File(file.into_temp_path()),
            Sink::Memory(held) => Kept::Memory(held.into()),
        };
        Ok(Staged {
            name: BlobRef::from_sha256(self.hasher.finalize().into()),
            len: self.share.bytes(),
            kept,
            _share: self.share,
        })
    }
}

/// A whole file that has no place yet; dropping it leaves no trace.
pub(crate) struct Staged {
    pub(super) name: BlobRef,
    pub(super) len: u64,
    pub(super) kept: Kept,
    /// Given back once the file has its place.
    _share: Share,
}

/// Where a staged file is.
pub(super) enum Kept {
    /// Beside its later place.
    File(TempPath),
    /// Nowhere on the disk.
    Memory(Bytes),
}

/// What can be read from any place.
pub(super) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

impl Staged {
    /// Waits until all of it is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        match &self.kept {
            Kept::File(path) => File::options().write(true).open(path)?.sync_all(),
            Kept::Memory(_) => Ok(()),
        }
    }

    /// Reads it from its beginning.
    pub(super) fn reader(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(match &self.kept {
            Kept::File(path) => Box::new(File::open(path)?),
            Kept::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::intake::Intake;
    use super::*;

    fn share(limit: u64) -> Share {
        Arc::new(Intake::new(1 << 20)).share(limit)
    }

    fn incoming(limit: u64) -> [Incoming; 2] {
        let file = NamedTempFile::new().unwrap();
        [
            Incoming::to_file(file, share(limit)),
            Incoming::to_memory(share(limit)),
        ]
    }

    #[test]
    fn a_file_is_named_after_its_bytes_however_they_came() {
        for mut file in incoming(6) {
            file.write(b"abc").unwrap();
            file.write(b"def").unwrap();
            let staged = file.finish().unwrap();
            assert_eq!(
                staged.name.as_str(),
                "blob:sha256:bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721"
            );
            let mut read = Vec::new();
            staged.reader().unwrap().read_to_end(&mut read).unwrap();
            assert_eq!((read.as_slice(), staged.len), (b"abcdef".as_slice(), 6));
        }
    }

    #[test]
    fn the_limit_holds_and_nothing_is_no_file() {
        for mut file in incoming(5) {
            file.write(b"abcde").unwrap();
            assert!(matches!(
                file.write(b"f"),
                Err(IncomingError::TooLarge { limit: 5 })
            ));
        }
        for file in incoming(5) {
            assert!(matches!(file.finish(), Err(IncomingError::Empty)));
        }
    }

    #[test]
    fn what_is_not_placed_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Incoming::to_file(NamedTempFile::new_in(folder.path()).unwrap(), share(9));
        file.write(b"x").unwrap();
        drop(file.finish().unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
