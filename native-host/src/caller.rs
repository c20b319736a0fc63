//! Who started the host: every form of arguments that browsers pass, and whom it may serve.

use sidewire_contract::identity::{EXTENSION_ID, FIREFOX_ADDON_ID};
use sidewire_contract::layout::{AllowedExtensions, Layout};
use std::ffi::OsString;

use crate::private_file::{self, PrivateFileError};

/// What the host was started for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Invocation {
    /// To say its version.
    Version,
    /// To serve this caller, an origin or an add-on id; empty when none was named.
    Browser(String),
}

/// Why a caller is not served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallerError {
    /// It is no extension of ours.
    #[error("caller is not an allowed extension")]
    NotAllowed,
    /// Who else is allowed cannot be told.
    #[error("failed to read the list of allowed extensions")]
    List(#[source] PrivateFileError),
}

const CHROMIUM: &str = "chrome-extension://";

/// Finds the caller in the arguments.
///
/// Chromium passes `chrome-extension://ID/`, on Windows also `--parent-window=HANDLE`; Firefox the path of the manifest
/// and the add-on id.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Invocation {
    let arguments: Vec<String> = arguments
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let mut words = arguments.iter().filter(|argument| !argument.starts_with("--"));
    let first = words.next().cloned().unwrap_or_default();
    match words.next() {
        Some(addon) if !first.starts_with(CHROMIUM) => Invocation::Browser(addon.clone()),
        None if first.is_empty() && arguments.iter().any(|argument| argument == "--version") => {
            Invocation::Version
        }
        Some(_) | None => Invocation::Browser(first),
    }
}

/// Makes sure that the caller is one of ours.
pub(crate) fn check(caller: &str, layout: &Layout) -> Result<(), CallerError> {
    if caller == FIREFOX_ADDON_ID {
        return Ok(());
    }
    let id = caller
        .strip_prefix(CHROMIUM)
        .and_then(|rest| rest.strip_suffix('/'));
    match id {
        Some(EXTENSION_ID) => Ok(()),
        Some(id) if more_allowed(layout)?.iter().any(|allowed| allowed == id) => Ok(()),
        Some(_) | None => Err(CallerError::NotAllowed),
    }
}

fn more_allowed(layout: &Layout) -> Result<Vec<String>, CallerError> {
    let list: Option<AllowedExtensions> =
        private_file::read_json(&layout.extensions()).map_err(CallerError::List)?;
    Ok(list.unwrap_or_default().allowed_extensions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_file::tests::{private_folder, set_mode};
    use std::fs;

    fn parsed(arguments: &[&str]) -> Invocation {
        parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn every_form_of_arguments_names_the_caller() {
        let chromium = "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld/";
        let browser = |caller: &str| Invocation::Browser(caller.to_owned());
        assert_eq!(parsed(&[chromium]), browser(chromium));
        assert_eq!(parsed(&[chromium, "--parent-window=0"]), browser(chromium));
        assert_eq!(parsed(&["--parent-window=17", chromium]), browser(chromium));
        assert_eq!(parsed(&[chromium, "x"]), browser(chromium));
        assert_eq!(
            parsed(&["/a b/dev.sidewire.host.json", "extension@sidewire.dev"]),
            browser("extension@sidewire.dev")
        );
        assert_eq!(parsed(&[chromium, "--version"]), browser(chromium));
        assert_eq!(parsed(&["--version"]), Invocation::Version);
        assert_eq!(parsed(&[]), browser(""));
        assert_eq!(parsed(&["--parent-window=0"]), browser(""));
    }

    #[test]
    fn only_our_extension_is_served() {
        let folder = private_folder();
        let layout = Layout::in_folder(folder.path().into());
        let allowed = |caller: &str| check(caller, &layout).is_ok();
        assert!(allowed("chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld/"));
        assert!(allowed("extension@sidewire.dev"));
        for caller in [
            "",
            "afjloophkcfkbnbojjbmdlhibaikjmld",
            "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld",
            "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld//",
            "chrome-extension://AFJLOOPHKCFKBNBOJJBMDLHIBAIKJMLD/",
            "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld.evil/",
            "chrome-extension://evil.afjloophkcfkbnbojjbmdlhibaikjmld/",
            "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
            "chrome-extension://extension@sidewire.dev/",
            "https://evil.example/",
        ] {
            assert!(!allowed(caller), "{caller}");
        }
    }

    #[test]
    fn a_person_can_allow_more_extensions_in_a_private_file() {
        let folder = private_folder();
        let layout = Layout::in_folder(folder.path().into());
        let caller = "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/";
        let list = r#"{"allowed_extensions":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}"#;
        fs::write(layout.extensions(), list).unwrap();
        set_mode(&layout.extensions(), 0o600);
        assert!(check(caller, &layout).is_ok());
        set_mode(&layout.extensions(), 0o620);
        assert!(matches!(check(caller, &layout), Err(CallerError::List(_))));
    }
}
