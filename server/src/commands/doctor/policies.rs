//! What else keeps a browser from starting a host: its packaging, or an administrator's policy.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sidewire_contract::identity;

use super::finding::Finding;
use crate::commands::browsers::{BROWSERS, Browser, Places, manifest_name};

const PAIR: &str = "connect it with `sidewire pair`";

/// Checks every browser in use.
pub(super) fn check(places: &Places) -> Vec<Finding> {
    BROWSERS
        .into_iter()
        .flat_map(|browser| {
            sandbox(places, browser)
                .into_iter()
                .chain(policy(places, browser))
        })
        .collect()
}

fn sandbox(places: &Places, browser: Browser) -> Option<Finding> {
    let kind = places.sandboxed(browser)?.label();
    Some(
        Finding::warn(format_args!(
            "{} from {kind} cannot start programs",
            browser.label()
        ))
        .fix(PAIR),
    )
}

fn policy(places: &Places, browser: Browser) -> Option<Finding> {
    let policies = Policies::read(&places.policies(browser));
    let label = browser.label();
    if let Some(file) = policies.blocking {
        let what = format!(
            "{label} must not start our host by the policy in {}",
            file.display()
        );
        let name = identity::NATIVE_HOST;
        return Some(Finding::warn(what).fix(format_args!(
            "ask for {name} in NativeMessagingAllowlist, or {PAIR}"
        )));
    }
    let system_wide = places
        .system_manifests(browser)
        .iter()
        .any(|folder| folder.join(manifest_name()).exists());
    let file = policies.no_user_hosts.filter(|_| !system_wide)?;
    let what = format!(
        "{label} ignores manifests of users by the policy in {}",
        file.display()
    );
    Some(Finding::warn(what).fix(format_args!("ask for a manifest for all users, or {PAIR}")))
}

/// What the policy files of one browser say about native messaging.
#[derive(Debug, Default)]
struct Policies {
    blocking: Option<PathBuf>,
    no_user_hosts: Option<PathBuf>,
}

impl Policies {
    fn read(folders: &[PathBuf]) -> Self {
        let files = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .flatten();
        let parsed: Vec<(PathBuf, Value)> = files
            .filter_map(|entry| Some((entry.path(), parse(&entry.path())?)))
            .collect();
        let mut policies = Self::default();
        for (file, policy) in &parsed {
            if names(policy, "NativeMessagingBlocklist", &["*", identity::NATIVE_HOST]) {
                policies.blocking = Some(file.clone());
            }
            if policy.get("NativeMessagingUserLevelHosts") == Some(&Value::Bool(false)) {
                policies.no_user_hosts = Some(file.clone());
            }
        }
        // What is allowed by name is exempt from every block.
        if parsed
            .iter()
            .any(|(_, policy)| names(policy, "NativeMessagingAllowlist", &[identity::NATIVE_HOST]))
        {
            policies.blocking = None;
        }
        policies
    }
}

fn parse(file: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn names(policy: &Value, list: &str, wanted: &[&str]) -> bool {
    let listed = policy.get(list).and_then(Value::as_array);
    listed.is_some_and(|listed| {
        listed
            .iter()
            .filter_map(Value::as_str)
            .any(|name| wanted.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::browsers::Os;

    fn machine(policy: &str) -> (tempfile::TempDir, Places) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let root = folder.path().join("root");
        let managed = root.join("etc/chromium/policies/managed");
        fs::create_dir_all(&managed).unwrap();
        fs::write(managed.join("policy.json"), policy).unwrap();
        let places = Places {
            os: Os::Linux,
            config_home: home.join(".config"),
            home,
            root,
        };
        (folder, places)
    }

    #[test]
    fn policies_are_understood() {
        let rows = [
            (
                r#"{"NativeMessagingBlocklist":["*"]}"#,
                Some("NativeMessagingAllowlist"),
            ),
            (
                r#"{"NativeMessagingBlocklist":["dev.sidewire.host"]}"#,
                Some("NativeMessagingAllowlist"),
            ),
            (r#"{"NativeMessagingBlocklist":["org.other"]}"#, None),
            (
                r#"{"NativeMessagingBlocklist":["*"],"NativeMessagingAllowlist":["dev.sidewire.host"]}"#,
                None,
            ),
            (
                r#"{"NativeMessagingUserLevelHosts":false}"#,
                Some("for all users"),
            ),
            (r#"{"NativeMessagingUserLevelHosts":true}"#, None),
            ("not json", None),
        ];
        for (policy, expected) in rows {
            let (_folder, places) = machine(policy);
            let findings = check(&places);
            match expected {
                Some(part) => {
                    assert_eq!(findings.len(), 1, "{policy}");
                    assert!(
                        findings[0].to_string().contains(part),
                        "{policy}: {}",
                        findings[0]
                    );
                }
                None => assert_eq!(findings, [], "{policy}"),
            }
        }
    }

    #[test]
    fn a_manifest_for_all_users_answers_the_policy() {
        let (_folder, places) = machine(r#"{"NativeMessagingUserLevelHosts":false}"#);
        let folder = &places.system_manifests(Browser::Chromium)[0];
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(manifest_name()), "{}").unwrap();
        assert_eq!(check(&places), []);
    }

    #[test]
    fn a_sandboxed_browser_is_to_be_paired() {
        let (_folder, places) = machine("{}");
        fs::create_dir_all(places.home.join("snap/firefox/common")).unwrap();
        assert_eq!(
            check(&places)[0].to_string(),
            "warn  Firefox from Snap cannot start programs — connect it with `sidewire pair`"
        );
    }
}
