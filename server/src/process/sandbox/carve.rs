//! What is left of the disk without some places: Landlock only allows, so that what is not to be reached is left out.
//!
//! A place is left out by allowing what lies beside it, beside its folder, and so on up. Whatever comes to lie there
//! later is not allowed until somebody looks again.

#[cfg(any(test, target_os = "linux"))]
use std::collections::BTreeSet;
use std::fs::read_dir;
use std::path::{Path, PathBuf};

/// `folders` without what is protected: one that holds a protected place is replaced by what else it holds.
pub(in crate::process) fn without(folders: &[PathBuf], protected: &[PathBuf]) -> Vec<PathBuf> {
    let mut left = Vec::new();
    for folder in folders {
        carve(folder, protected, &mut left);
    }
    left
}

fn carve(folder: &Path, protected: &[PathBuf], left: &mut Vec<PathBuf>) {
    if protected.iter().any(|place| folder.starts_with(place)) {
        return;
    }
    if !protected.iter().any(|place| place.starts_with(folder)) {
        left.push(folder.to_owned());
        return;
    }
    entries(folder).for_each(|entry| carve(&entry, protected, left));
}

/// Everything but what is hidden; and what is shown, in hidden places too. A place that is shown and hidden is hidden.
/// None is looked for behind a link.
#[cfg(any(test, target_os = "linux"))]
pub(super) fn readable(hidden: &[PathBuf], show: &[PathBuf]) -> Vec<PathBuf> {
    let mut left = beside(hidden);
    for shown in show {
        let inside = hidden.iter().filter(|place| place.starts_with(shown));
        carve(shown, &inside.cloned().collect::<Vec<_>>(), &mut left);
    }
    left
}

/// What lies in the folders above these places, without the places. The way to each is known, so that it does not
/// matter which of the folders can be listed.
#[cfg(any(test, target_os = "linux"))]
fn beside(places: &[PathBuf]) -> Vec<PathBuf> {
    let above: BTreeSet<&Path> = places
        .iter()
        .flat_map(|place| place.ancestors().skip(1))
        .collect();
    let is_one = |path: &Path| places.iter().any(|place| path.starts_with(place));
    let open = above.iter().filter(|folder| !is_one(folder));
    let found = open.flat_map(|folder| entries(folder));
    found
        .filter(|entry| !above.contains(entry.as_path()) && !is_one(entry))
        .collect()
}

/// What lies in a folder. Without links: a rule for one would be a rule for where it leads.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let found = read_dir(folder).into_iter().flatten().flatten();
    let is_no_link = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| !kind.is_symlink());
    found.filter(is_no_link).map(|entry| entry.path())
}

/// Where a path leads, as far as it leads anywhere. Blocks on the disk.
pub(crate) fn real(path: &Path) -> PathBuf {
    let known = |above: &Path| Some(above.canonicalize().ok()?.join(path.strip_prefix(above).ok()?));
    let found = path.ancestors().find_map(known);
    found.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A home folder with keys, links and other things.
    fn home() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap();
        for folder in ["work", ".config/keys/skills", ".config/other", ".ssh"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join("file"), "").unwrap();
        symlink(home.join(".ssh"), home.join("link")).unwrap();
        (place, home)
    }

    /// What of it lies in this home, by names, in order.
    fn names(places: &[PathBuf], home: &Path) -> Vec<String> {
        let inside = places.iter().filter_map(|place| place.strip_prefix(home).ok());
        let mut names: Vec<_> = inside.map(|name| name.display().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_protected_place_is_carved_out_of_what_may_be_written() {
        let (_place, home) = home();
        let protected = [home.join(".config/keys"), home.join(".ssh")];
        let left = without(std::slice::from_ref(&home), &protected);
        assert_eq!(names(&left, &home), [".config/other", "file", "work"]);
        assert_eq!(without(&[home.join("work")], &protected), [home.join("work")]);
        assert!(without(&[home.join(".ssh/deep")], &protected).is_empty());
    }

    #[test]
    fn everything_beside_a_hidden_place_can_be_read() {
        let (_place, home) = home();
        let left = readable(&[home.join(".config/keys")], &[]);
        assert_eq!(names(&left, &home), [".config/other", ".ssh", "file", "work"]);
        assert!(left.contains(&"/usr".into()) && left.contains(&"/proc".into()));
        assert!(!left.iter().any(|place| home.starts_with(place)), "{left:?}");
    }

    #[test]
    fn a_place_that_is_no_folder_yet_is_hidden_before_it_is_one() {
        let (_place, home) = home();
        let left = readable(&[home.join("work/a/b"), home.join("new")], &[]);
        assert_eq!(names(&left, &home), [".config", ".ssh", "file"]);
    }

    #[test]
    fn a_link_is_hidden_where_it_leads() {
        let (_place, home) = home();
        let left = readable(&[real(&home.join("link")), real(&home.join("link/deep"))], &[]);
        assert_eq!(names(&left, &home), [".config", "file", "work"]);
    }

    #[test]
    fn a_hidden_place_within_another_opens_nothing() {
        let (_place, home) = home();
        let left = readable(&[home.join(".config"), home.join(".config/keys")], &[]);
        assert_eq!(names(&left, &home), [".ssh", "file", "work"]);
    }

    #[test]
    fn what_is_shown_can_be_read_in_a_hidden_place_and_hides_what_is_hidden_in_it() {
        let (_place, home) = home();
        let (keys, skills) = (home.join(".config/keys"), home.join(".config/keys/skills"));
        let shown = |hide: &[PathBuf], show: &Path| {
            let left = readable(hide, &[show.to_owned()]);
            names(&left, &home.join(".config"))
        };
        let hide = std::slice::from_ref(&keys);
        assert_eq!(shown(hide, &skills), ["keys/skills", "other"]);
        assert_eq!(shown(hide, &keys), ["other"]);
        assert_eq!(shown(hide, &home), ["other", "other"]);
        assert_eq!(shown(&[home.join(".config"), skills], &keys), [] as [&str; 0]);
    }
}
