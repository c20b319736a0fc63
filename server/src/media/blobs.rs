//! Files named by the hash of their bytes, in one private folder.
//!
//! A file is never changed: it is written elsewhere, flushed and renamed into its place. Whoever reads it gets what
//! its name promises or an error: its bytes are hashed when it is first opened, and again whenever the file is not
//! the one that was hashed.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use sidewire_contract::ids::BlobRef;
use tempfile::TempPath;

use super::incoming::{Incoming, IncomingError};
use super::intake::Share;
use crate::private_file::{PrivateFileError, new_private_file, open_private, private_folder, sync_folder};

/// A file without a name that nobody has written to for so long is of a dead process.
const LEFT_OVER: Duration = Duration::from_secs(60 * 60);
/// Files whose state is remembered; beyond it everything is hashed again.
const KNOWN_FILES: usize = 4096;
const HASH_BUFFER: usize = 256 * 1024;

/// Why a file cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BlobError {
    /// It is not there.
    #[error("the media file is gone")]
    Missing,
    /// Its bytes are not those of its name.
    #[error("the media file is damaged")]
    Damaged,
    /// It is not private, or the system refused.
    #[error("the media file cannot be used")]
    File(#[from] PrivateFileError),
    /// The disk said no.
    #[error("the media file cannot be read")]
    Io(#[from] io::Error),
}

/// A folder of files.
pub(super) struct BlobFolder {
    folder: PathBuf,
    // A std mutex: lookups and inserts only.
    hashed: Mutex<HashMap<BlobRef, FileState>>,
}

/// A file whose bytes are those of its name.
pub(super) struct OpenBlob {
    file: File,
    state: FileState,
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    len: u64,
    modified: Option<SystemTime>,
    inode: [u64; 4],
}

impl BlobFolder {
    /// Opens or creates the folder.
    pub(super) fn open(folder: PathBuf) -> Result<Self, PrivateFileError> {
        private_folder(&folder)?;
        Ok(Self {
            folder,
            hashed: Mutex::default(),
        })
    }

    /// Begins a file.
    pub(super) fn incoming(&self, share: Share) -> Result<Incoming, IncomingError> {
        let file = new_private_file(&self.folder).map_err(io::Error::other)?;
        Ok(Incoming::to_file(file, share))
    }

    /// Looks at a file that is there already, so that it need not be hashed when its place is given.
    pub(super) fn look_ahead(&self, name: &BlobRef) {
        // Whatever is wrong with it shows when its place is given.
        let _whole_or_not = self.open_whole(name);
    }

    /// Whether there is a file of this name, whole or not.
    pub(super) fn has(&self, name: &BlobRef) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    /// Gives a staged file its place; one that is there already and whole stays. Durable after [`Self::sync`].
    pub(super) fn place(&self, name: &BlobRef, file: TempPath) -> Result<(), BlobError> {
        if self.open_whole(name).is_ok() {
            return Ok(());
        }
        let path = self.path(name);
        file.persist(&path).map_err(|error| error.error)?;
        let state = FileState::of(&fs::symlink_metadata(&path)?);
        self.remember(name, state);
        Ok(())
    }

    /// Waits until every file that was given a place has it on the disk too.
    pub(super) fn sync(&self) -> Result<(), BlobError> {
        Ok(sync_folder(&self.folder)?)
    }

    /// Opens a file of which `len` bytes were promised.
    pub(super) fn read(&self, name: &BlobRef, len: u64) -> Result<OpenBlob, BlobError> {
        let blob = self.open_whole(name)?;
        if blob.state.len == len {
            Ok(blob)
        } else {
            Err(BlobError::Damaged)
        }
    }

    /// Reads a whole file of at most `most` bytes.
    pub(super) fn read_whole(&self, name: &BlobRef, most: u64) -> Result<Vec<u8>, BlobError> {
        let mut blob = self.open_whole(name)?;
        let len = Some(blob.state.len).filter(|len| *len <= most);
        let len = len.and_then(|len| usize::try_from(len).ok());
        blob.read_at(0, len.ok_or(BlobError::Missing)?)
    }

    fn open_whole(&self, name: &BlobRef) -> Result<OpenBlob, BlobError> {
        let file = open_private(&self.path(name))?.ok_or(BlobError::Missing)?;
        let state = FileState::of(&file.metadata()?);
        let mut blob = OpenBlob { file, state };
        if self.hashed().get(name) != Some(&state) {
            if blob.hash()? != *name {
                return Err(BlobError::Damaged);
            }
            blob.check_unchanged()?;
            self.remember(name, state);
        }
        Ok(blob)
    }

    /// Where a file is, for a program that reads it itself.
    pub(super) fn path(&self, name: &BlobRef) -> PathBuf {
        self.folder.join(name.hash())
    }

    /// Names of all files that have one.
    pub(super) fn names(&self) -> io::Result<Vec<BlobRef>> {
        let names = fs::read_dir(&self.folder)?.flatten().filter_map(|entry| {
            let name = entry.file_name();
            BlobRef::from_hash(name.to_str()?).ok()
        });
        Ok(names.collect())
    }

    /// Removes a file; one that is being read stays readable until its reader is done.
    pub(super) fn remove(&self, name: &BlobRef) {
        self.hashed().remove(name);
        remove_file(&self.path(name));
    }

    /// Removes what processes that died left without a name.
    pub(super) fn remove_leftovers(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let name = entry.file_name();
            let is_nameless = name.to_str().is_some_and(|name| name.starts_with('.'));
            if is_nameless && entry.metadata().is_ok_and(|found| is_left_over(&found)) {
                remove_file(&entry.path());
            }
        }
        Ok(())
    }

    fn remember(&self, name: &BlobRef, state: FileState) {
        let mut hashed = self.hashed();
        if hashed.len() >= KNOWN_FILES {
            hashed.clear();
        }
        hashed.insert(name.clone(), state);
    }

    fn hashed(&self) -> MutexGuard<'_, HashMap<BlobRef, FileState>> {
        self.hashed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_left_over(found: &Metadata) -> bool {
    let age = found.modified().map(|at| at.elapsed().unwrap_or_default());
    found.is_file() && age.is_ok_and(|age| age > LEFT_OVER)
}

fn remove_file(path: &Path) {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // It is looked at again with the next sweep.
        Err(error) => tracing::warn!(%error, "a media file could not be removed"),
    }
}

