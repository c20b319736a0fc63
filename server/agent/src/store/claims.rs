//! Who has a conversation open: an OS file lock that the kernel frees with its process, never a row (decision 17).

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::error::{ClaimError, StoreError};
use super::{Store, folder};
use crate::ids::ConversationId;

/// Tries before a lock file that others keep removing or looking at counts as held.
const TRIES: u32 = 16;
/// Between two tries; whoever looks is done sooner.
const PAUSE: Duration = Duration::from_millis(1);
/// Who holds what is kept in memory.
const THIS_PROCESS: &str = "this process";
/// Most bytes of a lock file that are read for an error text.
const HOLDER_LIMIT: u64 = 200;

/// The right to change a conversation; dropping it gives it back.
#[must_use = "dropping it gives the conversation back"]
pub struct Claim {
    held: Held,
}

enum Held {
    File { file: File, path: PathBuf },
    Memory { id: ConversationId, taken: Taken },
}

impl Drop for Claim {
    fn drop(&mut self) {
        match &self.held {
            // Removed while it is still locked: nobody else can have claimed the file under this name.
            Held::File { file, path } => {
                drop(fs::remove_file(path));
                drop(file.unlock());
            }
            Held::Memory { id, taken } => {
                taken.lock().remove(id);
            }
        }
    }
}

/// Where claims of a store are made.
pub(super) enum Claims {
    Files { folder: PathBuf, holder: String },
    Memory(Taken),
}

/// Claims within one process.
#[derive(Clone, Default)]
pub(super) struct Taken(Arc<Mutex<HashSet<ConversationId>>>);

impl Taken {
    // A std mutex: one lookup or insert, never held over an await.
    fn lock(&self) -> MutexGuard<'_, HashSet<ConversationId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Takes a conversation for this process; whoever has it keeps it.
    pub fn claim(&self, conversation: ConversationId) -> Result<Claim, ClaimError> {
        self.inner.claims.take(conversation)
    }

    /// Who has a conversation, in words; looking takes it from nobody.
    pub fn holder(&self, conversation: ConversationId) -> Result<Option<String>, StoreError> {
        self.inner.claims.holder(conversation)
    }
}

impl Claims {
    pub(super) fn in_folder(folder: &Path, program: &str) -> Self {
        let holder = format!("{program} (process {})", std::process::id());
        Self::Files {
            folder: folder.to_owned(),
            holder,
        }
    }

    pub(super) fn in_memory() -> Self {
        Self::Memory(Taken::default())
    }

    pub(super) fn take(&self, id: ConversationId) -> Result<Claim, ClaimError> {
        match self {
            Self::Files { folder, holder } => take_file(&lock_path(folder, id), holder),
            Self::Memory(taken) if taken.lock().insert(id) => Ok(Claim {
                held: Held::Memory {
                    id,
                    taken: taken.clone(),
                },
            }),
            Self::Memory(_) => Err(ClaimError::Held {
                holder: THIS_PROCESS.to_owned(),
            }),
        }
    }
}

impl Claims {
    fn holder(&self, id: ConversationId) -> Result<Option<String>, StoreError> {
        match self {
            Self::Files { folder, .. } => holder_of(&lock_path(folder, id)),
            Self::Memory(taken) => Ok(taken.lock().contains(&id).then(|| THIS_PROCESS.to_owned())),
        }
    }
}

fn lock_path(folder: &Path, id: ConversationId) -> PathBuf {
    folder.join(format!("{id}.lock"))
}

/// Who has locked the file. A claim removes its file when it ends, so mostly there is none; one that is there is tried
/// with a shared lock, which only the file of a dead process grants.
fn holder_of(path: &Path) -> Result<Option<String>, StoreError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::Lock(error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(read_holder(&mut file))),
        Err(TryLockError::Error(error)) => Err(StoreError::Lock(error)),
    }
}

fn take_file(path: &Path, holder: &str) -> Result<Claim, ClaimError> {
    for _try in 0..TRIES {
        let file = folder::lock_file(path).map_err(StoreError::Lock)?;
        if let Some(claim) = lock(file, path, holder)? {
            return Ok(claim);
        }
        thread::sleep(PAUSE);
    }
    Err(ClaimError::Held {
        holder: "another process".to_owned(),
    })
}

/// Locks the file that was opened at `path`. `None` when another try may do better: the last holder has removed it since,
/// so that its lock is worth nothing, or somebody looks at it just now.
pub(super) fn lock(mut file: File, path: &Path, holder: &str) -> Result<Option<Claim>, ClaimError> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) if is_only_looked_at(&file)? => return Ok(None),
        Err(TryLockError::WouldBlock) => {
            return Err(ClaimError::Held {
                holder: read_holder(&mut file),
            });
        }
        Err(TryLockError::Error(source)) => return Err(StoreError::Lock(source).into()),
    }
    if !folder::is_at(&file, path).map_err(StoreError::Lock)? {
        return Ok(None);
    }
    write_holder(&mut file, holder).map_err(StoreError::Lock)?;
    let path = path.to_owned();
    Ok(Some(Claim {
        held: Held::File { file, path },
    }))
}

/// Whoever looks ([`holder_of`]) shares the lock; whoever holds the file shares it with nobody.
fn is_only_looked_at(file: &File) -> Result<bool, StoreError> {
    match file.try_lock_shared() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(source)) => Err(StoreError::Lock(source)),
    }
}

fn write_holder(file: &mut File, holder: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(holder.as_bytes())
}

/// What the holder wrote; a stand-in when it is just about to write it.
fn read_holder(file: &mut File) -> String {
    let mut holder = String::new();
    match file.take(HOLDER_LIMIT).read_to_string(&mut holder) {
        Ok(1..) => holder,
        Ok(0) | Err(_) => "another process".to_owned(),
    }
}
