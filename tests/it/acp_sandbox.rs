//! What confines the commands of a turn: keys that no command reads, looks that change nothing, and the ways out that a
//! person can allow.

mod git;

use std::path::Path;

use serde_json::{Value, json};
use sidewire_tests::{
    Editor, Home, Project, ScriptedModel, Session, full_editor, is_built_apart, is_confined, plain_editor,
};
use tempfile::TempDir;

use crate::acp_files::{calls, told};
use crate::acp_terminal::job_id;

const KEY: &str = "sk-CANARY-key";

struct Scene {
    model: ScriptedModel,
    home: Home,
    project: Project,
}

impl Scene {
    /// `None` on a machine where nothing confines.
    async fn new() -> Option<Self> {
        let model = ScriptedModel::start().await;
        let home = Home::with_model(&model);
        home.key(KEY);
        let project = Project::new();
        is_confined(&home).await.then_some(Self { model, home, project })
    }

    /// Plays a turn in which the model runs a command, and gives what it was told.
    async fn run(&self, session: &Session<'_>, arguments: Value) -> String {
        calls(&self.model, "bash", &arguments);
        session.prompt("go").await.done();
        told(&self.model)
    }

    fn allow_writing(&self, folders: &[&Path]) {
        let names: Vec<_> = folders.iter().map(|folder| folder.display()).collect();
        let provider = format!(
            "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n",
            self.model.base_url()
        );
        let names = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
        let shell = format!("[shell]\nwrite = [{}]\n", names.join(", "));
        self.home.configure(&format!("{provider}\n{shell}"));
    }
}

/// A folder in which no command may write; `None` where this is built among the temporary ones, in which every command
/// may.
fn outside() -> Option<TempDir> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap();
    is_built_apart().then(|| tempfile::tempdir_in(built).unwrap())
}

fn cards(editor: &Editor) -> usize {
    editor.requests("session/request_permission").len()
}

#[tokio::test]
async fn no_command_reads_our_keys_in_any_posture() {
    let Some(scene) = Scene::new().await else { return };
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    let reading = "cat \"$SIDEWIRE_HOME/.env\" \"$SIDEWIRE_HOME/sidewire.db\"; cp \"$SIDEWIRE_HOME/.env\" taken; \
                   ln \"$SIDEWIRE_HOME/.env\" linked; cat taken linked; grep -rs CANARY \"$SIDEWIRE_HOME\"; true";
    for posture in ["auto", "yolo"] {
        session.set("tool_approval", posture).await.unwrap();
        let told = scene.run(&session, json!({ "command": reading })).await;
        assert!(!told.contains("CANARY"), "{posture}: {told}");
        assert!(
            told.contains(".env: Permission denied"),
            "it got there: {posture}: {told}"
        );
        let job = json!({ "command": reading, "run_in_background": true });
        let started = scene.run(&session, job).await;
        calls(&scene.model, "wait", &json!({ "job_id": job_id(&started) }));
        session.prompt("go").await.done();
        let told = crate::acp_files::told(&scene.model);
        assert!(
            !told.contains("CANARY") && told.contains("Permission denied"),
            "{posture}: {told}"
        );
    }
    assert_eq!(cards(&editor), 0);
}

