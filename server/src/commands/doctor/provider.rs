//! The model: is the server there, does it take the key, does it have the model? Asked with a real request.

use std::time::Duration;

use jiff::Timestamp;
use sidewire_contract::layout::Layout;

use super::finding::Finding;
use crate::commands::trial::Trial;
use crate::config::{OpenAiConfig, ProviderConfig, load_api_key};

/// A key that ends within this time is worth a word.
const SOON: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// How many models a finding names at most.
const SHOWN: usize = 20;
const SETUP: &str = "run `sidewire setup`";

/// Tries the configured provider.
pub(super) async fn check(layout: &Layout, provider: Option<&ProviderConfig>) -> Vec<Finding> {
    match provider {
        None => vec![
            Finding::warn("no model was chosen, so answers are looked up in the page")
                .fix("run `sidewire setup` to choose one, or `sidewire setup --kind offline` to keep it so"),
        ],
        Some(ProviderConfig::Offline) => {
            vec![Finding::ok("no model is used; answers are looked up in the page")]
        }
        Some(ProviderConfig::OpenAi(openai)) => server(layout, openai).await,
    }
}

async fn server(layout: &Layout, openai: &OpenAiConfig) -> Vec<Finding> {
    let Ok(key) = load_api_key(layout) else {
        // The check of the configuration says what is wrong with the key.
        return Vec::new();
    };
    let mut findings: Vec<Finding> = expiry(openai, Timestamp::now()).into_iter().collect();
    if key.is_some() && openai.base_url.scheme() == "http" && !is_local(openai) {
        let what = format!("the key goes to {} without encryption", openai.base_url);
        findings.push(Finding::warn(what).fix("use an address with https:// if the server has one"));
    }
    findings.push(match Trial::new(openai, key) {
        Ok(trial) => ask(&trial, openai).await,
        Err(error) => Finding::fail(format_args!("{error:#}")),
    });
    findings
}

/// A real request; when it fails, the list of models may say why.
async fn ask(trial: &Trial<'_>, openai: &OpenAiConfig) -> Finding {
    let Err(what) = trial.answer().await else {
        return Finding::ok(format_args!("{} answers at {}", openai.model, openai.base_url));
    };
    let models = trial.models().await.unwrap_or_default();
    if models.is_empty() || models.contains(&openai.model) {
        return Finding::fail(what).fix(SETUP);
    }
    let shown: Vec<&str> = models.iter().take(SHOWN).map(String::as_str).collect();
    Finding::fail(format_args!("{what}; it has {}", shown.join(", "))).fix(SETUP)
}

fn expiry(openai: &OpenAiConfig, now: Timestamp) -> Option<Finding> {
    let at = openai.expires_at?;
    let left = at.duration_since(now);
    if left.is_negative() {
        return Some(Finding::fail(format_args!("the key expired at {at}")).fix(SETUP));
    }
    let soon = left.unsigned_abs() < SOON;
    soon.then(|| {
        Finding::warn(format_args!("the key expires at {at}")).fix("get a new one and run `sidewire setup`")
    })
}

fn is_local(openai: &OpenAiConfig) -> bool {
    match openai.base_url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;
    use crate::commands::trial::tests::{Scripted, config};
    use crate::config::{parse_base_url, save_provider};

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

    async fn findings(openai: OpenAiConfig, key: &str) -> Vec<Finding> {
        let home = home();
        let provider = ProviderConfig::OpenAi(openai);
        save_provider(&home.layout, &provider, Some(&key.into())).unwrap();
        check(&home.layout, Some(&provider)).await
    }

    #[tokio::test]
    async fn no_choice_is_a_warning_and_offline_is_fine() {
        assert_eq!(check(&home().layout, None).await[0].level, Level::Warn);
        assert_eq!(
            check(&home().layout, Some(&ProviderConfig::Offline)).await[0].level,
            Level::Ok
        );
    }

    #[tokio::test]
    async fn a_server_that_answers_is_fine() {
        let server = Scripted::start().await;
        let findings = findings(config(&server, "small"), "sk-good").await;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].level, Level::Ok, "{findings:?}");
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
        for (openai, key, part) in rows {
            let findings = findings(openai, key).await;
            let last = findings.last().unwrap();
            assert!(
                last.level == Level::Fail && last.what.contains(part),
                "{part}: {last}"
            );
            assert!(!last.to_string().contains("sk-"), "{last}");
        }
    }

    #[test]
    fn an_expiring_key_is_announced() {
        let now: Timestamp = "2027-01-10T00:00:00Z".parse().unwrap();
        let mut openai = OpenAiConfig {
            base_url: parse_base_url("https://api.example.com/v1").unwrap(),
            model: "m".into(),
            window: None,
            expires_at: None,
        };
        let rows = [
            (None, None),
            (Some("2027-01-09T23:59:59Z"), Some(Level::Fail)),
            (Some("2027-01-12T00:00:00Z"), Some(Level::Warn)),
            (Some("2027-02-12T00:00:00Z"), None),
        ];
        for (at, expected) in rows {
            openai.expires_at = at.map(|at| at.parse().unwrap());
            assert_eq!(
                expiry(&openai, now).map(|finding| finding.level),
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
            let openai = OpenAiConfig {
                base_url: parse_base_url(url).unwrap(),
                model: "m".into(),
                window: None,
                expires_at: None,
            };
            assert_eq!(is_local(&openai), local, "{url}");
        }
    }
}
