//! The folder of the store and the files in it: ours alone, no links (decision 16).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::OpenError;

const DATABASE: &str = "sidewire.db";

/// Makes sure that `folder` is a private folder of this user; creates it, and its parents, when absent.
pub(super) fn prepare(folder: &Path) -> Result<(), OpenError> {
    match fs::symlink_metadata(folder) {
        Ok(_exists) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            system::create_folder(folder).map_err(|source| io_error(folder, source))?;
        }
        Err(source) => return Err(io_error(folder, source)),
    }
    check(folder)
}

/// The database file, created empty when absent, private and ours.
pub(super) fn database(folder: &Path) -> Result<PathBuf, OpenError> {
    let file = folder.join(DATABASE);
    match system::create_new(&file) {
        Ok(_created) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(io_error(&file, source)),
    }
    // By path only: closing a handle of our own on a file that SQLite has open in this process would drop its locks.
    check(&file)?;
    Ok(file)
}

/// The file that every process keeps locked while it has the database open.
pub(super) fn open_lock(folder: &Path) -> Result<File, OpenError> {
    let file = folder.join(format!("{DATABASE}.open"));
    lock_file(&file).map_err(|source| io_error(&file, source))
}

/// The folder of the locks on conversations.
pub(super) fn claims(folder: &Path) -> Result<PathBuf, OpenError> {
    let claims = folder.join("claims");
    prepare(&claims)?;
    Ok(claims)
}

/// Opens or creates a private file to lock.
pub(super) fn lock_file(path: &Path) -> io::Result<File> {
    system::open_private(path)
}

/// Whether `file` is still what `path` names.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    system::is_at(file, path)
}

fn check(path: &Path) -> Result<(), OpenError> {
    let metadata = fs::symlink_metadata(path).map_err(|source| io_error(path, source))?;
    if metadata.is_symlink() {
        return Err(OpenError::Link(path.to_owned()));
    }
    system::check_private(path, &metadata, system::user())
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    OpenError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(unix)]
pub(super) mod system {
    use std::fs::{DirBuilder, File, Metadata, Permissions, set_permissions, symlink_metadata};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    use super::{OpenError, io_error};

    const OTHERS: u32 = 0o077;
    const WRITE_BY_OTHERS: u32 = 0o022;

    pub(in crate::store) fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    pub(super) fn create_new(path: &Path) -> io::Result<File> {
        File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
    }

    pub(super) fn open_private(path: &Path) -> io::Result<File> {
        let no_links = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(no_links)
            .open(path)
    }

    /// Refuses what others own or could have written to; takes away the right to read.
    pub(in crate::store) fn check_private(
        path: &Path,
        metadata: &Metadata,
        user: u32,
    ) -> Result<(), OpenError> {
        if metadata.uid() != user {
            return Err(OpenError::Foreign(path.to_owned()));
        }
        let mode = metadata.mode();
        if mode & WRITE_BY_OTHERS != 0 {
            return Err(OpenError::Loose(path.to_owned()));
        }
        if mode & OTHERS == 0 {
            return Ok(());
        }
        set_permissions(path, Permissions::from_mode(mode & !OTHERS)).map_err(|source| io_error(path, source))
    }

    pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
        let held = file.metadata()?;
        match symlink_metadata(path) {
            Ok(named) => Ok((held.dev(), held.ino()) == (named.dev(), named.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Elsewhere a user's folders are private by inheritance, and an open file cannot be replaced.
#[cfg(not(unix))]
pub(super) mod system {
    use std::fs::{File, Metadata, create_dir_all};
    use std::io;
    use std::path::Path;

    use super::OpenError;

    pub(in crate::store) fn user() -> u32 {
        0
    }

    pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
        create_dir_all(folder)
    }

    pub(super) fn create_new(path: &Path) -> io::Result<File> {
        File::options().write(true).create_new(true).open(path)
    }

    pub(super) fn open_private(path: &Path) -> io::Result<File> {
        File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
    }

    pub(in crate::store) fn check_private(_: &Path, _: &Metadata, _user: u32) -> Result<(), OpenError> {
        Ok(())
    }

    pub(super) fn is_at(_: &File, _: &Path) -> io::Result<bool> {
        Ok(true)
    }
}
