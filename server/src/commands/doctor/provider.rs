//! The model: is the server there, does it take the key, does it have the model? Asked with a real request.

use std::time::Duration;

use jiff::Timestamp;
use sidewire_contract::layout::Layout;

use super::finding::Finding;
use crate::commands::trial::Trial;
use crate::config::{Config, KeySource, Keys, ProviderConfig, ServerConfig};
use crate::http_client::is_loopback;

/// A key that ends within this time is worth a word.
const SOON: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// How many models a finding names at most.
const SHOWN: usize = 20;
const SETUP: &str = "run `sidewire setup`";

/// Tries every configured server with its default model.
pub(super) async fn check(layout: &Layout, config: &Config) -> Vec<Finding> {
    let mut findings = match &config.provider {
        None if config.providers.is_empty() => vec![
            Finding::warn(
                "no model was chosen: answers are looked up in the page, and an editor opens no session",
            )
            .fix("run `sidewire setup` to choose one, or `sidewire setup --kind offline` to keep it so"),
        ],
        None => Vec::new(),
        Some(ProviderConfig::Offline) => {
            vec![Finding::ok(
                "no model is used: answers are looked up in the page, and in an editor there are none",
            )]
        }
        Some(ProviderConfig::Server(server)) => self::server(layout, server, SETUP).await,
    };
    for provider in &config.providers {
        if let Some(model) = provider.models.first() {
            let fix = format!("look at {:?} of [[providers]] in config.toml", provider.name);
            findings.extend(server(layout, &provider.server(model), &fix).await);
        }
    }
    findings
}

async fn server(layout: &Layout, server: &ServerConfig, fix: &str) -> Vec<Finding> {
    let Ok(key) = Keys::load(layout).and_then(|keys| keys.get(&server.key)) else {
        // The check of the configuration says what is wrong with the key.
        return Vec::new();
    };
    if let (KeySource::Named(name), None) = (&server.key, &key) {
        let what = format!("{} has no key, so its models are not offered", server.base_url);
        return vec![Finding::warn(what).fix(format_args!("add a line {name}='…' to .env"))];
    }
    let mut findings: Vec<Finding> = expiry(server, Timestamp::now()).into_iter().collect();
    if key.is_some() && server.base_url.scheme() == "http" && !is_local(server) {
        let what = format!("the key goes to {} without encryption", server.base_url);
        findings.push(Finding::warn(what).fix("use an address with https:// if the server has one"));
    }
    findings.push(match Trial::new(server, key) {
        Ok(trial) => ask(&trial, server, fix).await,
        Err(error) => Finding::fail(format_args!("{error:#}")),
    });
    findings
}

/// A real request; when it fails, the list of models may say why.
async fn ask(trial: &Trial<'_>, server: &ServerConfig, fix: &str) -> Finding {
    let Err(what) = trial.answer().await else {
        let remark = trial.remark().await;
        return Finding::ok(format_args!(
            "{} answers at {}{remark}",
            server.model, server.base_url
        ));
    };
    let models = trial.models().await.unwrap_or_default();
    if models.is_empty() || models.contains(&server.model) {
        return Finding::fail(what).fix(fix);
    }
    let shown: Vec<&str> = models.iter().take(SHOWN).map(String::as_str).collect();
    Finding::fail(format_args!("{what}; it has {}", shown.join(", "))).fix(fix)
}

fn expiry(server: &ServerConfig, now: Timestamp) -> Option<Finding> {
    let at = server.expires_at?;
    let left = at.duration_since(now);
    if left.is_negative() {
        return Some(Finding::fail(format_args!("the key expired at {at}")).fix(SETUP));
    }
    let soon = left.unsigned_abs() < SOON;
    soon.then(|| {
        Finding::warn(format_args!("the key expires at {at}")).fix("get a new one and run `sidewire setup`")
    })
}

