//! MCP servers that an editor brings along, or that person and project have configured.

use serde_json::{Value, json};
use sidewire_tests::{
    Call, Editor, Home, McpOverHttp, Project, Script, ScriptedModel, Session, eventually, is_alive,
    mcp_process, program,
};

use crate::acp_files::{calls, told};

async fn scene() -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    (model, home, Project::new())
}

fn with(project: &Project, servers: &Value) -> Value {
    json!({ "cwd": project.cwd(), "mcpServers": servers })
}

/// A session in which the tools of servers run unasked: what they say of themselves opens no gate.
async fn open(editor: &Editor, params: Value) -> Session<'_> {
    let session = editor.session_with(params).await;
    session.set("tool_approval", "auto").await.unwrap();
    session
}

async fn call(session: &Session<'_>, model: &ScriptedModel, tool: &str, arguments: Value) -> Call {
    calls(model, tool, &arguments);
    let turn = session.prompt("go").await;
    assert_eq!(turn.done(), "done");
    turn.call()
}

/// Waits until the fixture has written this down.
async fn journal(project: &Project, words: &str) {
    let is_there = || project.has("journal") && project.read("journal").contains(words);
    eventually("an entry of the journal", is_there).await;
}

#[tokio::test]
async fn a_server_of_the_editor_is_offered_and_called() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let servers = json!([mcp_process("fix", "well", &project)]);
    let session = editor.session_with(with(&project, &servers)).await;
    editor.choose("allow_once");
    let echo = call(&session, &model, "mcp__fix__echo", json!({ "text": "hello" })).await;
    assert!(
        model
            .request(0)
            .await
            .tools()
            .contains(&"mcp__fix__echo".to_owned())
    );
    assert_eq!(told(&model), "echo: hello");
    assert_eq!(
        (echo.began["name"].as_str(), echo.status()),
        (Some("mcp__fix__echo"), "completed")
    );
    assert_eq!(
        editor.requests("session/request_permission").len(),
        1,
        "that it says it only reads opens no gate"
    );
    editor.choose("reject_once");
    let change = call(&session, &model, "mcp__fix__change", json!({ "text": "x" })).await;
    assert_eq!(change.status(), "failed");
    assert!(!project.read("journal").contains("changed"));
    editor.choose("allow_once");
    call(&session, &model, "mcp__fix__change", json!({ "text": "x" })).await;
    assert!(project.read("journal").contains("changed x"));
    editor.choose("allow_once");
    let failed = call(&session, &model, "mcp__fix__fail", json!({})).await;
    assert_eq!(failed.status(), "failed");
    assert!(told(&model).contains("it went wrong"));
}

#[tokio::test]
async fn its_processes_end_with_the_session_and_with_the_agent() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let servers = json!([mcp_process("fix", "well", &project)]);
    let session = open(&editor, with(&project, &servers)).await;
    session.prompt("hello").await.done();
    assert!(!editor.children().is_empty());
    editor.close(&session.id).await;
    editor.childless().await;
    let session = open(&editor, with(&project, &servers)).await;
    session.prompt("hello").await.done();
    drop(session);
    let left = editor.leave().await;
    assert_eq!(left.survivors, [] as [u32; 0]);
}

/// A server that does not read, does not answer, does not care to be asked to end, and has a daemon.
fn deaf(project: &Project) -> Value {
    let script = format!(
        "trap '' TERM HUP; setsid sleep 1000 & touch {}; sleep 1000; sleep 1000",
        project.file("deaf")
    );
    json!({ "name": "deaf", "command": "sh", "args": ["-c", script], "env": [] })
}

