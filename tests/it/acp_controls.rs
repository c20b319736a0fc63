//! The controls of a session: modes and options, what they show, when they change, what is kept of them.

use serde_json::{Value, json};
use sidewire_tests::{Editor, Gate, Home, Project, Script, ScriptedModel, value_of};

/// A home with two models of a second provider beside the default one.
async fn scene() -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    let url = model.base_url();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"scripted\"\n\n\
         [[providers]]\nname = \"other\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodels = [\"small\", \"large\"]\n\
         efforts = [\"low\", \"high\"]\n\n\
         [[providers]]\nname = \"locked\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodels = [\"secret\"]\n\
         api_key_env = \"LOCKED_KEY\"\n"
    ));
    (model, home, Project::new())
}

fn ids(options: &Value) -> Vec<&str> {
    let options = options.as_array().expect("options");
    options
        .iter()
        .filter_map(|option| option["id"].as_str())
        .collect()
}

fn option<'a>(options: &'a Value, id: &str) -> &'a Value {
    let options = options.as_array().expect("options");
    options.iter().find(|option| option["id"] == id).unwrap()
}

fn values(options: &Value, id: &str) -> Vec<String> {
    let values = option(options, id)["options"].as_array().unwrap();
    values
        .iter()
        .filter_map(|one| one["value"].as_str().map(str::to_owned))
        .collect()
}

/// A person who leaves a typing error in a file is not sent to a login.
#[tokio::test]
async fn a_broken_configuration_is_not_a_missing_one() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    home.configure("[oops\n");
    let new = json!({ "cwd": project.cwd(), "mcpServers": [] });
    let refused = editor.new_session(new).await.unwrap_err();
    assert_eq!(refused.code, -32603, "{refused:?}");
    assert!(refused.message.contains("`sidewire doctor`"), "{refused:?}");
    assert_eq!(
        session.prompt("hi").await.stop(),
        "end_turn",
        "what is open goes on"
    );
}

/// A short name used to make a model of its own, without efforts.
#[tokio::test]
async fn a_short_name_of_a_model_is_the_one_that_is_listed() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let listed = values(&session.opened["configOptions"], "model");
    for (name, id) in [("large", "other/large"), ("default", "default/scripted")] {
        let options = &session.set("model", name).await.unwrap();
        assert_eq!(value_of(options, "model"), id);
        assert_eq!(values(options, "model"), listed, "{name}");
        assert_eq!(ids(options).contains(&"effort"), id == "other/large", "{name}");
    }
}

#[tokio::test]
async fn the_options_are_those_of_the_seed_with_legal_categories() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let options = &session.opened["configOptions"];
    for id in ["mode", "model", "agent_preset", "tool_approval"] {
        assert!(ids(options).contains(&id), "{id} in {:?}", ids(options));
    }
    let official = ["mode", "model", "thought_level", "model_config"];
    for option in options.as_array().unwrap() {
        let category = option["category"].as_str().unwrap();
        assert!(
            official.contains(&category) || category.starts_with('_'),
            "{category}"
        );
        let current = option["currentValue"].as_str().unwrap();
        assert!(
            values(options, option["id"].as_str().unwrap()).contains(&current.to_owned()),
            "{option}"
        );
    }
    assert_eq!(values(options, "agent_preset"), ["light", "balanced", "delivery"]);
    assert_eq!(values(options, "tool_approval"), ["ask", "auto", "yolo"]);
    assert_eq!(
        (
            value_of(options, "agent_preset").as_str(),
            value_of(options, "tool_approval").as_str()
        ),
        ("balanced", "ask")
    );
    let models = values(options, "model");
    assert!(models.iter().any(|model| model == "other/small"), "{models:?}");
    assert!(
        !models.iter().any(|model| model.contains("locked")),
        "without its key it is not offered: {models:?}"
    );
}

#[tokio::test]
async fn a_model_is_switched_and_asked_from_then_on() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("first").await.done();
    let options = session.set("model", "other/large").await.unwrap();
    assert_eq!(value_of(&options, "model"), "other/large");
    assert_eq!(values(&options, "effort"), ["auto", "low", "high"]);
    session.prompt("second").await.done();
    let asked = model.request(1).await;
    assert_eq!(asked.body["model"], "large");
    assert!(
        asked.texts("user").join("\n").contains("first"),
        "history is kept"
    );
    assert_eq!(session.set_model("other/small").await.unwrap(), json!({}));
    session.set("effort", "high").await.unwrap();
    session.prompt("third").await.done();
    let asked = model.request(2).await;
    assert_eq!(
        (&asked.body["model"], &asked.body["reasoning_effort"]),
        (&json!("small"), &json!("high"))
    );
}

