use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::*;

const CREATE: &str = "terminal/create";
const WAIT: &str = "terminal/wait_for_exit";
const OUTPUT: &str = "terminal/output";
const KILL: &str = "terminal/kill";
const RELEASE: &str = "terminal/release";
const TERMINAL: ClientIo = ClientIo {
    read: false,
    write: false,
    terminal: true,
};

/// Shows every terminal at once, as a turn that is followed does.
struct Shows(Arc<Terminals>);

impl Watch for Shows {
    fn output(&self, _so_far: &str) {}

    fn terminal(&self, id: &str) {
        self.0.show(id);
    }
}

/// Shows nothing.
struct Blind;

impl Watch for Blind {
    fn output(&self, _so_far: &str) {}

    fn terminal(&self, _id: &str) {}
}

fn command(scene: &Scene) -> ShellCommand {
    ShellCommand {
        command: "make test".into(),
        folder: scene.folder.clone(),
        reach: Reach::Workspace,
        limit: Duration::from_secs(60),
        cancel: CancellationToken::new(),
    }
}

type Running = JoinHandle<Result<ShellEnd, WorkspaceError>>;

fn run(scene: &Scene, command: ShellCommand) -> Running {
    let workspace = Arc::clone(&scene.workspace);
    let watch = Arc::new(Shows(workspace.terminals()));
    tokio::spawn(async move { workspace.run(command, watch).await })
}

fn end(output: &str, exit: ShellExit) -> ShellEnd {
    ShellEnd {
        output: output.into(),
        truncated: false,
        exit,
    }
}

fn of_terminal() -> Value {
    json!({"sessionId": "s", "terminalId": "x"})
}

