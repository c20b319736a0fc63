//! ACP on the wire: the introduction, what is no message, which errors answer what, and how the process leaves.

use serde_json::{Value, json};
use sidewire_tests::{
    Editor, Home, Project, Script, ScriptedModel, eventually, full_editor, is_alive, plain_editor, text_block,
};

/// The longest line that is read.
const LINE: usize = 32 * 1024 * 1024;

#[tokio::test]
async fn the_introduction_says_what_works_and_nothing_else() {
    let home = Home::new();
    let editor = Editor::silent(&home, &[]);
    let welcome = editor.initialize(&full_editor()).await.unwrap();
    assert_eq!(welcome["protocolVersion"], 1);
    assert_eq!(welcome["agentInfo"]["name"], "sidewire");
    assert!(!welcome["agentInfo"]["version"].as_str().unwrap().is_empty());
    let capabilities = &welcome["agentCapabilities"];
    assert_eq!(capabilities["loadSession"], true);
    let features: Vec<&String> = capabilities["sessionCapabilities"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    let mut features: Vec<&str> = features.into_iter().map(String::as_str).collect();
    features.sort_unstable();
    assert_eq!(
        features,
        ["additionalDirectories", "close", "delete", "list", "resume"]
    );
    assert_eq!(
        capabilities["promptCapabilities"],
        json!({ "image": true, "audio": false, "embeddedContext": true })
    );
    assert_eq!(
        capabilities["mcpCapabilities"],
        json!({ "http": true, "sse": false })
    );
    // The vendor's methods come with another issue; what does not work is not announced.
    assert!(
        !welcome.to_string().contains("reasonix.io"),
        "a method that does not work is announced: {welcome}"
    );
}

#[tokio::test]
async fn any_version_is_answered_with_the_one_we_speak() {
    let home = Home::new();
    for version in [json!(1), json!(0), json!(2), json!(65_535)] {
        let editor = Editor::silent(&home, &[]);
        let params = json!({ "protocolVersion": version, "clientCapabilities": {} });
        let welcome = editor.request("initialize", params).await.unwrap();
        assert_eq!(welcome["protocolVersion"], 1, "{version}");
    }
}

#[tokio::test]
async fn a_terminal_login_is_offered_only_to_those_who_have_a_terminal() {
    let home = Home::new();
    let without = Editor::silent(&home, &[]);
    let welcome = without.initialize(&json!({ "auth": {} })).await.unwrap();
    assert_eq!(welcome["authMethods"], json!([]));
    let with = Editor::silent(&home, &[]);
    let welcome = with.initialize(&full_editor()).await.unwrap();
    let methods = welcome["authMethods"].as_array().unwrap();
    assert_eq!(methods.len(), 1);
    assert_eq!(
        (&methods[0]["id"], &methods[0]["type"], &methods[0]["args"]),
        (&json!("reasonix-setup"), &json!("terminal"), &json!(["setup"]))
    );
    // A terminal method is run, not called, and no other one exists.
    for id in ["reasonix-setup", "another"] {
        let refusal = with
            .request("authenticate", json!({ "methodId": id }))
            .await
            .unwrap_err();
        assert_eq!(refusal.code, -32602);
    }
}

#[tokio::test]
async fn a_malformed_introduction_is_tolerated() {
    let home = Home::new();
    for params in [
        json!({}),
        json!({ "protocolVersion": "1" }),
        json!({ "protocolVersion": 1, "clientCapabilities": 7, "clientInfo": [] }),
        json!({ "protocolVersion": 1, "clientCapabilities": { "fs": "yes", "terminal": "no" } }),
    ] {
        let editor = Editor::silent(&home, &[]);
        let welcome = editor.request("initialize", params).await.unwrap();
        assert_eq!(welcome["protocolVersion"], 1);
    }
}

#[tokio::test]
async fn nothing_is_done_before_the_introduction() {
    let home = Home::new();
    let project = Project::new();
    let editor = Editor::silent(&home, &[]);
    let refusal = editor
        .new_session(json!({ "cwd": project.cwd(), "mcpServers": [] }))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, -32600, "{refusal:?}");
    editor.initialize(&plain_editor()).await.unwrap();
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_the_next_one_works() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    let rows: [(&str, &[i64]); 11] = [
        ("this is no JSON", &[-32700]),
        ("{\"jsonrpc\":\"2.0\",\"id\":1", &[-32700]),
        ("{}", &[-32600]),
        ("7", &[-32600]),
        ("null", &[-32600]),
        // Batches are not part of the protocol.
        ("[]", &[-32600, -32700]),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"session/list\"}]",
            &[-32600, -32700],
        ),
        ("{\"jsonrpc\":\"2.0\",\"params\":{}}", &[-32600]),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"session/list\"}",
            &[-32600],
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"session/list\"}",
            &[-32600],
        ),
        ("\u{feff}{}", &[-32600, -32700]),
    ];
    for (line, codes) in rows {
        let from = editor.count();
        editor.line(line).await;
        let code = editor.error_without_id(from).await;
        assert!(codes.contains(&code), "{line}: {code}");
    }
    let deep = format!(
        "{{\"id\":\"deep\",\"method\":\"session/list\",\"params\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let from = editor.count();
    // Its id may be told or not.
    let _waiting = editor.expect(&json!("deep"), "session/list");
    editor.line(deep).await;
    editor
        .until("an error", from, |frame| frame.json.get("error").map(|_| ()))
        .await;
    assert!(editor.list(json!({})).await.is_ok());
}

