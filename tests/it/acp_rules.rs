//! Rules of `config.toml` that no call can be about: told by the doctor, in the log and to the editor.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Home, Project, Script, ScriptedModel, plain_editor};

/// A home with this model and these rules.
fn home_with(model: &ScriptedModel, rules: &str) -> Home {
    let home = Home::new();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n\n[permissions]\n{rules}\n",
        model.base_url()
    ));
    home
}

/// What the doctor says of rules.
async fn said_of_rules(home: &Home) -> Vec<Value> {
    let ran = home.run(&["doctor", "--json"]).await;
    let findings: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let about_rules = |finding: &Value| finding["what"].as_str().unwrap().starts_with("the rule ");
    findings.into_iter().filter(about_rules).collect()
}

#[tokio::test]
async fn a_rule_about_nothing_is_told_when_a_session_opens() {
    let model = ScriptedModel::start().await;
    let home = home_with(&model, "allow = [\"Bash(make:*)\"]\ndeny = [\"Read(*.env)\"]");
    let project = Project::new();
    let said = "the rule Read(*.env) is about no call: there is no tool Read; write read_file";

    let editor = Editor::with(&home, &[], &json!({ "session": { "notices": {} } })).await;
    let session = editor.session(project.cwd()).await;
    let notice = session.update("notice", 0).await;
    assert_eq!(notice["severity"], "warning");
    assert_eq!(notice["_meta"]["reasonix.io"]["notice"]["code"], "useless_rule");
    assert!(notice.to_string().contains(said), "{notice}");
    drop(session);
    let errors = editor.leave().await.errors;
    assert!(errors.contains(said), "{errors}");

    // An editor that shows no notices gets nothing that it would take for an answer.
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    model.script(Script::says("hi"));
    assert_eq!(session.prompt("hello").await.done(), "hi");
    drop(session);
    editor.leave().await;

    let found = said_of_rules(&home).await;
    assert_eq!(
        (found.len(), &found[0]["level"]),
        (1, &json!("warn")),
        "{found:?}"
    );
}

#[tokio::test]
async fn every_tool_that_a_model_is_offered_can_be_in_a_rule() {
    let model = ScriptedModel::playing(Script::says("done")).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    project.write(
        ".sidewire/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Puts it on the server.\n---\nRun make deploy.\n",
    );
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("go").await.done();
    let tools = model.request(0).await.tools();
    assert!(tools.contains(&"skill".to_owned()), "{tools:?}");
    drop(session);
    editor.leave().await;

    let home = home_with(&model, &format!("allow = {tools:?}"));
    assert_eq!(said_of_rules(&home).await, [] as [Value; 0]);
}
