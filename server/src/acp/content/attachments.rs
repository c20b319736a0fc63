//! Files that came with a prompt, in `.sidewire/attachments/` of the working folder: never through a link, never over
//! another file, never committed by accident.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, unlinkat};
use rustix::io::Errno;

use super::BlockError;

/// Most bytes of a file that is no image.
const FILE_BYTES: usize = 25 * 1024 * 1024;
/// From the working folder.
const FOLDERS: [&str; 2] = [".sidewire", "attachments"];
/// Names that are tried for one file.
const TRIES: u32 = 1000;

/// A file that came with a prompt.
pub(super) struct Attachment {
    /// How its name is to end, with the dot.
    pub(super) extension: String,
    /// What is in it.
    pub(super) bytes: Arc<[u8]>,
    /// Its type, when it is a picture that a model can be shown.
    pub(super) picture: Option<&'static str>,
}

impl Attachment {
    /// A file that is no image.
    pub(super) fn of_file(bytes: Vec<u8>, extension: String) -> Result<Self, BlockError> {
        if bytes.len() > FILE_BYTES {
            return Err(BlockError::FileSize);
        }
        Ok(Self {
            extension,
            bytes: bytes.into(),
            picture: None,
        })
    }
}

/// Why files were not saved.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    /// Something else is there, such as a link that may lead anywhere.
    #[error("{} is a link or no folder; attachments are not saved there", FOLDERS.join("/"))]
    NoFolder,
    /// The disk said no.
    #[error("attachments cannot be saved: {0}")]
    Io(#[from] io::Error),
}

impl From<Errno> for SaveError {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

/// Bytes written as base64; blanks and missing padding are forgiven.
pub(super) fn decode(data: &str) -> Result<Vec<u8>, BlockError> {
    if data.is_empty() {
        return Err(BlockError::NoData);
    }
    let bytes = base64_simd::forgiving_decode_to_vec(data.as_bytes()).map_err(|_| BlockError::NotBase64)?;
    if bytes.is_empty() {
        return Err(BlockError::NoData);
    }
    Ok(bytes)
}

/// Saves files, all or none; gives their paths from the working folder.
pub(super) fn save(files: &[&Attachment], cwd: &Path) -> Result<Vec<String>, SaveError> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let folder = folder(cwd)?;
    let mut names = Vec::new();
    for file in files {
        match save_one(&folder, file) {
            Ok(name) => names.push(name),
            Err(error) => {
                for name in &names {
                    let _gone_already = unlinkat(&folder, name, AtFlags::empty());
                }
                return Err(error);
            }
        }
    }
    Ok(names
        .iter()
        .map(|name| format!("{}/{name}", FOLDERS.join("/")))
        .collect())
}

/// What a saved file holds, by the path that [`save`] gave it; nothing when it is gone, or holds more than `limit` bytes.
pub(super) fn load(path: &str, cwd: &Path, limit: usize) -> Option<Vec<u8>> {
    let name = path.strip_prefix(&format!("{}/", FOLDERS.join("/")))?;
    if name.contains('/') {
        return None;
    }
    let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = open(cwd, folder_flags, Mode::empty()).ok()?;
    for name in FOLDERS {
        folder = openat(&folder, name, folder_flags | OFlags::NOFOLLOW, Mode::empty()).ok()?;
    }
    // Whatever has taken the place of the file is not waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&folder, name, flags, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= limit).then_some(bytes)
}

/// The folder, made when it is not there. Each step is taken from the one before, so that none can be swapped.
fn folder(cwd: &Path) -> Result<OwnedFd, SaveError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = open(cwd, flags, Mode::empty())?;
    for (name, mode) in FOLDERS.into_iter().zip([0o755, 0o700]) {
        match mkdirat(&folder, name, Mode::from_raw_mode(mode)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        folder = match openat(&folder, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => return Err(SaveError::NoFolder),
            Err(errno) => return Err(errno.into()),
        };
    }
    // What a person pasted is not for their repository.
    match create(&folder, ".gitignore") {
        Ok(mut file) => file.write_all(b"*\n")?,
        Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    Ok(folder)
}

fn save_one(folder: &OwnedFd, attachment: &Attachment) -> Result<String, SaveError> {
    let time = Timestamp::now().strftime("%Y%m%d-%H%M%S%.6f").to_string();
    for number in 0..TRIES {
        let name = format!("clipboard-{time}-{number:06}{}", attachment.extension);
        match create(folder, &name) {
            Ok(mut file) => {
                if let Err(error) = file.write_all(&attachment.bytes) {
                    let _gone_already = unlinkat(folder, &name, AtFlags::empty());
                    return Err(error.into());
                }
                return Ok(name);
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(Errno::EXIST.into())
}

/// A file that did not exist before, for its owner alone.
fn create(folder: impl AsFd, name: &str) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::from_raw_mode(0o600)).map(File::from)
}
