//! What the workspace tools share: arguments, paths as the model and a person read them, refusals.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use sidewire_agent::permission::{Class, Intent, Names};
use sidewire_agent::tool::{Location, ToolCallContext, ToolKind, ToolMeta, ToolOutput, ToolSource};
use sidewire_agent::workspace::{Document, Roots, Workspace, WorkspaceError};

/// Most bytes of a text file that is opened.
pub(super) const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// Why a call did nothing; the model reads it.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The arguments do not fit the schema.
    #[error("invalid arguments: {0}")]
    Arguments(String),
    /// The conversation has no files.
    #[error("this conversation has no workspace")]
    NoWorkspace,
    /// The file cannot be used.
    #[error("{0}{hint}", hint = hint(.0))]
    Workspace(#[from] WorkspaceError),
    /// Anything that is said in the words of its tool.
    #[error("{0}")]
    Said(String),
}

/// What the model can do about it.
fn hint(error: &WorkspaceError) -> &'static str {
    match error {
        WorkspaceError::Outside(_) => "; files are changed only below the folders of the workspace",
        WorkspaceError::Missing(_) => "; glob and ls find what there is",
        WorkspaceError::TooLarge { .. } => "; grep searches it, and bash can print a part of it",
        WorkspaceError::NotText(_) => "; bash can look at other files, for example with `file`",
        WorkspaceError::NotAFile(_) => "; ls shows what is in a folder",
        WorkspaceError::ReadOnly(_) => "; ask the person before changing that",
        WorkspaceError::Unencodable { .. } => "; use other characters, or convert the file first",
        WorkspaceError::Protected(_)
        | WorkspaceError::Exists(_)
        | WorkspaceError::Io { .. }
        | WorkspaceError::Editor { .. }
        | WorkspaceError::Cancelled => "",
    }
}

impl From<CallError> for ToolOutput {
    fn from(error: CallError) -> Self {
        Self::error(error.to_string())
    }
}

/// A tool of the worker, as the model is told of it.
pub(super) struct Described {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) description: &'static str,
    pub(super) kind: ToolKind,
    pub(super) read_only: bool,
}

impl Described {
    /// With the arguments that must be there and all that may be.
    pub(super) fn taking(self, required: &[&str], properties: &Value) -> ToolMeta {
        ToolMeta {
            name: self.name.to_owned(),
            label: self.label.to_owned(),
            description: self.description.to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": required,
                "properties": properties,
            }),
            kind: self.kind,
            read_only: self.read_only,
            hidden: false,
            source: ToolSource::BuiltIn,
        }
    }
}

/// Reads the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, CallError> {
    T::deserialize(arguments).map_err(|error| CallError::Arguments(error.to_string()))
}

/// A string argument, for titles and intents: before a call it is not known whether the arguments fit.
pub(super) fn word<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name)?.as_str()
}

/// The files of the conversation.
pub(super) fn workspace(call: &ToolCallContext) -> Result<&Arc<dyn Workspace>, CallError> {
    call.workspace.as_ref().ok_or(CallError::NoWorkspace)
}

/// Opens a file that must be there.
pub(super) async fn open(workspace: &dyn Workspace, path: &str) -> Result<Document, CallError> {
    let document = workspace.open(Path::new(path), FILE_LIMIT).await?;
    if !document.exists {
        return Err(WorkspaceError::Missing(document.path).into());
    }
    Ok(document)
}

/// A path as a person reads it, on one line.
pub(super) fn shown_path(path: &Path, roots: &Roots) -> String {
    printable(from_folder(path, roots))
}

/// A path on one line, whatever its name holds.
pub(super) fn printable(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.chars().any(char::is_control) {
        return text.escape_debug().to_string();
    }
    text.into_owned()
}

/// A path from the working folder when it is below that, else whole.
fn from_folder<'a>(path: &'a Path, roots: &Roots) -> &'a Path {
    let below = path.strip_prefix(roots.folder()).unwrap_or(path);
    if below.as_os_str().is_empty() {
        Path::new(".")
    } else {
        below
    }
}

/// What a title says of a path argument.
pub(super) fn titled(verb: &str, arguments: &Value) -> String {
    format!(
        "{verb} {}",
        clip_line(word(arguments, "path").unwrap_or("."), 200)
    )
}

/// The intent of a call about one path.
pub(super) fn intent_of(class: Class, path: &str, roots: Option<&Roots>) -> Intent {
    intent_of_all(class, &[path], roots)
}

/// The intent of a call about paths; rules are compared with each.
pub(super) fn intent_of_all(class: Class, paths: &[&str], roots: Option<&Roots>) -> Intent {
    let Some(roots) = roots else {
        return intent_about(class, paths.iter().map(|path| (*path).to_owned()));
    };
    let places: Vec<PathBuf> = paths.iter().map(|path| place(path, roots)).collect();
    // Rules are compared with the very name.
    let names = places
        .iter()
        .map(|place| from_folder(place, roots).to_string_lossy().into_owned());
    let mut intent = intent_about(class, names);
    intent.outside = places.into_iter().filter(|place| !roots.cover(place)).collect();
    intent
}

