//! What a person decided about servers: which servers of which project may start, and which are switched off.
//!
//! A permission is bound to the project's path and to the exact definition: change a letter of it and it is gone. The
//! file is private; one that cannot be read allows nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::private_file::{PrivateFileError, read_private, write_private};

const VERSION: u32 = 1;

/// A project, by the real path of its folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Project(String);

impl Project {
    /// The project of a folder; links in its path are followed, so that one project has one name.
    pub(crate) fn of(folder: &Path) -> Self {
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Self(real.to_string_lossy().into_owned())
    }

    /// Its path.
    pub(crate) fn path(&self) -> &str {
        &self.0
    }
}

/// Why decisions cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    /// The file is not private, or the system refused.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The file says something else.
    #[error("{} is broken; remove it and allow your MCP servers again", .0.display())]
    Broken(PathBuf),
}

/// What a person decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ledger {
    version: u32,
    /// By project, then by name of the server: the fingerprint of the definition that may start.
    allowed: BTreeMap<Project, BTreeMap<String, String>>,
    /// Servers of projects that are switched off.
    disabled: BTreeMap<Project, BTreeSet<String>>,
    /// Servers of the person that are switched off.
    own_disabled: BTreeSet<String>,
}

impl Ledger {
    /// Reads it; a missing file decides nothing.
    pub(crate) fn load(file: &Path) -> Result<Self, LedgerError> {
        let Some(bytes) = read_private(file)? else {
            return Ok(Self::default());
        };
        let ledger: Result<Self, _> = serde_json::from_slice(&bytes);
        let ledger = ledger.ok().filter(|ledger| ledger.version == VERSION);
        ledger.ok_or_else(|| LedgerError::Broken(file.to_owned()))
    }

    /// Writes it.
    pub(crate) fn save(&self, file: &Path) -> Result<(), LedgerError> {
        let written = Self {
            version: VERSION,
            ..self.clone()
        };
        let bytes = serde_json::to_vec_pretty(&written).map_err(|_| LedgerError::Broken(file.to_owned()))?;
        Ok(write_private(file, &bytes)?)
    }

    /// Whether a project's server with this definition may start.
    pub(crate) fn allows(&self, project: &Project, name: &str, fingerprint: &str) -> bool {
        let known = self.allowed.get(project).and_then(|servers| servers.get(name));
        known.is_some_and(|known| known == fingerprint)
    }

    /// Lets a project's server with this definition start.
    pub(crate) fn allow(&mut self, project: &Project, name: &str, fingerprint: &str) {
        let servers = self.allowed.entry(project.clone()).or_default();
        servers.insert(name.to_owned(), fingerprint.to_owned());
    }

    /// Takes it back; false when it was not given.
    pub(crate) fn revoke(&mut self, project: &Project, name: &str) -> bool {
        let Some(servers) = self.allowed.get_mut(project) else {
            return false;
        };
        let was_given = servers.remove(name).is_some();
        if servers.is_empty() {
            self.allowed.remove(project);
        }
        was_given
    }

    /// Whether a server is switched off: one of a project, or one of the person's own.
    pub(crate) fn is_disabled(&self, project: Option<&Project>, name: &str) -> bool {
        match project {
            Some(project) => self
                .disabled
                .get(project)
                .is_some_and(|names| names.contains(name)),
            None => self.own_disabled.contains(name),
        }
    }

    /// Switches a server off or on; false when it was so already.
    pub(crate) fn set_disabled(&mut self, project: Option<&Project>, name: &str, disabled: bool) -> bool {
        let names = match project {
            Some(project) => self.disabled.entry(project.clone()).or_default(),
            None => &mut self.own_disabled,
        };
        let changed = if disabled {
            names.insert(name.to_owned())
        } else {
            names.remove(name)
        };
        self.disabled.retain(|_, names| !names.is_empty());
        changed
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_permission_is_bound_to_project_name_and_definition() {
        let (here, there) = (Project("/here".into()), Project("/there".into()));
        let mut ledger = Ledger::default();
        ledger.allow(&here, "a", "hash");
        assert!(ledger.allows(&here, "a", "hash"));
        for (project, name, hash) in [(&there, "a", "hash"), (&here, "b", "hash"), (&here, "a", "other")] {
            assert!(!ledger.allows(project, name, hash));
        }
        assert!(ledger.revoke(&here, "a") && !ledger.revoke(&here, "a"));
        assert_eq!(ledger, Ledger::default());
    }

    #[test]
    fn a_server_is_switched_off_where_it_belongs() {
        let here = Project("/here".into());
        let mut ledger = Ledger::default();
        assert!(ledger.set_disabled(Some(&here), "a", true));
        assert!(!ledger.set_disabled(Some(&here), "a", true));
        assert!(ledger.set_disabled(None, "b", true));
        assert!(ledger.is_disabled(Some(&here), "a") && !ledger.is_disabled(None, "a"));
        assert!(ledger.is_disabled(None, "b") && !ledger.is_disabled(Some(&here), "b"));
        assert!(ledger.set_disabled(Some(&here), "a", false) && ledger.set_disabled(None, "b", false));
        assert_eq!(ledger, Ledger::default());
    }

    #[test]
    fn it_is_kept_and_a_broken_file_allows_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state").join("mcp.json");
        assert_eq!(Ledger::load(&file).unwrap(), Ledger::default());
        let project = Project::of(folder.path());
        let mut ledger = Ledger::default();
        ledger.allow(&project, "a", "hash");
        ledger.save(&file).unwrap();
        assert!(Ledger::load(&file).unwrap().allows(&project, "a", "hash"));
        for text in ["", "[]", r#"{"version":2}"#] {
            fs::write(&file, text).unwrap();
            assert!(
                matches!(Ledger::load(&file), Err(LedgerError::Broken(_))),
                "{text}"
            );
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_project_reached_through_a_link_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(Project::of(&real), Project::of(&link));
    }
}
