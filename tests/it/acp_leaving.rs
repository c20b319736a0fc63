//! An editor that is closed: in each phase of a turn the agent leaves, with everything it has started.

use serde_json::json;
use sidewire_tests::{
    Editor, Gate, Home, Left, Project, Script, ScriptedModel, Session, TerminalScript, eventually,
    is_built_apart, mcp_process, within,
};

struct Scene {
    model: ScriptedModel,
    home: Home,
    project: Project,
}

impl Scene {
    async fn new() -> Self {
        let model = ScriptedModel::start().await;
        let home = Home::with_model(&model);
        let project = Project::with("a.txt", "a\n");
        Self { model, home, project }
    }

    fn calls(&self, tool: &str, arguments: &serde_json::Value) {
        self.model
            .script(Script::stream().call("call-1", tool, arguments).done());
    }

    async fn yolo<'a>(&self, editor: &'a Editor) -> Session<'a> {
        let session = editor.session(self.project.cwd()).await;
        session.set("tool_approval", "yolo").await.unwrap();
        session
    }

    async fn until_there(&self, name: &str) {
        eventually("a file", || self.project.has(name)).await;
    }
}

fn gone(left: &Left) {
    assert!(left.status.success(), "{left:?}");
    assert_eq!(left.survivors, [] as [u32; 0]);
}

#[tokio::test]
async fn it_leaves_while_the_model_is_silent_or_speaks() {
    let scene = Scene::new().await;
    for script in [
        Script::hangs(),
        Script::stream().text("half").wait(&Gate::new()).done(),
    ] {
        let left = script.left();
        let asked = scene.model.requests().len();
        scene.model.script(script);
        let editor = Editor::start(&scene.home).await;
        let session = editor.session(scene.project.cwd()).await;
        drop(session.begin("go").await);
        scene.model.request(asked).await;
        drop(session);
        gone(&editor.leave().await);
        within("the end of the model's request", left.passed()).await;
    }
}

#[tokio::test]
async fn it_leaves_while_the_person_is_asked() {
    let scene = Scene::new().await;
    scene.calls(
        "write_file",
        &json!({ "path": scene.project.file("b.txt"), "content": "b" }),
    );
    let editor = Editor::start(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    drop(session.begin("go").await);
    editor.card().await;
    drop(session);
    gone(&editor.leave().await);
    assert!(!scene.project.has("b.txt"));
}

#[tokio::test]
async fn it_leaves_while_the_editor_is_asked_for_a_file_or_a_terminal() {
    if !is_built_apart() {
        return;
    }
    let scene = Scene::new().await;
    for (tool, method) in [
        ("read_file", "fs/read_text_file"),
        ("bash", "terminal/create"),
        ("bash", "terminal/wait_for_exit"),
    ] {
        scene.calls(
            tool,
            &json!({ "path": scene.project.file("a.txt"), "command": "sleep 1000" }),
        );
        let editor = Editor::full(&scene.home).await;
        editor.terminal(TerminalScript::runs(""));
        editor.hold(method);
        let session = scene.yolo(&editor).await;
        drop(session.begin("go").await);
        editor.asked(method).await;
        drop(session);
        gone(&editor.leave().await);
    }
}

#[tokio::test]
async fn it_leaves_with_a_command_that_does_not_want_to_end() {
    let scene = Scene::new().await;
    for background in [false, true] {
        let name = format!("started-{background}");
        let command =
            format!("trap '' TERM INT HUP; touch {name}; while true; do read -r -t 1 line <> <(:); done");
        scene.calls(
            "bash",
            &json!({ "command": command, "run_in_background": background }),
        );
        let editor = Editor::start(&scene.home).await;
        let session = scene.yolo(&editor).await;
        drop(session.begin("go").await);
        scene.until_there(&name).await;
        drop(session);
        gone(&editor.leave().await);
    }
}

#[tokio::test]
async fn it_leaves_while_a_server_connects_or_works() {
    let scene = Scene::new().await;
    for behaviour in ["silent", "well"] {
        let servers = json!([mcp_process("fix", behaviour, &scene.project)]);
        let editor = Editor::start(&scene.home).await;
        let params = json!({ "cwd": scene.project.cwd(), "mcpServers": servers });
        let session = editor.session_with(params).await;
        session.set("tool_approval", "auto").await.unwrap();
        scene.until_there("journal").await;
        if behaviour == "well" {
            scene.calls("mcp__fix__wait", &json!({}));
            drop(session.begin("go").await);
            let is_called = || scene.project.read("journal").contains("waiting");
            eventually("the call", is_called).await;
        }
        drop(session);
        gone(&editor.leave().await);
    }
}
