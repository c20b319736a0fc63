//! Which folders a conversation may use, and whether a path stays inside them once every link is followed.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::WorkspaceError;

/// The folders of a workspace; the first one is where it is. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots(Arc<[PathBuf]>);

impl Roots {
    /// Roots that are absolute and have every link resolved; the first one is the working folder.
    #[must_use]
    pub fn new(folder: PathBuf, others: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(std::iter::once(folder).chain(others).collect())
    }

    /// The working folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[PathBuf] {
        &self.0
    }

    /// Whether an absolute path without links is inside.
    #[must_use]
    pub fn cover(&self, path: &Path) -> bool {
        self.0.iter().any(|root| path.starts_with(root))
    }

    /// Where a path leads, which must be inside. Blocks on the disk.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, WorkspaceError> {
        let real = self.locate(path)?;
        if self.cover(&real) {
            return Ok(real);
        }
        Err(WorkspaceError::Outside(self.folder().join(path)))
    }

    /// Where a path leads, inside or not: relative ones from the working folder, links followed, also those of a file
    /// that is to be created. Blocks on the disk.
    pub fn locate(&self, path: &Path) -> Result<PathBuf, WorkspaceError> {
        let wanted = self.folder().join(path);
        real_path(&wanted).map_err(|source| WorkspaceError::Io { path: wanted, source })
    }
}

/// The path without links. What does not exist yet is taken by name, below what does.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(real) => {
                let names = missing.iter().rev();
                return Ok(names.fold(real, |path, name| path.join(name)));
            }
            // A link that leads nowhere exists: creating "its" file would create another one.
            Err(error) if error.kind() != io::ErrorKind::NotFound || existing.is_symlink() => {
                return Err(error);
            }
            Err(error) => match (existing.parent(), existing.components().next_back()) {
                (Some(parent), Some(Component::Normal(name))) => {
                    missing.push(name.to_owned());
                    existing = parent;
                }
                _ => return Err(error),
            },
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_followed_to_its_end_and_must_stay_inside() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let (root, outside) = (place.join("root"), place.join("outside"));
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(root.join("file"), "").unwrap();
        symlink(&outside, root.join("leads-out")).unwrap();
        symlink(root.join("sub"), root.join("leads-in")).unwrap();
        symlink(outside.join("nothing"), root.join("dangling")).unwrap();
        let roots = Roots::new(root.clone(), []);
        let inside = |path: &str| roots.resolve(Path::new(path)).ok();
        assert_eq!(inside("file"), Some(root.join("file")));
        assert_eq!(inside("new/deep/file"), Some(root.join("new/deep/file")));
        assert_eq!(inside("leads-in/new"), Some(root.join("sub/new")));
        assert_eq!(inside("sub/../file"), Some(root.join("file")));
        for refused in [
            "../outside",
            "leads-out/x",
            "dangling",
            "new/../../outside/x",
            "/etc/hosts",
        ] {
            assert_eq!(inside(refused), None, "{refused}");
        }
        assert!(!roots.cover(&place.join("root-of-another")));
        assert_eq!(
            roots.locate(Path::new("leads-out/x")).ok(),
            Some(outside.join("x"))
        );
    }
}
