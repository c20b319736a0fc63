//! From nothing to an answer: what an editor is told before a model is set up, and how it gets there.

use serde_json::json;
use sidewire_tests::{Editor, Home, Project, ScriptedModel, full_editor, value_of};

#[tokio::test]
async fn nothing_is_opened_before_a_model_is_set_up_and_then_it_works() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-right");
    let home = Home::new();
    let project = Project::new();
    let editor = Editor::with(&home, &[], &full_editor()).await;
    let params = json!({ "cwd": project.cwd(), "mcpServers": [] });
    let refusal = editor.new_session(params.clone()).await.unwrap_err();
    assert_eq!(refusal.code, -32000, "{refusal:?}");
    drop(editor);
    // A client appends the arguments of the method to its command line.
    let url = model.base_url();
    let setup = [
        "acp",
        "setup",
        "--kind",
        "openai",
        "--base-url",
        &url,
        "--model",
        "scripted",
        "--api-key-stdin",
        "--yes",
    ];
    home.run_with_input(&setup, "sk-right\n").await.ok();
    let editor = Editor::with(&home, &[], &full_editor()).await;
    let session = editor.session(project.cwd()).await;
    assert_eq!(session.prompt("hello").await.done(), "ok");
    assert!(value_of(&session.opened["configOptions"], "model").ends_with("/scripted"));
}

#[tokio::test]
async fn a_key_in_the_editors_environment_is_not_used() {
    // The harness starts the agent without it; here the key file is what is missing.
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.configure(&format!(
        "[[providers]]\nname = \"locked\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n\
         api_key_env = \"LOCKED_KEY\"\n",
        model.base_url()
    ));
    let project = Project::new();
    let editor = Editor::with_variable(&home, "LOCKED_KEY", "sk-of-the-editor").await;
    let params = json!({ "cwd": project.cwd(), "mcpServers": [] });
    assert_eq!(editor.new_session(params.clone()).await.unwrap_err().code, -32000);
    drop(editor);
    home.write_private(".env", "LOCKED_KEY='sk-of-the-file'\n");
    let editor = Editor::with_variable(&home, "LOCKED_KEY", "sk-of-the-editor").await;
    let session = editor.session(project.cwd()).await;
    session.prompt("hello").await.done();
    let sent = model.request(0).await.headers["authorization"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(sent, "Bearer sk-of-the-file");
}

#[tokio::test]
async fn a_key_that_is_refused_fails_the_turn_and_is_no_missing_setup() {
    let model = ScriptedModel::start().await;
    model.require_key("sk-right");
    let home = Home::with_model(&model);
    home.key("sk-wrong");
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("hello").await;
    assert_eq!(
        (turn.refusal().code, &turn.refusal().data["code"]),
        (-32603, &json!("turn_failed"))
    );
    assert!(!format!("{:?}", turn.refusal()).contains("sk-wrong"));
}

#[tokio::test]
async fn a_server_that_needs_no_key_needs_no_setup() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    editor.session(project.cwd()).await.prompt("hello").await.done();
}

#[tokio::test]
async fn a_default_model_without_its_key_gives_way_to_the_next_one() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    let url = model.base_url();
    home.configure(&format!(
        "[[providers]]\nname = \"locked\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodels = [\"secret\"]\n\
         api_key_env = \"LOCKED_KEY\"\n\n\
         [[providers]]\nname = \"open\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodels = [\"free\"]\n"
    ));
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    assert_eq!(value_of(&session.opened["configOptions"], "model"), "open/free");
    // One that was named is not replaced.
    let named = Editor::with(&home, &["--model", "locked/secret"], &full_editor()).await;
    let params = json!({ "cwd": project.cwd(), "mcpServers": [] });
    assert!(named.new_session(params).await.is_err());
}

#[tokio::test]
async fn offline_answers_only_when_it_was_chosen() {
    let home = Home::new();
    let project = Project::new();
    let editor = Editor::with(&home, &["--model", "offline"], &full_editor()).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt("hello").await;
    assert_eq!(turn.stop(), "end_turn");
    let text = turn.text();
    assert!(
        text.contains("No model is set up") && text.contains("sidewire setup"),
        "{text}"
    );
    assert!(!text.contains("page"), "{text}");
}
