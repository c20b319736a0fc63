use super::*;
use crate::private_file::write_private;
use crate::providers::http::scripted::{Server, stream};

/// The model that a worker with these files uses.
fn model(config: &str, env: &str) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let layout = Layout::in_folder(folder.path().join("home"));
    write_private(&layout.config_file(), config.as_bytes())?;
    write_private(&layout.key_file(), env.as_bytes())?;
    Ok(provider(&layout)?.describe().model)
}

#[test]
fn the_chosen_model_is_used_else_the_first_that_can_be() {
    let chosen = "[provider]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"small\"\n";
    let vendor = chosen.replace("http://127.0.0.1:9", "https://api.openai.com");
    let further =
        "[[providers]]\nname = \"a\"\nkind = \"anthropic\"\nmodel = \"claude\"\napi_key_env = \"A\"\n";
    let offline = "[provider]\nkind = \"offline\"\n";
    let rows = [
        ([chosen, further].concat(), "A=a\n", "small"),
        ([&vendor, further].concat(), "A=a\n", "claude"),
        (vendor.clone(), "", "small"),
        ([&vendor, further].concat(), "A=a\nSIDEWIRE_API_KEY=b\n", "small"),
        (further.to_owned(), "A=a\n", "claude"),
        (further.to_owned(), "", "offline"),
        ([offline, further].concat(), "A=a\n", "offline"),
        (String::new(), "", "offline"),
    ];
    for (config, env, expected) in rows {
        assert_eq!(model(&config, env).unwrap(), expected, "{config}{env}");
    }
    assert!(
        model(chosen, "SIDEWIRE_API_KEY=$HOME\n").is_err(),
        "a chosen model's key is not passed over"
    );
}

/// What stands in the file was written by a person, who wants it back with its model.
#[tokio::test]
async fn choosing_in_the_panel_keeps_what_was_said_of_a_model_and_its_server() {
    let answer = r#"{"choices":[{"message":{"content":"ready"},"finish_reason":"stop"}]}"#;
    let server = Server::start(vec![stream(answer)]).await;
    let base_url = format!("{}/v1", server.url);
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::in_folder(folder.path().join("home"));
    let written = format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{base_url}\"\nmodel = \"a\"\nwindow = 65536\nheaders = {{ X-Title = \"mine\" }}\n"
    );
    write_private(&layout.config_file(), written.as_bytes()).unwrap();
    let desk = Models::new(layout, ProviderSlot::new(Arc::new(OfflineProvider::new())));
    let first = desk.configured().unwrap();
    let again = || ProviderChoice {
        offline: false,
        base_url: Some(base_url.clone()),
        model: Some("a".into()),
        api_key: None,
    };
    desk.select("a").await.unwrap();
    assert_eq!(desk.configured().unwrap(), first);
    desk.select("b").await.unwrap();
    assert_eq!(desk.configured().unwrap().window, None);
    desk.set(again()).await.unwrap();
    assert_eq!(desk.configured().unwrap(), first);
}
