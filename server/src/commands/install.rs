//! `sidewire install` and `sidewire uninstall`: native messaging manifests for the browsers of this user.
//!
//! The manifest names the host program itself: no wrapper, nothing a browser has to find on a path.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use sidewire_contract::identity;
use sidewire_contract::layout::{AllowedExtensions, Layout};

use super::browsers::{BROWSERS, Browser, Family, Os, manifest_name};
use super::env::Env;
use super::manifest::{check_program, is_ours, render};
use crate::cli::{InstallArgs, UninstallArgs};
use crate::config::Config;
use crate::private_file::{read_private, write_private};
use crate::ui;

/// Runs `sidewire install`.
pub(crate) fn install(env: &Env, args: &InstallArgs) -> anyhow::Result<()> {
    for line in install_lines(env, args)? {
        ui::say(line);
    }
    Ok(())
}

/// Runs `sidewire uninstall`.
pub(crate) fn uninstall(env: &Env, args: &UninstallArgs) -> anyhow::Result<()> {
    for line in uninstall_lines(env, args)? {
        ui::say(line);
    }
    Ok(())
}

/// What happened to one file or browser.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Wrote(PathBuf),
    Unchanged(PathBuf),
    Removed(PathBuf),
    NotUsed(Vec<Browser>),
    Sandboxed(Browser, &'static str),
    NothingToRemove,
    NoBrowser,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrote(path) => write!(f, "wrote      {}", path.display()),
            Self::Unchanged(path) => write!(f, "unchanged  {}", path.display()),
            Self::Removed(path) => write!(f, "removed    {}", path.display()),
            Self::NotUsed(browsers) => {
                let labels: Vec<&str> = browsers.iter().map(|browser| browser.label()).collect();
                write!(
                    f,
                    "skipped    {} (not used here; --browser or --all registers anyway)",
                    labels.join(", ")
                )
            }
            Self::Sandboxed(browser, kind) => write!(
                f,
                "note       {} from {kind} cannot start programs; connect it with `sidewire pair`",
                browser.label()
            ),
            Self::NothingToRemove => f.write_str("nothing was registered"),
            Self::NoBrowser => f.write_str("no browser was found; --all registers with every one we know"),
        }
    }
}

/// One manifest to write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    folder: PathBuf,
    firefox: bool,
}

impl Target {
    fn file(&self) -> PathBuf {
        self.folder.join(manifest_name())
    }

    fn family(&self) -> Family {
        if self.firefox {
            Family::Firefox
        } else {
            Family::Chromium
        }
    }
}

fn install_lines(env: &Env, args: &InstallArgs) -> anyhow::Result<Vec<Line>> {
    refuse_windows(env)?;
    let host = host_program(env, args.host_path.as_deref())?;
    let extra_ids = extra_ids(env, args)?;
    let (targets, remarks) = targets(env, args);
    let mut lines = Vec::new();
    for target in &targets {
        let text = render(target.family(), &host, &extra_ids);
        let file = target.file();
        let changed = write_if_different(&file, &text)?;
        lines.push(if changed {
            Line::Wrote(file)
        } else {
            Line::Unchanged(file)
        });
    }
    lines.extend(save_extra_ids(&env.layout, extra_ids)?);
    lines.extend(remarks);
    if targets.is_empty() {
        lines.push(Line::NoBrowser);
    }
    Ok(lines)
}

fn uninstall_lines(env: &Env, args: &UninstallArgs) -> anyhow::Result<Vec<Line>> {
    refuse_windows(env)?;
    let targets = match &args.profile {
        Some(profile) => BTreeSet::from([profile_target(profile)]),
        None => registered_targets(env, &args.browser),
    };
    let mut lines = Vec::new();
    for file in targets.iter().map(Target::file) {
        if fs::read_to_string(&file).is_ok_and(|text| is_ours(&text)) {
            fs::remove_file(&file).with_context(|| format!("failed to remove {}", file.display()))?;
            lines.push(Line::Removed(file));
        }
    }
    let whole = args.profile.is_none() && args.browser.is_empty();
    let extensions = env.layout.extensions();
    if whole && extensions.exists() {
        fs::remove_file(&extensions).with_context(|| format!("failed to remove {}", extensions.display()))?;
        lines.push(Line::Removed(extensions));
    }
    if lines.is_empty() {
        lines.push(Line::NothingToRemove);
    }
    Ok(lines)
}

fn refuse_windows(env: &Env) -> anyhow::Result<()> {
    if env.places.os == Os::Windows {
        bail!("registering browsers on Windows is not supported yet; connect with `sidewire pair`");
    }
    Ok(())
}

