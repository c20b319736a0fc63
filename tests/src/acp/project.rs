//! A folder that an editor has open.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder of its own with files in it, gone when it is dropped.
pub struct Project {
    path: PathBuf,
    _folder: TempDir,
}

impl Default for Project {
    fn default() -> Self {
        Self::new()
    }
}

impl Project {
    /// An empty folder.
    ///
    /// # Panics
    /// When there is no room for one.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("sidewire-project-")
            .tempdir()
            .unwrap();
        Self {
            path: fs::canonicalize(folder.path()).unwrap(),
            _folder: folder,
        }
    }

    /// A folder with one file.
    #[must_use]
    pub fn with(name: &str, text: &str) -> Self {
        let project = Self::new();
        project.write(name, text);
        project
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is, as it is written in a message.
    ///
    /// # Panics
    /// Never: its name is text.
    #[must_use]
    pub fn cwd(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// The absolute path of a file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.cwd())
    }

    /// Writes a file, with the folders above it.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Makes a folder in it.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn folder(&self, name: &str) -> String {
        let path = self.path.join(name);
        fs::create_dir_all(&path).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// What a file holds.
    ///
    /// # Panics
    /// When there is no such file, or it is no text.
    #[must_use]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The bytes of a file.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whether there is something of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path.join(name)).is_ok()
    }

    /// The names of the files that were pasted into prompts here.
    #[must_use]
    pub fn attachments(&self) -> Vec<String> {
        let files = fs::read_dir(self.path.join(".sidewire/attachments"));
        let names = files
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        // Git is kept from adding them by a file that ignores itself.
        names.retain(|name| name != ".gitignore");
        names.sort();
        names
    }
}
