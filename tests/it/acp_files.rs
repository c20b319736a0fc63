//! Files of a turn: through the editor's buffers or on disk, with real differences, places, and an encoding that stays.

use serde_json::{Value, json};
use sidewire_tests::{Call, Editor, Home, Project, Script, ScriptedModel, Session, full_editor};

/// Lets the model call a tool once, then finish.
pub(crate) fn calls(model: &ScriptedModel, tool: &str, arguments: &Value) {
    model.script(Script::stream().call("call-1", tool, arguments).done());
    model.script(Script::says("done"));
}

/// What the model was told of the last tool call.
pub(crate) fn told(model: &ScriptedModel) -> String {
    let results = model.requests().last().expect("a request").texts("tool");
    results.last().expect("a result").clone()
}

async fn scene(project: Project) -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    (model, home, project)
}

/// Plays a turn with one call and gives it.
async fn call(session: &Session<'_>, model: &ScriptedModel, tool: &str, arguments: Value) -> Call {
    calls(model, tool, &arguments);
    let turn = session.prompt("go").await;
    assert_eq!(turn.done(), "done");
    turn.call()
}

#[tokio::test]
async fn a_file_is_read_as_the_editor_shows_it() {
    let (model, home, project) = scene(Project::with("a.txt", "saved\n")).await;
    let path = project.file("a.txt");
    let editor = Editor::full(&home).await;
    editor.open(&path, "not saved\n");
    let session = editor.session(project.cwd()).await;
    let read = call(&session, &model, "read_file", json!({ "path": path })).await;
    assert!(told(&model).contains("not saved"), "{:?}", told(&model));
    assert_eq!(
        (
            &read.began["name"],
            &read.began["kind"],
            &read.began["locations"][0]["path"]
        ),
        (&json!("read_file"), &json!("read"), &json!(path))
    );
    assert_eq!(read.began["rawInput"], json!({ "path": path }));
    assert_eq!(read.status(), "completed");
    assert!(read.text().contains("not saved"));
    let asked = editor.requests("fs/read_text_file");
    assert!(
        asked
            .iter()
            .all(|asked| asked["path"] == path && asked["sessionId"] == json!(session.id))
    );
}

#[tokio::test]
async fn an_edit_changes_what_the_editor_shows_and_not_the_disk() {
    for (tool, arguments) in [
        ("edit_file", json!({ "old_string": "two", "new_string": "2" })),
        (
            "multi_edit",
            json!({ "edits": [{ "old_string": "two", "new_string": "2" }] }),
        ),
        ("write_file", json!({ "content": "one\n2\nthree\n" })),
    ] {
        let (model, home, project) = scene(Project::with("a.txt", "saved\n")).await;
        let path = project.file("a.txt");
        let editor = Editor::full(&home).await;
        editor.open(&path, "one\ntwo\nthree\n");
        let session = editor.session(project.cwd()).await;
        session.set("tool_approval", "yolo").await.unwrap();
        let mut arguments = arguments;
        arguments["path"] = json!(path);
        let edit = call(&session, &model, tool, arguments).await;
        assert_eq!(edit.status(), "completed", "{tool}: {edit:?}");
        assert_eq!(editor.shows(&path).unwrap(), "one\n2\nthree\n", "{tool}");
        assert_eq!(project.read("a.txt"), "saved\n", "{tool}");
        assert_eq!(
            edit.content("diff"),
            [
                json!({ "type": "diff", "path": path, "oldText": "one\ntwo\nthree\n", "newText": "one\n2\nthree\n" })
            ],
            "{tool}"
        );
        assert_eq!(
            (&edit.began["kind"], &edit.all["locations"][0]["path"]),
            (&json!("edit"), &json!(path)),
            "{tool}"
        );
    }
}