#[tokio::test]
async fn a_terminal_of_the_editor_is_told_what_to_hide_and_a_look_what_to_write() {
    let Some(scene) = Scene::new().await.filter(|_| is_built_apart()) else {
        return;
    };
    let editor = Editor::with(&scene.home, &[], &full_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    editor.choose("allow_once");
    for (arguments, confined, writes) in [
        (json!({ "command": "make" }), true, true),
        (json!({ "command": "ls" }), true, false),
        (
            json!({ "command": "make", "outside_sandbox": true }),
            false,
            false,
        ),
    ] {
        scene.run(&session, arguments.clone()).await;
        let created = editor.requests("terminal/create").pop().unwrap();
        let words: Vec<&str> = created["args"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let command = arguments["command"].as_str().unwrap();
        let expected: &[&str] = if confined {
            &["confined", "--", "/bin/bash", "-c", command]
        } else {
            &["-c", command]
        };
        assert_eq!(words, expected, "a person can read it");
        let variables = created["env"].as_array().unwrap();
        let bounds = variables.iter().find(|set| set["name"] == "SIDEWIRE_BOUNDS");
        let bounds = bounds.map_or("", |set| set["value"].as_str().unwrap());
        let home = scene.home.path().canonicalize().unwrap();
        let told: Vec<_> = url::form_urlencoded::parse(bounds.as_bytes()).collect();
        let hides = told
            .iter()
            .any(|(name, place)| name == "hide" && Path::new(place.as_ref()) == home);
        let has_writes = told.iter().any(|(name, _)| name == "write");
        assert_eq!((hides, has_writes), (confined, writes), "{arguments}: {bounds}");
    }
}

/// What the editor starts must be what confines the command, and not what an earlier command made of it.
#[tokio::test]
async fn an_editor_starts_no_program_that_commands_may_replace() {
    let Some(scene) = Scene::new().await else { return };
    let program = sidewire_tests::program("sidewire");
    scene.allow_writing(&[program.parent().unwrap()]);
    let editor = Editor::full(&scene.home).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let reading = "echo here; x=$SIDEWIRE_HOME; cat $x/.env";
    let told = scene.run(&session, json!({ "command": reading })).await;
    assert!(
        told.starts_with("here\n") && told.contains("Permission denied"),
        "{told}"
    );
    assert!(editor.requests("terminal/create").is_empty());
}

/// A command may put a link in the place of its folder, to have the next one run and write where it leads.
#[tokio::test]
async fn a_folder_that_became_a_link_lets_no_command_out() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    let (project, moved) = (scene.project.path(), scene.project.path().with_extension("moved"));
    for editor in [full_editor(), plain_editor()] {
        let editor = Editor::with(&scene.home, &[], &editor).await;
        let session = editor.session(scene.project.cwd()).await;
        session.set("tool_approval", "yolo").await.unwrap();
        std::fs::rename(project, &moved).unwrap();
        std::os::unix::fs::symlink(outside.path(), project).unwrap();
        let touch = json!({ "command": "touch made" });
        let told = scene.run(&session, touch).await;
        assert!(told.contains("is outside the workspace"), "{told}");
        let job = json!({ "command": "touch made", "run_in_background": true });
        let told = scene.run(&session, job).await;
        assert!(told.contains("the folder is no longer where it was"), "{told}");
        assert!(editor.requests("terminal/create").is_empty());
        std::fs::remove_file(project).unwrap();
        std::fs::rename(&moved, project).unwrap();
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// Commands run in the first folder of a session; another one is no way out either.
#[tokio::test]
async fn a_further_folder_that_a_command_turned_into_a_link_lets_no_other_out() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    // Commands may write around it, since it lies among the temporary folders.
    let around = Project::new();
    let other = around.folder("other");
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let folders = json!({ "cwd": scene.project.cwd(), "mcpServers": [], "additionalDirectories": [other] });
    let session = editor.session_with(folders).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let swap = format!(
        "mv {other} {other}.moved && ln -s {} {other}",
        outside.path().display()
    );
    let told = scene.run(&session, json!({ "command": swap })).await;
    assert_eq!(told, "(no output)");
    let touch = format!("x={other}; touch $x/made");
    let told = scene.run(&session, json!({ "command": touch })).await;
    assert!(told.contains("Permission denied"), "{told}");
    let job = json!({ "command": touch, "run_in_background": true });
    let started = scene.run(&session, job).await;
    calls(&scene.model, "wait", &json!({ "job_id": job_id(&started) }));
    session.prompt("go").await.done();
    assert!(crate::acp_files::told(&scene.model).contains("Permission denied"));
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_look_that_cannot_do_without_writing_is_told_so() {
    let Some(scene) = Scene::new().await else { return };
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    // More than fits into a pipe, so that the shell needs a file for it.
    scene.project.write(
        "numbers",
        (0..400_000).map(|n| format!("{n}\n")).collect::<String>(),
    );
    let arguments = json!({ "command": "sort -S 32K numbers" });
    let told = scene.run(&session, arguments).await;
    assert!(told.contains("Permission denied"), "{told}");
    let last = told.lines().last().unwrap();
    assert!(
        last.contains("only reads") && last.contains("outside_sandbox"),
        "{told}"
    );
    assert_eq!(cards(&editor), 0);
}

#[tokio::test]
async fn a_command_that_was_confined_can_be_run_outside_with_a_persons_consent() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "auto").await.unwrap();
    let (made, other) = (outside.path().join("made"), outside.path().join("other"));
    let touch = |file: &Path| {
        let folder = file.parent().unwrap().display();
        let name = file.file_name().unwrap().display();
        format!("x={folder}; touch $x/{name}")
    };
    let command = touch(&made);
    let told = scene.run(&session, json!({ "command": command })).await;
    let last = told.lines().last().unwrap();
    assert!(
        told.contains("Permission denied") && last.contains("outside_sandbox"),
        "{told}"
    );
    let job = json!({ "command": command, "run_in_background": true });
    let started = scene.run(&session, job).await;
    calls(&scene.model, "wait", &json!({ "job_id": job_id(&started) }));
    session.prompt("go").await.done();
    let told = crate::acp_files::told(&scene.model);
    assert!(told.lines().last().unwrap().contains("outside_sandbox"), "{told}");
    assert_eq!((made.exists(), cards(&editor)), (false, 0));

    let leaving = json!({ "command": command, "outside_sandbox": true });
    editor.choose("reject_once");
    let told = scene.run(&session, leaving.clone()).await;
    assert!(told.contains("permission.declined"), "{told}");
    calls(&scene.model, "bash", &leaving);
    let prompt = session.begin("go").await;
    let card = editor.card().await;
    let shown = card.params.to_string();
    for words in ["outside the sandbox", "the keys of Sidewire"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    editor.decide(&card, "allow_once");
    prompt.ended().await.done();
    assert!(made.exists());
    assert_eq!(cards(&editor), 2);

    // In the background too; and no posture takes the sandbox away unasked.
    session.set("tool_approval", "yolo").await.unwrap();
    editor.choose("allow_once");
    let job = json!({ "command": touch(&other), "outside_sandbox": true, "run_in_background": true });
    let started = scene.run(&session, job).await;
    calls(&scene.model, "wait", &json!({ "job_id": job_id(&started) }));
    session.prompt("go").await.done();
    assert!(other.exists());
    assert_eq!(cards(&editor), 3);
}

#[tokio::test]
async fn a_session_may_allow_a_command_outside_for_its_time() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    let file = outside.path().join("made");
    let leaving = json!({ "command": format!("touch {}", file.display()), "outside_sandbox": true });
    editor.choose("allow_always");
    for number in 1..3 {
        scene.run(&session, leaving.clone()).await;
        assert!(file.exists(), "time {number}");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(cards(&editor), 1, "the second time nobody is asked");
    }
    editor.choose("reject_once");
    let told = scene
        .run(&session, json!({ "command": "ls", "outside_sandbox": true }))
        .await;
    assert!(told.contains("permission.declined"), "{told}");
    assert_eq!(cards(&editor), 2, "a look that leaves is no look");
}

#[tokio::test]
async fn where_nobody_is_asked_no_command_leaves_the_sandbox() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    let file = outside.path().join("made");
    scene.allow_writing(&[]);
    let leaving = json!({ "command": format!("touch {}", file.display()), "outside_sandbox": true });
    for (posture, mode, code) in [
        ("readOnly", "normal", "permission.read_only"),
        ("dontAsk", "normal", "permission.unattended"),
        ("yolo", "plan", "permission.plan_mode"),
    ] {
        let args = ["--permission-mode", "bypassPermissions"];
        let editor = Editor::with(&scene.home, &args, &plain_editor()).await;
        let session = editor.session(scene.project.cwd()).await;
        session.set("tool_approval", posture).await.unwrap();
        session.set_mode(mode).await.unwrap();
        let told = scene.run(&session, leaving.clone()).await;
        assert!(told.contains(code), "{posture} {mode}: {told}");
        let looking = json!({ "command": "ls", "outside_sandbox": true });
        let told = scene.run(&session, looking).await;
        assert!(told.contains(code), "a look that leaves is no look: {told}");
        assert_eq!((cards(&editor), file.exists()), (0, false), "{posture} {mode}");
    }
}

