use std::fs;

use secrecy::ExposeSecret as _;

use super::*;
use crate::cli::ProviderKind;
use crate::commands::trial::tests::Scripted;
use crate::config::{Api, Config, KeySource, Keys, parse_base_url};

struct Home {
    _folder: tempfile::TempDir,
    layout: Layout,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        Self {
            _folder: folder,
            layout,
        }
    }

    /// What `sidewire setup` does when nobody can be asked.
    async fn setup(&self, change: impl FnOnce(&mut SetupArgs)) -> anyhow::Result<()> {
        let mut args = SetupArgs {
            kind: None,
            base_url: None,
            model: None,
            api_key: None,
            api_key_stdin: false,
            window: None,
            yes: true,
        };
        change(&mut args);
        let choice = unattended::choose(&self.layout, &args).await?;
        test(&self.layout, &choice).await?;
        save(&self.layout, &choice)
    }

    async fn refusal(&self, change: impl FnOnce(&mut SetupArgs)) -> String {
        let error = self.setup(change).await.unwrap_err();
        assert!(
            !self.layout.config_file().exists() && !self.layout.key_file().exists(),
            "nothing is saved"
        );
        format!("{error:#}")
    }

    fn provider(&self) -> Option<ProviderConfig> {
        Config::load(&self.layout).unwrap().provider
    }
}

#[tokio::test]
async fn the_unattended_form_saves_what_answered() {
    let server = Scripted::start().await;
    let home = Home::new();
    home.setup(|args| {
        args.kind = Some(ProviderKind::Openai);
        args.base_url = Some(server.base_url());
        args.model = Some("small".into());
        args.api_key = Some("sk-good".into());
        args.window = Some(4096);
    })
    .await
    .unwrap();
    let Some(ProviderConfig::Server(saved)) = home.provider() else {
        panic!("not saved")
    };
    assert_eq!((saved.model.as_str(), saved.window), ("small", Some(4096)));
    let key = Keys::load(&home.layout).unwrap().get(&KeySource::Own).unwrap();
    assert_eq!(key.unwrap().expose_secret(), "sk-good");
    assert!(
        !fs::read_to_string(home.layout.config_file())
            .unwrap()
            .contains("sk-good")
    );
}

#[tokio::test]
async fn a_failed_test_saves_nothing_and_says_why() {
    let server = Scripted::start().await;
    let rows = [
        (server.base_url(), "small", "sk-bad", "refused the key"),
        (server.base_url(), "large", "sk-good", "large"),
        (
            parse_base_url("http://127.0.0.1:1/v1").unwrap(),
            "small",
            "sk-good",
            "cannot be reached",
        ),
    ];
    for (base_url, model, key, part) in rows {
        let text = Home::new()
            .refusal(|args| {
                args.base_url = Some(base_url);
                args.model = Some(model.into());
                args.api_key = Some(key.into());
            })
            .await;
        assert!(text.contains(part) && !text.contains("sk-"), "{part}: {text}");
    }
}

#[tokio::test]
async fn the_only_model_of_a_server_needs_no_name() {
    let server = Scripted::start().await;
    let home = Home::new();
    home.setup(|args| {
        args.base_url = Some(server.base_url());
        args.api_key = Some("sk-good".into());
    })
    .await
    .unwrap();
    assert!(matches!(home.provider(), Some(ProviderConfig::Server(saved)) if saved.model == "small"));
}

#[tokio::test]
async fn anthropic_is_set_up_like_any_other() {
    let server = Scripted::start().await;
    let home = Home::new();
    home.setup(|args| {
        args.kind = Some(ProviderKind::Anthropic);
        args.base_url = Some(server.base_url());
        args.api_key = Some("sk-good".into());
    })
    .await
    .unwrap();
    let Some(ProviderConfig::Server(saved)) = home.provider() else {
        panic!("not saved")
    };
    assert_eq!((saved.api, saved.model.as_str()), (Api::Anthropic, "small"));
    assert!(server.saw("sk-good"));
}

#[tokio::test]
async fn the_stored_key_serves_the_same_server_only() {
    let server = Scripted::start().await;
    let home = Home::new();
    home.setup(|args| {
        args.base_url = Some(server.base_url());
        args.api_key = Some("sk-good".into());
    })
    .await
    .unwrap();
    home.setup(|args| {
        args.base_url = Some(server.base_url());
        args.window = Some(2048);
    })
    .await
    .unwrap();
    let other = Scripted::start().await;
    let error = home.setup(|args| {
        args.base_url = Some(other.base_url());
        args.model = Some("small".into());
    });
    let text = format!("{:#}", error.await.unwrap_err());
    assert!(text.contains("wants a key"), "{text}");
    assert!(
        !other.saw("sk-good"),
        "the key went to a server it was not given for"
    );
}

#[tokio::test]
async fn offline_is_chosen_on_purpose() {
    let home = Home::new();
    home.setup(|args| args.kind = Some(ProviderKind::Offline))
        .await
        .unwrap();
    assert_eq!(home.provider(), Some(ProviderConfig::Offline));
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let home = Home::new();
    assert!(
        home.refusal(|_| {})
            .await
            .contains("--kind offline, or --base-url")
    );
    assert!(
        home.refusal(|args| args.kind = Some(ProviderKind::Openai))
            .await
            .contains("--base-url is missing")
    );
    let text = home
        .refusal(|args| {
            args.kind = Some(ProviderKind::Offline);
            args.model = Some("m".into());
        })
        .await;
    assert!(text.contains("leave out"), "{text}");
}

#[test]
fn a_key_is_read_from_the_first_line() {
    let read = |text: &str| {
        key_from(text.as_bytes())
            .map(|key| key.expose_secret().to_owned())
            .ok()
    };
    assert_eq!(read("sk-1\nrest").as_deref(), Some("sk-1"));
    assert_eq!(read("  sk-1  ").as_deref(), Some("sk-1"));
    assert_eq!(read(""), None);
    assert_eq!(read("two words"), None);
    assert_eq!(read(&"x".repeat(100_000)), None);
}