#[tokio::test]
async fn blank_lines_and_answers_to_nothing_are_ignored() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    let from = editor.count();
    for line in [
        "",
        "   ",
        "\r",
        "{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":1,\"message\":\"\"}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such/notification\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"_vendor/notification\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"nobody\"}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":7}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":99}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"}",
    ] {
        editor.line(line).await;
    }
    assert_eq!(editor.quiet(from).await, []);
}

#[tokio::test]
async fn unknown_methods_and_wrong_parameters_have_their_codes() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    for method in [
        // What is not advertised is not there.
        "logout",
        "session/steer",
        "session/fork",
        "session/inject",
        "_reasonix.io/session/steer",
        "x",
        "",
    ] {
        let refusal = editor.request(method, json!({})).await.unwrap_err();
        assert_eq!(refusal.code, -32601, "{method}");
    }
    for (method, params) in [
        ("session/prompt", json!({})),
        ("session/prompt", json!({ "sessionId": 7, "prompt": [] })),
        ("session/new", json!({ "cwd": 7, "mcpServers": [] })),
        ("session/load", json!({ "cwd": "/" })),
        ("session/set_mode", json!([])),
        ("session/set_config_option", json!({ "sessionId": "s" })),
        ("session/close", Value::Null),
        ("authenticate", json!({})),
    ] {
        let refusal = editor.request(method, params.clone()).await.unwrap_err();
        assert_eq!(refusal.code, -32602, "{method} {params}: {refusal:?}");
    }
}

#[tokio::test]
async fn an_error_never_repeats_what_was_sent() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    let canary = "CANARY-of-the-prompt";
    for (method, params) in [
        (
            "session/prompt",
            json!({ "sessionId": { "a": canary }, "prompt": canary }),
        ),
        (
            "session/prompt",
            json!({ "sessionId": "x", "prompt": [{ "type": "text", "text": canary }] }),
        ),
        ("session/new", json!({ "cwd": { "a": canary } })),
        (
            "session/load",
            json!({ "sessionId": "x", "cwd": "/", "mcpServers": [{ "name": "a", "env": [{ "name": "", "value": canary }] }] }),
        ),
    ] {
        let refusal = editor.request(method, params).await.unwrap_err();
        let told = format!("{} {}", refusal.message, refusal.data);
        assert!(!told.contains(canary), "{method}: {told}");
    }
    let from = editor.count();
    editor.line(format!("{{\"{canary}")).await;
    editor.error_without_id(from).await;
    assert!(
        editor
            .since(from)
            .iter()
            .all(|frame| !frame.line.contains(canary))
    );
    let left = editor.leave().await;
    assert!(!left.errors.contains(canary), "{}", left.errors);
    home.assert_nowhere(canary);
}

#[tokio::test]
async fn a_line_has_a_limit_and_one_beyond_it_is_answered() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    let padded = |length: usize| {
        let (head, tail) = ("{\"id\":\"long\",\"method\":\"x\",\"params\":\"", "\"}");
        format!("{head}{}{tail}", "a".repeat(length - head.len() - tail.len()))
    };
    for length in [LINE - 1, LINE] {
        let refusal = editor.raw(&json!("long"), "x", padded(length)).await.unwrap_err();
        assert_eq!(refusal.code, -32601, "{length}");
    }
    let refusal = editor
        .raw(&json!("long"), "x", padded(LINE + 1))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, -32600, "who asked is told");
    let from = editor.count();
    editor.line("a".repeat(LINE + 1)).await;
    assert!([-32700, -32600].contains(&editor.error_without_id(from).await));
    assert!(editor.list(json!({})).await.is_ok());
}

