//! The folders of a session: where it works, and the ones a client adds (acp-agent.md §7). Whatever is wrong with one
//! of them refuses the whole request, with a code that a program can tell.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use sidewire_agent::page_block::text::clip;
use sidewire_agent::workspace::Roots;

use super::refusals::coded;
use super::spelling::Spelling;
use crate::key_folders;
use crate::rpc::Error;

/// Most folders a client may add.
const MOST: usize = 32;
/// Most bytes of a path that an error repeats.
const PATH: usize = 4096;

/// What a process lets its clients add.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    /// Nothing: it was started to work in one folder only.
    pub(super) workspace_only: bool,
    /// Folders of our own that hold keys and conversations.
    pub(super) private: Vec<PathBuf>,
    /// The one among those in which conversations that began beside a page go on.
    pub(super) browser: Option<PathBuf>,
}

impl Policy {
    /// The private folders with every link on the way to them resolved.
    fn private(&self) -> Vec<PathBuf> {
        let private = self.private.iter();
        let real = private.map(|folder| fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()));
        real.collect()
    }

    fn is_browsers(&self, real: &Path) -> bool {
        let browser = self
            .browser
            .as_deref()
            .and_then(|folder| fs::canonicalize(folder).ok());
        browser.is_some_and(|folder| folder == real)
    }
}

/// What is wrong with a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("is not an absolute path")]
    NotAbsolute,
    #[error("does not exist")]
    Missing,
    #[error("is not a folder")]
    NotDirectory,
    #[error("holds keys, or lies where keys are kept")]
    Protected,
    #[error("belongs to another user")]
    NotOwned,
    #[error("overlaps another folder of the session")]
    Overlap,
}

impl Fault {
    fn code(self) -> &'static str {
        match self {
            Self::NotAbsolute => "workspace_roots.not_absolute",
            Self::Missing => "workspace_roots.missing",
            Self::NotDirectory => "workspace_roots.not_directory",
            Self::Protected => "workspace_roots.protected",
            Self::NotOwned => "workspace_roots.not_owned",
            Self::Overlap => "workspace_roots.overlap",
        }
    }
}

/// The folders of a session.
#[derive(Clone, Debug)]
pub(super) struct Folders {
    /// As they really are.
    pub(super) roots: Roots,
    /// How the client writes them.
    pub(super) spelling: Spelling,
}

/// The folders of a session that works in `cwd` and is to have `wanted` too. Blocks on the disk.
pub(super) fn vet(cwd: &Path, wanted: &[String], policy: &Policy) -> Result<Folders, Error> {
    let folder = vet_cwd(cwd, policy).map_err(|fault| refused("cwd", &cwd.to_string_lossy(), fault))?;
    if policy.workspace_only && !wanted.is_empty() {
        let text = "additionalDirectories: this agent works in its folder only".to_owned();
        return Err(coded("acp.additional_directories.disabled", text));
    }
    if wanted.len() > MOST {
        let text = format!("additionalDirectories: at most {MOST} folders");
        return Err(coded("acp.additional_directories.too_many", text));
    }
    let (mut roots, mut written) = (vec![folder.clone()], vec![cwd.to_owned()]);
    for path in wanted {
        let root = vet_one(Path::new(path), &roots, policy)
            .map_err(|fault| refused("additionalDirectories", path, fault))?;
        if let Some(root) = root {
            roots.push(root);
            written.push(PathBuf::from(path));
        }
    }
    let spelling = Spelling::new(roots.iter().cloned().zip(written));
    let roots = Roots::new(folder, roots.into_iter().skip(1));
    Ok(Folders { roots, spelling })
}

/// The working folder: a person's own choice, so that one which has private folders in it is fine, but none of those.
fn vet_cwd(cwd: &Path, policy: &Policy) -> Result<PathBuf, Fault> {
    let real = real(cwd)?;
    let is_private = policy.private().iter().any(|folder| real.starts_with(folder));
    if key_folders::cover(&real) || (is_private && !policy.is_browsers(&real)) {
        return Err(Fault::Protected);
    }
    Ok(real)
}

/// A folder beside `roots`, of which the first is the working folder; `None` for one that is named a second time.
fn vet_one(path: &Path, roots: &[PathBuf], policy: &Policy) -> Result<Option<PathBuf>, Fault> {
    let real = real(path)?;
    if roots.iter().skip(1).any(|root| *root == real) {
        return Ok(None);
    }
    let private = policy.private();
    let is_private = private.iter().any(|folder| real.starts_with(folder));
    if is_private || key_folders::cover(&real) || key_folders::lie_in(&real) {
        return Err(Fault::Protected);
    }
    if !is_ours(&real) {
        return Err(Fault::NotOwned);
    }
    if roots.iter().any(|root| overlap(root, &real)) {
        return Err(Fault::Overlap);
    }
    if private.iter().any(|folder| folder.starts_with(&real)) {
        return Err(Fault::Protected);
    }
    Ok(Some(real))
}

/// A folder with every link on the way to it resolved.
fn real(path: &Path) -> Result<PathBuf, Fault> {
    if !path.is_absolute() {
        return Err(Fault::NotAbsolute);
    }
    let real = fs::canonicalize(path).map_err(|_| Fault::Missing)?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(Fault::NotDirectory)
    }
}

#[cfg(unix)]
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

/// There is no owner to compare with.
#[cfg(not(unix))]
fn is_ours(_: &Path) -> bool {
    true
}

/// One is the other, or lies in it.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn refused(what: &str, path: &str, fault: Fault) -> Error {
    let error = Error::invalid_params(format!("{what}: the folder {fault}"));
    error.with_data(json!({ "code": fault.code(), "path": clip(path, PATH) }))
}

#[cfg(test)]
mod tests;