fn is_local(server: &ServerConfig) -> bool {
    is_loopback(&server.base_url)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;
    use crate::commands::trial::tests::{Scripted, config};
    use crate::config::{Api, parse_base_url, save_provider};
    use crate::private_file::write_private;

    struct Home {
        _folder: tempfile::TempDir,
        layout: Layout,
    }

    fn home() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        Home {
            _folder: folder,
            layout,
        }
    }

    async fn findings(server: ServerConfig, key: &str) -> Vec<Finding> {
        let home = home();
        let provider = ProviderConfig::Server(server);
        save_provider(&home.layout, &provider, Some(&key.into())).unwrap();
        check(&home.layout, &Config::load(&home.layout).unwrap()).await
    }

    fn server(base_url: &str) -> ServerConfig {
        ServerConfig::new(Api::OpenAi, parse_base_url(base_url).unwrap(), "m")
    }

    #[tokio::test]
    async fn no_choice_is_a_warning_and_offline_is_fine() {
        let mut config = Config::default();
        assert_eq!(check(&home().layout, &config).await[0].level, Level::Warn);
        config.provider = Some(ProviderConfig::Offline);
        assert_eq!(check(&home().layout, &config).await[0].level, Level::Ok);
    }

    #[tokio::test]
    async fn a_server_that_answers_is_fine() {
        let server = Scripted::start().await;
        let findings = findings(config(&server, "small"), "sk-good").await;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].level, Level::Ok, "{findings:?}");
        assert!(
            findings[0].what.contains("8192 tokens are assumed"),
            "{findings:?}"
        );
    }

    #[tokio::test]
    async fn a_window_that_is_known_is_not_remarked_on() {
        let server = Scripted::start().await;
        let known = ServerConfig {
            window: Some(32_768),
            ..config(&server, "small")
        };
        let findings = findings(known, "sk-good").await;
        assert!(!findings[0].what.contains("window"), "{findings:?}");
    }

    #[tokio::test]
    async fn each_fault_of_a_server_is_told() {
        let server = Scripted::start().await;
        let mut gone = config(&server, "small");
        gone.base_url = parse_base_url("http://127.0.0.1:1/v1").unwrap();
        let rows = [
            (config(&server, "small"), "sk-bad", "refused the key"),
            (config(&server, "large"), "sk-good", "it has small"),
            (gone, "sk-good", "cannot be reached"),
        ];
        for (server, key, part) in rows {
            let findings = findings(server, key).await;
            let last = findings.last().unwrap();
            assert!(
                last.level == Level::Fail && last.what.contains(part),
                "{part}: {last}"
            );
            assert!(!last.to_string().contains("sk-"), "{last}");
        }
    }

    #[tokio::test]
    async fn further_servers_are_tried_and_a_missing_key_is_named() {
        let model = Scripted::start().await;
        let home = home();
        let table = |name: &str, key: &str| {
            let url = model.base_url();
            format!(
                "[[providers]]\nname = \"{name}\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodels = [\"small\"]\napi_key_env = \"{key}\"\n"
            )
        };
        let config = [table("one", "GOOD"), table("two", "GONE")].concat();
        write_private(&home.layout.config_file(), config.as_bytes()).unwrap();
        write_private(&home.layout.key_file(), b"GOOD='sk-good'\n").unwrap();
        let findings = check(&home.layout, &Config::load(&home.layout).unwrap()).await;
        let levels: Vec<Level> = findings.iter().map(|finding| finding.level).collect();
        assert_eq!(levels, [Level::Ok, Level::Warn], "{findings:?}");
        assert!(findings[1].to_string().contains("GONE"), "{}", findings[1]);
    }

    #[test]
    fn an_expiring_key_is_announced() {
        let now: Timestamp = "2027-01-10T00:00:00Z".parse().unwrap();
        let mut server = server("https://api.example.com/v1");
        let rows = [
            (None, None),
            (Some("2027-01-09T23:59:59Z"), Some(Level::Fail)),
            (Some("2027-01-12T00:00:00Z"), Some(Level::Warn)),
            (Some("2027-02-12T00:00:00Z"), None),
        ];
        for (at, expected) in rows {
            server.expires_at = at.map(|at| at.parse().unwrap());
            assert_eq!(
                expiry(&server, now).map(|finding| finding.level),
                expected,
                "{at:?}"
            );
        }
    }

    #[test]
    fn loopback_is_recognised() {
        for (url, local) in [
            ("http://localhost:1/v1", true),
            ("http://127.0.0.1/v1", true),
            ("http://[::1]/v1", true),
            ("http://192.168.1.1/v1", false),
            ("http://localhost.evil.example/v1", false),
        ] {
            assert_eq!(is_local(&server(url)), local, "{url}");
        }
    }
}