#[tokio::test]
async fn a_deaf_server_ends_with_its_agent_however_that_ends() {
    for is_killed in [true, false] {
        let (_model, home, project) = scene().await;
        let editor = Editor::start(&home).await;
        let session = editor
            .session_with(with(&project, &json!([deaf(&project)])))
            .await;
        let has_begun = || project.has("deaf") && editor.children().len() >= 4;
        eventually("the start of a server", has_begun).await;
        let children = editor.children();
        drop(session);
        if is_killed {
            editor.kill().await;
            let has_ended = || !children.iter().any(|child| is_alive(*child));
            eventually("the end of a server", has_ended).await;
        } else {
            let left = editor.leave().await;
            assert_eq!(left.survivors, [] as [u32; 0], "{left:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_fails_or_never_answers_breaks_nothing() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let missing =
        json!({ "name": "missing", "command": project.file("no-such-program"), "args": [], "env": [] });
    let servers = json!([
        mcp_process("dead", "dies", &project),
        missing,
        mcp_process("fix", "well", &project),
    ]);
    let session = open(&editor, with(&project, &servers)).await;
    call(
        &session,
        &model,
        "mcp__fix__echo",
        json!({ "text": "still here" }),
    )
    .await;
    assert_eq!(told(&model), "echo: still here");
    // A server that ends in the middle of a call fails the call.
    let died = call(&session, &model, "mcp__fix__die", json!({})).await;
    assert_eq!(died.status(), "failed");
    assert_eq!(session.prompt("hello").await.done(), "ok");
}

#[tokio::test]
async fn a_turn_is_cancelled_while_a_server_connects() {
    let (model, home, project) = scene().await;
    // Should the turn not wait for the server, it does not end by itself either.
    model.otherwise(Script::hangs());
    let editor = Editor::start(&home).await;
    let servers = json!([mcp_process("slow", "silent", &project)]);
    let session = open(&editor, with(&project, &servers)).await;
    journal(&project, "started").await;
    let prompt = session.begin("go").await;
    session.cancel().await;
    let turn = prompt.ended().await;
    assert_eq!(turn.stop(), "cancelled", "{turn:?}");
    editor.close(&session.id).await;
    editor.childless().await;
}

#[tokio::test]
async fn a_call_is_cancelled_with_its_turn_and_the_server_is_told() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let servers = json!([mcp_process("fix", "well", &project)]);
    let session = open(&editor, with(&project, &servers)).await;
    model.script(Script::stream().call("c", "mcp__fix__wait", &json!({})).done());
    let prompt = session.begin("go").await;
    journal(&project, "waiting").await;
    session.cancel().await;
    let turn = prompt.ended().await;
    assert_eq!((turn.stop(), turn.call().status()), ("cancelled", "failed"));
    journal(&project, "notifications/cancelled").await;
    assert_eq!(session.prompt("and now?").await.done(), "ok");
}

#[tokio::test]
async fn a_server_over_http_is_called_with_its_headers() {
    let (model, home, project) = scene().await;
    let server = McpOverHttp::start().await;
    let editor = Editor::start(&home).await;
    // Both shapes of headers are understood, and none at all.
    for (kind, headers) in [
        ("http", json!([{ "name": "x-canary", "value": "one" }])),
        ("streamable-http", json!({ "x-canary": "two" })),
        ("http", json!([])),
    ] {
        let servers = json!([{ "type": kind, "name": "web", "url": server.url(), "headers": headers }]);
        let session = open(&editor, with(&project, &servers)).await;
        call(&session, &model, "mcp__web__echo", json!({ "text": "hi" })).await;
        assert_eq!(told(&model), "over http: hi");
        editor.close(&session.id).await;
    }
    let mut seen = server.headers("x-canary");
    seen.dedup();
    assert_eq!(seen, ["one", "two"]);
}

#[tokio::test]
async fn a_server_over_the_older_event_stream_is_called() {
    let (model, home, project) = scene().await;
    let server = McpOverHttp::start().await;
    let editor = Editor::start(&home).await;
    let servers = json!([{ "type": "sse", "name": "web", "url": server.sse_url(), "headers": [] }]);
    let session = open(&editor, with(&project, &servers)).await;
    call(&session, &model, "mcp__web__echo", json!({ "text": "hi" })).await;
    assert_eq!(told(&model), "over http: hi");
}

#[tokio::test]
async fn both_shapes_of_a_servers_environment_are_understood() {
    let (model, home, project) = scene().await;
    home.key("sk-CANARY-key");
    let editor = Editor::start(&home).await;
    for env in [
        json!([{ "name": "CANARY", "value": "sings" }]),
        json!({ "CANARY": "sings" }),
    ] {
        let server =
            json!({ "name": "fix", "command": program("sidewire-test-mcp"), "args": ["well"], "env": env });
        let session = open(&editor, with(&project, &json!([server]))).await;
        call(
            &session,
            &model,
            "mcp__fix__variable",
            json!({ "text": "CANARY" }),
        )
        .await;
        assert_eq!(told(&model), "sings");
        call(
            &session,
            &model,
            "mcp__fix__variable",
            json!({ "text": "SIDEWIRE_API_KEY" }),
        )
        .await;
        assert_eq!(told(&model), "unset");
        editor.close(&session.id).await;
    }
}

#[tokio::test]
async fn a_malformed_server_is_refused_aloud() {
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    for server in [
        json!({ "command": "x", "args": [], "env": [] }),
        json!({ "name": "", "command": "x", "args": [], "env": [] }),
        json!({ "name": "a", "args": [], "env": [] }),
        json!({ "name": "a", "type": "http", "headers": [] }),
        json!({ "name": "a", "type": "carrier-pigeon", "url": "http://127.0.0.1:1/" }),
        json!({ "name": "a", "command": "x", "args": [], "env": [{ "name": " ", "value": "v" }] }),
        json!({ "name": "a", "type": "http", "url": "http://127.0.0.1:1/", "headers": [{ "name": "", "value": "v" }] }),
        json!({ "name": "a", "type": "http", "url": "not a url", "headers": [] }),
        json!("a"),
    ] {
        let answer = editor.new_session(with(&project, &json!([server]))).await;
        let code = answer.map_err(|refusal| refusal.code).map(|_| "a session");
        assert_eq!(code, Err(-32602), "{server}");
    }
    let refusal = editor.new_session(with(&project, &json!({}))).await.unwrap_err();
    assert_eq!(refusal.code, -32602);
}

#[tokio::test]
async fn a_prompt_of_a_server_is_a_command() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let servers = json!([mcp_process("fix", "well", &project)]);
    let session = open(&editor, with(&project, &servers)).await;
    let command = editor
        .until("the command of a server", 0, |frame| {
            let commands = frame.update_of(&session.id)?["availableCommands"].as_array()?;
            let name = commands
                .iter()
                .find_map(|one| one["name"].as_str().filter(|name| name.contains("greet")));
            name.map(str::to_owned)
        })
        .await;
    session.prompt(&format!("/{command} Ada")).await.done();
    assert!(model.request(0).await.question().contains("Greet Ada warmly."));
}

#[tokio::test]
async fn a_picture_of_a_tool_reaches_the_editor() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let servers = json!([mcp_process("fix", "well", &project)]);
    let session = open(&editor, with(&project, &servers)).await;
    let picture = call(&session, &model, "mcp__fix__picture", json!({})).await;
    assert_eq!(picture.status(), "completed");
    let content = picture.content("content");
    assert!(
        content.iter().any(|one| one["content"]["type"] == "image"),
        "{content:?}"
    );
}

