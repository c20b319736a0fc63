//! Where git keeps the repository of a folder, when that is not below the folder itself: above it, or, for a linked
//! worktree, beside another one.
//!
//! Commands that run in the folder write there, or `git add` and `git commit` fail. Content of a project says where a
//! worktree belongs, so that it is believed only when the repository says the same.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Most bytes of a file that names a folder.
const NAMED: u64 = 4096;

/// The folder of git's own for the repository that `root`, named without links, is a part of, if it lies elsewhere and
/// is this person's. One that holds their whole home is not taken for a project's. Blocks on the disk.
pub(super) fn elsewhere(root: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let known = |folder: &Path| {
        let entry = folder.join(".git");
        let metadata = entry.symlink_metadata().ok()?;
        Some((entry, metadata))
    };
    let (entry, metadata) = root.ancestors().find_map(known)?;
    let git = if metadata.is_dir() {
        entry
    } else {
        shared_by_worktree(&entry, &metadata)?
    };
    let is_of_home = home.is_some_and(|home| git == home.join(".git"));
    (!git.starts_with(root) && !is_of_home && is_repository_of_ours(&git)).then_some(git)
}

/// The folder that a linked worktree shares with the others; `entry` is what stands for its own (gitrepository-layout,
/// `gitdir` and `commondir`).
fn shared_by_worktree(entry: &Path, metadata: &Metadata) -> Option<PathBuf> {
    let named = metadata.is_file().then(|| line(entry))??;
    let own = entry.parent()?.join(named.strip_prefix("gitdir: ")?);
    let own = own.canonicalize().ok()?;
    let back = own.join(line(&own.join("gitdir"))?).canonicalize().ok()?;
    let shared = own.join(line(&own.join("commondir"))?).canonicalize().ok()?;
    let is_its_own = own.parent() == Some(&shared.join("worktrees")) && back == entry.canonicalize().ok()?;
    is_its_own.then_some(shared)
}

fn is_repository_of_ours(git: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    let is_ours = git
        .symlink_metadata()
        .is_ok_and(|git| git.is_dir() && git.uid() == me);
    is_ours && git.join("HEAD").is_file() && git.join("objects").is_dir()
}

/// What a file names, if it is one: a pipe of that name holds nobody up.
fn line(file: &Path) -> Option<String> {
    let at_once = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(at_once).open(file).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut text = String::new();
    file.take(NAMED).read_to_string(&mut text).ok()?;
    Some(text.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{Mode, mkfifoat};

    use super::*;

    /// `main` is a repository with the linked worktree `linked`, as `git worktree add` leaves them.
    fn folders() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        for folder in [
            "main/.git/objects",
            "main/.git/worktrees/linked",
            "main/part/deep",
            "linked/part",
        ] {
            fs::create_dir_all(real.join(folder)).unwrap();
        }
        let worktree = real.join("main/.git/worktrees/linked");
        write(&real.join("main/.git/HEAD"), "ref: refs/heads/main");
        write(&worktree.join("commondir"), "../..");
        write(
            &worktree.join("gitdir"),
            &real.join("linked/.git").display().to_string(),
        );
        write(
            &real.join("linked/.git"),
            &format!("gitdir: {}", worktree.display()),
        );
        (place, real)
    }

    fn write(file: &Path, line: &str) {
        fs::write(file, format!("{line}\n")).unwrap();
    }

    #[test]
    fn a_repository_is_found_above_and_beside_but_not_within() {
        let (_place, real) = folders();
        let git = Some(real.join("main/.git"));
        for (root, wanted) in [
            ("main", None),
            ("main/part", git.clone()),
            ("main/part/deep", git.clone()),
            ("linked", git.clone()),
            ("linked/part", git),
        ] {
            assert_eq!(elsewhere(&real.join(root), None), wanted, "{root}");
        }
        assert_eq!(elsewhere(&real.join("main/part"), Some(&real.join("main"))), None);
    }

    /// As `git clone --bare` makes it, in a home folder too.
    #[test]
    fn a_worktree_may_belong_to_a_bare_repository() {
        let (_place, real) = folders();
        let bare = real.join("project.git");
        fs::rename(real.join("main/.git"), &bare).unwrap();
        let worktree = bare.join("worktrees/linked").display().to_string();
        write(&real.join("linked/.git"), &format!("gitdir: {worktree}"));
        assert_eq!(elsewhere(&real.join("linked"), Some(&real)), Some(bare));
    }

    #[test]
    fn a_project_that_says_it_belongs_elsewhere_is_not_believed() {
        let (_place, real) = folders();
        let stranger = real.join("stranger");
        fs::create_dir(&stranger).unwrap();
        let worktree = real.join("main/.git/worktrees/linked");
        for claim in [
            format!("gitdir: {}", worktree.display()),
            format!("gitdir: {}", real.join("main/.git").display()),
            "gitdir: ../main/.git/worktrees/linked".to_owned(),
            "gitdir: ".to_owned(),
            real.join("main/.git").display().to_string(),
        ] {
            write(&stranger.join(".git"), &claim);
            assert_eq!(elsewhere(&stranger, None), None, "{claim}");
        }
        // Nobody ever writes into this pipe.
        let (pipe, claim) = (stranger.join("own/gitdir"), stranger.join(".git"));
        fs::create_dir(stranger.join("own")).unwrap();
        mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        write(&claim, "gitdir: own");
        assert_eq!(elsewhere(&stranger, None), None);
        fs::remove_file(claim).unwrap();
        std::os::unix::fs::symlink(real.join("main/.git"), stranger.join(".git")).unwrap();
        assert_eq!(elsewhere(&stranger, None), None);
        // What the worktree shares must be where worktrees are kept.
        fs::create_dir_all(real.join("other/objects")).unwrap();
        write(&real.join("other/HEAD"), "ref: refs/heads/main");
        write(
            &worktree.join("commondir"),
            &real.join("other").display().to_string(),
        );
        assert_eq!(elsewhere(&real.join("linked"), None), None);
    }

    #[test]
    fn what_is_no_repository_is_none() {
        let (_place, real) = folders();
        fs::remove_file(real.join("main/.git/HEAD")).unwrap();
        assert_eq!(elsewhere(&real.join("main/part"), None), None);
    }
}