#[tokio::test]
async fn what_is_unknown_or_no_value_is_refused() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for (id, value) in [
        ("no_such_option", "x"),
        ("tool_approval", "YOLO"),
        ("tool_approval", ""),
        ("tool_approval", "readOnly"),
        ("agent_preset", "heavy"),
        ("model", "other/none"),
        ("model", "locked/secret"),
        ("effort", "extreme"),
    ] {
        let refusal = session.set(id, value).await.unwrap_err();
        assert_eq!(refusal.code, -32602, "{id} = {value}");
    }
    assert_eq!(session.set_model("other/none").await.unwrap_err().code, -32602);
    assert_eq!(session.set_mode("dream").await.unwrap_err().code, -32602);
    let params = json!({ "sessionId": session.id, "optionId": "tool_approval", "value": "yolo" });
    assert_eq!(
        editor
            .request("session/set_config_option", params)
            .await
            .unwrap_err()
            .code,
        -32602
    );
    let params = json!({ "sessionId": "nobody", "configId": "tool_approval", "value": "yolo" });
    assert!(
        [-32602, -32002].contains(
            &editor
                .request("session/set_config_option", params)
                .await
                .unwrap_err()
                .code
        )
    );
    let loaded = editor.load(&session.id, project.cwd()).await;
    assert_eq!(value_of(&loaded.opened["configOptions"], "tool_approval"), "ask");
}

#[tokio::test]
async fn older_names_are_understood() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for (id, value, shown, expected) in [
        ("work_mode", "economy", "agent_preset", "light"),
        ("profile", "delivery", "agent_preset", "delivery"),
        ("runtime_profile", "balanced", "agent_preset", "balanced"),
        ("agent_preset", "economy", "agent_preset", "light"),
        ("approval_mode", "auto", "tool_approval", "auto"),
        ("models", "other/large", "model", "other/large"),
        ("reasoning_effort", "low", "effort", "low"),
    ] {
        let options = session.set(id, value).await.unwrap();
        assert_eq!(value_of(&options, shown), expected, "{id} = {value}");
    }
}

#[tokio::test]
async fn modes_and_their_option_stay_in_step_and_are_told() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let from = editor.count();
    let (at, answer) = {
        let answer = session.set_mode("plan").await.unwrap();
        (editor.count(), answer)
    };
    assert_eq!(answer, json!({}));
    let told = session.updates_since(from);
    let change = told
        .iter()
        .position(|update| update["sessionUpdate"] == "current_mode_update")
        .expect("before the answer");
    assert_eq!(told[change]["currentModeId"], "plan");
    assert!(at >= from);
    let update = session.update("config_option_update", from).await;
    assert_eq!(value_of(&update["configOptions"], "mode"), "plan");
    let from = editor.count();
    session.set_mode("plan").await.unwrap();
    editor.quiet(from).await;
    assert!(
        !session
            .updates_since(from)
            .iter()
            .any(|update| update["sessionUpdate"] == "current_mode_update"),
        "only a change is told"
    );
    let from = editor.count();
    let options = session.set("mode", "normal").await.unwrap();
    assert_eq!(value_of(&options, "mode"), "normal");
    assert_eq!(
        session.update("current_mode_update", from).await["currentModeId"],
        "normal"
    );
}

#[tokio::test]
async fn legacy_modes_set_the_posture() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    for (mode, posture) in [("auto", "yolo"), ("default", "ask")] {
        let from = editor.count();
        session.set_mode(mode).await.unwrap();
        let update = session.update("config_option_update", from).await;
        assert_eq!(value_of(&update["configOptions"], "tool_approval"), posture);
        assert_eq!(value_of(&update["configOptions"], "mode"), "normal");
    }
}

#[tokio::test]
async fn a_model_chosen_during_a_turn_is_shown_at_once_and_used_after_it() {
    let (model, home, project) = scene().await;
    let gate = Gate::new();
    model.script(Script::says("first").after(&gate));
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let prompt = session.begin("go").await;
    model.request(0).await;
    session.set("model", "other/small").await.unwrap();
    let options = session.set("model", "other/large").await.unwrap();
    assert_eq!(value_of(&options, "model"), "other/large", "the last one counts");
    gate.open();
    assert_eq!(prompt.ended().await.done(), "first");
    session.prompt("second").await.done();
    assert_eq!(model.request(0).await.body["model"], "scripted");
    assert_eq!(model.request(1).await.body["model"], "large");
}

#[tokio::test]
async fn the_setting_is_not_changed_under_a_turn_and_the_posture_is() {
    let (model, home, project) = scene().await;
    model.script(Script::hangs());
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let prompt = session.begin("go").await;
    model.request(0).await;
    let refusal = session.set("agent_preset", "light").await.unwrap_err();
    assert_eq!(refusal.code, -32600, "{refusal:?}");
    let options = session.set("tool_approval", "auto").await.unwrap();
    assert_eq!(value_of(&options, "tool_approval"), "auto");
    session.cancel().await;
    prompt.ended().await;
    let options = session.set("agent_preset", "light").await.unwrap();
    assert_eq!(
        (
            value_of(&options, "agent_preset"),
            value_of(&options, "tool_approval")
        ),
        ("light".to_owned(), "auto".to_owned())
    );
}

