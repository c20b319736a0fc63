//! Where the files of a store's conversations are: in the folder of the worker, or in memory for private windows.
//! Everything here may wait for the disk.

use std::io::{self, Cursor};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use sidewire_agent::store::{MemoryFiles, Store};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::Asset;

use super::blobs::{BlobError, BlobFolder};
use super::ffmpeg::InputPlace;
use super::incoming::{Incoming, IncomingError, Kept, ReadSeek, Staged};

/// One of the two.
#[derive(Clone)]
pub(super) enum Files {
    Folder(Arc<BlobFolder>),
    Memory(Arc<MemoryFiles>),
}

impl Files {
    /// Those of a store: one that writes nothing keeps its files itself.
    pub(super) fn of(store: &Store, folder: &Arc<BlobFolder>) -> Self {
        match store.memory_files() {
            Some(memory) => Self::Memory(memory),
            None => Self::Folder(Arc::clone(folder)),
        }
    }

    /// Begins a file of at most `limit` bytes.
    pub(super) fn incoming(&self, limit: u64) -> Result<Incoming, IncomingError> {
        match self {
            Self::Folder(folder) => folder.incoming(limit),
            Self::Memory(_) => Ok(Incoming::to_memory(limit)),
        }
    }

    /// A whole file from bytes that are here already.
    pub(super) fn stage(&self, bytes: &[u8], limit: u64) -> Result<Staged, IncomingError> {
        let mut incoming = self.incoming(limit)?;
        incoming.write(bytes)?;
        incoming.finish()
    }

    /// Gives staged files their places, durably.
    pub(super) fn place(&self, staged: impl IntoIterator<Item = Staged>) -> Result<(), BlobError> {
        for Staged { name, kept, .. } in staged {
            match (self, kept) {
                (Self::Folder(folder), Kept::File(file)) => folder.place(&name, file)?,
                (Self::Memory(memory), Kept::Memory(bytes)) => {
                    if !memory.put(name, bytes) {
                        return Err(io::Error::from(io::ErrorKind::StorageFull).into());
                    }
                }
                // A file that was staged for the other kind of store.
                (Self::Memory(_), Kept::File(_)) | (Self::Folder(_), Kept::Memory(_)) => {
                    return Err(BlobError::Missing);
                }
            }
        }
        match self {
            Self::Folder(folder) => folder.sync(),
            Self::Memory(_) => Ok(()),
        }
    }

    /// Reads `len` bytes from `offset` on.
    pub(super) fn read(&self, asset: &Asset, (offset, len): (u64, usize)) -> Result<Bytes, BlobError> {
        match self {
            Self::Folder(folder) => {
                let mut blob = folder.read(&asset.reference, asset.bytes.get())?;
                Ok(blob.read_at(offset, len)?.into())
            }
            Self::Memory(memory) => {
                let file = memory.get(&asset.reference).ok_or(BlobError::Missing)?;
                let begin = usize::try_from(offset).map_err(|_| BlobError::Damaged)?;
                let end = begin.saturating_add(len);
                if file.len() as u64 == asset.bytes.get() && end <= file.len() {
                    Ok(file.slice(begin..end))
                } else {
                    Err(BlobError::Damaged)
                }
            }
        }
    }

    /// Reads a whole file of at most `most` bytes.
    pub(super) fn read_whole(&self, name: &BlobRef, most: u64) -> Result<Bytes, BlobError> {
        match self {
            Self::Folder(folder) => folder.read_whole(name, most).map(Bytes::from),
            Self::Memory(memory) => memory
                .get(name)
                .filter(|file| file.len() as u64 <= most)
                .ok_or(BlobError::Missing),
        }
    }

    /// A reader of a file that has its place.
    pub(super) fn reader(&self, asset: &Asset) -> Result<Box<dyn ReadSeek>, BlobError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(folder.read(&asset.reference, asset.bytes.get())?.into_file()?),
            Self::Memory(memory) => Box::new(Cursor::new(
                memory.get(&asset.reference).ok_or(BlobError::Missing)?,
            )),
        })
    }

    /// Where a decoder finds a file that has its place.
    pub(super) fn decoder_input(&self, name: &BlobRef) -> Option<InputPlace> {
        match self {
            Self::Folder(folder) => Some(InputPlace::File(folder.path(name))),
            Self::Memory(memory) => memory.get(name).map(InputPlace::Memory),
        }
    }

    /// Names of all files; takes away what dead processes left.
    pub(super) fn tidy(&self) -> io::Result<Vec<BlobRef>> {
        match self {
            Self::Folder(folder) => {
                folder.remove_leftovers()?;
                folder.names()
            }
            Self::Memory(memory) => Ok(memory.names()),
        }
    }

    /// Removes a file that nobody shows.
    pub(super) fn remove(&self, name: &BlobRef) {
        match self {
            Self::Folder(folder) => folder.remove(name),
            Self::Memory(memory) => memory.remove(name),
        }
    }
}

impl Staged {
    /// Where a decoder finds it.
    pub(super) fn decoder_input(&self) -> InputPlace {
        match &self.kept {
            Kept::File(path) => InputPlace::File(PathBuf::from(&**path)),
            Kept::Memory(bytes) => InputPlace::Memory(bytes.clone()),
        }
    }
}
