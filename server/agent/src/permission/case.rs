//! A call as the gate judges it: which tool, what it would do, and by which names rules may call what it touches.

use std::path::Path;

use super::{Class, Intent};
use crate::workspace::Roots;

/// A call that is to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    tool: String,
    intent: Intent,
    /// Where the path it is about really leads, when it is about one: absolute, and from the root it is in.
    places: Option<Vec<String>>,
}

impl Case {
    /// A call of this tool. Follows links, so it blocks on the disk.
    #[must_use]
    pub fn new(tool: &str, intent: Intent, roots: Option<&Roots>) -> Self {
        let places = match (&intent.subject, roots) {
            (Some(path), Some(roots)) if is_about_a_file(&intent) => Some(real_names(Path::new(path), roots)),
            _ => None,
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

    /// Whether it runs a command.
    pub(super) fn is_command(&self) -> bool {
        !self.intent.segments.is_empty() || self.intent.class == Class::Execute
    }

    /// Whether it may change something here.
    pub(super) fn changes(&self) -> bool {
        matches!(self.intent.class, Class::Edit | Class::Execute | Class::Other)
    }

    /// What it touches, by every name: a rule that forbids one of them forbids the call.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        let whole = self.intent.subject.iter();
        let parts = self.intent.segments.iter().chain(self.places.iter().flatten());
        whole.chain(parts).map(String::as_str)
    }

    /// What must all be allowed, each under one of its names: every command; the real place of a file; else the
    /// subject.
    pub(super) fn needed(&self) -> Vec<Vec<&str>> {
        if !self.intent.segments.is_empty() {
            return self
                .intent
                .segments
                .iter()
                .map(|segment| vec![segment.as_str()])
                .collect();
        }
        match &self.places {
            Some(places) => vec![places.iter().map(String::as_str).collect()],
            None => self
                .intent
                .subject
                .iter()
                .map(|subject| vec![subject.as_str()])
                .collect(),
        }
    }
}

fn is_about_a_file(intent: &Intent) -> bool {
    matches!(intent.class, Class::Read | Class::Edit) && intent.segments.is_empty()
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