/// An editor knows its buffers by the path it opened, and not by the folder that a link leads to.
#[tokio::test]
async fn a_project_behind_a_link_is_named_as_the_editor_names_it() {
    let (model, home, project) = scene(Project::with("a.txt", "saved\n")).await;
    let links = Project::new();
    std::os::unix::fs::symlink(project.path(), links.path().join("link")).unwrap();
    let (cwd, path) = (links.file("link"), links.file("link/a.txt"));
    for named in ["a.txt".to_owned(), path.clone(), project.file("a.txt")] {
        let editor = Editor::full(&home).await;
        editor.open(&path, "one\ntwo\n");
        let session = editor.session(&cwd).await;
        let arguments = json!({ "path": named, "old_string": "two", "new_string": "2" });
        editor.choose("allow_once");
        let edit = call(&session, &model, "edit_file", arguments).await;
        assert_eq!(edit.status(), "completed", "{named}: {edit:?}");
        assert_eq!(editor.shows(&path).unwrap(), "one\n2\n", "{named}");
        assert_eq!(project.read("a.txt"), "saved\n", "{named}");
        assert_eq!(edit.all["locations"][0]["path"], json!(path), "{named}");
        let card = &editor.requests("session/request_permission")[0]["toolCall"];
        assert_eq!(card["locations"][0]["path"], json!(path), "{named}");
        let live = edit.content("diff");
        assert_eq!(live[0]["path"], json!(path), "{named}");
        let listed = editor.list(json!({})).await.unwrap();
        assert_eq!(listed["sessions"][0]["cwd"], json!(cwd), "{named}");
        let id = session.id.clone();
        editor.close(&id).await;
        let from = editor.count();
        let updates = editor.load(&id, &cwd).await.updates_since(from);
        let of = |kind: &str| {
            updates
                .iter()
                .find(|update| update["sessionUpdate"] == kind)
                .unwrap()
        };
        assert_eq!(of("tool_call")["locations"][0]["path"], json!(path), "{named}");
        assert_eq!(of("tool_call_update")["content"], json!(live), "{named}");
    }
}

#[tokio::test]
async fn a_loaded_session_shows_the_differences_that_were_shown() {
    let (model, home, project) = scene(Project::with("a.txt", "one\ntwo\n")).await;
    let path = project.file("a.txt");
    let editor = Editor::with(&home, &[], &json!({})).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let arguments = json!({ "path": path, "old_string": "two", "new_string": "2" });
    let edit = call(&session, &model, "edit_file", arguments).await;
    let live = edit.content("diff");
    assert_eq!(live[0]["newText"], "one\n2\n");
    let id = session.id.clone();
    drop(session);
    editor.leave().await;
    // What the file holds since is of no matter.
    project.write("a.txt", b"something else\n");

    let editor = Editor::start(&home).await;
    let from = editor.count();
    let session = editor.load(&id, project.cwd()).await;
    let updates = session.updates_since(from);
    let ended = updates
        .iter()
        .find(|update| update["sessionUpdate"] == "tool_call_update")
        .unwrap();
    assert_eq!(ended["content"], json!(live));
    assert_eq!(ended["status"], "completed");
}

