//! The native messaging manifest: how ours reads, and every fault that keeps a browser from using one.
//!
//! Browsers report nine of these faults with the same words (browser-platform.md A3), so they are found here.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sidewire_contract::identity;

use super::browsers::Family;

/// The text of our manifest.
pub(crate) fn render(family: Family, host: &Path, extra_ids: &[String]) -> String {
    let mut manifest = json!({
        "name": identity::NATIVE_HOST,
        "description": "Connects the Sidewire extension to the worker on this machine",
        "path": host,
        "type": "stdio",
    });
    let (list, entries) = match family {
        Family::Firefox => ("allowed_extensions", vec![identity::FIREFOX_ADDON_ID.to_owned()]),
        Family::Chromium => ("allowed_origins", origins(extra_ids)),
    };
    if let Some(object) = manifest.as_object_mut() {
        object.insert(list.to_owned(), entries.into());
    }
    format!("{manifest:#}\n")
}

/// Origins of our extension and of the extra ones, as Chromium compares them.
fn origins(extra_ids: &[String]) -> Vec<String> {
    let ids = std::iter::once(identity::EXTENSION_ID).chain(extra_ids.iter().map(String::as_str));
    ids.map(origin).collect()
}

fn origin(id: &str) -> String {
    format!("chrome-extension://{id}/")
}

/// Whether a manifest names our host, so that it is ours to change or remove.
pub(crate) fn is_ours(text: &str) -> bool {
    serde_json::from_str::<Value>(text)
        .is_ok_and(|manifest| text_of(&manifest, "name") == Some(identity::NATIVE_HOST))
}

