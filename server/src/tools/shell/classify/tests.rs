//! What commands do, in tables; and that nothing gets past them.

mod git;
mod hostile;
mod looks;
mod outside;
mod segments;

use super::*;

/// A workspace that is empty.
struct Place {
    _folder: tempfile::TempDir,
    roots: Roots,
    protected: Protected,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("root");
        std::fs::create_dir(&real).unwrap();
        Self {
            protected: Protected::new(None, [real.join("keys")]),
            roots: Roots::new(real, []),
            _folder: folder,
        }
    }

    fn classify(&self, command: &str) -> Intent {
        classify(command, &self.roots, &self.protected)
    }
}