#[tokio::test]
async fn the_person_may_name_folders_that_commands_write_in() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    let (folder, keys) = (outside.path().join("cache"), outside.path().join(".ssh"));
    for place in [&folder, &keys] {
        std::fs::create_dir(place).unwrap();
    }
    scene.allow_writing(&[&folder, &keys, &outside.path().join("none"), scene.home.path()]);
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let command = format!(
        "x={}; y=.s; touch $x/cache/made; touch $x/${{y}}sh/made $x/made $SIDEWIRE_HOME/made",
        outside.path().display()
    );
    scene.run(&session, json!({ "command": command })).await;
    let has = |name: &str| outside.path().join(name).exists();
    assert_eq!(
        (has("cache/made"), has(".ssh/made"), has("made")),
        (true, false, false)
    );
    assert!(!scene.home.path().join("made").exists());

    let status = session.prompt("/status").await.text();
    assert!(
        status.contains(&format!("they write below `{}`", scene.project.cwd())),
        "{status}"
    );
    assert!(status.contains(&format!("`{}`", folder.display())), "{status}");
    let doctor = scene.home.run(&["doctor"]).await.out;
    for told in [&status, &doctor] {
        for (place, why) in [
            (&keys, "is protected"),
            (&outside.path().join("none"), "does not exist"),
        ] {
            let words = format!("{} {why}", place.display());
            assert!(told.contains(&words), "{words}: {told}");
        }
    }
    assert!(doctor.contains(&folder.display().to_string()), "{doctor}");
}

