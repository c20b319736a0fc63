//! How shell commands of editor sessions are confined: the `[shell]` of `config.toml`.
//!
//! Read from the person's own file only: a project cannot widen what its commands may write. Whether a folder is there,
//! and fit to be written in, is not known here.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

/// What commands may do beside what they always may.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ShellConfig {
    /// Folders outside of every workspace that commands may write in.
    pub(crate) write: Vec<WriteFolder>,
}

/// A folder, named by its whole path or from the person's home.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct WriteFolder(PathBuf);

impl WriteFolder {
    /// Its whole path; `None` for one below a home that nobody knows.
    pub(crate) fn path(&self, home: Option<&Path>) -> Option<PathBuf> {
        match self.0.strip_prefix("~") {
            Ok(below) => Some(home?.join(below)),
            Err(_) => Some(self.0.clone()),
        }
    }
}

impl fmt::Display for WriteFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.display())
    }
}

impl TryFrom<String> for WriteFolder {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let path = PathBuf::from(&text);
        let goes_up = path.components().any(|part| part == Component::ParentDir);
        if goes_up || !(path.is_absolute() || text.starts_with("~/")) {
            return Err("a folder to write in is named like \"/var/cache/x\" or \"~/.npm\"");
        }
        Ok(Self(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ShellConfig, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn folders_are_named_whole_or_from_home() {
        let config = read("write = [\"~/.npm\", \"/var/cache/go\"]").unwrap();
        let home = Some(Path::new("/home/ann"));
        let paths: Vec<_> = config.write.iter().map(|folder| folder.path(home)).collect();
        assert_eq!(
            paths,
            [Some("/home/ann/.npm".into()), Some("/var/cache/go".into())]
        );
        assert_eq!(config.write[0].path(None), None);
        assert_eq!(config.write[0].to_string(), "~/.npm");
        assert_eq!(read("").unwrap(), ShellConfig::default());
    }

    #[test]
    fn what_names_no_folder_is_refused_with_the_reason() {
        for (text, reason) in [
            ("write = [\"cache\"]", "is named like"),
            ("write = [\"~ann/x\"]", "is named like"),
            ("write = [\"\"]", "is named like"),
            ("write = [\"/srv/../etc\"]", "is named like"),
            ("write = \"/srv\"", "invalid type"),
            ("read = []", "unknown field"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