#[tokio::test]
async fn ids_come_back_as_they_were_and_jsonrpc_is_not_insisted_on() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    for id in [
        json!("a"),
        json!(""),
        json!(-5),
        json!(9_007_199_254_740_993_i64),
        json!("1"),
        json!(100_001),
    ] {
        let line = json!({ "id": id, "method": "session/list", "params": {} });
        assert!(
            editor.raw(&id, "session/list", line.to_string()).await.is_ok(),
            "{id}"
        );
    }
    let line = "{\"id\":\"v1\",\"jsonrpc\":\"1.0\",\"method\":\"session/list\"}";
    assert!(editor.raw(&json!("v1"), "session/list", line).await.is_ok());
}

#[tokio::test]
async fn what_some_readers_take_for_a_line_end_is_escaped() {
    let words = "one\u{2028}two\u{2029}three\nfour\r\u{85}five\u{0}six";
    let model = ScriptedModel::playing(Script::says(words)).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    // The harness refuses such a line whatever it says.
    let turn = session.prompt("say it").await;
    assert_eq!(turn.done(), words);
}

#[tokio::test]
async fn requests_are_answered_once_each_and_at_once_beside_a_turn() {
    let model = ScriptedModel::playing(Script::hangs()).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let mut prompt = session.begin("wait").await;
    model.request(0).await;
    let mut waiting = Vec::new();
    for _ in 0..50 {
        waiting.push(editor.begin("session/list", json!({})).await);
    }
    for one in waiting {
        assert!(one.answer().await.is_ok());
    }
    assert!(prompt.is_open(), "nothing answers it but its end");
    session.cancel().await;
    assert_eq!(prompt.ended().await.stop(), "cancelled");
}

#[tokio::test]
async fn it_leaves_within_a_second_of_the_end_of_its_input() {
    let home = Home::new();
    let mut took = Vec::new();
    // A busy machine may be slow now and then; an agent that waits for something is slow every time.
    for _ in 0..20 {
        let left = Editor::start(&home).await.leave().await;
        assert!(left.status.success(), "{left:?}");
        if left.took.as_millis() < 1000 {
            return;
        }
        took.push(left.took);
    }
    panic!("{took:?}");
}

#[tokio::test]
async fn it_leaves_in_the_middle_of_a_turn_with_all_its_children() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let started = project.file("started");
    let command = format!("touch {started} && exec tail -f /dev/null");
    model.script(
        Script::stream()
            .call("c1", "bash", &json!({ "command": command }))
            .done(),
    );
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let prompt = session.begin("run").await;
    prompt.update("tool_call").await;
    eventually("the command's start", || project.has("started")).await;
    drop(prompt);
    drop(session);
    let left = editor.leave().await;
    assert!(left.status.success(), "{left:?}");
    assert_eq!(left.survivors, [] as [u32; 0]);
}

#[tokio::test]
async fn the_log_goes_to_standard_error_and_tells_no_prompt() {
    let model = ScriptedModel::playing(Script::fails(403)).await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt_blocks(json!([text_block("CANARY-prompt")])).await;
    assert_eq!(turn.refusal().code, -32603);
    drop(session);
    let left = editor.leave().await;
    assert!(!left.errors.contains("CANARY"), "{}", left.errors);
}

#[tokio::test]
async fn a_signal_ends_it_with_its_children() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let project = Project::new();
    let arguments = json!({ "command": "exec tail -f /dev/null", "run_in_background": true });
    model.script(Script::stream().call("c", "bash", &arguments).done());
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    session.prompt("go").await.done();
    let children = editor.children();
    assert!(!children.is_empty());
    editor.process().signal(rustix::process::Signal::TERM);
    let is_childless = || !children.iter().any(|child| is_alive(*child));
    eventually("the end of the agent's children", is_childless).await;
    drop(session);
    assert!(editor.leave().await.status.success());
}

#[tokio::test]
async fn broken_text_is_answered() {
    let home = Home::new();
    let editor = Editor::start(&home).await;
    // A lone surrogate is no text, wherever it stands.
    for line in [
        r#"{"id":"broken","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"\ud800"}]}}"#,
        r#"{"id":"broken","method":"session/list","params":{"cursor":"\udfff"}}"#,
    ] {
        let from = editor.count();
        let _waiting = editor.expect(&json!("broken"), "session/list");
        editor.line(line).await;
        editor
            .until("an error", from, |frame| frame.json.get("error").map(|_| ()))
            .await;
    }
    assert!(editor.list(json!({})).await.is_ok());
}
