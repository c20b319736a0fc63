use super::*;
use crate::private_file::write_private;
use crate::providers::http::scripted::{Server, stream};

struct Home {
    _folder: tempfile::TempDir,
    layout: Layout,
}

fn home(config: &str, env: &str) -> Home {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::in_folder(folder.path().join("home"));
    let home = Home {
        _folder: folder,
        layout,
    };
    home.write(config, env);
    home
}

impl Home {
    fn write(&self, config: &str, env: &str) {
        write_private(&self.layout.config_file(), config.as_bytes()).unwrap();
        write_private(&self.layout.key_file(), env.as_bytes()).unwrap();
    }

    fn catalog(&self) -> Catalog {
        Catalog::new(self.layout.clone())
    }
}

/// The ids that can be chosen, in their order.
fn ids(config: &str, env: &str) -> Vec<String> {
    let entries = home(config, env).catalog().list().unwrap();
    entries.into_iter().map(|entry| entry.id).collect()
}

const LOCAL: &str =
    "[provider]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"small\"\n";
const VENDOR: &str =
    "[provider]\nkind = \"openai\"\nbase_url = \"https://api.openai.com/v1\"\nmodel = \"gpt-5\"\n";
const DEEPSEEK: &str = "[[providers]]\nname = \"deepseek\"\nkind = \"openai\"\nbase_url = \"https://api.deepseek.com/v1\"\n\
                        models = [\"deepseek-v4-flash\", \"deepseek-v4-pro\"]\ndefault = \"deepseek-v4-pro\"\napi_key_env = \"DEEPSEEK\"\n";
const CLAUDE: &str = "[[providers]]\nname = \"claude\"\nkind = \"anthropic\"\nmodels = [\"claude-sonnet-4-5\"]\napi_key_env = \"CLAUDE\"\n";
const PRO: &str = "deepseek/deepseek-v4-pro";
const FLASH: &str = "deepseek/deepseek-v4-flash";
const SONNET: &str = "claude/claude-sonnet-4-5";

#[test]
fn models_whose_key_is_there_are_listed_with_the_default_first() {
    let all = [LOCAL, DEEPSEEK, CLAUDE].concat();
    let own = "default/small";
    assert_eq!(ids(&all, "DEEPSEEK=a\nCLAUDE=b\n"), [own, PRO, FLASH, SONNET]);
    assert_eq!(ids(&all, "CLAUDE=b\n"), [own, SONNET]);
    assert_eq!(ids(&all, ""), [own], "a local server needs no key");
    assert_eq!(ids("", ""), [] as [&str; 0]);
}

#[test]
fn what_cannot_be_read_is_not_the_same_as_nothing() {
    let home = home("[provider\n", "");
    let catalog = home.catalog();
    assert_eq!(catalog.list(), Err(UnreadableModels));
    let opened = catalog.open("default/small", None);
    assert!(matches!(opened.err(), Some(OpenModelError::Unreadable(_))));
}

/// A default model without its key used to make every session fail.
#[test]
fn n6996_a_default_without_its_key_falls_through_to_the_next_provider() {
    let config = [VENDOR, DEEPSEEK, CLAUDE].concat();
    assert_eq!(ids(&config, "CLAUDE=b\n"), [SONNET]);
    let chosen = home(&config, "CLAUDE=b\n");
    let refused = chosen
        .catalog()
        .open("default/gpt-5", None)
        .map(drop)
        .unwrap_err();
    assert_eq!(refused.to_string(), "model \"default/gpt-5\" is not configured");
    assert_eq!(ids(&config, "SIDEWIRE_API_KEY=a\n"), ["default/gpt-5"]);
    assert_eq!(ids(&config, ""), [] as [&str; 0]);
}

#[test]
fn offline_is_a_model_only_when_it_was_chosen() {
    assert_eq!(ids("[provider]\nkind = \"offline\"\n", ""), ["offline"]);
    let config = ["[provider]\nkind = \"offline\"\n", CLAUDE].concat();
    assert_eq!(ids(&config, "CLAUDE=b\n"), ["offline", SONNET]);
    assert!(
        home("", "")
            .catalog()
            .open("offline", None)
            .unwrap()
            .describe()
            .offline
    );
}

#[test]
fn efforts_and_sight_come_from_the_name_or_the_configuration() {
    let told = CLAUDE.to_owned() + "efforts = [\"low\", \"max\"]\nvision = false\n";
    let home = home(&[LOCAL, DEEPSEEK, &told].concat(), "DEEPSEEK=a\nCLAUDE=b\n");
    let entries = home.catalog().list().unwrap();
    let rows: Vec<(&str, String, bool)> = entries
        .iter()
        .map(|entry| (entry.provider.as_str(), entry.efforts.join(" "), entry.vision))
        .collect();
    let row = |provider, efforts: &str, vision| (provider, efforts.to_owned(), vision);
    assert_eq!(
        rows,
        [
            row("127.0.0.1", "", true),
            row("deepseek", "high max", false),
            row("deepseek", "low high max", false),
            row("claude", "low max", false),
        ]
    );
}

