//! The few calls that differ between systems.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Owner of something, who we are, and its permission bits.
#[cfg(unix)]
pub(super) fn ownership(metadata: &Metadata) -> (u32, u32, u32) {
    use std::os::unix::fs::MetadataExt as _;
    (
        metadata.uid(),
        rustix::process::geteuid().as_raw(),
        metadata.mode() & 0o7777,
    )
}

/// Opens a file for reading, but no link to one.
#[cfg(unix)]
pub(super) fn open_without_link(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // NONBLOCK: a pipe in the place of the file must not hang us.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Creates a folder and its parents, closed to others.
#[cfg(unix)]
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Takes the rights of others away.
#[cfg(unix)]
pub(super) fn close_to_others(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

/// A new file beside the one it will replace, closed to others.
#[cfg(unix)]
pub(super) fn new_private_file(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::Permissions::from_mode(0o600);
    tempfile::Builder::new()
        .prefix(".sidewire-")
        .permissions(mode)
        .tempfile_in(folder)
}

/// Waits until the entries of a folder are on disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

// Elsewhere the profile folder of the user is closed to others by inherited access lists; there are no mode bits.

#[cfg(not(unix))]
pub(super) fn ownership(_: &Metadata) -> (u32, u32, u32) {
    (0, 0, 0)
}

#[cfg(not(unix))]
pub(super) fn open_without_link(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    File::open(path)
}

#[cfg(not(unix))]
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
pub(super) fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn new_private_file(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".sidewire-").tempfile_in(folder)
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
