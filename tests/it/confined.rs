//! `sidewire confined`: what stands between the program and every shell command of an editor session.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::json;
use sidewire_tests::{
    Editor, Home, Process, Project, Ran, ScriptedModel, descendants, eventually, is_alive, is_confined,
    plain_editor,
};

use crate::acp_files::calls;

/// Prepared: starts things of all kinds and writes down who they are.
const FAMILY: &str = "sleep 1000 & echo $! >> pids; setsid sleep 1000 & sleep 0; \
                      (setsid sh -c 'echo $$ >> pids; trap \"\" TERM HUP; sleep 1000 & wait' &) ; echo $$ >> pids; touch ready; ";

fn shell(place: &Path, script: &str) -> String {
    format!("cd '{}' || exit 9; {script}", place.display())
}

fn family(home: &Home, place: &Path, script: &str) -> Process {
    let place_named = place.to_str().unwrap();
    home.start(&[
        "confined",
        "--watch",
        "--write",
        place_named,
        "--",
        "sh",
        "-c",
        &shell(place, script),
    ])
}

fn has_begun(place: &Path) -> bool {
    let written = fs::read_to_string(place.join("pids")).unwrap_or_default();
    place.join("ready").exists() && written.lines().count() == 3
}

/// Everything that a family has started, once all of it is there.
async fn started(process: &Process, place: &Path) -> Vec<u32> {
    eventually("a family that has begun", || has_begun(place)).await;
    let all = descendants(process.pid());
    assert!(all.len() >= 4, "{all:?}");
    all
}

async fn all_gone(pids: &[u32]) {
    eventually("the end of a family", || !pids.iter().any(|pid| is_alive(*pid))).await;
}

fn place() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test]
async fn a_family_ends_with_its_owner() {
    let (home, place) = (Home::new(), place());
    let mut process = family(&home, place.path(), &format!("{FAMILY} wait; sleep 1000"));
    let all = started(&process, place.path()).await;
    // Whatever ends an owner closes its end of the pipe.
    let ended = process.ended().await;
    assert!(!ended.success());
    all_gone(&all).await;
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let (home, place) = (Home::new(), place());
    let process = family(
        &home,
        place.path(),
        &format!("{FAMILY} while [ ! -e go ]; do sleep 0.02; done; exit 7"),
    );
    let all = started(&process, place.path()).await;
    fs::write(place.path().join("go"), "").unwrap();
    all_gone(&all).await;
    // Its owner never let go.
    let pid = process.pid();
    eventually("the end of the one in between", || !is_alive(pid)).await;
}

#[tokio::test]
async fn a_program_ends_as_it_would_by_itself() {
    let home = Home::new();
    let run = async |script: &str| confined(&home, &["--anywhere"], script).await;
    assert_eq!(run("echo out; exit 7").await.status.code(), Some(7));
    assert_eq!(run("echo out").await.ok(), "out\n");
    let missing = home
        .run(&["confined", "--anywhere", "--", "/no/such/program"])
        .await;
    assert_eq!(missing.status.code(), Some(126));
    assert!(
        missing.err.contains("failed to run /no/such/program"),
        "{}",
        missing.err
    );
    assert!(home.run(&["confined"]).await.failed().contains("PROGRAM"));
    // Whoever starts it may not have passed on what it was to be told.
    let untold = confined(&home, &[], "echo out").await;
    assert!(untold.failed().contains("nothing says what the command may do"));
    assert!(!home.run(&["--help"]).await.ok().contains("confined"));
}

#[tokio::test]
async fn a_signal_that_ended_a_command_is_told_as_one() {
    use std::os::unix::process::ExitStatusExt as _;

    let (home, place) = (Home::new(), place());
    for (script, signal) in [("kill -SEGV $$", Signal::SEGV), ("kill -KILL $$", Signal::KILL)] {
        let mut process = family(
            &home,
            place.path(),
            &format!("touch began; while [ ! -e go ]; do sleep 0.02; done; {script}"),
        );
        let began = place.path().join("began");
        eventually("a command that has begun", || began.exists()).await;
        fs::write(place.path().join("go"), "").unwrap();
        let pid = process.pid();
        eventually("its end", || !is_alive(pid)).await;
        assert_eq!(process.ended().await.signal(), Some(signal.as_raw()), "{script}");
        for name in ["began", "go"] {
            fs::remove_file(place.path().join(name)).unwrap();
        }
    }
}

