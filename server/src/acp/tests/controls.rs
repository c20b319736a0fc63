//! Controls over the wire: what each answers, what it tells, and what happens while a turn runs.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::super::Start;
use super::support::{Editor, editor, value_of};

fn start(ceiling: &str) -> Start {
    Start {
        ceiling: Some(ceiling.parse().unwrap()),
        ..Start::default()
    }
}

async fn waiting(editor: &mut Editor, session: &str) -> u64 {
    editor
        .world
        .answers
        .lock()
        .unwrap()
        .push_back(Ok("wait for it".to_owned()));
    let prompt = editor.begin(session, "hi").await;
    editor.update("agent_message_chunk").await;
    editor.kinds();
    prompt
}

fn words(refusal: &Value) -> &str {
    refusal["message"].as_str().unwrap()
}

#[tokio::test]
async fn every_control_can_be_set_by_its_names() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let rows = [
        ("mode", "plan", "mode", "plan"),
        ("models", "p/two+", "model", "p/two+"),
        ("reasoning_effort", "high", "effort", "high"),
        ("thought_level", "auto", "effort", "auto"),
        ("agent_preset", "light", "work_mode", "economy"),
        ("work_mode", "delivery", "agent_preset", "delivery"),
        ("profile", "eco", "agent_preset", "light"),
        ("approval_mode", "auto", "tool_approval", "auto"),
    ];
    for (id, value, shown, expected) in rows {
        let options = editor.set(&session, id, value).await.unwrap();
        assert_eq!(value_of(&options, shown), expected, "{id} {value}");
        assert!(
            editor.kinds().contains(&"config_option_update".to_owned()),
            "{id}"
        );
    }
    let options = editor.set(&session, "mode", "plan").await.unwrap();
    assert_eq!(editor.kinds(), Vec::<String>::new(), "nothing changed");
    assert_eq!(value_of(&options, "model"), "p/two+");
}

#[tokio::test]
async fn a_short_name_of_a_model_means_the_one_that_is_listed() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let options = editor.set(&session, "model", "two+").await.unwrap();
    assert_eq!(value_of(&options, "model"), "p/two+");
    let model = options
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["id"] == "model");
    assert_eq!(model.unwrap()["options"].as_array().unwrap().len(), 2);
    assert_eq!(
        value_of(&options, "effort"),
        "auto",
        "it has the efforts of that model"
    );
    editor.update("config_option_update").await;
    editor.set(&session, "model", "two+").await.unwrap();
    assert_eq!(editor.kinds(), Vec::<String>::new(), "it is set to that already");
}

#[tokio::test]
async fn a_configuration_that_cannot_be_read_does_not_ask_for_a_setup() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.world.unreadable.store(true, Ordering::SeqCst);
    let params = json!({"cwd": editor.cwd(), "mcpServers": []});
    let (code, text) = editor.refused("session/new", params).await;
    assert!(
        code == -32603 && text.contains("`sidewire doctor`"),
        "{code} {text}"
    );
    let refusal = editor.set(&session, "model", "p/two+").await.unwrap_err();
    assert_eq!(refusal["code"], -32603, "{refusal}");
    let options = editor.set(&session, "mode", "plan").await.unwrap();
    assert_eq!(value_of(&options, "model"), "p/one", "what is open goes on");
}

#[tokio::test]
async fn unknown_controls_and_values_are_refused() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let rows = [
        ("colour", "red", "unknown config option colour"),
        ("mode", "goal", "invalid value goal for mode"),
        ("mode", "Plan", "invalid value Plan for mode"),
        ("model", "p/none", "unknown model"),
        ("effort", "low", "invalid value low for effort"),
        ("agent_preset", "fast", "invalid value fast for agent_preset"),
        (
            "tool_approval",
            "readOnly",
            "invalid value readOnly for tool_approval",
        ),
    ];
    for (id, value, text) in rows {
        let refusal = editor.set(&session, id, value).await.unwrap_err();
        assert_eq!(refusal["code"], -32602, "{id}");
        assert!(words(&refusal).contains(text), "{refusal}");
    }
    let params = json!({"sessionId": session, "configId": "mode", "type": "boolean", "value": true});
    let (code, _) = editor.refused("session/set_config_option", params).await;
    assert_eq!(code, -32602);
    let (code, text) = editor
        .refused(
            "session/set_mode",
            json!({"sessionId": session, "modeId": "goal"}),
        )
        .await;
    assert!(code == -32602 && text.contains("unknown modeId goal"), "{text}");
    let refusal = editor
        .set("00000000-0000-4000-8000-000000000000", "mode", "plan")
        .await
        .unwrap_err();
    assert_eq!(refusal["code"], -32602);
}