/// One thing that is wrong with a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The file cannot be parsed.
    #[error("it is not JSON")]
    NotJson,
    /// Windows editors add a byte order mark.
    #[error("it begins with a byte order mark")]
    ByteOrderMark,
    /// The name must be the file's.
    #[error("its name is {0:?} instead of {host:?}", host = identity::NATIVE_HOST)]
    Name(String),
    /// Only one type exists.
    #[error("its type is not \"stdio\"")]
    Type,
    /// Nobody may connect.
    #[error("it has no list {0:?}")]
    NoList(&'static str),
    /// Compared as text, so the slash matters.
    #[error("the origin {0:?} does not end with a slash")]
    NoSlash(String),
    /// One wildcard spoils the whole file.
    #[error("the origin {0:?} has a wildcard, which makes the browser ignore the whole file")]
    Wildcard(String),
    /// The extension is not let in.
    #[error("{0:?} does not allow our extension")]
    NotAllowed(&'static str),
    /// There is no path.
    #[error("it has no path")]
    NoPath,
    /// The browser's working directory is not ours.
    #[error("its path {0:?} is not absolute")]
    RelativePath(PathBuf),
    /// Nothing is there.
    #[error("its path {} does not exist", .0.display())]
    MissingHost(PathBuf),
    /// A folder or the like.
    #[error("its path {} is not a program", .0.display())]
    NotAProgram(PathBuf),
    /// The mode bits decide; an access check as root would not tell.
    #[error("its path {} is not executable (mode {mode:04o})", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A script whose interpreter the system cannot start.
    #[error("its path {} is a script for {interpreter:?}, which does not exist", path.display())]
    NoInterpreter {
        /// The file.
        path: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
}

/// Everything wrong with a manifest, and the host it names if it names one that can be started.
pub(crate) fn examine(text: &str, family: Family) -> (Vec<Fault>, Option<PathBuf>) {
    if text.starts_with('\u{feff}') {
        return (vec![Fault::ByteOrderMark], None);
    }
    let Ok(manifest) = serde_json::from_str::<Value>(text) else {
        return (vec![Fault::NotJson], None);
    };
    let mut faults = Vec::new();
    match text_of(&manifest, "name") {
        Some(identity::NATIVE_HOST) => {}
        other => faults.push(Fault::Name(other.unwrap_or_default().to_owned())),
    }
    if text_of(&manifest, "type") != Some("stdio") {
        faults.push(Fault::Type);
    }
    faults.extend(match family {
        Family::Chromium => origin_faults(&manifest),
        Family::Firefox => addon_faults(&manifest),
    });
    let host = host_of(&manifest);
    let host = host.map_err(|fault| faults.push(fault)).ok();
    (faults, host)
}

fn origin_faults(manifest: &Value) -> Vec<Fault> {
    const LIST: &str = "allowed_origins";
    let Some(origins) = list_of(manifest, LIST) else {
        return vec![Fault::NoList(LIST)];
    };
    let mut faults: Vec<Fault> = Vec::new();
    for origin in &origins {
        if origin.contains('*') {
            faults.push(Fault::Wildcard((*origin).to_owned()));
        } else if !origin.ends_with('/') {
            faults.push(Fault::NoSlash((*origin).to_owned()));
        }
    }
    let ours = origin(identity::EXTENSION_ID);
    let nearly = ours.trim_end_matches('/');
    if !origins.iter().any(|origin| *origin == ours || *origin == nearly) {
        faults.push(Fault::NotAllowed(LIST));
    }
    faults
}

fn addon_faults(manifest: &Value) -> Vec<Fault> {
    const LIST: &str = "allowed_extensions";
    match list_of(manifest, LIST) {
        None => vec![Fault::NoList(LIST)],
        Some(addons) if addons.contains(&identity::FIREFOX_ADDON_ID) => Vec::new(),
        Some(_) => vec![Fault::NotAllowed(LIST)],
    }
}

fn host_of(manifest: &Value) -> Result<PathBuf, Fault> {
    let path = PathBuf::from(
        text_of(manifest, "path")
            .filter(|path| !path.is_empty())
            .ok_or(Fault::NoPath)?,
    );
    if !path.is_absolute() {
        return Err(Fault::RelativePath(path));
    }
    check_program(&path)?;
    Ok(path)
}

/// Refuses what the system could not start.
pub(crate) fn check_program(path: &Path) -> Result<(), Fault> {
    let metadata = fs::metadata(path).map_err(|_| Fault::MissingHost(path.to_owned()))?;
    if !metadata.is_file() {
        return Err(Fault::NotAProgram(path.to_owned()));
    }
    if let Some(mode) = closed_mode(&metadata) {
        return Err(Fault::NotExecutable {
            path: path.to_owned(),
            mode,
        });
    }
    match missing_interpreter(path) {
        Some(interpreter) => Err(Fault::NoInterpreter {
            path: path.to_owned(),
            interpreter,
        }),
        None => Ok(()),
    }
}

/// The permission bits of a file that nobody may execute.
#[cfg(unix)]
fn closed_mode(metadata: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = metadata.permissions().mode() & 0o7777;
    (mode & 0o111 == 0).then_some(mode)
}

#[cfg(not(unix))]
fn closed_mode(_: &fs::Metadata) -> Option<u32> {
    None
}

/// What a script's first line names, if it is not there.
fn missing_interpreter(path: &Path) -> Option<String> {
    use std::io::Read as _;
    let mut start = Vec::new();
    fs::File::open(path)
        .ok()?
        .take(256)
        .read_to_end(&mut start)
        .ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let interpreter = String::from_utf8_lossy(line)
        .split_whitespace()
        .next()?
        .to_owned();
    (!Path::new(&interpreter).is_file()).then_some(interpreter)
}

fn text_of<'a>(manifest: &'a Value, name: &str) -> Option<&'a str> {
    manifest.get(name)?.as_str()
}

