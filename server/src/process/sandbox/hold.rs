//! One place of the disk, reached by its name without following a link: whoever may write beside it could put one there.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{FileType, Mode, OFlags, fstat, open, openat};
use rustix::io::Errno;

/// What had a name when it was opened. It can be neither read nor written by this.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) file: OwnedFd,
    pub(super) is_folder: bool,
}

impl Held {
    /// Walks to an absolute path that has no links; one that has is an error.
    pub(super) fn open(place: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = open("/", flags, Mode::empty())?;
        for part in place.strip_prefix("/").map_err(io::Error::other)?.components() {
            let Component::Normal(name) = part else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            // A link on the way is opened itself, and nothing lies below it.
            file = openat(&file, name, flags, Mode::empty())?;
        }
        match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::Symlink => Err(Errno::LOOP.into()),
            kind => Ok(Self {
                file,
                is_folder: kind == FileType::Directory,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_lies_where_its_name_says_is_held() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        fs::create_dir_all(real.join("folder/deep")).unwrap();
        fs::write(real.join("folder/file"), "").unwrap();
        symlink(real.join("folder"), real.join("link")).unwrap();
        symlink(real.join("folder/file"), real.join("folder/link")).unwrap();
        for (name, is_folder) in [("folder", true), ("folder/deep", true), ("folder/file", false)] {
            assert_eq!(
                Held::open(&real.join(name)).unwrap().is_folder,
                is_folder,
                "{name}"
            );
        }
        assert!(Held::open(Path::new("/")).unwrap().is_folder);
        for name in [
            "link",
            "link/deep",
            "folder/link",
            "none",
            "folder/../folder",
            "folder/file/none",
        ] {
            assert!(Held::open(&real.join(name)).is_err(), "{name}");
        }
        assert!(Held::open(Path::new("folder")).is_err(), "relative to nothing");
    }
}
