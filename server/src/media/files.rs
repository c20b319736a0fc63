//! Where the files of a store's conversations are: in the folder of the worker, or in memory for private windows.
//! Everything here may wait for the disk.

use std::io::{self, Cursor};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use sidewire_agent::store::{MEMORY_FILE_BYTES, MemoryFiles, PlaceError, Store};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::Asset;

use super::blobs::{BlobError, BlobFolder};
use super::ffmpeg::InputPlace;
use super::incoming::{Incoming, IncomingError, Kept, ReadSeek, Staged};
use super::intake::Intake;

/// The files of a store's conversations. Cheap to clone.
#[derive(Clone)]
pub(super) struct Files {
    kept: Keeper,
    intake: Arc<Intake>,
}

/// One of the two.
#[derive(Clone)]
enum Keeper {
    Folder(Arc<BlobFolder>),
    Memory(Arc<MemoryFiles>),
}

/// What all stores share: the folder, and room for what comes in.
pub(super) struct Shelves {
    pub(super) folder: Arc<BlobFolder>,
    pub(super) intake: Arc<Intake>,
    /// Room for what comes into all private windows at once.
    pub(super) private_intake: Arc<Intake>,
}

impl Shelves {
    /// Empty ones, of which the folder may take `quota` bytes.
    pub(super) fn new(folder: BlobFolder, quota: u64) -> Self {
        Self {
            folder: Arc::new(folder),
            intake: Arc::new(Intake::new(quota)),
            private_intake: Arc::new(Intake::new(MEMORY_FILE_BYTES as u64)),
        }
    }
}

impl Files {
    /// Those of a store: one that writes nothing keeps its files itself.
    pub(super) fn of(store: &Store, shelves: &Shelves) -> Self {
        let (kept, intake) = match store.memory_files() {
            Some(memory) => (Keeper::Memory(memory), &shelves.private_intake),
            None => (Keeper::Folder(Arc::clone(&shelves.folder)), &shelves.intake),
        };
        Self {
            kept,
            intake: Arc::clone(intake),
        }
    }

    /// Most bytes of all of them.
    pub(super) fn quota(&self) -> u64 {
        self.intake.quota()
    }

    /// Takes note of how many bytes conversations show.
    pub(super) fn note_shown(&self, bytes: u64) {
        // Private windows share no more than what comes in; each knows for itself what it shows.
        if let Keeper::Folder(_) = &self.kept {
            self.intake.set_shown(bytes);
        }
    }

    /// How much may still come in.
    pub(super) fn room(&self) -> u64 {
        match &self.kept {
            Keeper::Folder(_) => self.intake.left(),
            Keeper::Memory(memory) => self.intake.left().min(memory_left(memory)),
        }
    }

    /// Begins a file of at most `limit` bytes.
    pub(super) fn incoming(&self, limit: u64) -> Result<Incoming, IncomingError> {
        match &self.kept {
            Keeper::Folder(folder) => folder.incoming(self.intake.share(limit)),
            Keeper::Memory(memory) => {
                let share = self.intake.share(limit.min(memory_left(memory)));
                Ok(Incoming::to_memory(share))
            }
        }
    }

    /// A whole file from bytes that are here already.
    pub(super) fn stage(&self, bytes: &[u8], limit: u64) -> Result<Staged, IncomingError> {
        let mut incoming = self.incoming(limit)?;
        incoming.write(bytes)?;
        incoming.finish()
    }

    /// Does what takes long before staged files get their places: waits until they are on the disk, and hashes those
    /// that are there already.
    pub(super) fn prepare(&self, staged: &[Staged]) -> io::Result<()> {
        for staged in staged {
            staged.sync()?;
            if let Keeper::Folder(folder) = &self.kept {
                folder.look_ahead(&staged.name);
            }
        }
        Ok(())
    }

    /// Gives staged files their places, durably.
    pub(super) fn place(&self, staged: impl IntoIterator<Item = Staged>) -> Result<(), PlaceError> {
        for Staged { name, kept, .. } in staged {
            match (&self.kept, kept) {
                (Keeper::Folder(folder), Kept::File(file)) => folder.place(&name, file).map_err(unplaced)?,
                (Keeper::Memory(memory), Kept::Memory(bytes)) => {
                    if !memory.put(name, bytes) {
                        return Err(PlaceError::Full);
                    }
                }
                // A file that was staged for the other kind of store.
                (Keeper::Memory(_), Kept::File(_)) | (Keeper::Folder(_), Kept::Memory(_)) => {
                    return Err(unplaced(BlobError::Missing));
                }
            }
        }
        match &self.kept {
            Keeper::Folder(folder) => folder.sync().map_err(unplaced),
            Keeper::Memory(_) => Ok(()),
        }
    }

    /// Reads `len` bytes from `offset` on.
    pub(super) fn read(&self, asset: &Asset, (offset, len): (u64, usize)) -> Result<Bytes, BlobError> {
        match &self.kept {
            Keeper::Folder(folder) => {
                let mut blob = folder.read(&asset.reference, asset.bytes.get())?;
                Ok(blob.read_at(offset, len)?.into())
            }
            Keeper::Memory(memory) => {
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
        match &self.kept {
            Keeper::Folder(folder) => folder.read_whole(name, most).map(Bytes::from),
            Keeper::Memory(memory) => memory
                .get(name)
                .filter(|file| file.len() as u64 <= most)
                .ok_or(BlobError::Missing),
        }
    }

    /// A reader of a file that has its place.
    pub(super) fn reader(&self, asset: &Asset) -> Result<Box<dyn ReadSeek>, BlobError> {
        Ok(match &self.kept {
            Keeper::Folder(folder) => {
                Box::new(folder.read(&asset.reference, asset.bytes.get())?.into_file()?)
            }
            Keeper::Memory(memory) => Box::new(Cursor::new(
                memory.get(&asset.reference).ok_or(BlobError::Missing)?,
            )),
        })
    }

    /// Where a decoder finds a file that has its place.
    pub(super) fn decoder_input(&self, name: &BlobRef) -> Option<InputPlace> {
        match &self.kept {
            Keeper::Folder(folder) => Some(InputPlace::File(folder.path(name))),
            Keeper::Memory(memory) => memory.get(name).map(InputPlace::Memory),
        }
    }

    /// Names of all files; takes away what dead processes left.
    pub(super) fn tidy(&self) -> io::Result<Vec<BlobRef>> {
        match &self.kept {
            Keeper::Folder(folder) => {
                folder.remove_leftovers()?;
                folder.names()
            }
            Keeper::Memory(memory) => Ok(memory.names()),
        }
    }

    /// Whether there is a file of this name.
    pub(super) fn has(&self, name: &BlobRef) -> bool {
        match &self.kept {
            Keeper::Folder(folder) => folder.has(name),
            Keeper::Memory(memory) => memory.get(name).is_some(),
        }
    }

    /// Removes a file that nobody shows.
    pub(super) fn remove(&self, name: &BlobRef) {
        match &self.kept {
            Keeper::Folder(folder) => folder.remove(name),
            Keeper::Memory(memory) => memory.remove(name),
        }
    }
}

fn memory_left(memory: &MemoryFiles) -> u64 {
    MEMORY_FILE_BYTES.saturating_sub(memory.bytes()) as u64
}

fn unplaced(error: BlobError) -> PlaceError {
    match error {
        BlobError::Io(source) => source.into(),
        other => io::Error::other(other).into(),
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