impl OpenBlob {
    /// Reads `len` bytes from `offset` on, which must be there.
    pub(super) fn read_at(&mut self, offset: u64, len: usize) -> Result<Vec<u8>, BlobError> {
        let mut bytes = Vec::with_capacity(len);
        self.file.seek(SeekFrom::Start(offset))?;
        (&self.file).take(len as u64).read_to_end(&mut bytes)?;
        self.check_unchanged()?;
        if bytes.len() == len {
            Ok(bytes)
        } else {
            Err(BlobError::Damaged)
        }
    }

    /// The file, from its beginning.
    pub(super) fn into_file(mut self) -> io::Result<File> {
        self.file.rewind()?;
        Ok(self.file)
    }

    fn hash(&mut self) -> io::Result<BlobRef> {
        let (mut hasher, mut buffer) = (Sha256::new(), vec![0; HASH_BUFFER]);
        loop {
            let read = self.file.read(&mut buffer)?;
            if read == 0 {
                return Ok(BlobRef::from_sha256(hasher.finalize().into()));
            }
            hasher.update(buffer.get(..read).unwrap_or_default());
        }
    }

    fn check_unchanged(&self) -> Result<(), BlobError> {
        if FileState::of(&self.file.metadata()?) == self.state {
            Ok(())
        } else {
            Err(BlobError::Damaged)
        }
    }
}

impl FileState {
    fn of(metadata: &Metadata) -> Self {
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            inode: inode(metadata),
        }
    }
}

/// Device, number and time of the last change of a file.
#[cfg(unix)]
fn inode(metadata: &Metadata) -> [u64; 4] {
    use std::os::unix::fs::MetadataExt as _;
    [
        metadata.dev(),
        metadata.ino(),
        metadata.ctime().cast_unsigned(),
        metadata.ctime_nsec().cast_unsigned(),
    ]
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> [u64; 4] {
    [0; 4]
}

#[cfg(test)]
mod tests;