#[tokio::test]
async fn modes_and_their_option_go_together_and_are_told_before_the_answer() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let mode = |id: &str| json!({"sessionId": session, "modeId": id});
    assert_eq!(
        editor.ask("session/set_mode", mode("plan")).await.unwrap(),
        json!({})
    );
    assert_eq!(
        editor.update("current_mode_update").await["currentModeId"],
        "plan"
    );
    assert_eq!(
        value_of(
            &editor.update("config_option_update").await["configOptions"],
            "mode"
        ),
        "plan"
    );
    editor.ask("session/set_mode", mode("plan")).await.unwrap();
    assert_eq!(editor.kinds(), Vec::<String>::new());
    // What older clients say sets the posture too.
    editor.ask("session/set_mode", mode("auto")).await.unwrap();
    let options = editor.update("config_option_update").await["configOptions"].clone();
    assert_eq!(
        (value_of(&options, "mode"), value_of(&options, "tool_approval")),
        ("normal".into(), "yolo".into())
    );
    editor.ask("session/set_mode", mode("default")).await.unwrap();
    let options = editor.update("config_option_update").await["configOptions"].clone();
    assert_eq!(value_of(&options, "tool_approval"), "ask");
}

#[tokio::test]
async fn a_ceiling_is_never_passed_and_the_posture_stays() {
    let mut editor = editor(start("ask")).await;
    let session = editor.open().await;
    let expected = json!({"code": "acp.tool_approval.above_ceiling", "ceiling": "ask"});
    for value in ["auto", "yolo"] {
        let refusal = editor.set(&session, "tool_approval", value).await.unwrap_err();
        assert_eq!((&refusal["code"], &refusal["data"]), (&json!(-32602), &expected));
    }
    let params = json!({"sessionId": session, "modeId": "auto"});
    let refusal = editor.ask("session/set_mode", params).await.unwrap_err();
    assert_eq!((&refusal["code"], &refusal["data"]), (&json!(-32602), &expected));
    let options = editor.set(&session, "tool_approval", "readOnly").await.unwrap();
    assert_eq!(value_of(&options, "tool_approval"), "readOnly");
    let options = editor.set(&session, "tool_approval", "ask").await.unwrap();
    assert_eq!(
        (value_of(&options, "tool_approval"), value_of(&options, "mode")),
        ("ask".into(), "normal".into())
    );
}

#[tokio::test]
async fn controls_come_back_and_a_higher_posture_waits_for_a_higher_ceiling() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.prompt(&session, "hi").await;
    for (id, value) in [
        ("model", "p/two+"),
        ("effort", "low"),
        ("agent_preset", "delivery"),
        ("mode", "plan"),
        ("tool_approval", "yolo"),
    ] {
        editor.set(&session, id, value).await.unwrap();
    }
    for (ceiling, posture) in [("dontAsk", "dontAsk"), ("bypassPermissions", "yolo")] {
        let mut next = editor.after(start(ceiling)).await;
        let params = json!({"sessionId": session, "cwd": next.cwd(), "mcpServers": []});
        let loaded = next.ask("session/load", params).await.unwrap();
        let options = &loaded["configOptions"];
        let values =
            ["model", "effort", "agent_preset", "mode", "tool_approval"].map(|id| value_of(options, id));
        assert_eq!(values, ["p/two+", "low", "delivery", "plan", posture]);
        assert_eq!(loaded["modes"]["currentModeId"], "plan");
        // Another control is kept without the posture of this process.
        next.set(&session, "agent_preset", "light").await.unwrap();
        next.set(&session, "agent_preset", "delivery").await.unwrap();
        editor = next;
    }
}

#[tokio::test]
async fn a_model_chosen_during_a_turn_is_used_after_it() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = waiting(&mut editor, &session).await;
    for (id, value) in [("model", "p/two+"), ("effort", "low"), ("effort", "high")] {
        let options = editor.set(&session, id, value).await.unwrap();
        assert_eq!(value_of(&options, id), value);
        assert!(editor.kinds().contains(&"config_option_update".to_owned()));
    }
    editor.world.gate.add_permits(1);
    editor.answer(prompt).await.unwrap();
    editor.prompt(&session, "hi").await;
    let models: Vec<_> = editor
        .world
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|(model, _)| model.clone())
        .collect();
    assert_eq!(models, ["p/one", "p/two+ high"]);
}

#[tokio::test]
async fn a_model_that_is_gone_after_the_turn_is_said_and_dropped() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = waiting(&mut editor, &session).await;
    editor.set(&session, "model", "p/two+").await.unwrap();
    editor.world.models.lock().unwrap().pop();
    editor.kinds();
    editor.world.gate.add_permits(1);
    editor.answer(prompt).await.unwrap();
    let warning = editor.update("agent_message_chunk").await;
    let text = warning["content"]["text"].as_str().unwrap();
    assert!(
        text.starts_with("\n\n[warning] session config switch failed after turn: "),
        "{text}"
    );
    let options = editor.update("config_option_update").await["configOptions"].clone();
    assert_eq!(value_of(&options, "model"), "p/one");
    assert_eq!(editor.prompt(&session, "hi").await, "end_turn");
}

