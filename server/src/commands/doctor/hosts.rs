//! Native messaging: each manifest a browser would read, and the host it starts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::finding::Finding;
use crate::commands::browsers::{BROWSERS, Browser, Family, manifest_name};
use crate::commands::env::Env;
use crate::commands::manifest::{check_program, examine};
use crate::process::run_briefly;

/// A host answers `--version` in milliseconds, on a busy machine in a second or two.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks the manifests of every browser in use (and of one more profile), then every host they name.
pub(super) async fn check(env: &Env, profile: Option<&Path>) -> Vec<Finding> {
    let Manifests {
        mut findings,
        mut hosts,
        are_there,
    } = manifests(env, profile);
    if hosts.is_empty() {
        // Nothing names a host yet; the next `install` would name this one.
        hosts.insert(env.host_program());
    }
    for host in &hosts {
        let finding = host_finding(env, host).await;
        // Who uses no browser needs no host.
        findings.push(if are_there { finding } else { finding.optional() });
    }
    findings
}

/// What was found of manifests.
struct Manifests {
    findings: Vec<Finding>,
    /// Those that good ones name.
    hosts: BTreeSet<PathBuf>,
    /// There is one, good or not.
    are_there: bool,
}

/// Looks at every manifest.
fn manifests(env: &Env, profile: Option<&Path>) -> Manifests {
    let mut findings = Vec::new();
    let mut hosts = BTreeSet::new();
    let mut read = BTreeMap::new();
    let mut missing = Vec::new();
    for browser in BROWSERS.into_iter().filter(|browser| env.places.has(*browser)) {
        let folders = [
            env.places.user_manifests(browser),
            env.places.system_manifests(browser),
        ]
        .concat();
        let files: Vec<PathBuf> = folders
            .iter()
            .map(|folder| folder.join(manifest_name()))
            .collect();
        let found: Vec<&PathBuf> = files
            .iter()
            .filter(|file| file.symlink_metadata().is_ok())
            .collect();
        if found.is_empty() {
            missing.push(browser);
        }
        read.extend(
            found
                .into_iter()
                .map(|file| (file.clone(), (browser.label(), browser.family()))),
        );
    }
    if let Some(file) = profile.map(|profile| profile.join("NativeMessagingHosts").join(manifest_name())) {
        read.insert(file, ("the profile", Family::Chromium));
    }
    for (file, (label, family)) in &read {
        let (about, host) = manifest(label, file, *family);
        findings.extend(about);
        hosts.extend(host);
    }
    findings.extend(missing.into_iter().map(not_registered));
    Manifests {
        findings,
        hosts,
        are_there: !read.is_empty(),
    }
}

/// That may be meant so: an editor needs none, and a browser that was paired does not either.
fn not_registered(browser: Browser) -> Finding {
    Finding::warn(format_args!("{} has no manifest of Sidewire", browser.label()))
        .fix("run `sidewire install` to use the panel there; an editor needs none")
}

fn manifest(label: &str, file: &Path, family: Family) -> (Vec<Finding>, Option<PathBuf>) {
    const FIX: &str = "run `sidewire install`";
    let text = match fs::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let what = format!("{label} has no manifest of Sidewire in {}", file.display());
            return (
                vec![Finding::fail(what).fix("run `sidewire install --profile …`")],
                None,
            );
        }
        Err(error) => {
            let what = format!("{label} cannot read {}: {error}", file.display());
            return (
                vec![Finding::fail(what).fix("make it readable, or remove it and run `sidewire install`")],
                None,
            );
        }
    };
    let (faults, host) = examine(&text, family);
    if faults.is_empty() {
        return (
            vec![Finding::ok(format_args!(
                "{label} is allowed in by {}",
                file.display()
            ))],
            host,
        );
    }
    let tell = |fault| Finding::fail(format_args!("{label} cannot use {}: {fault}", file.display())).fix(FIX);
    (faults.into_iter().map(tell).collect(), host)
}

/// Starts a host to ask its version; what browsers start must be what belongs to this program.
async fn host_finding(env: &Env, host: &Path) -> Finding {
    if let Err(fault) = check_program(host) {
        return Finding::fail(format_args!(
            "the native messaging host cannot be started: {fault}"
        ))
        .fix("build or install it again, then run `sidewire install`");
    }
    let shown = host.display();
    let version = match run_briefly(host.as_os_str(), &["--version".as_ref()], PATIENCE).await {
        Ok(output) if output.status.success() => version_of(&output.stdout),
        Ok(output) => {
            return Finding::fail(format_args!("{shown} ended with {}", output.status))
                .fix("install it again");
        }
        Err(error) => {
            return Finding::fail(format_args!("{shown} did not run: {error}")).fix("install it again");
        }
    };
    let Some(version) = version else {
        return Finding::fail(format_args!("{shown} is not sidewire-host")).fix("run `sidewire install`");
    };
    let ours = env!("CARGO_PKG_VERSION");
    if version != ours {
        return Finding::warn(format_args!("{shown} has version {version}, this is {ours}"))
            .fix("install both from the same release, then run `sidewire install`");
    }
    if !same_file(host, &env.host_program()) {
        return Finding::warn(format_args!(
            "browsers start {shown}, which belongs to another installation"
        ))
        .fix("run `sidewire install` to use the host beside this program");
    }
    Finding::ok(format_args!("{shown} runs and has version {version}"))
}

fn version_of(stdout: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(stdout).ok()?;
    Some(text.trim().strip_prefix("sidewire-host ")?.to_owned())
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