fn host_program(env: &Env, given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let path = given.map_or_else(|| env.host_program(), Path::to_owned);
    let path = std::path::absolute(&path).with_context(|| format!("failed to resolve {}", path.display()))?;
    check_program(&path).context(
        "failed to find the native messaging host; build or install it, or name it with --host-path",
    )?;
    Ok(path)
}

/// Where to write, and what is worth saying about the browsers that are left out.
fn targets(env: &Env, args: &InstallArgs) -> (BTreeSet<Target>, Vec<Line>) {
    if let Some(profile) = &args.profile {
        return (BTreeSet::from([profile_target(profile)]), Vec::new());
    }
    let asked_for = |browser: Browser| args.all || args.browser.contains(&browser);
    let considered = BROWSERS
        .into_iter()
        .filter(|browser| args.browser.is_empty() || asked_for(*browser));
    let mut targets = BTreeSet::new();
    let mut remarks = Vec::new();
    let mut not_used = Vec::new();
    for browser in considered {
        let sandbox = env.places.sandboxed(browser);
        remarks.extend(sandbox.map(|sandbox| Line::Sandboxed(browser, sandbox.label())));
        if asked_for(browser) || env.places.has(browser) {
            targets.extend(user_targets(env, browser));
        } else if sandbox.is_none() {
            not_used.push(browser);
        }
    }
    if !not_used.is_empty() {
        remarks.push(Line::NotUsed(not_used));
    }
    (targets, remarks)
}

/// What `uninstall` takes away: a folder that a browser shares stays as long as another one uses it.
fn registered_targets(env: &Env, only: &[Browser]) -> BTreeSet<Target> {
    let is_meant = |browser: &Browser| only.is_empty() || only.contains(browser);
    let (meant, others): (Vec<Browser>, Vec<Browser>) = BROWSERS.into_iter().partition(is_meant);
    let in_use = others.into_iter().filter(|browser| env.places.has(*browser));
    let kept: BTreeSet<Target> = in_use.flat_map(|browser| user_targets(env, browser)).collect();
    let all = meant.into_iter().flat_map(|browser| user_targets(env, browser));
    all.filter(|target| !kept.contains(target)).collect()
}

fn user_targets(env: &Env, browser: Browser) -> impl Iterator<Item = Target> {
    let firefox = browser.family() == Family::Firefox;
    env.places
        .user_manifests(browser)
        .into_iter()
        .map(move |folder| Target { folder, firefox })
}

/// Only Chromium browsers look for manifests in their profile.
fn profile_target(profile: &Path) -> Target {
    Target {
        folder: profile.join("NativeMessagingHosts"),
        firefox: false,
    }
}

/// Ids beside our own: those given now, those of the configuration, those of an earlier run.
fn extra_ids(env: &Env, args: &InstallArgs) -> anyhow::Result<Vec<String>> {
    let config = Config::load(&env.layout)?;
    let given = args
        .extension_id
        .iter()
        .chain(&config.browser.extension_ids)
        .map(|id| id.as_str().to_owned());
    let earlier = load_extra_ids(&env.layout)?.allowed_extensions;
    let all: BTreeSet<String> = given
        .chain(earlier)
        .filter(|id| id != identity::EXTENSION_ID)
        .collect();
    Ok(all.into_iter().collect())
}

/// Extensions that were allowed by an earlier `install`.
pub(crate) fn load_extra_ids(layout: &Layout) -> anyhow::Result<AllowedExtensions> {
    let path = layout.extensions();
    let Some(bytes) = read_private(&path)? else {
        return Ok(AllowedExtensions::default());
    };
    serde_json::from_slice(&bytes).with_context(|| {
        format!(
            "failed to read {}; delete it and run `sidewire install` again",
            path.display()
        )
    })
}

/// Writes them where host and worker look, when there is anything to write.
fn save_extra_ids(layout: &Layout, ids: Vec<String>) -> anyhow::Result<Option<Line>> {
    let allowed = AllowedExtensions {
        allowed_extensions: ids,
    };
    if allowed == load_extra_ids(layout)? {
        return Ok(None);
    }
    let path = layout.extensions();
    write_private(&path, &serde_json::to_vec_pretty(&allowed)?)?;
    Ok(Some(Line::Wrote(path)))
}

/// Replaces the file in one step; `false` when it already says the same.
fn write_if_different(file: &Path, text: &str) -> anyhow::Result<bool> {
    if fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    replace(file, text).with_context(|| format!("failed to write {}", file.display()))?;
    Ok(true)
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    // Browsers may run as another user of the same session (sandboxed helpers), so a manifest is readable.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut staged = builder.prefix(".sidewire-").tempfile_in(folder)?;
    staged.write_all(text.as_bytes())?;
    staged.as_file().sync_all()?;
    staged.persist(file)?;
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