#[tokio::test]
async fn nothing_is_switched_under_a_waiting_card() {
    let (model, home, project) = scene().await;
    crate::acp_files::calls(
        &model,
        "write_file",
        &json!({ "path": project.file("a"), "content": "a" }),
    );
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    for (id, value) in [("agent_preset", "light"), ("model", "other/small")] {
        let refusal = session.set(id, value).await.unwrap_err();
        assert_eq!(refusal.code, -32600, "{id}");
    }
    editor.decide(&card, "reject_once");
    prompt.ended().await.done();
}

#[tokio::test]
async fn jobs_in_the_background_keep_the_model_from_being_switched() {
    let (model, home, project) = scene().await;
    let arguments = json!({ "command": "exec tail -f /dev/null", "run_in_background": true });
    crate::acp_files::calls(&model, "bash", &arguments);
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    session.prompt("go").await.done();
    let refusal = session.set("model", "other/small").await.unwrap_err();
    assert_eq!(refusal.code, -32600, "{refusal:?}");
    assert!(refusal.message.contains("background jobs"), "{refusal:?}");
}

#[tokio::test]
async fn what_was_chosen_is_there_after_a_restart() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.prompt("hello").await.done();
    session.set("model", "other/large").await.unwrap();
    session.set("effort", "low").await.unwrap();
    session.set("agent_preset", "delivery").await.unwrap();
    session.set("tool_approval", "auto").await.unwrap();
    session.set_mode("plan").await.unwrap();
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    let editor = Editor::start(&home).await;
    let session = editor.load(&id, project.cwd()).await;
    let options = &session.opened["configOptions"];
    for (id, value) in [
        ("model", "other/large"),
        ("effort", "low"),
        ("agent_preset", "delivery"),
        ("tool_approval", "auto"),
        ("mode", "plan"),
    ] {
        assert_eq!(value_of(options, id), value);
    }
    assert_eq!(session.opened["modes"]["currentModeId"], "plan");
}

#[tokio::test]
async fn a_saved_model_that_is_gone_falls_back_to_the_default() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("model", "other/large").await.unwrap();
    session.prompt("hello").await.done();
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    home.use_model(&model);
    let editor = Editor::start(&home).await;
    let session = editor.load(&id, project.cwd()).await;
    let current = value_of(&session.opened["configOptions"], "model");
    assert!(current.ends_with("/scripted"), "{current}");
    session.prompt("again").await.done();
    assert_eq!(model.request(1).await.body["model"], "scripted");
}

#[tokio::test]
async fn a_process_starts_sessions_with_the_model_and_setting_it_was_given() {
    let (model, home, project) = scene().await;
    for (args, preset) in [
        (vec!["--model", "other/large", "--preset", "light"], "light"),
        (vec!["--model", "other/large", "--profile", "economy"], "light"),
        (
            vec!["--model", "other/large", "--profile", "delivery"],
            "delivery",
        ),
    ] {
        let editor = Editor::with(&home, &args, &json!({})).await;
        let session = editor.session(project.cwd()).await;
        let options = &session.opened["configOptions"];
        assert_eq!(
            (
                value_of(options, "model").as_str(),
                value_of(options, "agent_preset").as_str()
            ),
            ("other/large", preset)
        );
        session.prompt("hello").await.done();
    }
    assert!(
        model
            .requests()
            .iter()
            .all(|asked| asked.body["model"] == "large")
    );
}

#[tokio::test]
async fn a_bad_command_line_ends_with_status_2_and_prints_nothing_on_standard_output() {
    let home = Home::new();
    for args in [
        ["acp", "--preset", "heavy"],
        ["acp", "--profile", "heavy"],
        ["acp", "--permission-mode", "plan"],
        ["acp", "--permission-mode", "whatever"],
        ["acp", "--no-such-flag", "x"],
    ] {
        let ran = home.run(&args).await;
        assert_eq!((ran.status.code(), ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(!ran.err.is_empty(), "{args:?}");
    }
}

#[tokio::test]
async fn an_effort_the_new_model_lacks_becomes_automatic() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("model", "other/large").await.unwrap();
    session.set("effort", "high").await.unwrap();
    let first = option(&session.opened["configOptions"], "model")["currentValue"]
        .as_str()
        .unwrap()
        .to_owned();
    session.set("model", &first).await.unwrap();
    let options = session.set("model", "other/small").await.unwrap();
    assert_eq!(value_of(&options, "effort"), "auto");
}