#[tokio::test]
async fn nothing_is_written_but_where_it_may() {
    let (home, place, outside) = (Home::new(), place(), place());
    if !is_confined(&home).await {
        return;
    }
    fs::write(outside.path().join("theirs"), "theirs").unwrap();
    let (inside, outside_named) = (place.path().to_str().unwrap(), outside.path().to_str().unwrap());
    std::os::unix::fs::symlink(outside.path(), place.path().join("link")).unwrap();
    let tries = [
        format!("echo x > {outside_named}/new"),
        format!("echo x >> {outside_named}/theirs"),
        format!(": > {outside_named}/theirs"),
        format!("rm {outside_named}/theirs"),
        format!("mv {outside_named}/theirs {inside}/stolen"),
        format!("ln {outside_named}/theirs {inside}/linked"),
        format!("mkdir {outside_named}/folder"),
        "echo x > link/new".to_owned(),
        format!("cd {outside_named} && sh -c 'echo x > new'"),
        format!("cd {outside_named} && setsid sh -c 'echo x > new'"),
    ];
    for script in &tries {
        let script = shell(place.path(), script);
        let ran = home
            .run(&["confined", "--write", inside, "--", "sh", "-c", &script])
            .await;
        assert!(!ran.status.success(), "{script}: {ran:?}");
    }
    assert_eq!(fs::read(outside.path().join("theirs")).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    let allowed = format!(
        "cat {outside_named}/theirs && mkdir a && echo x > a/b && mv a/b c && rm -r a && echo x > /dev/null"
    );
    let ran = home
        .run(&[
            "confined",
            "--write",
            inside,
            "--",
            "sh",
            "-c",
            &shell(place.path(), &allowed),
        ])
        .await;
    assert_eq!(ran.ok(), "theirs");
    assert!(place.path().join("c").exists());
}

async fn confined(home: &Home, bounds: &[&str], script: &str) -> Ran {
    let rest = ["--", "bash", "-c", script];
    home.run(&[&["confined"], bounds, &rest].concat()).await
}

#[tokio::test]
async fn nothing_reads_what_is_hidden() {
    let (home, place) = (Home::new(), place());
    if !is_confined(&home).await {
        return;
    }
    let keys = place.path().join("keys");
    fs::create_dir_all(keys.join("skills")).unwrap();
    fs::write(keys.join("key"), "CANARY").unwrap();
    fs::write(keys.join("skills/list"), "shown").unwrap();
    std::os::unix::fs::symlink(&keys, place.path().join("link")).unwrap();
    std::os::unix::fs::symlink(keys.join("key"), keys.join("skills/link")).unwrap();
    let (folder, hidden) = (place.path().to_str().unwrap(), keys.to_str().unwrap());
    let (skills, link) = (format!("{hidden}/skills"), format!("{folder}/link"));
    // By its name and by a link to it; below a folder that may be written and one that may not.
    for bounds in [
        vec!["--hide", hidden, "--show", &skills],
        vec!["--hide", &link, "--show", &skills],
        vec![
            "--hide", hidden, "--show", &skills, "--write", folder, "--show", folder,
        ],
    ] {
        for script in [
            format!("cat {hidden}/key"),
            format!("x={hidden}; cd $x && cat key"),
            format!("cat {link}/key"),
            format!("cat /proc/self/root{hidden}/key"),
            format!("cat {skills}/link"),
            format!("cat < {hidden}/key"),
            format!("exec 3<{hidden}; cat /proc/self/fd/3/key"),
            format!(
                "cp {hidden}/key {folder}/taken; ln {hidden}/key {folder}/taken; mv {hidden}/key {folder}/taken; cat {folder}/taken"
            ),
            format!("setsid bash -c 'cat {hidden}/key'"),
        ] {
            let ran = confined(&home, &bounds, &script).await;
            assert!(!ran.out.contains("CANARY"), "{bounds:?} {script}: {ran:?}");
            assert!(!ran.status.success(), "{bounds:?} {script}: {ran:?}");
        }
        let allowed = format!(
            "cat {skills}/list; ls {hidden}; cat <(echo piped); echo said | cat /dev/stdin; test -r /etc/passwd && head -c 1 /etc/passwd /proc/self/status >/dev/null && echo read"
        );
        let ran = confined(&home, &bounds, &allowed).await;
        assert_eq!(ran.ok(), "shownkey\nskills\npiped\nsaid\nread\n", "{bounds:?}");
    }
    assert_eq!(fs::read(keys.join("key")).unwrap(), b"CANARY");
}

/// One command swaps its folder for a link to where it may not write or read; the next one is let in nowhere.
#[tokio::test]
async fn a_folder_that_a_command_swapped_for_a_link_opens_nothing() {
    let (home, place, outside) = (Home::new(), place(), place());
    if !is_confined(&home).await {
        return;
    }
    fs::create_dir(place.path().join("root")).unwrap();
    fs::write(outside.path().join("key"), "CANARY").unwrap();
    let (around, root) = (place.path().to_str().unwrap(), place.path().join("root"));
    let (root, hidden) = (root.to_str().unwrap(), outside.path().to_str().unwrap());
    let bounds = |write| {
        [
            "--write", write, "--write", root, "--hide", hidden, "--show", root,
        ]
    };
    let swap = format!("cd {around}; mv root moved; ln -s {hidden} root");
    confined(&home, &bounds(around), &swap).await.ok();
    for script in ["echo x > new", "rm key", "mkdir folder", "cat key"] {
        for folder in [root, hidden] {
            let ran = confined(
                &home,
                &bounds(around),
                &format!("cd {folder} || exit 0; {script}"),
            )
            .await;
            assert!(
                !ran.status.success() && !ran.out.contains("CANARY"),
                "{script}: {ran:?}"
            );
        }
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    confined(
        &home,
        &bounds(around),
        &format!("cd {around}/moved; echo x > new && cat new"),
    )
    .await
    .ok();
}

#[tokio::test]
async fn a_place_is_hidden_before_it_is_there() {
    let (home, place) = (Home::new(), place());
    if !is_confined(&home).await {
        return;
    }
    let (folder, later) = (place.path().to_str().unwrap(), place.path().join("later"));
    fs::write(place.path().join("beside"), "beside").unwrap();
    let hidden = later.to_str().unwrap();
    let signs = self::place();
    let write = signs.path().to_str().unwrap();
    let script = format!(
        "cd {folder}; cat beside; touch {write}/began; while [ ! -e later/key ]; do sleep 0.02; done; cat later/key"
    );
    let bounds = ["--hide", hidden, "--write", write];
    let running = confined(&home, &bounds, &script);
    let planting = async {
        let began = signs.path().join("began");
        eventually("a command that has begun", || began.exists()).await;
        fs::create_dir(&later).unwrap();
        fs::write(later.join("key"), "CANARY").unwrap();
    };
    let (ran, ()) = tokio::join!(running, planting);
    assert!(!ran.status.success() && ran.out == "beside", "{ran:?}");
}

#[tokio::test]
async fn what_may_write_nowhere_still_has_the_usual_devices() {
    let home = Home::new();
    if !is_confined(&home).await {
        return;
    }
    let hidden = home.path().to_str().unwrap();
    for script in ["echo x > /tmp/x.$$", "echo x > x.$$", "mkdir /dev/shm/x.$$"] {
        let ran = confined(&home, &["--hide", hidden], script).await;
        assert!(!ran.status.success(), "{script}: {ran:?}");
    }
    let ran = confined(
        &home,
        &["--hide", hidden],
        "echo x > /dev/null; seq 3 | sort -r | head -1",
    )
    .await;
    assert_eq!(ran.ok(), "3\n");
}

#[tokio::test]
async fn what_is_not_confined_reads_and_writes_anywhere() {
    let (home, place) = (Home::new(), place());
    home.key("sk-CANARY");
    let folder = place.path().display();
    let script = format!("cat \"$SIDEWIRE_HOME/.env\" > {folder}/taken; cat {folder}/taken");
    assert!(
        confined(&home, &["--anywhere"], &script)
            .await
            .ok()
            .contains("CANARY")
    );
    let both = confined(&home, &["--anywhere", "--hide", "/srv"], "true").await;
    assert!(both.failed().contains("cannot be used with"));
}

/// The whole way: the agent of an editor is killed, and what it runs ends without it.
#[tokio::test]
async fn an_agent_that_is_killed_leaves_no_commands() {
    let model = ScriptedModel::start().await;
    let (home, project) = (Home::with_model(&model), Project::new());
    let editor = Editor::with(&home, &[], &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let command = format!("{FAMILY} wait; sleep 1000");
    calls(
        &model,
        "bash",
        &json!({ "command": command, "run_in_background": true }),
    );
    session.prompt("go").await;
    let folder = Path::new(project.cwd());
    eventually("a job that has begun", || has_begun(folder)).await;
    let all = editor
        .children()
        .into_iter()
        .flat_map(|child| [vec![child], descendants(child)].concat());
    let all: Vec<u32> = all.collect();
    assert!(all.len() >= 5, "{all:?}");
    editor.kill().await;
    all_gone(&all).await;
}