#[tokio::test]
async fn what_cannot_be_switched_now_says_why() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = waiting(&mut editor, &session).await;
    let refusal = editor.set(&session, "agent_preset", "light").await.unwrap_err();
    assert_eq!(refusal["code"], -32600);
    assert!(words(&refusal).ends_with("finish or cancel the active turn before switching execution setting"));
    let options = editor.set(&session, "tool_approval", "yolo").await.unwrap();
    assert_eq!(
        value_of(&options, "tool_approval"),
        "yolo",
        "a posture changes at once"
    );
    editor.world.gate.add_permits(1);
    editor.answer(prompt).await.unwrap();
    editor.world.jobs.store(1, Ordering::SeqCst);
    for (id, value, text) in [
        (
            "agent_preset",
            "light",
            "stop background jobs before switching execution setting",
        ),
        (
            "model",
            "p/two+",
            "session config: stop background jobs before switching config",
        ),
    ] {
        let refusal = editor.set(&session, id, value).await.unwrap_err();
        assert_eq!(refusal["code"], -32600);
        assert!(words(&refusal).ends_with(text), "{refusal}");
    }
    let params = json!({"sessionId": session, "modelId": "p/two+"});
    let (code, _) = editor.refused("session/set_model", params.clone()).await;
    assert_eq!(code, -32600);
    editor.world.jobs.store(0, Ordering::SeqCst);
    editor.kinds();
    assert_eq!(editor.ask("session/set_model", params).await.unwrap(), json!({}));
    assert_eq!(
        value_of(
            &editor.update("config_option_update").await["configOptions"],
            "model"
        ),
        "p/two+"
    );
}

#[tokio::test]
async fn nothing_is_switched_while_a_card_waits() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = editor.begin(&session, "/clear").await;
    editor.update("tool_call").await;
    let card = editor.hear().await;
    for (id, value, text) in [
        (
            "model",
            "p/two+",
            "answer pending prompts before switching config",
        ),
        (
            "agent_preset",
            "light",
            "answer pending prompts before switching execution setting",
        ),
    ] {
        let refusal = editor.set(&session, id, value).await.unwrap_err();
        assert!(words(&refusal).ends_with(text), "{refusal}");
    }
    editor
        .respond(&card["id"], json!({"outcome": {"outcome": "cancelled"}}))
        .await;
    editor.answer(prompt).await.unwrap();
}

#[tokio::test]
async fn what_is_set_before_a_prompt_holds_for_it_without_waiting_for_the_answer() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let params = json!({"sessionId": session, "configId": "model", "value": "p/two+"});
    let set = editor.send("session/set_config_option", params).await;
    let prompt = editor.begin(&session, "hi").await;
    let mut answered = Vec::new();
    while answered.len() < 2 {
        let message = editor.hear().await;
        answered.extend(message["id"].as_u64().filter(|_| message["method"].is_null()));
    }
    answered.sort_unstable();
    assert_eq!(answered, [set, prompt]);
    assert_eq!(editor.world.asked.lock().unwrap()[0].0, "p/two+");
}

#[tokio::test]
async fn what_is_chosen_while_an_earlier_choice_is_put_in_use_counts_too() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    let prompt = waiting(&mut editor, &session).await;
    editor.set(&session, "model", "p/two+").await.unwrap();
    let (go_on, look) = std::sync::mpsc::sync_channel(1);
    *editor.world.look.lock().unwrap() = Some(look);
    editor.world.gate.add_permits(1);
    while editor.world.look.lock().unwrap().is_some() {
        tokio::task::yield_now().await;
    }
    let options = editor.set(&session, "effort", "high").await.unwrap();
    assert_eq!(value_of(&options, "effort"), "high");
    go_on.send(()).unwrap();
    editor.answer(prompt).await.unwrap();
    editor.prompt(&session, "hi").await;
    let last = editor.world.asked.lock().unwrap().pop().unwrap();
    assert_eq!(last.0, "p/two+ high");
}

#[tokio::test]
async fn an_effort_is_used_although_the_model_chosen_with_it_is_gone() {
    let mut editor = editor(Start::default()).await;
    editor.world.models.lock().unwrap().push("p/three+".to_owned());
    let session = editor.open().await;
    editor.set(&session, "model", "p/two+").await.unwrap();
    let prompt = waiting(&mut editor, &session).await;
    editor.set(&session, "model", "p/three+").await.unwrap();
    editor.set(&session, "effort", "low").await.unwrap();
    editor.world.models.lock().unwrap().pop();
    editor.world.gate.add_permits(1);
    editor.answer(prompt).await.unwrap();
    editor.prompt(&session, "hi").await;
    let last = editor.world.asked.lock().unwrap().pop().unwrap();
    assert_eq!(last.0, "p/two+ low");
}

#[tokio::test]
async fn a_session_that_was_deleted_elsewhere_is_set_no_more() {
    let mut editor = editor(Start::default()).await;
    let session = editor.open().await;
    editor.delete_elsewhere(&session).await;
    let refusal = editor.set(&session, "mode", "plan").await.unwrap_err();
    assert_eq!(refusal["code"], -32600);
    assert!(words(&refusal).ends_with("session is deleted"), "{refusal}");
    assert_eq!(editor.kinds(), Vec::<String>::new(), "nothing was told");
}
