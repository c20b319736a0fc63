//! Reads files that only their owner may touch: a file that another person could have written is not believed.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// No file of ours comes near this.
const MAX_BYTES: u64 = 64 * 1024;

/// Why a file is not read. File names only: the text goes to the browser.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrivateFileError {
    /// Somebody else could have written it.
    #[error("{name} or its folder is not private to its owner")]
    NotPrivate {
        /// The file.
        name: String,
    },
    /// It is not what it should be.
    #[error("{name} is damaged")]
    Damaged {
        /// The file.
        name: String,
    },
    /// The system refused.
    #[error("failed to read {name}")]
    Io {
        /// The file.
        name: String,
        /// The reason.
        source: io::Error,
    },
}

impl PrivateFileError {
    /// A file that could be read but makes no sense.
    pub(crate) fn damaged(path: &Path) -> Self {
        Self::Damaged { name: name(path) }
    }
}

/// Reads a private JSON file; none when there is no such file.
pub(crate) fn read_json<T>(path: &Path) -> Result<Option<T>, PrivateFileError>
where
    T: for<'de> serde::Deserialize<'de>,
{
    let Some(text) = read(path)? else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|_| PrivateFileError::damaged(path))
}

/// Reads a private text file; none when there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, PrivateFileError> {
    let Some(file) = open(path)? else { return Ok(None) };
    let failed = |source| PrivateFileError::Io {
        name: name(path),
        source,
    };
    let mut bytes = Vec::new();
    let length = file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    match String::from_utf8(bytes) {
        Ok(text) if length as u64 <= MAX_BYTES => Ok(Some(text)),
        Ok(_) | Err(_) => Err(PrivateFileError::damaged(path)),
    }
}

fn open(path: &Path) -> Result<Option<File>, PrivateFileError> {
    let failed = |source| PrivateFileError::Io {
        name: name(path),
        source,
    };
    let not_private = || PrivateFileError::NotPrivate { name: name(path) };
    let folder = match fs::symlink_metadata(path.parent().unwrap_or(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        folder => folder.map_err(failed)?,
    };
    if !folder.is_dir() || !is_private(&folder) {
        return Err(not_private());
    }
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = match File::options().read(true).custom_flags(no_link).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if rustix::io::Errno::from_io_error(&error) == Some(rustix::io::Errno::LOOP) => {
            return Err(not_private());
        }
        file => file.map_err(failed)?,
    };
    // Asked of the open file, so that it cannot be exchanged in between.
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_file() && is_private(&metadata) {
        Ok(Some(file))
    } else {
        Err(not_private())
    }
}

fn is_private(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o077 == 0
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    pub(crate) fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn private_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        set_mode(folder.path(), 0o700);
        folder
    }

    #[test]
    fn only_private_files_in_private_folders_are_read() {
        let folder = private_folder();
        let path = folder.path().join("x");
        assert!(matches!(read(&path), Ok(None)));
        assert!(matches!(read(&folder.path().join("none/x")), Ok(None)));
        fs::write(&path, "text").unwrap();
        for (folder_mode, file_mode, readable) in [
            (0o700, 0o600, true),
            (0o700, 0o640, false),
            (0o700, 0o602, false),
            (0o750, 0o600, false),
        ] {
            set_mode(folder.path(), folder_mode);
            set_mode(&path, file_mode);
            assert_eq!(read(&path).is_ok(), readable, "{folder_mode:o} {file_mode:o}");
        }
    }

    #[test]
    fn links_and_other_things_are_refused() {
        let folder = private_folder();
        let real = folder.path().join("real");
        fs::create_dir(&real).unwrap();
        set_mode(&real, 0o700);
        fs::write(real.join("x"), "text").unwrap();
        set_mode(&real.join("x"), 0o600);
        symlink(real.join("x"), folder.path().join("link")).unwrap();
        symlink(&real, folder.path().join("folder")).unwrap();
        assert!(read(&real.join("x")).is_ok());
        for path in ["link", "folder/x", "real"] {
            let result = read(&folder.path().join(path));
            assert!(
                matches!(result, Err(PrivateFileError::NotPrivate { .. })),
                "{path}: {result:?}"
            );
        }
    }

    #[test]
    fn a_file_that_is_too_long_or_no_text_is_damaged() {
        let folder = private_folder();
        let path = folder.path().join("x");
        for bytes in [vec![b'x'; 64 * 1024 + 1], vec![0xff]] {
            fs::write(&path, bytes).unwrap();
            set_mode(&path, 0o600);
            assert!(matches!(read(&path), Err(PrivateFileError::Damaged { .. })));
        }
    }
}