/// The intent of a call about what may be folders with all that they hold: every path, unless the first is a file.
pub(super) fn intent_of_trees(class: Class, paths: &[&str], roots: Option<&Roots>) -> Intent {
    let is_file = |path: &&str| roots.is_some_and(|roots| place(path, roots).is_file());
    let names = if paths.first().is_some_and(is_file) {
        Names::Files
    } else {
        Names::Trees
    };
    Intent {
        names,
        ..intent_of_all(class, paths, roots)
    }
}

fn intent_about(class: Class, mut names: impl Iterator<Item = String>) -> Intent {
    let subject = names.next();
    Intent {
        segments: names.collect(),
        names: Names::Files,
        ..Intent::new(class, subject)
    }
}

/// Where a path leads; where it says it does, when that is nowhere: the call will fail by itself.
fn place(path: &str, roots: &Roots) -> PathBuf {
    let wanted = Path::new(path);
    roots
        .locate(wanted)
        .unwrap_or_else(|_| roots.folder().join(wanted))
}

/// The place a call touches.
pub(super) fn location(path: &str, line: Option<u32>, roots: Option<&Roots>) -> Vec<Location> {
    let wanted = Path::new(path);
    let place = roots.map_or_else(|| wanted.to_owned(), |roots| place(path, roots));
    if !place.is_absolute() {
        return Vec::new();
    }
    vec![Location {
        path: place.to_string_lossy().into_owned(),
        line,
    }]
}

/// The first line of a text, `most` characters of it.
pub(super) fn clip_line(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut clipped: String = line.chars().take(most).collect();
    if clipped.len() < text.trim().len() {
        clipped.push('…');
    }
    clipped
}

/// A text of at most about `most` bytes: its first third and its end, and how much is missing.
pub(super) fn clip_middle(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 3);
    let tail = text.ceil_char_boundary(text.len() - (most - most / 3));
    let (first, rest) = text.split_at(head);
    let last = rest.get(tail - head..).unwrap_or_default();
    format!("{first}\n… {} bytes left out …\n{last}", tail - head)
}

/// A whole number, also as models write it now and then: `"5"` or `5.0`.
pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let value = Option::<Value>::deserialize(deserializer)?;
    let number = match &value {
        None => return Ok(None),
        Some(Value::Number(number)) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    let wrong = || {
        D::Error::custom(format_args!(
            "{} is no whole number of 0 or more",
            value.unwrap_or_default()
        ))
    };
    number.map(Some).ok_or_else(wrong)
}

fn whole(number: f64) -> Option<u64> {
    // Exact up to there.
    const MOST: f64 = 9_007_199_254_740_992.0;
    let is_whole = number.fract() == 0.0 && (0.0..=MOST).contains(&number);
    // Through its text: a cast would take anything.
    is_whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Counted {
        #[serde(default, deserialize_with = "number")]
        count: Option<u64>,
    }

    #[test]
    fn numbers_are_taken_as_models_write_them() {
        let count = |value: Value| read::<Counted>(&json!({ "count": value })).map(|read| read.count);
        for (written, number) in [(json!(5), 5), (json!("7"), 7), (json!(3.0), 3)] {
            assert_eq!(count(written).unwrap(), Some(number));
        }
        assert_eq!(read::<Counted>(&json!({})).unwrap().count, None);
        assert_eq!(count(Value::Null).unwrap(), None);
        for wrong in [json!(-1), json!(1.5), json!("x"), json!([1]), json!(1e300)] {
            assert!(count(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_texts_keep_beginning_and_end() {
        assert_eq!(clip_middle("short", 5), "short");
        let clipped = clip_middle(&"äö".repeat(1000), 300);
        assert!(
            clipped.starts_with("äö") && clipped.ends_with("äö") && clipped.len() < 350,
            "{clipped}"
        );
        assert!(clipped.contains(" bytes left out "));
        assert_eq!(clip_line("  one\ntwo", 80), "one…");
        assert_eq!(clip_line("äöü", 2), "äö…");
        assert_eq!(clip_line("one", 3), "one");
    }

    #[test]
    fn a_path_is_shown_from_the_working_folder() {
        let roots = Roots::new("/srv/app".into(), ["/srv/lib".into()]);
        for (path, shown) in [
            ("/srv/app/src/a.rs", "src/a.rs"),
            ("/srv/lib/b.rs", "/srv/lib/b.rs"),
            ("/srv/app", "."),
            ("/srv/app/one\n[two", "one\\n[two"),
        ] {
            assert_eq!(shown_path(Path::new(path), &roots), shown);
        }
    }

    #[test]
    fn an_intent_names_what_lies_outside() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let (root, outside) = (place.join("root"), place.join("outside"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        let roots = Roots::new(root, []);
        let inside = intent_of(Class::Read, "./new/b.txt", Some(&roots));
        assert_eq!(
            (inside.subject.as_deref(), inside.outside.len()),
            (Some("new/b.txt"), 0)
        );
        let through = intent_of(Class::Edit, "link/x", Some(&roots));
        assert_eq!(through.outside, [outside.join("x")]);
        assert_eq!(
            through.subject,
            Some(outside.join("x").to_string_lossy().into_owned())
        );
        let two = intent_of_all(Class::Edit, &["b.txt", "../outside/y"], Some(&roots));
        assert_eq!(
            (two.subject.as_deref(), two.outside),
            (Some("b.txt"), vec![outside.join("y")])
        );
        assert_eq!(two.names, Names::Files);
    }
}
