//! Places where keys are kept: no tool reads or writes there, whatever a person or a rule allows.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Folders that hold keys wherever they lie.
const NAMES: [&str; 2] = [".ssh", ".gnupg"];

/// The protected places of this person. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Protected(Arc<[PathBuf]>);

impl Protected {
    /// Those in a home folder, and our own folders.
    pub(crate) fn new(home: Option<&Path>, own: impl IntoIterator<Item = PathBuf>) -> Self {
        let of_home = home.into_iter().flat_map(|home| NAMES.map(|name| home.join(name)));
        let real = |place: PathBuf| place.canonicalize().unwrap_or(place);
        Self(of_home.chain(own).map(real).collect())
    }

    /// Whether a path without links leads there.
    pub(crate) fn cover(&self, path: &Path) -> bool {
        let named = |part: Component<'_>| NAMES.iter().any(|name| part.as_os_str().eq_ignore_ascii_case(name));
        path.components().any(named) || self.0.iter().any(|place| path.starts_with(place))
    }

    /// The places themselves.
    pub(crate) fn places(&self) -> &[PathBuf] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_protected_wherever_they_lie() {
        let protected = Protected::new(Some(Path::new("/home/ann")), ["/home/ann/.config/sidewire".into()]);
        for path in [
            "/home/ann/.ssh",
            "/home/ann/.ssh/id_ed25519",
            "/home/ann/.config/sidewire/.env",
            "/srv/backup/.gnupg/ring",
            "/home/ann/.SSH/config",
        ] {
            assert!(protected.cover(Path::new(path)), "{path}");
        }
        for path in ["/home/ann/work/ssh", "/home/ann/.config/sidewire2", "/home/ann/.sshrc"] {
            assert!(!protected.cover(Path::new(path)), "{path}");
        }
    }
}
