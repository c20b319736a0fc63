//! Files and folders that only their owner may touch: written whole or not at all, never through a link.
//!
//! Everything secret that Sidewire keeps goes through here. What is inside the files is not this module's business.

mod found;
mod system;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use found::{Found, Kind, look};

/// No private file of ours comes near this; a larger one is not ours.
const MAX_BYTES: u64 = 1024 * 1024;

/// Why a private file or its folder was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrivateFileError {
    /// A link could point at a file of someone else.
    #[error("{} is a symbolic link; put the real thing there instead", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Another user could change it at any time.
    #[error("{} belongs to user {owner}, not to you; remove it or run `chown` on it", path.display())]
    ForeignOwner {
        /// What belongs to someone else.
        path: PathBuf,
        /// That user.
        owner: u32,
    },
    /// A folder, socket or device stands where the file should be.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// Something else stands where the folder should be.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// Other users can read or change it.
    #[error("{} is open to other users (mode {mode:04o}); run `chmod {} {}`", path.display(), wanted_mode(*folder), path.display())]
    TooOpen {
        /// What is open.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// Whether it is a folder.
        folder: bool,
    },
    /// It is larger than any file of ours.
    #[error("{} is larger than {MAX_BYTES} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("failed to {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Writes `bytes` so that a reader finds the old content or the new one, and nobody else finds any.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), PrivateFileError> {
    stage_private(path, bytes)?.commit()
}

/// Prepares a write completely, so that only a rename is left: several files can then change together.
pub(crate) fn stage_private(path: &Path, bytes: &[u8]) -> Result<Staged, PrivateFileError> {
    private_folder(folder_of(path))?;
    let mut staged = stage_output(path)?;
    staged.write_all(bytes).map_err(failed("write", path))?;
    staged.finish()?;
    Ok(staged)
}

/// Begins a file that only its owner may read in a folder that is not ours, such as one a person named.
pub(crate) fn stage_output(path: &Path) -> Result<Staged, PrivateFileError> {
    if let Some(found) = look(path)? {
        found.refuse_unless_own_file(path)?;
    }
    let folder = folder_of(path);
    let file = system::new_private_file(folder).map_err(failed("create a file in", folder))?;
    Ok(Staged {
        file,
        path: path.to_owned(),
    })
}

/// A file without a place, in a folder of ours; it goes away unless it is given one.
pub(crate) fn new_private_file(folder: &Path) -> Result<NamedTempFile, PrivateFileError> {
    system::new_private_file(folder).map_err(failed("create a file in", folder))
}

/// Waits until what was renamed in a folder is on the disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), PrivateFileError> {
    system::sync_folder(folder).map_err(failed("write", folder))
}

/// A file that is not yet in its place; dropping it leaves everything as it was.
#[derive(Debug)]
#[must_use = "nothing changes until it is committed"]
pub(crate) struct Staged {
    file: NamedTempFile,
    path: PathBuf,
}

impl Staged {
    /// Puts the file in its place.
    pub(crate) fn commit(self) -> Result<(), PrivateFileError> {
        self.finish()?;
        let Self { file, path } = self;
        file.persist(&path)
            .map_err(|error| failed("replace", &path)(error.error))?;
        system::sync_folder(folder_of(&path)).map_err(failed("write", &path))
    }

    /// Waits for the disk, which is where a lack of room shows.
    fn finish(&self) -> Result<(), PrivateFileError> {
        self.file
            .as_file()
            .sync_all()
            .map_err(failed("write", &self.path))
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Reads a file that must be private; `None` when there is none.
pub(crate) fn read_private(path: &Path) -> Result<Option<Vec<u8>>, PrivateFileError> {
    if let Some(found) = look(folder_of(path))? {
        found.refuse_unless_own_folder(folder_of(path))?;
    }
    let Some(file) = open_private(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed("read", path))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(PrivateFileError::TooLarge {
            path: path.to_owned(),
        });
    }
    Ok(Some(bytes))
}

/// Opens a file that must be private, for reading; `None` when there is none.
pub(crate) fn open_private(path: &Path) -> Result<Option<File>, PrivateFileError> {
    let file = match system::open_without_link(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            // Opening refuses a link with an error that names no link; say what it is.
            if let Some(found) = look(path)? {
                found.refuse_unless_own_file(path)?;
            }
            return Err(failed("open", path)(error));
        }
    };
    let found = Found::of(&file.metadata().map_err(failed("inspect", path))?);
    found.refuse_unless_own_file(path)?;
    found.refuse_if_open(path)?;
    Ok(Some(file))
}

/// Makes sure that `folder` exists, is ours and is closed to others.
pub(crate) fn private_folder(folder: &Path) -> Result<(), PrivateFileError> {
    if look(folder)?.is_none() {
        system::create_folder(folder).map_err(failed("create", folder))?;
    }
    let found = look(folder)?.ok_or_else(|| PrivateFileError::NotAFolder {
        path: folder.to_owned(),
    })?;
    found.refuse_unless_own_folder(folder)?;
    if found.refuse_if_open(folder).is_err() {
        system::close_to_others(folder).map_err(failed("close", folder))?;
    }
    Ok(())
}

/// What may be wrong with something private that exists; doctor asks without changing anything.
pub(crate) fn inspect_private(path: &Path) -> Result<Option<()>, PrivateFileError> {
    let Some(found) = look(path)? else { return Ok(None) };
    if found.kind == Kind::Folder {
        found.refuse_unless_own_folder(path)?;
    } else {
        found.refuse_unless_own_file(path)?;
    }
    found.refuse_if_open(path)?;
    Ok(Some(()))
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> PrivateFileError {
    let path = path.to_owned();
    move |source| PrivateFileError::Io {
        action,
        path: path.clone(),
        source,
    }
}

fn wanted_mode(folder: bool) -> &'static str {
    if folder { "700" } else { "600" }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
