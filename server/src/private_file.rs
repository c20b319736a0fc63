//! Files and folders that only their owner may touch: written whole or not at all, never through a link.
//!
//! Everything secret that Sidewire keeps goes through here. What is inside the files is not this module's business.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

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
    let file = new_private_file(folder).map_err(failed("create a file in", folder))?;
    Ok(Staged { file, path: path.to_owned() })
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
        file.persist(&path).map_err(|error| failed("replace", &path)(error.error))?;
        sync_folder(&path)
    }

    /// Waits for the disk, which is where a lack of room shows.
    fn finish(&self) -> Result<(), PrivateFileError> {
        self.file.as_file().sync_all().map_err(failed("write", &self.path))
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
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a file that must be private; `None` when there is none.
pub(crate) fn read_private(path: &Path) -> Result<Option<Vec<u8>>, PrivateFileError> {
    if let Some(found) = look(folder_of(path))? {
        found.refuse_unless_own_folder(folder_of(path))?;
    }
    let file = match open_without_link(path) {
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
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(PrivateFileError::TooLarge { path: path.to_owned() });
    }
    Ok(Some(bytes))
}

/// Makes sure that `folder` exists, is ours and is closed to others.
pub(crate) fn private_folder(folder: &Path) -> Result<(), PrivateFileError> {
    if look(folder)?.is_none() {
        create_folder(folder).map_err(failed("create", folder))?;
    }
    let found = look(folder)?.ok_or_else(|| PrivateFileError::NotAFolder { path: folder.to_owned() })?;
    found.refuse_unless_own_folder(folder)?;
    if found.refuse_if_open(folder).is_err() {
        close_to_others(folder).map_err(failed("close", folder))?;
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
    Other,
}

/// The facts that decide; kept apart from the file system so that a foreign owner can be tested without one.
#[derive(Clone, Copy, Debug)]
struct Found {
    kind: Kind,
    owner: u32,
    me: u32,
    mode: u32,
}

impl Found {
    fn of(metadata: &Metadata) -> Self {
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
        Self { kind, owner, me, mode }
    }

    fn refuse_unless_own_file(self, path: &Path) -> Result<(), PrivateFileError> {
        match self.kind {
            Kind::File => self.refuse_foreign(path),
            Kind::Link => Err(PrivateFileError::Link { path: path.to_owned() }),
            Kind::Folder | Kind::Other => Err(PrivateFileError::NotAFile { path: path.to_owned() }),
        }
    }

    fn refuse_unless_own_folder(self, path: &Path) -> Result<(), PrivateFileError> {
        match self.kind {
            Kind::Folder => self.refuse_foreign(path),
            Kind::Link => Err(PrivateFileError::Link { path: path.to_owned() }),
            Kind::File | Kind::Other => Err(PrivateFileError::NotAFolder { path: path.to_owned() }),
        }
    }

    fn refuse_foreign(self, path: &Path) -> Result<(), PrivateFileError> {
        if self.owner == self.me {
            return Ok(());
        }
        Err(PrivateFileError::ForeignOwner { path: path.to_owned(), owner: self.owner })
    }

    fn refuse_if_open(self, path: &Path) -> Result<(), PrivateFileError> {
        if self.mode & 0o077 == 0 {
            return Ok(());
        }
        let folder = self.kind == Kind::Folder;
        Err(PrivateFileError::TooOpen { path: path.to_owned(), mode: self.mode, folder })
    }
}

fn look(path: &Path) -> Result<Option<Found>, PrivateFileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(Found::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("inspect", path)(error)),
    }
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> PrivateFileError {
    let path = path.to_owned();
    move |source| PrivateFileError::Io { action, path: path.clone(), source }
}

fn wanted_mode(folder: bool) -> &'static str {
    if folder { "700" } else { "600" }
}

#[cfg(unix)]
fn ownership(metadata: &Metadata) -> (u32, u32, u32) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.uid(), rustix::process::geteuid().as_raw(), metadata.mode() & 0o7777)
}

#[cfg(unix)]
fn open_without_link(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // NONBLOCK: a pipe in the place of the file must not hang us.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(unix)]
fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(unix)]
fn close_to_others(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(unix)]
fn new_private_file(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::Permissions::from_mode(0o600);
    tempfile::Builder::new().prefix(".sidewire-").permissions(mode).tempfile_in(folder)
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), PrivateFileError> {
    let folder = folder_of(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("write", folder))
}

// Elsewhere the profile folder of the user is closed to others by inherited access lists; there are no mode bits.

#[cfg(not(unix))]
fn ownership(_: &Metadata) -> (u32, u32, u32) {
    (0, 0, 0)
}

