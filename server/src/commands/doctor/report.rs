//! The bundle for a bug report: what the doctor found, versions, settings and the end of the log.
//!
//! It holds no key, no conversation, and neither the name nor the home folder of the person. The log itself holds
//! ids, sizes and types only.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use sidewire_contract::layout::Layout;

use super::finding::Finding;
use crate::commands::env::Env;
use crate::config::{Config, KeySource, Keys, NamedProvider, ProviderConfig, ServerConfig};
use crate::private_file::stage_output;

/// How much of the log is enough to see what happened.
const LOG_LINES: usize = 200;
/// Lines are short; more than this is not read.
const LOG_BYTES: u64 = 256 * 1024;

/// Writes the bundle, readable by its owner only.
pub(super) fn write(env: &Env, findings: &[Finding], path: &Path) -> anyhow::Result<()> {
    let mut text = format!("{:#}\n", bundle(env, findings));
    for (secret, instead) in secrets(env) {
        text = text.replace(&secret, instead);
    }
    let mut file = stage_output(path)?;
    file.write_all(text.as_bytes())?;
    Ok(file.commit()?)
}

fn bundle(env: &Env, findings: &[Finding]) -> Value {
    json!({
        "sidewire": env!("CARGO_PKG_VERSION"),
        "system": { "os": std::env::consts::OS, "arch": std::env::consts::ARCH, "name": os_name(&env.places.root) },
        "findings": findings,
        "settings": settings(&env.layout),
        "log": log_end(&env.layout.log_folder()),
    })
}

/// What must not leave the machine, and what stands for it. Longest first, so that no rest of one remains.
fn secrets(env: &Env) -> Vec<(String, &'static str)> {
    let config = Config::load(&env.layout).unwrap_or_default();
    let named = config.providers.iter().map(NamedProvider::key);
    let keys = named
        .chain([&KeySource::Own])
        .filter_map(|source| Keys::load(&env.layout).ok()?.get(source).ok()?)
        .map(|key| (key.expose_secret().to_owned(), "[key]"));
    let home = env
        .places
        .home
        .to_str()
        .filter(|home| home.len() > 1)
        .map(|home| (home.to_owned(), "~"));
    let mut secrets: Vec<_> = keys.chain(home).collect();
    secrets.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
    secrets
}

/// The settings that are understood; a key someone wrote there by mistake is none of them.
fn settings(layout: &Layout) -> Value {
    let Ok(config) = Config::load(layout) else {
        return json!("cannot be read; see the findings");
    };
    let provider = match &config.provider {
        None => json!("none chosen"),
        Some(ProviderConfig::Offline) => json!("offline"),
        Some(ProviderConfig::Server(server)) => described(layout, server),
    };
    let further = config.providers.iter().map(|provider| {
        let models = provider
            .models
            .iter()
            .map(|model| described(layout, &provider.server(model)));
        json!({ "name": provider.name, "models": models.collect::<Value>() })
    });
    json!({
        "provider": provider,
        "providers": further.collect::<Value>(),
        "extra_extensions": config.browser.extension_ids.len(),
        "idle_exit_minutes": config.worker.idle_exit_minutes,
    })
}

fn described(layout: &Layout, server: &ServerConfig) -> Value {
    let key = Keys::load(layout).and_then(|keys| keys.get(&server.key));
    json!({
        "kind": server.api.as_str(),
        "base_url": server.base_url.as_str(),
        "model": server.model,
        "window": server.window,
        "expires_at": server.expires_at.map(|at| at.to_string()),
        "has_key": key.is_ok_and(|key| key.is_some()),
    })
}

/// What the system calls itself, where it says so.
fn os_name(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("etc/os-release")).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

/// The last lines of the newest log file.
fn log_end(folder: &Path) -> Vec<String> {
    let Some(text) = newest(folder).and_then(|file| end_of(&file)) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    lines
        .iter()
        .skip(lines.len().saturating_sub(LOG_LINES))
        .map(|line| (*line).to_owned())
        .collect()
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| entry.path().is_file());
    let changed = |entry: &fs::DirEntry| entry.metadata().and_then(|metadata| metadata.modified());
    let newest = files.max_by_key(|entry| changed(entry).unwrap_or(SystemTime::UNIX_EPOCH))?;
    Some(newest.path())
}

fn end_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::commands::browsers::{Os, Places};
    use crate::config::{Api, parse_base_url, save_provider};
    use crate::private_file::{private_folder, write_private};

    fn machine() -> (tempfile::TempDir, Env) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home/erika");
        let layout = Layout::in_folder(home.join("sidewire"));
        let places = Places {
            os: Os::Linux,
            config_home: home.join(".config"),
            home,
            root: folder.path().join("root"),
        };
        let programs = folder.path().join("bin");
        (
            folder,
            Env {
                layout,
                places,
                programs,
            },
        )
    }

    fn report(env: &Env, findings: &[Finding]) -> String {
        let path = env.programs.with_file_name("report.json");
        write(env, findings, &path).unwrap();
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn neither_key_nor_home_leaves() {
        let (_folder, env) = machine();
        let base_url = parse_base_url("https://api.example.com/v1").unwrap();
        let provider = ProviderConfig::Server(ServerConfig::new(Api::OpenAi, base_url, "m"));
        save_provider(&env.layout, &provider, Some(&SecretString::from("sk-canary"))).unwrap();
        let log = env.layout.log_folder().join("worker.log");
        write_private(
            &log,
            format!("opened {} with sk-canary\n", log.display()).as_bytes(),
        )
        .unwrap();
        let finding = Finding::ok(format_args!("{} is fine", env.layout.config_file().display()));
        let text = report(&env, &[finding]);
        assert!(!text.contains("sk-canary") && !text.contains("erika"), "{text}");
        let bundle: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(bundle["findings"][0]["what"], "~/sidewire/config.toml is fine");
        assert_eq!(bundle["settings"]["provider"]["has_key"], true);
        assert_eq!(bundle["log"][0], "opened ~/sidewire/log/worker.log with [key]");
    }

    #[test]
    fn a_key_in_the_wrong_file_does_not_leave_either() {
        let (_folder, env) = machine();
        write_private(
            &env.layout.config_file(),
            b"[provider]\napi_key = \"sk-canary\"\n",
        )
        .unwrap();
        let finding = super::super::home::config(&env.layout, &Config::load(&env.layout));
        let text = report(&env, &[finding]);
        assert!(text.contains("api_key") && !text.contains("sk-canary"), "{text}");
    }

    #[test]
    fn only_the_end_of_a_long_log_is_taken() {
        let (_folder, env) = machine();
        private_folder(&env.layout.log_folder()).unwrap();
        let lines: String = (0..5_000)
            .map(|number| format!("line {number} {}\n", "x".repeat(100)))
            .collect();
        fs::write(env.layout.log_folder().join("worker.log"), lines).unwrap();
        let lines = log_end(&env.layout.log_folder());
        assert_eq!(lines.len(), LOG_LINES);
        assert!(lines[LOG_LINES - 1].starts_with("line 4999 "));
    }
}