fn list_of<'a>(manifest: &'a Value, name: &str) -> Option<Vec<&'a str>> {
    Some(
        manifest
            .get(name)?
            .as_array()?
            .iter()
            .filter_map(Value::as_str)
            .collect(),
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(folder: &Path, text: &str, mode: u32) -> PathBuf {
        let path = folder.join("sidewire-host");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn ours_has_no_fault_for_either_family() {
        let folder = tempfile::tempdir().unwrap();
        let host = program(folder.path(), "binary", 0o755);
        for family in [Family::Chromium, Family::Firefox] {
            let text = render(family, &host, &["a".repeat(32)]);
            assert_eq!(examine(&text, family), (Vec::new(), Some(host.clone())), "{text}");
            assert!(is_ours(&text));
        }
    }

    #[test]
    fn extra_extensions_come_after_ours_with_a_slash() {
        let text = render(Family::Chromium, Path::new("/h"), &["b".repeat(32)]);
        let manifest: Value = serde_json::from_str(&text).unwrap();
        let expected = [
            origin(identity::EXTENSION_ID),
            format!("chrome-extension://{}/", "b".repeat(32)),
        ];
        assert_eq!(manifest["allowed_origins"], json!(expected));
        assert_eq!(manifest.get("allowed_extensions"), None);
    }

    /// Each row changes one thing in a good manifest; the fault must be found and no other.
    #[test]
    fn every_fault_of_a3_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let host = program(folder.path(), "binary", 0o755);
        let id = identity::EXTENSION_ID;
        let missing = folder.path().join("missing");
        let rows: [(&str, Value, Fault); 12] = [
            (
                "name",
                json!("dev.sidewire.other"),
                Fault::Name("dev.sidewire.other".into()),
            ),
            ("name", Value::Null, Fault::Name(String::new())),
            ("type", Value::Null, Fault::Type),
            ("type", json!("pipe"), Fault::Type),
            ("allowed_origins", Value::Null, Fault::NoList("allowed_origins")),
            ("allowed_origins", json!([]), Fault::NotAllowed("allowed_origins")),
            (
                "allowed_origins",
                json!([origin(&"a".repeat(32))]),
                Fault::NotAllowed("allowed_origins"),
            ),
            (
                "allowed_origins",
                json!([format!("chrome-extension://{id}")]),
                Fault::NoSlash(format!("chrome-extension://{id}")),
            ),
            (
                "allowed_origins",
                json!([origin(id), "chrome-extension://*/"]),
                Fault::Wildcard("chrome-extension://*/".into()),
            ),
            ("path", Value::Null, Fault::NoPath),
            (
                "path",
                json!("bin/sidewire-host"),
                Fault::RelativePath("bin/sidewire-host".into()),
            ),
            ("path", json!(missing), Fault::MissingHost(missing.clone())),
        ];
        for (field, value, expected) in rows {
            let mut manifest: Value = serde_json::from_str(&render(Family::Chromium, &host, &[])).unwrap();
            if value.is_null() {
                manifest.as_object_mut().unwrap().remove(field);
            } else {
                manifest[field] = value;
            }
            let (faults, _) = examine(&manifest.to_string(), Family::Chromium);
            assert_eq!(faults, [expected], "{manifest}");
        }
        assert_eq!(examine("{", Family::Chromium).0, [Fault::NotJson]);
        assert_eq!(examine("\u{feff}{}", Family::Chromium).0, [Fault::ByteOrderMark]);
    }

    #[test]
    fn firefox_wants_its_own_list() {
        let folder = tempfile::tempdir().unwrap();
        let host = program(folder.path(), "binary", 0o755);
        let chromium = render(Family::Chromium, &host, &[]);
        assert_eq!(
            examine(&chromium, Family::Firefox).0,
            [Fault::NoList("allowed_extensions")]
        );
    }

    #[test]
    fn a_host_that_cannot_start_is_named_even_as_root() {
        let folder = tempfile::tempdir().unwrap();
        let closed = program(folder.path(), "binary", 0o644);
        assert_eq!(
            check_program(&closed),
            Err(Fault::NotExecutable {
                path: closed.clone(),
                mode: 0o644
            })
        );
        let script = program(folder.path(), "#!/no/such -x\n", 0o755);
        let fault = Fault::NoInterpreter {
            path: script.clone(),
            interpreter: "/no/such".into(),
        };
        assert_eq!(check_program(&script), Err(fault));
        program(folder.path(), "#!/bin/sh\n", 0o755);
        assert_eq!(check_program(&script), Ok(()));
        assert_eq!(
            check_program(folder.path()),
            Err(Fault::NotAProgram(folder.path().to_owned()))
        );
    }
}
