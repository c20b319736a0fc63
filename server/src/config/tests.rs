mod providers;

use secrecy::{ExposeSecret, SecretString};

use super::providers::Facts;
use super::*;
use crate::private_file::write_private;

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

    fn with_config(self, text: &str) -> Self {
        write_private(&self.layout.config_file(), text.as_bytes()).unwrap();
        self
    }

    fn with_env(self, text: &str) -> Self {
        write_private(&self.layout.key_file(), text.as_bytes()).unwrap();
        self
    }

    fn config_text(&self) -> String {
        fs::read_to_string(self.layout.config_file()).unwrap()
    }

    fn env_text(&self) -> String {
        fs::read_to_string(self.layout.key_file()).unwrap()
    }

    fn key(&self) -> Option<String> {
        self.key_at(&KeySource::Own).unwrap()
    }

    fn key_at(&self, source: &KeySource) -> Result<Option<String>, ConfigError> {
        let key = Keys::load(&self.layout)?.get(source)?;
        Ok(key.map(|key| key.expose_secret().to_owned()))
    }
}

fn openai(base_url: &str, model: &str) -> ProviderConfig {
    let base_url = parse_base_url(base_url).unwrap();
    ProviderConfig::Server(ServerConfig::new(Api::OpenAi, base_url, model))
}

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

#[test]
fn a_missing_file_means_the_defaults() {
    let config = Config::load(&Home::new().layout).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!((config.provider, config.worker.idle_exit_minutes), (None, 15));
    assert_eq!(config.agent.steps, 50);
    assert_eq!(config.browser.host_tool_patience(), Duration::from_secs(120));
}

#[test]
fn everything_can_be_configured() {
    let id = "c".repeat(32);
    let text = format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"https://api.example.com/v1/\"\nmodel = \"m\"\nwindow = 32000\n\
         expires_at = 2027-01-31T12:00:00Z\n[browser]\nextension_ids = [\"{id}\"]\nhost_tool_timeout_s = 600\n[worker]\nidle_exit_minutes = 3\n[agent]\nsteps = 200\n"
    );
    let config = Config::load(&Home::new().with_config(&text).layout).unwrap();
    let Some(ProviderConfig::Server(server)) = config.provider else {
        panic!("no provider")
    };
    assert_eq!(server.base_url.as_str(), "https://api.example.com/v1");
    assert_eq!(server.window, Some(32000));
    assert_eq!(server.expires_at.unwrap().to_string(), "2027-01-31T12:00:00Z");
    assert_eq!(config.browser.extension_ids, [id.parse::<ExtensionId>().unwrap()]);
    assert_eq!((config.worker.idle_exit_minutes, config.agent.steps), (3, 200));
    assert_eq!(config.browser.host_tool_patience(), Duration::from_secs(600));
}