#[tokio::test]
async fn a_project_names_no_folders_to_write_in() {
    let Some(scene) = Scene::new().await else { return };
    let Some(outside) = outside() else { return };
    for name in ["config.toml", ".sidewire/config.toml"] {
        let text = format!("[shell]\nwrite = [\"{}\"]\n", outside.path().display());
        scene.project.write(name, text);
    }
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let command = format!("touch {}/made", outside.path().display());
    let told = scene.run(&session, json!({ "command": command })).await;
    assert!(told.contains("Permission denied"), "{told}");
    assert!(!outside.path().join("made").exists());
}

#[tokio::test]
async fn the_way_out_is_offered_only_where_there_is_something_to_leave() {
    let model = ScriptedModel::start().await;
    let (home, project) = (Home::with_model(&model), Project::new());
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    editor.session(project.cwd()).await.prompt("hello").await.done();
    let tools = model.request(0).await.body["tools"].clone();
    let bash = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["function"]["name"] == "bash");
    let arguments = &bash.unwrap()["function"]["parameters"]["properties"];
    assert_eq!(
        arguments.get("outside_sandbox").is_some(),
        is_confined(&home).await
    );
}

/// Whatever terminal the editor was started from: nothing is asked or written there.
#[tokio::test]
async fn commands_are_a_session_of_their_own() {
    let Some(scene) = Scene::new().await else { return };
    let editor = Editor::with(&scene.home, &[], &plain_editor()).await;
    let session = editor.session(scene.project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    // `pid (name) state parent group session …` of the one in between, whose name holds no blank.
    let command = "A=b; read -r pid name state parent group session rest < /proc/$PPID/stat; \
                   [ $pid = $session ] && ! (: < /dev/tty) 2> tty && cat tty";
    let told = scene.run(&session, json!({ "command": command })).await;
    assert!(told.contains("/dev/tty: No such device or address"), "{told}");
}
