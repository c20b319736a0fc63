//! Places where keys are kept: no file tool reads or writes there, whatever a person or a rule allows.
//!
//! Shell commands are another matter. Where the kernel confines them, it keeps them from writing in the person's own
//! key folders and in ours ([`Protected::places`]), and from reading ours; the person's their programs need. A key folder
//! that lies elsewhere, such as `.ssh` in a workspace, the kernel does not know: taking it out of what may be written
//! would take every new file beside it out too. A command that names any of these is asked about, always and of a person;
//! one that goes there without naming it is not found out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::key_folders;

/// The protected places of this person. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Protected {
    places: Arc<[PathBuf]>,
    /// Within those, what may be read all the same.
    readable: Arc<[PathBuf]>,
}

impl Protected {
    /// Those in a home folder, and our own folders.
    pub(crate) fn new(home: Option<&Path>, own: impl IntoIterator<Item = PathBuf>) -> Self {
        let of_home = home.into_iter().flat_map(key_folders::of_home);
        Self {
            places: of_home.chain(own).map(real).collect(),
            readable: Arc::default(),
        }
    }

    /// Lets these places be read, such as the files that come with a skill.
    pub(crate) fn but_readable(self, places: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            readable: places.into_iter().map(real).collect(),
            ..self
        }
    }

    /// Whether a path without links leads there: nothing is written to it.
    pub(crate) fn cover(&self, path: &Path) -> bool {
        key_folders::cover(path) || self.places.iter().any(|place| path.starts_with(place))
    }

    /// Whether a path without links is not even read.
    pub(crate) fn hide(&self, path: &Path) -> bool {
        let is_readable = self.readable.iter().any(|place| path.starts_with(place));
        self.cover(path) && (!is_readable || key_folders::cover(path))
    }

    /// Whether a piece of a path, of which the beginning is not known, may lead there.
    pub(crate) fn may_be(&self, piece: &str) -> bool {
        let piece = Path::new(piece.trim_start_matches(['~', '/']));
        let is_end_of_place = |begin: &Path| {
            let is_named = !begin.as_os_str().is_empty();
            is_named && self.places.iter().any(|place| place.ends_with(begin))
        };
        key_folders::cover(piece) || piece.ancestors().any(is_end_of_place)
    }

    /// Those whose place is known: of the person's home folder, and ours.
    pub(crate) fn places(&self) -> &[PathBuf] {
        &self.places
    }
}

fn real(place: PathBuf) -> PathBuf {
    place.canonicalize().unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_protected_wherever_they_lie() {
        let protected = Protected::new(
            Some(Path::new("/home/ann")),
            ["/home/ann/.config/sidewire".into()],
        );
        for path in [
            "/home/ann/.ssh",
            "/home/ann/.ssh/id_ed25519",
            "/home/ann/.config/sidewire/.env",
            "/srv/backup/.gnupg/ring",
            "/home/ann/.SSH/config",
        ] {
            assert!(protected.cover(Path::new(path)), "{path}");
        }
        for path in [
            "/home/ann/projects/ssh",
            "/home/ann/.config/sidewire2",
            "/home/ann/.sshrc",
        ] {
            assert!(!protected.cover(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_comes_with_a_skill_can_be_read_and_not_written() {
        let own = PathBuf::from("/home/ann/.config/sidewire");
        let protected = Protected::new(None, [own.clone()]).but_readable([own.join("skills")]);
        let skill = own.join("skills/review/list.md");
        assert!(protected.cover(&skill) && !protected.hide(&skill));
        assert!(protected.hide(&own.join(".env")) && protected.hide(&own.join("skills/.ssh/id")));
    }
}