#[cfg(not(unix))]
fn open_without_link(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    File::open(path)
}

#[cfg(not(unix))]
fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn new_private_file(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".sidewire-").tempfile_in(folder)
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<(), PrivateFileError> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn s17_written_files_are_0600_in_a_0700_folder() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("state/deep/local.secret");
        write_private(&path, b"secret").unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(read_private(&path).unwrap().unwrap(), b"secret");
    }

    #[test]
    fn an_open_folder_is_closed_and_an_open_file_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("config");
        fs::create_dir(&folder).unwrap();
        set_mode(&folder, 0o755);
        let path = folder.join(".env");
        fs::write(&path, "old").unwrap();
        set_mode(&path, 0o644);
        write_private(&path, b"new").unwrap();
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [".env"], "no temporary file is left");
    }

    #[test]
    fn s17_links_are_refused_and_their_targets_untouched() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("target");
        fs::write(&target, "precious").unwrap();
        set_mode(&target, 0o600);
        let link = temp.path().join("private/worker.json");
        private_folder(link.parent().unwrap()).unwrap();
        symlink(&target, &link).unwrap();
        assert!(matches!(write_private(&link, b"x"), Err(PrivateFileError::Link { .. })));
        assert!(matches!(read_private(&link), Err(PrivateFileError::Link { .. })));
        assert_eq!(fs::read(&target).unwrap(), b"precious");

        let folder_link = temp.path().join("folder");
        symlink(temp.path().join("private"), &folder_link).unwrap();
        let through = folder_link.join("file");
        assert!(matches!(write_private(&through, b"x"), Err(PrivateFileError::Link { .. })));
        assert!(matches!(read_private(&through), Err(PrivateFileError::Link { .. })));
    }

    #[test]
    fn s17_a_foreign_owner_is_refused() {
        let path = Path::new("/somewhere/file");
        let found = Found { kind: Kind::File, owner: 1001, me: 1000, mode: 0o600 };
        let refusal = found.refuse_unless_own_file(path).unwrap_err();
        assert!(matches!(refusal, PrivateFileError::ForeignOwner { owner: 1001, .. }));
        let folder = Found { kind: Kind::Folder, ..found };
        assert!(matches!(folder.refuse_unless_own_folder(path), Err(PrivateFileError::ForeignOwner { .. })));
        let own = Found { owner: 1000, ..found };
        own.refuse_unless_own_file(path).unwrap();
    }

    #[test]
    fn an_open_secret_is_not_read() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("p/.env");
        write_private(&path, b"secret").unwrap();
        for open in [0o640, 0o604, 0o620, 0o666] {
            set_mode(&path, open);
            let refusal = read_private(&path).unwrap_err();
            assert!(matches!(refusal, PrivateFileError::TooOpen { mode, .. } if mode == open));
            assert!(refusal.to_string().contains("chmod 600"), "{refusal}");
        }
    }

    #[test]
    fn what_is_no_file_is_refused_without_hanging() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("p");
        private_folder(&folder).unwrap();
        let pipe = folder.join("pipe");
        let node = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, node, rustix::fs::Mode::from_raw_mode(0o600), 0).unwrap();
        assert!(matches!(read_private(&pipe), Err(PrivateFileError::NotAFile { .. })));
        assert!(matches!(write_private(&pipe, b"x"), Err(PrivateFileError::NotAFile { .. })));
        assert!(matches!(private_folder(&pipe), Err(PrivateFileError::NotAFolder { .. })));
    }

    #[test]
    fn missing_is_none_and_the_limit_is_exact() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("p/file");
        assert!(read_private(&path).unwrap().is_none());
        let limit = usize::try_from(MAX_BYTES).unwrap();
        for (size, fits) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
            write_private(&path, &vec![b'x'; size]).unwrap();
            assert_eq!(read_private(&path).is_ok(), fits, "{size}");
        }
    }

    #[test]
    fn an_output_is_private_and_leaves_its_folder_as_it_is() {
        let temp = tempfile::tempdir().unwrap();
        set_mode(temp.path(), 0o755);
        let path = temp.path().join("export.jsonl");
        let mut output = stage_output(&path).unwrap();
        output.write_all(b"line").unwrap();
        assert!(!path.exists(), "nothing is seen before it is whole");
        output.commit().unwrap();
        assert_eq!((mode(&path), mode(temp.path())), (0o600, 0o755));
        assert!(matches!(stage_output(temp.path()), Err(PrivateFileError::NotAFile { .. })));
    }

    #[test]
    fn a_dropped_stage_changes_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("p/file");
        write_private(&path, b"old").unwrap();
        drop(stage_private(&path, b"new").unwrap());
        assert_eq!(read_private(&path).unwrap().unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
