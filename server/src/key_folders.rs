//! Folders in which people keep keys: nothing of ours works, reads or writes there, wherever they lie. One list for
//! all who ask.

use std::path::{Component, Path, PathBuf};

const NAMES: [&str; 4] = [".ssh", ".gnupg", ".aws", ".password-store"];

/// Those of a home folder.
pub(crate) fn of_home(home: &Path) -> impl Iterator<Item = PathBuf> {
    NAMES.map(|name| home.join(name)).into_iter()
}

/// Whether a path without links is such a folder, or lies in one.
pub(crate) fn cover(path: &Path) -> bool {
    let is_one = |part: Component<'_>| {
        NAMES
            .iter()
            .any(|name| part.as_os_str().eq_ignore_ascii_case(name))
    };
    path.components().any(is_one)
}

/// Whether a folder has one in it. Looks at the disk.
pub(crate) fn lie_in(folder: &Path) -> bool {
    NAMES.iter().any(|name| folder.join(name).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_wherever_it_stands() {
        for path in [
            "/home/ann/.ssh",
            "/srv/.GnuPG/ring",
            "/a/.aws/credentials",
            "/a/.password-store/b",
        ] {
            assert!(cover(Path::new(path)), "{path}");
        }
        for path in ["/home/ann/ssh", "/home/ann/.sshrc", "/home/ann"] {
            assert!(!cover(Path::new(path)), "{path}");
        }
    }
}
