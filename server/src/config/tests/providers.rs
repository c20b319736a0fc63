use super::*;

/// Reads a configuration of one further provider with these lines.
fn read(lines: &str) -> Result<NamedProvider, String> {
    let home = Home::new().with_config(&format!("[[providers]]\n{lines}"));
    let config = Config::load(&home.layout).map_err(|error| error.to_string())?;
    Ok(config.providers.into_iter().next().unwrap())
}

#[test]
fn a_further_provider_has_a_name_models_and_a_key_of_its_own() {
    let provider = read(
        "name = \"deepseek\"\nkind = \"openai\"\nbase_url = \"https://api.deepseek.com/v1\"\n\
         models = [\"flash\", \"pro\"]\ndefault = \"pro\"\napi_key_env = \"DEEPSEEK_API_KEY\"\nwindow = 128000\n\
         max_output_tokens = 8192\nvision = true\nefforts = [\"low\", \"max\"]\nheaders = { X-Title = \"mine\" }\n",
    )
    .unwrap();
    assert_eq!(provider.models, ["pro", "flash"], "the default one comes first");
    assert_eq!(*provider.key(), KeySource::Named("DEEPSEEK_API_KEY".into()));
    let server = provider.server("flash");
    assert_eq!((server.model.as_str(), server.api), ("flash", Api::OpenAi));
    assert_eq!(
        (server.window, server.max_output_tokens, server.vision),
        (Some(128_000), Some(8_192), Some(true))
    );
    assert_eq!(server.efforts.unwrap(), ["low", "max"]);
    assert_eq!(server.headers["X-Title"], "mine");
}

#[test]
fn what_is_not_said_has_its_usual_value() {
    let provider = read("name = \"claude\"\nkind = \"anthropic\"\nmodel = \"m\"\n").unwrap();
    let server = provider.server("m");
    assert_eq!(server.base_url.as_str(), "https://api.anthropic.com/");
    assert_eq!(
        (provider.models, server.key),
        (vec!["m".to_owned()], KeySource::None)
    );
}

#[test]
fn wrong_settings_of_a_provider_are_named() {
    let good = "name = \"n\"\nkind = \"openai\"\nbase_url = \"http://x\"\nmodels = [\"m\"]\n";
    read(good).unwrap();
    let with = |line: &str| format!("{good}{line}\n");
    let without = |start: &str| {
        let kept = good.lines().filter(|line| !line.starts_with(start));
        kept.map(|line| format!("{line}\n")).collect::<String>()
    };
    let instead = |line: &str| without(line.split('=').next().unwrap()) + line + "\n";
    let rows = [
        (without("name"), "needs a name"),
        (without("base_url"), "needs base_url"),
        (without("models"), "models names 1 to"),
        (without("kind"), "kind"),
        (instead("name = \"a b\""), "1 to 64 letters"),
        (instead("name = \"default\""), "cannot be the name"),
        (instead("name = \"offline\""), "cannot be the name"),
        (instead("kind = \"offline\""), "[provider] only"),
        (instead("models = [\"\"]"), "models names 1 to"),
        (with("default = \"other\""), "none of models"),
        (with("window = 12"), "1024"),
        (with("max_output_tokens = 1"), "256"),
        (
            with("remembered = { m = { window = 8192 } }"),
            "belongs in [provider]",
        ),
        (with("efforts = [\"auto\"]"), "auto is always there"),
        (with("efforts = [\"Very hard\"]"), "efforts are words"),
        (with("api_key = \"x\""), "api_key"),
        (with("headers = { X-Api-Key = \"x\" }"), "keys belong in .env"),
        (with("headers = { authorization = \"x\" }"), "keys belong in .env"),
    ];
    for (lines, part) in rows {
        let error = read(&lines).unwrap_err();
        assert!(error.contains(part), "{lines}: {error}");
    }
}

/// Someone who writes the key itself there must not find it in an error, a log or a bug report.
#[test]
fn a_key_in_the_place_of_its_name_is_not_repeated() {
    for key in ["sk-canary", "SK CANARY", "", "1KEY"] {
        let lines =
            format!("name = \"n\"\nkind = \"anthropic\"\nmodels = [\"m\"]\napi_key_env = \"{key}\"\n");
        let error = read(&lines).unwrap_err();
        assert!(error.contains("the name it has in .env"), "{error}");
        assert!(!error.to_lowercase().contains("canary"), "{error}");
    }
}

#[test]
fn a_fault_of_the_second_provider_names_its_line() {
    let one = |name: &str| format!("[[providers]]\nname = \"{name}\"\nkind = \"anthropic\"\nmodel = \"m\"\n");
    let rows = [
        (one("a") + &one("b") + "modle = \"x\"\n", 9, "modle"),
        (
            one("a") + "[[providers]]\nkind = \"anthropic\"\nmodel = \"m\"\n",
            1,
            "number 2 of [[providers]]: each of",
        ),
        (one("a") + &one("a"), 1, "two providers are named \"a\""),
        (
            "[provider]\nkind = \"anthropic\"\nmodel = \"m\"\napi_key_env = \"X\"\n".to_owned(),
            1,
            "[[providers]]",
        ),
    ];
    for (text, expected, part) in rows {
        let error = Config::load(&Home::new().with_config(&text).layout).unwrap_err();
        let ConfigError::Invalid { line, message, .. } = error else {
            panic!("{text}: {error}")
        };
        assert!(message.contains(part), "{text}: {message}");
        assert_eq!(line, expected, "{text}: {message}");
    }
}

#[test]
fn keys_are_found_by_their_names_only() {
    let home = Home::new()
        .with_env("ONE='sk-1'\nexport TWO=sk-2\nTWO_OLD=x\nSIDEWIRE_API_KEY=own\nTHREE=$HOME\nFOUR=\n");
    let key = |name: &str| home.key_at(&KeySource::Named(name.into()));
    assert_eq!(key("ONE").unwrap().as_deref(), Some("sk-1"));
    assert_eq!(key("TWO").unwrap().as_deref(), Some("sk-2"));
    assert_eq!(key("FOUR").unwrap(), None);
    // Set in the environment of every process, and still not read from there.
    assert_eq!(key("PATH").unwrap(), None);
    assert!(matches!(key("THREE"), Err(ConfigError::Secret { line: 5, .. })));
    assert_eq!(home.key().as_deref(), Some("own"));
    assert_eq!(home.key_at(&KeySource::None).unwrap(), None);
}

#[test]
fn setup_leaves_further_providers_and_their_keys_alone() {
    let further =
        "[[providers]]\nname = \"a\" # mine\nkind = \"anthropic\"\nmodel = \"m\"\napi_key_env = \"A\"\n";
    let home = Home::new().with_config(further).with_env("A='sk-a'\n");
    save_provider(
        &home.layout,
        &openai("http://127.0.0.1:9/v1", "m"),
        Some(&secret("sk-1")),
    )
    .unwrap();
    assert!(home.config_text().contains(further), "{}", home.config_text());
    assert_eq!(home.env_text(), "A='sk-a'\nSIDEWIRE_API_KEY='sk-1'\n");
    let config = Config::load(&home.layout).unwrap();
    assert_eq!((config.providers.len(), config.provider.is_some()), (1, true));
}
