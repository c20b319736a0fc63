use super::*;
use crate::private_file::write_private;

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
