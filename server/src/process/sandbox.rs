//! What the kernel lets a command write: Landlock on Linux, nothing elsewhere.
//!
//! A process confines itself and what it starts; nothing can take that back.

use std::io;
use std::path::{Path, PathBuf};

/// Confines this thread, and whatever it becomes or starts, to writing below these places and to the usual devices.
/// A kernel that cannot is no error; [`sandbox`] says so beforehand.
#[cfg(target_os = "linux")]
pub(crate) fn confine(write: &[PathBuf]) -> io::Result<()> {
    landlock_rules::apply(write).map(drop).map_err(io::Error::other)
}

/// Nothing confines here; [`sandbox`] says so.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the shape of the other systems")]
pub(crate) fn confine(_write: &[PathBuf]) -> io::Result<()> {
    Ok(())
}

/// What confines commands on this machine; `None` when nothing does.
#[cfg(target_os = "linux")]
pub(crate) fn sandbox() -> Option<String> {
    use std::sync::OnceLock;

    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    // Trying is the only way to know, and it confines the thread that tries: one that then ends.
    let try_out = || std::thread::spawn(landlock_rules::probe).join().ok().flatten();
    FOUND.get_or_init(try_out).clone()
}

/// What confines commands on this machine; `None` when nothing does.
#[cfg(not(target_os = "linux"))]
pub(crate) fn sandbox() -> Option<String> {
    None
}

/// `folders` without what is protected: one that holds a protected place is replaced by what else it holds.
pub(super) fn without(folders: &[PathBuf], protected: &[PathBuf]) -> Vec<PathBuf> {
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
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        // A rule for a link would be one for where it leads.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            carve(&entry.path(), protected, left);
        }
    }
}

#[cfg(target_os = "linux")]
mod landlock_rules {
    //! The rules, as the kernel is told them.

    use std::path::PathBuf;

    use landlock::{
        ABI, AccessFs, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        RulesetError, RulesetStatus, path_beneath_rules,
    };

    /// What programs write to without thinking of it as a file.
    const DEVICES: &[&str] = &[
        "/dev/full",
        "/dev/null",
        "/dev/ptmx",
        "/dev/pts",
        "/dev/random",
        "/dev/tty",
        "/dev/urandom",
        "/dev/zero",
    ];

    /// Truncating is the last of the ways to change a file (ABI 3); older kernels enforce what they know.
    const WRITING: ABI = ABI::V3;

    pub(super) fn apply(write: &[PathBuf]) -> Result<RestrictionStatus, RulesetError> {
        let writing = AccessFs::from_write(WRITING);
        Ruleset::default()
            .handle_access(writing)?
            .create()?
            .add_rules(path_beneath_rules(write, writing))?
            .add_rules(path_beneath_rules(DEVICES, writing))?
            .restrict_self()
    }

    pub(super) fn probe() -> Option<String> {
        let status = apply(&[]).ok()?;
        match (status.ruleset, status.landlock) {
            (RulesetStatus::NotEnforced, _) => None,
            (_, LandlockStatus::Available { effective_abi, .. }) => {
                Some(format!("Landlock (ABI {effective_abi})"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_protected_place_is_carved_out_of_what_may_be_written() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path();
        for folder in ["work", ".config/keys", ".config/other", ".ssh"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join("file"), "").unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).unwrap();
        let protected = [home.join(".config/keys"), home.join(".ssh")];
        let mut left = without(&[home.to_owned()], &protected);
        left.sort();
        assert_eq!(
            left,
            [".config/other", "file", "work"].map(|name| home.join(name))
        );
        assert_eq!(without(&[home.join("work")], &protected), [home.join("work")]);
        assert!(without(&[home.join(".ssh/deep")], &protected).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_confined_thread_writes_only_where_it_may() {
        if sandbox().is_none() {
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let (inside, outside) = (place.path().join("in"), place.path().join("out"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("old"), "old").unwrap();
        }
        let (may, may_not) = (inside.clone(), outside.clone());
        let confined = std::thread::spawn(move || {
            confine(std::slice::from_ref(&may)).unwrap();
            fs::write(may.join("new"), "new").unwrap();
            fs::rename(may.join("old"), may.join("moved")).unwrap();
            fs::write("/dev/null", "x").unwrap();
            assert_eq!(fs::read_to_string(may_not.join("old")).unwrap(), "old");
            for refused in [
                fs::write(may_not.join("new"), "new"),
                fs::write(may_not.join("old"), "new"),
                fs::remove_file(may_not.join("old")),
                fs::rename(may_not.join("old"), may.join("stolen")),
                fs::create_dir(may_not.join("folder")),
                std::os::unix::fs::symlink("/", may_not.join("link")),
            ] {
                assert!(refused.is_err());
            }
        });
        confined.join().unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(outside.join("old")).unwrap(), "old");
    }
}
