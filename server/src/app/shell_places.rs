//! Where shell commands of editor sessions may write beside the workspace: folders for what does not last, those that
//! the person configured, and git's own for the workspace; none where keys are kept.

use std::path::{Path, PathBuf};

use sidewire_contract::layout::Layout;

use crate::config::shell::{ShellConfig, WriteFolder};
use crate::key_folders;
use crate::tools::Protected;

use super::editor::browser_folder;

/// Folders beside the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellPlaces {
    /// For what does not last.
    pub(crate) temporary: Vec<PathBuf>,
    /// As the person said.
    pub(crate) configured: Vec<PathBuf>,
    /// What was configured and cannot be.
    pub(crate) refused: Vec<RefusedFolder>,
}

/// Why a configured folder is not one to write in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefusedFolder {
    /// Nothing is there.
    #[error("{0} does not exist")]
    Missing(WriteFolder),
    /// It is a file, or the whole disk.
    #[error("{0} is no folder to write in")]
    Unfit(WriteFolder),
    /// Keys are kept there, or our own files.
    #[error("{0} is protected, because keys are kept there")]
    Protected(WriteFolder),
}

impl ShellPlaces {
    /// Finds them. Looks at the disk.
    pub(crate) fn find(config: &ShellConfig, layout: &Layout) -> Self {
        let home = std::env::home_dir();
        let mut places = Self {
            temporary: temporary(),
            ..Self::default()
        };
        places.add_configured(config, home.as_deref(), &protected(home.as_deref(), layout));
        places
    }

    /// Commands may write in all of them.
    pub(crate) fn write(&self) -> impl Iterator<Item = &PathBuf> {
        self.temporary.iter().chain(&self.configured)
    }

    fn add_configured(&mut self, config: &ShellConfig, home: Option<&Path>, protected: &Protected) {
        for folder in &config.write {
            match fit(folder, home, protected) {
                Ok(path) => add(&mut self.configured, path),
                Err(refused) => self.refused.push(refused),
            }
        }
    }
}

/// What no tool of ours writes to, and which of it can be read.
pub(super) fn protected(home: Option<&Path>, layout: &Layout) -> Protected {
    Protected::new(home, own(layout)).but_readable(readable(layout))
}

/// Our own folders.
pub(super) fn own(layout: &Layout) -> [PathBuf; 3] {
    [&layout.config, &layout.data, &layout.state].map(Clone::clone)
}

/// What can be read in them all the same: the files of skills, and what was pasted beside a page.
pub(super) fn readable(layout: &Layout) -> [PathBuf; 2] {
    [layout.config.join("skills"), browser_folder(layout)]
}

fn temporary() -> Vec<PathBuf> {
    let named = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let mut places = Vec::new();
    for place in [std::env::temp_dir()].into_iter().chain(named) {
        match place.canonicalize() {
            Ok(real) if real != Path::new("/") => add(&mut places, real),
            Ok(_) | Err(_) => {}
        }
    }
    places
}

/// Adds a place unless it lies in one that is known.
pub(super) fn add(places: &mut Vec<PathBuf>, place: PathBuf) {
    if !places.iter().any(|known| place.starts_with(known)) {
        places.push(place);
    }
}

fn fit(folder: &WriteFolder, home: Option<&Path>, protected: &Protected) -> Result<PathBuf, RefusedFolder> {
    let real = folder.path(home).and_then(|path| path.canonicalize().ok());
    let real = real.ok_or_else(|| RefusedFolder::Missing(folder.clone()))?;
    if !real.is_dir() || real == Path::new("/") {
        return Err(RefusedFolder::Unfit(folder.clone()));
    }
    if keeps_keys(&real, protected) {
        return Err(RefusedFolder::Protected(folder.clone()));
    }
    Ok(real)
}

/// Whether keys are kept in a folder that is named without links, or below it.
pub(super) fn keeps_keys(real: &Path, protected: &Protected) -> bool {
    let holds_one = protected.places().iter().any(|place| place.starts_with(real));
    holds_one || protected.cover(real) || key_folders::lie_in(real)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_configured_folder_must_be_there_and_hold_no_keys() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap();
        for folder in [".npm", ".ssh/deep", ".config/sidewire", "old/.aws", "real"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join("file"), "").unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).unwrap();
        std::os::unix::fs::symlink(home.join("real"), home.join("alias")).unwrap();
        let protected = Protected::new(Some(&home), [home.join(".config/sidewire")]);
        let found = |name: &str| {
            let config: ShellConfig = toml::from_str(&format!("write = [\"{name}\"]")).unwrap();
            fit(&config.write[0], Some(&home), &protected).map_err(|refused| refused.to_string())
        };
        assert_eq!(found("~/.npm"), Ok(home.join(".npm")));
        assert_eq!(found("~/alias"), Ok(home.join("real")));
        for (name, why) in [
            ("~/.cache", "does not exist"),
            ("~/file", "is no folder"),
            ("/", "is no folder"),
            ("~/.ssh", "keys are kept there"),
            ("~/.ssh/deep", "keys are kept there"),
            ("~/link", "keys are kept there"),
            ("~/.config/sidewire", "keys are kept there"),
            ("~/.config", "keys are kept there"),
            ("~/", "keys are kept there"),
            ("~/old", "keys are kept there"),
        ] {
            let refused = found(name).unwrap_err();
            assert!(refused.contains(why), "{name}: {refused}");
        }
    }

    #[test]
    fn a_refused_folder_is_told_and_the_others_are_used() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().canonicalize().unwrap();
        let text = format!("write = [\"/no/such\", \"{0}\", \"{0}\"]", folder.display());
        let mut places = ShellPlaces::default();
        places.add_configured(&toml::from_str(&text).unwrap(), None, &Protected::new(None, []));
        assert_eq!(places.configured, [folder]);
        let refused: Vec<_> = places.refused.iter().map(ToString::to_string).collect();
        assert_eq!(refused, ["/no/such does not exist"]);
    }
}
