//! Finds and reads the small text files that commands are made of. Every step is bounded: how deep, how many, how
//! large; what is left out is said with its reason.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes of a file.
pub(super) const FILE_BYTES: u64 = 64 * 1024;
/// Most files of one folder of commands or skills.
const FILES: usize = 256;
/// Most entries of a folder that are looked at.
const ENTRIES: usize = 4_096;
/// Byte order mark of UTF-8, which some editors write.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// How deep folders of commands may lie in each other.
const DEPTH: usize = 4;

/// A file that was left out.
#[derive(Debug, thiserror::Error)]
#[error("{} was left out: {fault}", path.display())]
pub struct Skipped {
    /// Which file.
    pub path: PathBuf,
    /// Why.
    pub fault: Fault,
}

/// Why a file was left out.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It cannot be read.
    #[error("it cannot be read ({0})")]
    Unreadable(io::ErrorKind),
    /// Larger than any such file needs to be.
    #[error("it holds more than {FILE_BYTES} bytes")]
    TooLarge,
    /// Not text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// A link or a device in a project could show what the project must not.
    #[error("it is not a plain file inside the project")]
    NotPlain,
    /// Its head cannot be read.
    #[error("what stands between the lines of --- is not YAML")]
    BadHead,
    /// Its name cannot be typed as a command.
    #[error("a name has letters, digits, - and _ only")]
    BadName,
    /// Its name is one of a built-in command.
    #[error("a built-in command has this name")]
    BuiltIn,
    /// One that comes first has this name.
    #[error("another file has this name and comes first")]
    Taken,
    /// The others are enough.
    #[error("there are more than {FILES} of them")]
    TooMany,
}

/// Whose files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose<'a> {
    /// The person's: links are theirs.
    Person,
    /// Those of the project in this folder, which anybody may have written: none may lead out of it.
    Project(&'a Path),
}

/// A folder files are read from.
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    pub(super) whose: Whose<'a>,
}

impl Place<'_> {
    /// Reads a file of the place; `None` when there is none.
    pub(super) fn read(&self, path: &Path) -> Option<Result<String, Fault>> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(Fault::Unreadable(error.kind()))),
            Ok(found) if !found.is_file() || !self.holds(path) => Some(Err(Fault::NotPlain)),
            Ok(_) => Some(read_text(path)),
        }
    }

    /// Whether a path stays inside the project once its links are followed.
    fn holds(&self, path: &Path) -> bool {
        let Whose::Project(folder) = self.whose else {
            return true;
        };
        match (folder.canonicalize(), path.canonicalize()) {
            (Ok(folder), Ok(path)) => path.starts_with(folder),
            _ => false,
        }
    }

    /// Files below `folder` whose name ends in `.md`, in order; those that are too many are left out.
    pub(super) fn markdown(&self, folder: &Path, skipped: &mut Vec<Skipped>) -> Vec<PathBuf> {
        let mut found = Vec::new();
        self.collect(folder, DEPTH, &mut found);
        bounded(found, skipped)
    }

    /// The folders directly below `folder`, in order.
    pub(super) fn folders(&self, folder: &Path, skipped: &mut Vec<Skipped>) -> Vec<PathBuf> {
        let folders = entries(folder).into_iter().filter(|path| path.is_dir());
        bounded(folders.filter(|path| self.holds(path)).collect(), skipped)
    }

    fn collect(&self, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
        for path in entries(folder) {
            if found.len() > ENTRIES {
                return;
            }
            if path.is_dir() {
                // A link to a folder above would be followed for ever, were it not for the depth.
                if depth > 1 && self.holds(&path) {
                    self.collect(&path, depth - 1, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
}

fn bounded(mut found: Vec<PathBuf>, skipped: &mut Vec<Skipped>) -> Vec<PathBuf> {
    found.sort();
    let rest = found.split_off(FILES.min(found.len()));
    skipped.extend(rest.into_iter().take(1).map(|path| Skipped {
        path,
        fault: Fault::TooMany,
    }));
    found
}

/// What is in a folder; nothing when there is no such folder. Hidden names are passed over.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = listing.take(ENTRIES).filter_map(Result::ok);
    names
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect()
}

fn read_text(path: &Path) -> Result<String, Fault> {
    let unreadable = |error: io::Error| Fault::Unreadable(error.kind());
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_BYTES {
        return Err(Fault::TooLarge);
    }
    let text = bytes.strip_prefix(MARK).unwrap_or(&bytes).to_vec();
    String::from_utf8(text).map_err(|_error| Fault::NotText)
}