/// What is wrong is named with its line.
#[test]
fn wrong_settings_name_line_and_key() {
    let rows = [
        ("[provider]\nkind = \"openai\"\nmodle = \"m\"\n", 3, "modle"),
        ("\n[providers]\n", 2, "providers"),
        ("[provider]\nkind = \"telepathy\"\n", 2, "telepathy"),
        ("[provider]\nkind = \"openai\"\nmodel = \"m\"\n", 1, "base_url"),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"http://x\"\n",
            1,
            "needs model",
        ),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"x\"\nmodel = \"m\"\n",
            1,
            "base_url",
        ),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"http://u:p@x\"\nmodel = \"m\"\n",
            1,
            "password",
        ),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"http://x?k=1\"\nmodel = \"m\"\n",
            1,
            "without ?",
        ),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"http://x\"\nmodel = \"m\"\nwindow = 3\n",
            1,
            "1024",
        ),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"http://x\"\nmodel = \"m\"\nexpires_at = 2027-01-01\n",
            1,
            "offset",
        ),
        ("[browser]\nextension_ids = [\"ABC\"]\n", 2, "32 letters"),
        ("[worker]\nidle_exit_minutes = -1\n", 2, "-1"),
        ("[browser]\nhost_tool_timeout_s = 0\n", 2, "host_tool_timeout_s"),
        ("[browser]\nhost_tool_timeout_s = 601\n", 2, "1 to 600"),
        ("[worker]\nidle_exit_minutes = \n", 2, ""),
        ("[agent]\nsteps = 0\n", 2, "1 to 1000"),
        ("[agent]\nsteps = 1001\n", 2, "1 to 1000"),
    ];
    for (text, expected_line, part) in rows {
        let error = Config::load(&Home::new().with_config(text).layout).unwrap_err();
        let ConfigError::Invalid { line, message, .. } = error else {
            panic!("{text}: {error}")
        };
        assert_eq!(line, expected_line, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn saving_keeps_comments_and_other_settings() {
    let home = Home::new().with_config(
        "# mine\n[provider]\nkind = \"offline\" # for now\n\n[browser] # browsers\nextension_ids = []\n",
    );
    save_provider(&home.layout, &openai("http://127.0.0.1:9/v1", "m"), None).unwrap();
    let text = home.config_text();
    for part in [
        "# mine\n",
        "kind = \"openai\" # for now\n",
        "[browser] # browsers\nextension_ids = []\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(
        Config::load(&home.layout).unwrap().provider,
        Some(openai("http://127.0.0.1:9/v1", "m"))
    );
    save_provider(&home.layout, &ProviderConfig::Offline, None).unwrap();
    assert_eq!(
        Config::load(&home.layout).unwrap().provider,
        Some(ProviderConfig::Offline)
    );
    assert!(!home.config_text().contains("base_url"));
}

#[test]
fn every_value_survives_saving() {
    let home = Home::new();
    let base_url = parse_base_url("https://api.example.com/v1").unwrap();
    let facts = Facts {
        window: Some(65_536),
        efforts: Some(vec!["low".into()]),
        ..Facts::default()
    };
    let provider = ProviderConfig::Server(ServerConfig {
        window: Some(128_000),
        expires_at: Some("2027-01-31T12:00:00.5Z".parse().unwrap()),
        max_output_tokens: Some(8_192),
        vision: Some(false),
        efforts: Some(vec!["low".into(), "high".into()]),
        headers: [("X-Title".to_owned(), "quote \" and =".to_owned())].into(),
        remembered: [("a \"b\".c".to_owned(), facts)].into(),
        ..ServerConfig::new(Api::Anthropic, base_url, "quote \" and \\ and ü")
    });
    save_provider(&home.layout, &provider, Some(&secret("sk-$x#y"))).unwrap();
    assert_eq!(Config::load(&home.layout).unwrap().provider, Some(provider));
    assert_eq!(home.key().as_deref(), Some("sk-$x#y"));
}

/// What a person wrote is not lost by looking at another model.
#[test]
fn what_was_said_of_a_model_comes_back_with_it() {
    let home = Home::new().with_config(
        "[provider]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"a\"\nwindow = 65536 # tried\nvision = true\n",
    );
    let chosen = || match Config::load(&home.layout).unwrap().provider {
        Some(ProviderConfig::Server(server)) => server,
        other => panic!("{other:?}"),
    };
    let first = chosen();
    assert_eq!(first.with_model("a"), first);
    save_provider(&home.layout, &ProviderConfig::Server(first.with_model("b")), None).unwrap();
    let other = chosen();
    assert_eq!(
        (other.model.as_str(), other.window, other.vision),
        ("b", None, None)
    );
    save_provider(&home.layout, &ProviderConfig::Server(other.with_model("a")), None).unwrap();
    assert_eq!(chosen(), first);
    assert!(
        !home.config_text().contains("remembered"),
        "{}",
        home.config_text()
    );
}

#[test]
fn a_new_file_says_what_it_is_and_a_key_is_written_beside_it() {
    let home = Home::new();
    let written = save_provider(
        &home.layout,
        &openai("http://127.0.0.1:9/v1", "m"),
        Some(&secret("sk-1")),
    )
    .unwrap();
    assert_eq!(written, [home.layout.config_file(), home.layout.key_file()]);
    assert!(
        home.config_text().starts_with("# Settings of Sidewire."),
        "{}",
        home.config_text()
    );
    let written = save_provider(&home.layout, &ProviderConfig::Offline, None).unwrap();
    assert_eq!(written, [home.layout.config_file()]);
}

#[test]
fn an_inline_table_is_edited_too() {
    let home = Home::new().with_config("provider = { kind = \"offline\" }\n");
    save_provider(&home.layout, &openai("http://127.0.0.1:9/v1", "m"), None).unwrap();
    assert_eq!(
        Config::load(&home.layout).unwrap().provider,
        Some(openai("http://127.0.0.1:9/v1", "m"))
    );
}

#[test]
fn a_key_is_never_left_for_another_server() {
    let home = Home::new();
    let one = openai("https://one.example/v1", "m");
    save_provider(&home.layout, &one, Some(&secret("sk-one"))).unwrap();
    save_provider(&home.layout, &openai("https://one.example/v1", "other"), None).unwrap();
    assert_eq!(
        home.key().as_deref(),
        Some("sk-one"),
        "same server, another model"
    );
    save_provider(&home.layout, &openai("https://two.example/v1", "m"), None).unwrap();
    assert_eq!(home.key(), None);
    assert!(!home.env_text().contains("sk-one"));
}

#[test]
fn offline_in_between_does_not_hand_the_key_on() {
    let home = Home::new();
    save_provider(
        &home.layout,
        &openai("https://one.example/v1", "m"),
        Some(&secret("sk-one")),
    )
    .unwrap();
    save_provider(&home.layout, &ProviderConfig::Offline, None).unwrap();
    save_provider(&home.layout, &openai("https://two.example/v1", "m"), None).unwrap();
    assert_eq!(home.key(), None);
}

#[test]
fn other_lines_of_env_stay() {
    let home = Home::new().with_env("# note\nOTHER=1\nexport SIDEWIRE_API_KEY=old\nLAST='x'\n");
    save_provider(
        &home.layout,
        &openai("http://127.0.0.1:9/v1", "m"),
        Some(&secret("new")),
    )
    .unwrap();
    assert_eq!(
        home.env_text(),
        "# note\nOTHER=1\nLAST='x'\nSIDEWIRE_API_KEY='new'\n"
    );
}

#[test]
fn when_the_configuration_cannot_be_written_the_key_is_untouched() {
    let home = Home::new().with_env("SIDEWIRE_API_KEY='old'\n");
    // A folder in the place of the file: staging refuses before anything changes.
    fs::create_dir(home.layout.config_file()).unwrap();
    save_provider(
        &home.layout,
        &openai("http://127.0.0.1:9/v1", "m"),
        Some(&secret("new")),
    )
    .unwrap_err();
    assert_eq!(home.env_text(), "SIDEWIRE_API_KEY='old'\n");
}

#[test]
fn a_broken_configuration_is_not_overwritten() {
    let home = Home::new().with_config("[provider\n");
    let error = save_provider(&home.layout, &ProviderConfig::Offline, None).unwrap_err();
    assert!(matches!(error, ConfigError::Invalid { line: 1, .. }), "{error}");
    assert_eq!(home.config_text(), "[provider\n");
}

#[test]
fn keys_are_read_as_they_are_usually_written() {
    let rows = [
        ("SIDEWIRE_API_KEY=sk-1\n", Some("sk-1")),
        ("export SIDEWIRE_API_KEY=\"sk-1\"\n", Some("sk-1")),
        ("SIDEWIRE_API_KEY='sk-$HOME'\n", Some("sk-$HOME")),
        (
            "SIDEWIRE_API_KEY=first\nSIDEWIRE_API_KEY=second\n",
            Some("second"),
        ),
        ("SIDEWIRE_API_KEY=\n", None),
        ("OTHER=x\nSIDEWIRE_API_KEY_OLD=x\n", None),
    ];
    for (text, expected) in rows {
        assert_eq!(Home::new().with_env(text).key().as_deref(), expected, "{text}");
    }
}

#[test]
fn a_bad_env_file_is_refused_without_showing_it() {
    let rows = [
        ("A=1\nSIDEWIRE_API_KEY=$SECRET\n", 2),
        ("A=1\nB=2\nsecret with blanks\n", 3),
    ];
    for (text, expected_line) in rows {
        let error = Home::new().with_env(text).key_at(&KeySource::Own).unwrap_err();
        assert!(
            matches!(error, ConfigError::Secret { line, .. } if line == expected_line),
            "{text}: {error}"
        );
        assert!(!error.to_string().to_lowercase().contains("secret"), "{error}");
    }
}

#[test]
fn keys_that_fit_no_header_are_refused() {
    for bad in ["", "a b", "a\nb", "a'b", "ü", &"x".repeat(4097)] {
        assert!(check_api_key(bad).is_err(), "{bad:?}");
    }
    check_api_key(&"x".repeat(4096)).unwrap();
}
