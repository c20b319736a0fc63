//! A call as the gate judges it: which tool, what it would do, and by which names rules may call what it touches.

use std::path::{Component, Path};

use super::{Class, Intent, Names};
use crate::workspace::Roots;

/// A call that is to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    tool: String,
    intent: Intent,
    /// Where each path it is about really leads, when it is about paths: absolute, and from the root it is in.
    places: Vec<Vec<String>>,
}

impl Case {
    /// A call of this tool. Follows links, so it blocks on the disk.
    #[must_use]
    pub fn new(tool: &str, intent: Intent, roots: Option<&Roots>) -> Self {
        let paths = intent.subject.iter().chain(&intent.segments);
        let places = match roots {
            Some(roots) if intent.names != Names::Words => {
                paths.map(|path| real_names(Path::new(path), roots)).collect()
            }
            _ => Vec::new(),
        };
        Self {
            tool: tool.to_owned(),
            intent,
            places,
        }
    }

    /// Name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What it would do.
    #[must_use]
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Reading what it is about, as far as that is inside.
    pub(super) fn as_look(&self) -> Self {
        Self {
            tool: "read_file".to_owned(),
            intent: Intent {
                class: Class::Read,
                outside: Vec::new(),
                ..self.intent.clone()
            },
            places: self.places.clone(),
        }
    }

    /// Whether it runs a command.
    pub(super) fn is_command(&self) -> bool {
        match self.intent.class {
            Class::Execute => true,
            Class::Read => self.intent.names == Names::Words && !self.intent.segments.is_empty(),
            Class::Edit | Class::Fetch | Class::Other => false,
        }
    }

    /// Whether it is about all that a folder holds, too.
    pub(super) fn goes_deep(&self) -> bool {
        self.intent.names == Names::Trees
    }

    /// Whether it may change something here.
    pub(super) fn changes(&self) -> bool {
        matches!(self.intent.class, Class::Edit | Class::Execute | Class::Other)
    }

    /// It changes what git reads to know how to behave, which may run programs at the next look at the repository.
    pub(super) fn tampers(&self) -> bool {
        let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
        let edits = || {
            self.intent.class == Class::Edit
                && self.parts().any(|path| Path::new(path).components().any(is_git))
        };
        self.intent.tampers || edits()
    }

    /// What it touches, by every name: a rule that forbids one of them forbids the call.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        let said = self.intent.subject.iter().chain(&self.intent.segments);
        said.chain(self.places.iter().flatten()).map(String::as_str)
    }

    /// What must all be allowed, each under one of its names: the real place of every file; every command; else the
    /// subject.
    pub(super) fn needed(&self) -> Vec<Vec<&str>> {
        if !self.places.is_empty() {
            let places = self.places.iter();
            return places
                .map(|names| names.iter().map(String::as_str).collect())
                .collect();
        }
        let whole = self
            .intent
            .subject
            .iter()
            .filter(|_| !self.is_command() || self.intent.segments.is_empty());
        let parts = whole.chain(&self.intent.segments);
        parts.map(|part| vec![part.as_str()]).collect()
    }
}

/// The absolute name of what a path leads to, and its name from the root it is in; none when it leads nowhere.
fn real_names(path: &Path, roots: &Roots) -> Vec<String> {
    let Ok(real) = roots.locate(path) else {
        return Vec::new();
    };
    let inside = roots.all().iter().find_map(|root| real.strip_prefix(root).ok());
    let names = [Some(real.as_path()), inside].into_iter().flatten();
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_names_files_is_looked_for_on_the_disk() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let roots = Roots::new(root.clone(), []);
        let look = Intent::new(Class::Read, Some("mcp__a__b".to_owned()));
        let tool = Case::new("mcp__a__b", look.clone(), Some(&roots));
        assert_eq!(tool.parts().collect::<Vec<_>>(), ["mcp__a__b"]);
        assert_eq!(tool.needed(), [["mcp__a__b"]]);
        let files = Intent {
            names: Names::Files,
            ..look
        };
        let file = Case::new("read_file", files, Some(&roots));
        let real = root.join("mcp__a__b");
        assert_eq!(file.needed(), [[real.to_str().unwrap(), "mcp__a__b"]]);
        assert!(!file.is_command());
    }
}
