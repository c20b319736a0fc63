//! Names in words, and what can be told from a name before it is looked up.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Links that are followed in one path.
const LINKS: usize = 40;
/// Places that hold nothing.
const NOWHERE: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/random",
    "/dev/urandom",
];

/// Whether a name is that of a place that holds nothing, or of a file that is open already.
pub(in super::super) fn is_nowhere(name: &str) -> bool {
    let is_number = |rest: &str| !rest.is_empty() && rest.chars().all(|char| char.is_ascii_digit());
    NOWHERE.contains(&name) || name.strip_prefix("/dev/fd/").is_some_and(is_number)
}

/// Whether a character makes a pattern of a name.
pub(super) fn has_star(char: char) -> bool {
    matches!(char, '*' | '?' | '[')
}

/// What in a word may be the name of a file: the word, the value of an option, what is behind an equals sign, and for
/// a look what is behind a colon.
///
/// Behind how many letters the value of an option begins is not known; where something is there, it is meant. What
/// writes may mean something that is not there, too: behind several letters only what must be a path counts.
pub(super) fn names(text: &str, looks: bool) -> Vec<&str> {
    let value = text.split_once('=').map(|(_, value)| value);
    if !text.starts_with('-') {
        let behind_colon = text.split_once(':').map(|(_, name)| name).filter(|_| looks);
        return [Some(text), value, behind_colon].into_iter().flatten().collect();
    }
    if text.starts_with("--") {
        return value.into_iter().collect();
    }
    let behind = text.char_indices().skip(1).filter_map(|(at, _)| text.get(at..));
    let mut names: Vec<&str> = behind
        .enumerate()
        .filter(|(letters, name)| looks || *letters == 1 || must_be_path(name))
        .map(|(_, name)| name)
        .collect();
    names.extend(value);
    names
}

fn must_be_path(name: &str) -> bool {
    name.starts_with("../") || (name.starts_with('/') && Path::new(name).symlink_metadata().is_ok())
}

/// A path as a shell reckons it, to which `a/..` is nothing whatever `a` is.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut reckoned = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            reckoned.pop();
        } else {
            reckoned.push(part);
        }
    }
    reckoned
}

/// Whether a path goes through what the system says of a process: that is another one for the command than for us.
pub(super) fn is_of_a_process(path: &Path) -> bool {
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let (mut rest, mut real, mut links) = (parts(path), PathBuf::from("/"), 0);
    while let Some(part) = rest.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        if part != "." {
            real.push(part);
        }
        if ["/proc", "/dev/fd"].iter().any(|place| real == Path::new(place)) {
            return true;
        }
        if let Ok(target) = real.read_link() {
            links += 1;
            if links > LINKS {
                return false;
            }
            real.pop();
            rest.extend(parts(&target));
        }
    }
    false
}
