//! What servers offered last time, so that a session begins with their tools before they run (decision 33).
//!
//! One private file for each definition, named by its hash. A file that is broken, too large or of someone else is as
//! good as none. Servers that an editor passes are never kept: they belong to one session.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::offer::Offer;
use crate::private_file::{read_private, write_private};

/// Which form the files have.
const VERSION: u32 = 1;
/// Most files; the oldest go.
const FILES: usize = 64;

/// The folder of what is known. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

#[derive(Serialize)]
struct Kept<'a> {
    version: u32,
    offer: &'a Offer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    version: u32,
    offer: Offer,
}

impl Cache {
    /// A folder of ours; it is made when something is kept.
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What a server of this definition offered last time.
    pub(super) fn load(&self, fingerprint: &str) -> Option<Offer> {
        let bytes = match read_private(&self.file(fingerprint)) {
            Ok(bytes) => bytes?,
            Err(error) => {
                tracing::debug!(%error, "the known tools of an MCP server cannot be read");
                return None;
            }
        };
        let found: Found = serde_json::from_slice(&bytes).ok()?;
        Some(found.offer).filter(|offer| found.version == VERSION && offer.is_sound())
    }

    /// Keeps what a server of this definition offers.
    pub(super) fn keep(&self, fingerprint: &str, offer: &Offer) {
        if self.load(fingerprint).as_ref() == Some(offer) {
            return;
        }
        let kept = Kept {
            version: VERSION,
            offer,
        };
        let written = serde_json::to_vec(&kept).map(|bytes| write_private(&self.file(fingerprint), &bytes));
        match written {
            Ok(Ok(())) => self.prune(),
            Ok(Err(error)) => tracing::warn!(%error, "the tools of an MCP server could not be kept"),
            Err(error) => tracing::warn!(%error, "the tools of an MCP server could not be written down"),
        }
    }

    /// Forgets the oldest files beyond the limit.
    fn prune(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let extra = files.len().saturating_sub(FILES);
        for (_, path) in files.iter().take(extra) {
            if let Err(error) = fs::remove_file(path) {
                tracing::debug!(%error, "a file of known MCP tools could not be removed");
            }
        }
    }

    fn file(&self, fingerprint: &str) -> PathBuf {
        self.folder.join(format!("{fingerprint}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::offer::OfferedPrompt;
    use super::*;

    fn offer(name: &str) -> Offer {
        Offer {
            tools: Vec::new(),
            prompts: vec![OfferedPrompt {
                name: name.into(),
                description: String::new(),
                arguments: Vec::new(),
            }],
        }
    }

    fn cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("known"));
        (folder, cache)
    }

    #[test]
    fn what_is_kept_is_found_again_and_private() {
        let (_folder, cache) = cache();
        assert_eq!(cache.load("a"), None);
        cache.keep("a", &offer("one"));
        cache.keep("a", &offer("two"));
        assert_eq!(cache.load("a"), Some(offer("two")));
        assert_eq!(cache.load("b"), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(cache.file("a")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_broken_file_is_as_good_as_none() {
        let (_folder, cache) = cache();
        for text in [
            "",
            "{",
            r#"{"version":2,"offer":{"tools":[],"prompts":[]}}"#,
            r#"{"version":1,"offer":{"tools":[]}}"#,
            r#"{"version":1,"offer":{"tools":[],"prompts":[{"name":"a b","description":"","arguments":[]}]}}"#,
            r#"{"version":1,"offer":{"tools":[{"name":"a","title":"","description":"","parameters":[],"read_only":true}],"prompts":[]}}"#,
        ] {
            write_private(&cache.file("a"), text.as_bytes()).unwrap();
            assert_eq!(cache.load("a"), None, "{text}");
        }
        cache.keep("a", &offer("one"));
        assert_eq!(cache.load("a"), Some(offer("one")));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_others_may_change_is_not_believed() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, cache) = cache();
        cache.keep("a", &offer("one"));
        fs::set_permissions(cache.file("a"), fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(cache.load("a"), None);
    }

    #[test]
    fn only_so_many_are_kept() {
        let (_folder, cache) = cache();
        for at in 0..FILES + 3 {
            cache.keep(&format!("{at:03}"), &offer("one"));
        }
        assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), FILES);
        assert!(cache.load(&format!("{:03}", FILES + 2)).is_some());
    }
}
