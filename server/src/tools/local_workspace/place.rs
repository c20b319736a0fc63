//! One name in one folder, reached without following a link: what is opened, replaced or moved is what was meant.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{
    Access, AtFlags, FileType, Mode, OFlags, RawMode, RenameFlags, Stat, accessat, fchmod, fchown, fstat,
    mkdirat, open, openat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};

/// Folders are walked through without being read, where the system knows that.
#[cfg(target_os = "linux")]
const WALK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const WALK: OFlags = OFlags::RDONLY;

/// What may be there when a file is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// Nothing.
    Create,
    /// A file, whose permission bits and owner are kept.
    Replace,
}

/// A name in a folder.
pub(super) struct Place {
    folder: OwnedFd,
    name: OsString,
}

/// Opens a folder to walk from.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(
        path,
        WALK | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

impl Place {
    /// Walks from a folder down a path that has no links; `create` makes the folders that are missing.
    pub(super) fn walk(from: impl AsFd, path: &Path, create: bool) -> io::Result<Self> {
        let mut names = path.components().map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
        });
        // The folder itself is no place in it.
        let last = names.next_back().ok_or(io::ErrorKind::IsADirectory)??;
        let mut folder = from.as_fd().try_clone_to_owned()?;
        for name in names {
            folder = step(&folder, name?, create)?;
        }
        Ok(Self {
            folder,
            name: last.to_owned(),
        })
    }

    /// Opens a regular file; with its length.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        // Not blocking: opening a named pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.folder, &self.name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        if !is_file(&stat) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok((File::from(file), u64::try_from(stat.st_size).unwrap_or(0)))
    }

    /// Whether anything is there.
    pub(super) fn exists(&self) -> io::Result<bool> {
        Ok(self.stat()?.is_some())
    }

    /// Writes a file so that a reader finds the old content or the new one.
    pub(super) fn put(&self, bytes: &[u8], put: Put) -> io::Result<()> {
        let old = self.replaceable()?;
        match (&old, put) {
            (Some(_), Put::Create) => return Err(io::ErrorKind::AlreadyExists.into()),
            (None, Put::Replace) => return Err(io::ErrorKind::NotFound.into()),
            (Some(_), Put::Replace) | (None, Put::Create) => {}
        }
        let draft = Draft::write(&self.folder, bytes, old.as_ref())?;
        draft.become_file(&self.name, put)
    }

    /// The file that is here, unless it must not be replaced; `None` where nothing is.
    pub(super) fn replaceable(&self) -> io::Result<Option<Stat>> {
        let Some(stat) = self.stat()? else {
            return Ok(None);
        };
        if !is_file(&stat) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // Replacing it would go round what forbids writing it. To root nothing does: the bits say what is meant.
        let writable = accessat(&self.folder, &self.name, Access::WRITE_OK, AtFlags::empty());
        match writable {
            Ok(()) if stat.st_mode & 0o222 != 0 => Ok(Some(stat)),
            Ok(()) | Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {
                Err(io::ErrorKind::ReadOnlyFilesystem.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Moves what is here to a place where nothing is.
    pub(super) fn move_to(&self, target: &Self) -> io::Result<()> {
        rename_new(&self.folder, &self.name, &target.folder, &target.name)
    }

    fn stat(&self) -> io::Result<Option<Stat>> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn step(folder: &OwnedFd, name: &OsStr, create: bool) -> io::Result<OwnedFd> {
    let flags = WALK | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) if create => match mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(openat(folder, name, flags, Mode::empty())?),
            Err(error) => Err(error.into()),
        },
        opened => Ok(opened?),
    }
}

/// The permission bits of a file that is replaced. Without its owner they lend nobody's rights to whoever runs it.
fn lasting(bits: RawMode, owner_kept: bool) -> RawMode {
    if owner_kept { bits } else { bits & 0o777 }
}

fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode as RawMode) == FileType::RegularFile
}

/// A file beside the one that it will replace; gone again if it does not come to that.
struct Draft<'a> {
    folder: &'a OwnedFd,
    name: String,
}

impl<'a> Draft<'a> {
    fn write(folder: &'a OwnedFd, bytes: &[u8], old: Option<&Stat>) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let name = format!(".sidewire-{}", hex::encode(random));
        // Nobody reads the draft of a private file; a new file is as open as the person's mask says.
        let bits = old.map_or(0o666, |stat| stat.st_mode as RawMode & 0o7777);
        let mode = Mode::from_raw_mode(if old.is_some() { bits & 0o600 } else { bits });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(folder, name.as_str(), flags, mode)?);
        let draft = Self { folder, name };
        file.write_all(bytes)?;
        if let Some(stat) = old {
            // Only root can give a file away; to everybody else it stays their own, as after any editor.
            let owner = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
            let kept = fchown(&file, Some(owner.0), Some(owner.1)).is_ok();
            fchmod(&file, Mode::from_raw_mode(lasting(bits, kept)))?;
        }
        file.sync_data()?;
        Ok(draft)
    }

    fn become_file(self, name: &OsStr, put: Put) -> io::Result<()> {
        match put {
            Put::Replace => renameat(self.folder, self.name.as_str(), self.folder, name)?,
            Put::Create => rename_new(self.folder, OsStr::new(&self.name), self.folder, name)?,
        }
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        let _renamed_away = unlinkat(self.folder, self.name.as_str(), AtFlags::empty());
    }
}

/// Renames to a name that is free.
fn rename_new(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new: &OsStr) -> io::Result<()> {
    match renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        // A file system without that: looked at first, which is as good as it gets there.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match statat(to, new, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => Ok(renameat(from, name, to, new)?),
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(error) => Err(error.into()),
            }
        }
        renamed => Ok(renamed?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_its_owner_lends_no_rights() {
        assert_eq!(lasting(0o6755, true), 0o6755);
        assert_eq!(lasting(0o6755, false), 0o755);
    }
}