#[test]
fn a_model_is_opened_by_its_id_or_a_name_that_leaves_no_doubt() {
    let twice = CLAUDE.replace("claude\"\nkind", "other\"\nkind");
    let home = home(&[DEEPSEEK, CLAUDE, &twice].concat(), "DEEPSEEK=a\nCLAUDE=b\n");
    let catalog = home.catalog();
    let opened = |id: &str| catalog.open(id, None).map(|provider| provider.describe().model);
    for (id, model) in [
        (PRO, "deepseek-v4-pro"),
        (FLASH, "deepseek-v4-flash"),
        ("deepseek", "deepseek-v4-pro"),
        ("deepseek-v4-flash", "deepseek-v4-flash"),
    ] {
        assert_eq!(opened(id).unwrap(), model, "{id}");
        assert_eq!(catalog.resolve(id), format!("deepseek/{model}"));
    }
    for id in [
        "claude-sonnet-4-5",
        "deepseek/",
        "deepseek/gpt-5",
        "",
        "/",
        "DEEPSEEK",
    ] {
        let refused = opened(id).unwrap_err();
        assert_eq!(refused.to_string(), format!("unknown model {id:?}"));
        assert_eq!(catalog.resolve(id), id);
    }
}

#[test]
fn an_effort_must_be_one_of_the_model() {
    let home = home(&[LOCAL, DEEPSEEK].concat(), "DEEPSEEK=a\n");
    let catalog = home.catalog();
    assert!(catalog.open(PRO, Some("max")).is_ok());
    for (id, effort) in [
        (PRO, "low"),
        (PRO, "auto"),
        ("default/small", "high"),
        ("offline", "high"),
    ] {
        let refused = catalog.open(id, Some(effort)).map(drop).unwrap_err();
        assert!(
            matches!(refused, OpenModelError::NoEffort { .. }),
            "{id} {effort}: {refused}"
        );
    }
}

#[test]
fn a_changed_configuration_is_seen_at_once_and_connections_are_kept() {
    let home = home(LOCAL, "");
    let catalog = home.catalog();
    catalog.open("default/small", None).unwrap();
    let server = || Arc::as_ptr(&lock(&catalog.open)["default/small"].server).cast::<()>();
    let first = server();
    catalog.open("default/small", None).unwrap();
    assert_eq!(server(), first);
    home.write(LOCAL, "SIDEWIRE_API_KEY=new\n");
    catalog.open("default/small", None).unwrap();
    assert_ne!(server(), first, "a new key means a new connection");
    home.write(&LOCAL.replace("small", "large"), "");
    assert_eq!(catalog.list().unwrap()[0].id, "default/large");
    assert!(
        lock(&catalog.open).is_empty(),
        "connections that nobody can choose go"
    );
    assert!(catalog.open("default/small", None).is_err());
}

#[test]
fn n23_files_are_read_only_when_they_have_changed() {
    let home = home(LOCAL, "");
    let catalog = home.catalog();
    let seen = || Arc::as_ptr(&lock(&catalog.seen).as_ref().unwrap().1);
    catalog.list().unwrap();
    let first = seen();
    catalog.resolve("small");
    catalog.open("default/small", None).unwrap();
    assert_eq!(seen(), first);
    // As long as before, and changed in the same moment.
    home.write(&LOCAL.replace("small", "large"), "");
    assert_eq!(catalog.resolve("large"), "default/large");
}

/// An editor shows how full the window is, and turns are fitted to it, so somebody has to ask for it.
#[tokio::test]
async fn the_window_of_a_local_model_is_learned() {
    let list = r#"{ "data": [{ "id": "small", "max_model_len": 32768 }] }"#;
    let server = Server::start(vec![stream(list)]).await;
    let home = home(&LOCAL.replace("http://127.0.0.1:9", &server.url), "");
    let catalog = home.catalog();
    let provider = catalog.open("default/small", None).unwrap();
    let learning = lock(&catalog.open)
        .get_mut("default/small")
        .unwrap()
        .learning
        .take();
    learning.unwrap().await.unwrap();
    assert_eq!(provider.describe().window, Some(32_768));
    catalog.open("default/small", None).unwrap();
    assert!(
        lock(&catalog.open)["default/small"].learning.is_none(),
        "it is asked for once"
    );
}

#[test]
fn a_key_that_cannot_be_read_is_no_key() {
    assert_eq!(
        ids(&[DEEPSEEK, CLAUDE].concat(), "DEEPSEEK=$HOME\nCLAUDE=b\n"),
        [SONNET]
    );
}