#[tokio::test]
async fn a_server_of_the_project_waits_for_authorisation() {
    let (model, home, project) = scene().await;
    let mut server = mcp_process("proj", "well", &project);
    server["env"] = json!({ "MCP_JOURNAL": project.file("journal") });
    let servers = json!({ "mcpServers": { "proj": server } });
    project.write(".mcp.json", servers.to_string());
    let editor = Editor::start(&home).await;
    let session = open(&editor, with(&project, &json!([]))).await;
    session.prompt("hello").await.done();
    assert!(!project.has("journal"), "it was not started");
    assert!(
        !model
            .request(0)
            .await
            .tools()
            .iter()
            .any(|tool| tool.starts_with("mcp__"))
    );
    drop(session);
    editor.leave().await;
    let command = ["mcp", "allow", "proj", "--project", project.cwd()];
    assert!(!home.run(&command).await.status.success(), "nobody can be asked");
    let listed = home.run(&["mcp", "list", "--project", project.cwd()]).await.ok();
    let (_, fingerprint) = listed.split_once("fingerprint ").unwrap();
    let seen = ["--fingerprint", fingerprint.lines().next().unwrap()];
    home.run(&[&command[..], &seen].concat()).await.ok();
    let editor = Editor::start(&home).await;
    let session = open(&editor, with(&project, &json!([]))).await;
    call(&session, &model, "mcp__proj__echo", json!({ "text": "hi" })).await;
    assert_eq!(told(&model), "echo: hi");
}

#[tokio::test]
async fn a_server_of_the_person_is_there_in_every_session() {
    let (model, home, project) = scene().await;
    let program = program("sidewire-test-mcp");
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n\n[mcp.servers.mine]\n\
         command = \"{}\"\nargs = [\"well\"]\n",
        model.base_url(),
        program.display()
    ));
    let editor = Editor::start(&home).await;
    let session = open(&editor, with(&project, &json!([]))).await;
    call(&session, &model, "mcp__mine__echo", json!({ "text": "hi" })).await;
    assert_eq!(told(&model), "echo: hi");
}