#[tokio::test]
async fn a_new_file_is_made_through_the_editor() {
    let (model, home, project) = scene(Project::new()).await;
    let path = project.file("deep/new.txt");
    let editor = Editor::full(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let made = call(
        &session,
        &model,
        "write_file",
        json!({ "path": path, "content": "new\n" }),
    )
    .await;
    assert_eq!(editor.shows(&path).unwrap(), "new\n");
    assert!(!project.has("deep/new.txt"), "written once, by the editor");
    let diff = &made.content("diff")[0];
    assert!(diff.get("oldText").is_none_or(Value::is_null), "{diff}");
}

#[tokio::test]
async fn without_the_editors_files_the_disk_is_used() {
    for capabilities in [
        json!({}),
        json!({ "fs": {} }),
        json!({ "fs": { "readTextFile": true } }),
        json!({ "fs": { "writeTextFile": true } }),
    ] {
        let (model, home, project) = scene(Project::with("a.txt", "one\n")).await;
        let editor = Editor::with(&home, &[], &capabilities).await;
        editor.open(&project.file("a.txt"), "one of the buffer\n");
        let session = editor.session(project.cwd()).await;
        session.set("tool_approval", "yolo").await.unwrap();
        let arguments = json!({ "path": project.file("a.txt"), "old_string": "one", "new_string": "two" });
        let edit = call(&session, &model, "edit_file", arguments).await;
        assert_eq!(edit.status(), "completed", "{capabilities}");
        // One edit never reads the one and writes the other.
        assert_eq!(
            editor.requests("fs/write_text_file"),
            [] as [Value; 0],
            "{capabilities}"
        );
        assert_eq!(project.read("a.txt"), "two\n", "{capabilities}");
    }
}

#[tokio::test]
async fn other_encodings_stay_on_disk_and_stay_what_they_are() {
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("eins\r\nzwei\r\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let marked = b"\xef\xbb\xbfeins\n".to_vec();
    let latin = b"gr\xfc\xdfe, eins und noch viele andere W\xf6rter f\xfcr die Erkennung\n".to_vec();
    for (name, bytes) in [("utf16.txt", utf16), ("marked.txt", marked), ("latin.txt", latin)] {
        let (model, home, project) = scene(Project::new()).await;
        project.write(name, &bytes);
        let editor = Editor::full(&home).await;
        editor.open(&project.file(name), "what the editor makes of it");
        let session = editor.session(project.cwd()).await;
        session.set("tool_approval", "yolo").await.unwrap();
        let arguments = json!({ "path": project.file(name), "old_string": "eins", "new_string": "ein" });
        let edit = call(&session, &model, "edit_file", arguments).await;
        assert_eq!(edit.status(), "completed", "{name}: {edit:?}");
        assert_eq!(editor.requests("fs/write_text_file"), [] as [Value; 0], "{name}");
        assert_eq!(
            editor.shows(&project.file(name)).unwrap(),
            "what the editor makes of it"
        );
        let expected = if name == "utf16.txt" {
            [0xff, 0xfe]
                .into_iter()
                .chain("ein\r\nzwei\r\n".encode_utf16().flat_map(u16::to_le_bytes))
                .collect()
        } else {
            replaced(&bytes, b"eins", b"ein")
        };
        assert_eq!(project.bytes(name), expected, "{name}");
    }
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

#[tokio::test]
async fn a_read_the_editor_refuses_falls_back_to_the_disk() {
    let (model, home, project) = scene(Project::with("a.txt", "on disk\n")).await;
    let editor = Editor::full(&home).await;
    editor.refuse("fs/read_text_file");
    let session = editor.session(project.cwd()).await;
    call(
        &session,
        &model,
        "read_file",
        json!({ "path": project.file("a.txt") }),
    )
    .await;
    assert!(told(&model).contains("on disk"));
}

#[tokio::test]
async fn a_write_the_editor_refuses_fails_and_is_not_made_on_disk() {
    let (model, home, project) = scene(Project::with("a.txt", "one\n")).await;
    let editor = Editor::full(&home).await;
    editor.refuse("fs/write_text_file");
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let write = call(
        &session,
        &model,
        "write_file",
        json!({ "path": project.file("a.txt"), "content": "two\n" }),
    )
    .await;
    assert_eq!(write.status(), "failed");
    assert_eq!(project.read("a.txt"), "one\n");
    assert_eq!(
        write.content("diff"),
        [] as [Value; 0],
        "nothing was changed: {write:?}"
    );
}

#[tokio::test]
async fn nothing_outside_the_roots_is_written() {
    let outside = Project::with("secret.txt", "untouched\n");
    let (model, home, project) = scene(Project::new()).await;
    std::os::unix::fs::symlink(outside.path(), project.path().join("way-out")).unwrap();
    let editor = Editor::full(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    for path in [
        outside.file("secret.txt"),
        project.file("way-out/secret.txt"),
        project.file("../".repeat(20).as_str()) + "tmp/sidewire-no-such-file",
    ] {
        let write = call(
            &session,
            &model,
            "write_file",
            json!({ "path": path, "content": "changed" }),
        )
        .await;
        assert_eq!(write.status(), "failed", "{path}");
    }
    assert_eq!(outside.read("secret.txt"), "untouched\n");
    assert_eq!(
        editor.requests("fs/write_text_file"),
        [] as [Value; 0],
        "checked before the editor is asked"
    );
}

#[tokio::test]
async fn a_line_is_told_where_reading_begins() {
    let lines: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    let (model, home, project) = scene(Project::with("a.txt", &lines)).await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let read = call(
        &session,
        &model,
        "read_file",
        json!({ "path": project.file("a.txt"), "offset": 40, "limit": 2 }),
    )
    .await;
    assert_eq!(
        read.began["locations"],
        json!([{ "path": project.file("a.txt"), "line": 41 }])
    );
    let told = told(&model);
    assert!(
        told.contains("line 41") && told.contains("line 42") && !told.contains("line 43"),
        "{told}"
    );
}

#[tokio::test]
async fn several_edits_are_made_all_or_none() {
    let (model, home, project) = scene(Project::with("a.txt", "one two three\n")).await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let edits = json!([
        { "old_string": "one", "new_string": "1" },
        { "old_string": "NOWHERE", "new_string": "x" },
        { "old_string": "AGAIN", "new_string": "y" },
    ]);
    let edit = call(
        &session,
        &model,
        "multi_edit",
        json!({ "path": project.file("a.txt"), "edits": edits }),
    )
    .await;
    assert_eq!(edit.status(), "failed");
    assert_eq!(project.read("a.txt"), "one two three\n");
    let told = told(&model);
    assert!(
        told.contains("edit 2") && told.contains("edit 3"),
        "every bad step is reported: {told}"
    );
}

#[tokio::test]
async fn other_file_tools_work_and_have_their_kinds() {
    let (model, home, project) = scene(Project::with("src/main.rs", "fn main() { needle(); }\n")).await;
    project.write("notes/needle.md", "a needle here\n");
    project.write(".gitignore", "ignored/\n");
    project.write("ignored/x.rs", "needle\n");
    let editor = Editor::with(&home, &[], &full_editor()).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    for (tool, kind, arguments, words) in [
        ("ls", "read", json!({ "path": project.cwd() }), "src"),
        (
            "glob",
            "read",
            json!({ "pattern": "**/*.rs", "path": project.cwd() }),
            "main.rs",
        ),
        (
            "grep",
            "search",
            json!({ "pattern": "needle\\(", "path": project.cwd() }),
            "main.rs",
        ),
    ] {
        let made = call(&session, &model, tool, arguments).await;
        assert_eq!(
            (made.began["kind"].as_str(), made.status()),
            (Some(kind), "completed"),
            "{tool}"
        );
        assert!(told(&model).contains(words), "{tool}: {:?}", told(&model));
        assert!(!told(&model).contains("ignored/x.rs"), "{tool}");
    }
    let arguments =
        json!({ "source_path": project.file("src/main.rs"), "destination_path": project.file("src/lib.rs") });
    let moved = call(&session, &model, "move_file", arguments).await;
    assert_eq!(
        (moved.began["kind"].as_str(), moved.status()),
        (Some("move"), "completed")
    );
    assert!(!project.has("src/main.rs") && project.has("src/lib.rs"));
}

#[tokio::test]
async fn what_is_too_long_is_cut_for_the_editor_and_a_difference_is_not() {
    let long: String = (0..5_000).map(|line| format!("wörter {line}\n")).collect();
    let (model, home, project) = scene(Project::with("a.txt", &long)).await;
    home.use_model_with_window(&model, 200_000);
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let read = call(
        &session,
        &model,
        "read_file",
        json!({ "path": project.file("a.txt") }),
    )
    .await;
    let shown = read.text();
    assert!(shown.len() < 8_200, "{} bytes", shown.len());
    assert!(
        shown.contains("more chars truncated)"),
        "{}",
        &shown[shown.len() - 60..]
    );
    let arguments = json!({ "path": project.file("a.txt"), "content": long.replace("wörter", "Wörter") });
    let write = call(&session, &model, "write_file", arguments).await;
    let diff = &write.content("diff")[0];
    assert_eq!(diff["oldText"], json!(long));
}

#[tokio::test]
async fn two_edits_of_one_file_in_one_step_are_both_made() {
    let (model, home, project) = scene(Project::new()).await;
    let editor = Editor::full(&home).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let path = project.file("a.txt");
    let edit = |old: &str, new: &str| json!({ "path": path, "old_string": old, "new_string": new });
    for round in 0..10 {
        editor.open(&path, "one two three\n");
        model.script(
            Script::stream()
                .call("c1", "edit_file", &edit("one", "1"))
                .call("c2", "edit_file", &edit("two", "2"))
                .call("c3", "edit_file", &edit("three", "3"))
                .done(),
        );
        model.script(Script::says("done"));
        session.prompt("go").await.done();
        assert_eq!(editor.shows(&path).unwrap(), "1 2 3\n", "round {round}");
    }
}
