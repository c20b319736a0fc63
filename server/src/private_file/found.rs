//! What stands at a path, and whether that may be trusted.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use super::system::ownership;
use super::{PrivateFileError, failed};

/// Looks without following a link; `None` when nothing is there.
pub(super) fn look(path: &Path) -> Result<Option<Found>, PrivateFileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(Found::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("inspect", path)(error)),
    }
}

/// What kind of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// The facts that decide; kept apart from the file system so that a foreign owner can be tested without one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// What kind of thing it is.
    pub(super) kind: Kind,
    /// Whose it is.
    pub(super) owner: u32,
    /// Who is asking.
    pub(super) me: u32,
    /// Its permission bits.
    pub(super) mode: u32,
}

impl Found {
    /// The facts of something.
    pub(super) fn of(metadata: &Metadata) -> Self {
        let kind = if metadata.is_symlink() {
            Kind::Link
        } else if metadata.is_file() {
            Kind::File
        } else if metadata.is_dir() {
            Kind::Folder
        } else {
            Kind::Other
        };
        let (owner, me, mode) = ownership(metadata);
        Self {
            kind,
            owner,
            me,
            mode,
        }
    }

    /// Refuses all but a regular file of ours.
    pub(super) fn refuse_unless_own_file(self, path: &Path) -> Result<(), PrivateFileError> {
        match self.kind {
            Kind::File => self.refuse_foreign(path),
            Kind::Link => Err(PrivateFileError::Link {
                path: path.to_owned(),
            }),
            Kind::Folder | Kind::Other => Err(PrivateFileError::NotAFile {
                path: path.to_owned(),
            }),
        }
    }

    /// Refuses all but a folder of ours.
    pub(super) fn refuse_unless_own_folder(self, path: &Path) -> Result<(), PrivateFileError> {
        match self.kind {
            Kind::Folder => self.refuse_foreign(path),
            Kind::Link => Err(PrivateFileError::Link {
                path: path.to_owned(),
            }),
            Kind::File | Kind::Other => Err(PrivateFileError::NotAFolder {
                path: path.to_owned(),
            }),
        }
    }

    fn refuse_foreign(self, path: &Path) -> Result<(), PrivateFileError> {
        if self.owner == self.me {
            return Ok(());
        }
        Err(PrivateFileError::ForeignOwner {
            path: path.to_owned(),
            owner: self.owner,
        })
    }

    /// Refuses what others can read or change.
    pub(super) fn refuse_if_open(self, path: &Path) -> Result<(), PrivateFileError> {
        if self.mode & 0o077 == 0 {
            return Ok(());
        }
        let folder = self.kind == Kind::Folder;
        Err(PrivateFileError::TooOpen {
            path: path.to_owned(),
            mode: self.mode,
            folder,
        })
    }
}