#[tokio::test]
async fn a_command_is_created_waited_for_read_and_released() {
    let rows = [
        (json!({"exitCode": 0}), ShellExit::Code(0)),
        (json!({"exitCode": 2}), ShellExit::Code(2)),
        (
            json!({"exitCode": null, "signal": "SIGSEGV"}),
            ShellExit::Signal("SIGSEGV".into()),
        ),
        (json!({}), ShellExit::Signal("unknown".into())),
    ];
    for (status, exit) in rows {
        let mut scene = scene(TERMINAL, |_| {});
        let running = run(&scene, command(&scene));
        let created = scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
        let expected = json!({
            "sessionId": "s", "command": "bash", "args": ["-c", "make test"], "cwd": scene.folder,
            "env": [{"name": "A", "value": "b"}], "outputByteLimit": 1_048_576,
        });
        assert_eq!(created, expected);
        assert_eq!(scene.editor.serve(WAIT, status).await, of_terminal());
        let output = json!({"output": "ok\n", "truncated": false});
        assert_eq!(scene.editor.serve(OUTPUT, output).await, of_terminal());
        assert_eq!(scene.editor.serve(RELEASE, json!({})).await, of_terminal());
        assert_eq!(running.await.unwrap().unwrap(), end("ok\n", exit));
        assert!(scene.local.ran.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn the_folder_is_named_as_the_editor_names_it() {
    let mut scene = scene(TERMINAL, |_| {});
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("link");
    std::os::unix::fs::symlink(&scene.folder, &link).unwrap();
    let spelling = Spelling::new([(scene.folder.clone(), link.clone())]);
    let workspace = ClientWorkspace::clone(&scene.workspace).spelled(spelling);
    scene.workspace = Arc::new(workspace);
    let running = run(&scene, command(&scene));
    let (_, created) = scene.editor.request(CREATE).await;
    assert_eq!(created["cwd"], json!(link));
    running.abort();
}

#[tokio::test]
async fn what_only_this_machine_confines_runs_here() {
    let scene = scene(TERMINAL, |local| local.elsewhere = None);
    let ended = run(&scene, command(&scene)).await.unwrap().unwrap();
    assert_eq!(ended, end("local", ShellExit::Code(0)));
}

#[tokio::test]
async fn output_that_was_cut_or_cannot_be_read_is_said_to_be_missing() {
    for output in [Some(json!({"output": "end", "truncated": true})), None] {
        let mut scene = scene(TERMINAL, |_| {});
        let running = run(&scene, command(&scene));
        scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
        scene.editor.serve(WAIT, json!({"exitCode": 0})).await;
        let (id, _) = scene.editor.request(OUTPUT).await;
        match &output {
            Some(output) => scene.editor.answer(&id, output.clone()).await,
            None => scene.editor.refuse(&id).await,
        }
        scene.editor.serve(RELEASE, json!({})).await;
        let end = running.await.unwrap().unwrap();
        assert!(end.truncated);
        let said = "end\n…(output truncated by the client terminal)";
        assert_eq!(end.output, if output.is_some() { said } else { "" });
    }
}

#[tokio::test]
async fn a_terminal_that_is_refused_is_replaced_by_this_machine() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    let (id, _) = scene.editor.request(CREATE).await;
    scene.editor.refuse(&id).await;
    assert_eq!(running.await.unwrap().unwrap(), end("local", ShellExit::Code(0)));
    let scene = self::scene(BOTH, |_| {});
    assert_eq!(
        run(&scene, command(&scene)).await.unwrap().unwrap().output,
        "local"
    );
}

#[tokio::test]
async fn a_command_that_may_have_run_is_not_run_again() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    scene.editor.serve(CREATE, json!({"terminal": 7})).await;
    assert!(matches!(
        running.await.unwrap(),
        Err(WorkspaceError::Editor { .. })
    ));
    let running = run(&scene, command(&scene));
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    let (id, _) = scene.editor.request(WAIT).await;
    scene.editor.refuse(&id).await;
    // It is killed and released all the same.
    for method in [KILL, OUTPUT, RELEASE] {
        let (id, _) = scene.editor.request(method).await;
        scene.editor.refuse(&id).await;
    }
    assert!(matches!(
        running.await.unwrap(),
        Err(WorkspaceError::Editor { .. })
    ));
    assert!(scene.local.ran.lock().unwrap().is_empty());
}

/// The editor is told to kill, so that what was waited for comes, and asked for the output; then the terminal is
/// released.
async fn forced(editor: &mut Editor, waiting: &Value) {
    assert_eq!(editor.serve(KILL, json!({})).await, of_terminal());
    editor.answer(waiting, json!({"signal": "SIGKILL"})).await;
    let output = json!({"output": "so far", "truncated": false});
    editor.serve(OUTPUT, output).await;
    editor.serve(RELEASE, json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_takes_too_long_is_killed_read_and_released() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    let (waiting, _) = scene.editor.request(WAIT).await;
    forced(&mut scene.editor, &waiting).await;
    assert_eq!(
        running.await.unwrap().unwrap(),
        end("so far", ShellExit::TimedOut)
    );
}

#[tokio::test]
async fn a_command_that_is_stopped_is_killed_read_and_released() {
    let mut scene = scene(TERMINAL, |_| {});
    let command = command(&scene);
    let cancel = command.cancel.clone();
    let running = run(&scene, command);
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    let (waiting, _) = scene.editor.request(WAIT).await;
    cancel.cancel();
    forced(&mut scene.editor, &waiting).await;
    assert_eq!(
        running.await.unwrap().unwrap(),
        end("so far", ShellExit::Cancelled)
    );
}

#[tokio::test(start_paused = true)]
async fn an_editor_may_take_its_time_to_create_a_terminal() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    let (id, _) = scene.editor.request(CREATE).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    scene.editor.answer(&id, json!({"terminalId": "x"})).await;
    scene.editor.serve(WAIT, json!({"exitCode": 0})).await;
    let output = json!({"output": "ok", "truncated": false});
    scene.editor.serve(OUTPUT, output).await;
    scene.editor.serve(RELEASE, json!({})).await;
    assert_eq!(running.await.unwrap().unwrap(), end("ok", ShellExit::Code(0)));
}

#[tokio::test(start_paused = true)]
async fn a_terminal_that_comes_too_late_is_killed_and_released() {
    for is_stopped in [true, false] {
        let mut scene = scene(TERMINAL, |_| {});
        let command = command(&scene);
        let cancel = command.cancel.clone();
        let running = run(&scene, command);
        let (id, _) = scene.editor.request(CREATE).await;
        if is_stopped {
            cancel.cancel();
        }
        // Nobody waits for an editor that says nothing.
        let exit = if is_stopped {
            ShellExit::Cancelled
        } else {
            ShellExit::TimedOut
        };
        assert_eq!(running.await.unwrap().unwrap(), end("", exit));
        scene.editor.answer(&id, json!({"terminalId": "x"})).await;
        let (waiting, _) = scene.editor.request(WAIT).await;
        forced(&mut scene.editor, &waiting).await;
        assert!(scene.local.ran.lock().unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_that_survives_its_end_is_not_waited_for() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    let (waiting, _) = scene.editor.request(WAIT).await;
    scene.editor.serve(KILL, json!({})).await;
    assert_eq!(scene.editor.given_up_for(&waiting, OUTPUT).await, of_terminal());
    scene.editor.serve(RELEASE, json!({})).await;
    assert_eq!(running.await.unwrap().unwrap().exit, ShellExit::TimedOut);
}

#[tokio::test]
async fn a_turn_that_is_dropped_leaves_no_terminal_behind() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    let (waiting, _) = scene.editor.request(WAIT).await;
    running.abort();
    scene.editor.serve(KILL, json!({})).await;
    scene.editor.answer(&waiting, json!({"exitCode": 137})).await;
    for method in [OUTPUT, RELEASE] {
        let (id, _) = scene.editor.request(method).await;
        let output = json!({"output": "", "truncated": false});
        scene.editor.answer(&id, output).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_terminal_is_released_only_when_it_is_in_view_or_hardly_will_be() {
    let mut scene = scene(TERMINAL, |_| {});
    let (workspace, command) = (Arc::clone(&scene.workspace), command(&scene));
    let running = tokio::spawn(async move { workspace.run(command, Arc::new(Blind)).await });
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    scene.editor.serve(WAIT, json!({"exitCode": 0})).await;
    let before = tokio::time::Instant::now();
    scene
        .editor
        .serve(OUTPUT, json!({"output": "", "truncated": false}))
        .await;
    scene.editor.serve(RELEASE, json!({})).await;
    assert!(before.elapsed() >= Duration::from_secs(2));
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn without_an_editor_a_command_is_over() {
    let mut scene = scene(TERMINAL, |_| {});
    let running = run(&scene, command(&scene));
    scene.editor.serve(CREATE, json!({"terminalId": "x"})).await;
    scene.editor.request(WAIT).await;
    drop(scene.editor);
    assert!(matches!(running.await.unwrap(), Err(WorkspaceError::Cancelled)));
}
