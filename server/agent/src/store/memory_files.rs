//! Media files of a store in memory: private windows show pictures too, and leave nothing behind.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use sidewire_contract::ids::BlobRef;

/// Most bytes that one store in memory keeps.
pub const MEMORY_FILE_BYTES: usize = 128 * 1024 * 1024;

/// Files by their hash.
#[derive(Default)]
pub struct MemoryFiles {
    // A std mutex: lookups and inserts only.
    files: Mutex<HashMap<BlobRef, Bytes>>,
}

impl MemoryFiles {
    /// Keeps a file; false when there is no room for it.
    #[must_use]
    pub fn put(&self, name: BlobRef, file: Bytes) -> bool {
        let mut files = self.lock();
        let used = bytes_of(&files);
        if !files.contains_key(&name) && used.saturating_add(file.len()) > MEMORY_FILE_BYTES {
            return false;
        }
        files.entry(name).or_insert(file);
        true
    }

    /// A file, without a copy.
    #[must_use]
    pub fn get(&self, name: &BlobRef) -> Option<Bytes> {
        self.lock().get(name).cloned()
    }

    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> usize {
        bytes_of(&self.lock())
    }

    /// Names of all files.
    #[must_use]
    pub fn names(&self) -> Vec<BlobRef> {
        self.lock().keys().cloned().collect()
    }

    /// Forgets a file.
    pub fn remove(&self, name: &BlobRef) {
        self.lock().remove(name);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BlobRef, Bytes>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(files: &HashMap<BlobRef, Bytes>) -> usize {
    files.values().map(Bytes::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_bounded_and_the_same_file_takes_it_once() {
        let files = MemoryFiles::default();
        let name = |byte| BlobRef::from_sha256([byte; 32]);
        let half = Bytes::from(vec![0; MEMORY_FILE_BYTES / 2]);
        assert!(files.put(name(1), half.clone()) && files.put(name(2), half.clone()));
        assert!(files.put(name(1), half));
        assert!(!files.put(name(3), Bytes::from_static(b"x")));
        files.remove(&name(2));
        assert!(files.put(name(3), Bytes::from_static(b"x")));
        assert_eq!(files.get(&name(3)), Some(Bytes::from_static(b"x")));
        assert_eq!(
            (files.names().len(), files.bytes()),
            (2, MEMORY_FILE_BYTES / 2 + 1)
        );
    }
}
