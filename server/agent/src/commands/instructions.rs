//! `AGENTS.md`: what the person and a project tell whoever works here.

use std::path::{Path, PathBuf};

use super::files::{Place, Skipped, Whose};

/// The file's name.
const NAME: &str = "AGENTS.md";
/// How many folders above the working folder are looked at for the top of its repository.
const ABOVE: usize = 16;

/// The person's, then those of the repository from its top down to `folder`.
pub(super) fn read(config: &Path, folder: &Path, skipped: &mut Vec<Skipped>) -> Option<String> {
    let person = Place {
        folder: config,
        whose: Whose::Person,
    };
    let folders = repository(folder);
    let top = folders.first().map_or(folder, PathBuf::as_path);
    let project = Place {
        folder: top,
        whose: Whose::Project(top),
    };
    let mut texts = Vec::new();
    let files = folders.iter().map(|folder| (&project, folder.join(NAME)));
    for (place, path) in std::iter::once((&person, config.join(NAME))).chain(files) {
        match place.read(&path) {
            Some(Ok(text)) if text.trim().is_empty() => {}
            Some(Ok(text)) => texts.push(format!("From {}:\n{}", path.display(), text.trim())),
            Some(Err(fault)) => skipped.push(Skipped { path, fault }),
            None => {}
        }
    }
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The folders from the top of the repository down to `folder`; only `folder` where there is no repository.
fn repository(folder: &Path) -> Vec<PathBuf> {
    let above: Vec<PathBuf> = folder.ancestors().take(ABOVE).map(Path::to_owned).collect();
    let top = above.iter().position(|folder| folder.join(".git").exists());
    let ours = |at: &usize| above.iter().take(at + 1).all(|one| same_owner(one, folder));
    let count = top.filter(ours).map_or(1, |at| at + 1);
    above.into_iter().take(count).rev().collect()
}

/// A folder above that belongs to somebody else could tell the agent anything.
#[cfg(unix)]
fn same_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| path.metadata().ok().map(|metadata| metadata.uid());
    owner(one).is_some() && owner(one) == owner(other)
}

#[cfg(not(unix))]
fn same_owner(_one: &Path, _other: &Path) -> bool {
    true
}
