use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sidewire_agent::event::ToolContent;
use sidewire_agent::permission::{Class, Names};
use sidewire_agent::tool::{Location, ToolCallContext};
use sidewire_agent::workspace::{
    Document, Roots, Route, ShellCommand, ShellEnd, Watch, Workspace, WorkspaceError,
};

use crate::tools::LocalWorkspace;
use crate::tools::testing::{Bench, feed, named, said};

#[tokio::test]
async fn a_file_is_read_edited_and_shown() {
    let bench = Bench::new();
    let path = bench.write("src/a.rs", "fn a() {}\r\nfn b() {}\r\n");
    assert_eq!(
        bench.ok("read_file", json!({ "path": "src/a.rs" })).await,
        "1→fn a() {}\n2→fn b() {}"
    );
    let edit =
        json!({ "path": "src/a.rs", "old_string": "fn a() {}\nfn b", "new_string": "fn a() {}\n\nfn c" });
    let output = bench.call("edit_file", edit).await;
    assert_eq!(said(&output), "edited src/a.rs in line 1");
    assert_eq!(bench.read("src/a.rs"), b"fn a() {}\r\n\r\nfn c() {}\r\n");
    assert_eq!(
        output.shown,
        [ToolContent::Diff {
            path: named(&path),
            before: Some("fn a() {}\r\nfn b() {}\r\n".to_owned()),
            after: "fn a() {}\r\n\r\nfn c() {}\r\n".to_owned(),
        }]
    );
    assert_eq!(
        output.locations,
        [Location {
            path: named(&path),
            line: Some(1)
        }]
    );
}

#[tokio::test]
async fn a_change_is_shown_as_it_will_be_and_not_made() {
    let bench = Bench::new();
    let path = bench.write("a.txt", "one\n");
    bench.write("b.txt", "");
    bench.write("keys/k", "");
    let change = |new: &str| json!({ "path": "a.txt", "old_string": "one", "new_string": new });
    let several = json!({ "path": "a.txt", "edits": [{ "old_string": "one", "new_string": "two" }] });
    let whole = json!({ "path": "a.txt", "content": "two\n" });
    for (tool, arguments) in [
        ("edit_file", change("two")),
        ("multi_edit", several),
        ("write_file", whole),
    ] {
        let shown = bench.preview(tool, arguments.clone()).await;
        let diff = ToolContent::Diff {
            path: named(&path),
            before: Some("one\n".to_owned()),
            after: "two\n".to_owned(),
        };
        assert_eq!(shown, Ok(vec![diff]), "{tool}");
        assert_eq!(bench.read("a.txt"), b"one\n", "{tool}");
        let shown = shown.unwrap();
        assert_eq!(bench.call(tool, arguments).await.shown, shown, "{tool}");
        bench.write("a.txt", "one\n");
    }
    let moved = |to: &str| json!({ "source_path": "a.txt", "destination_path": to });
    assert_eq!(
        bench.preview("move_file", moved("new/c.txt")).await,
        Ok(Vec::new())
    );
    assert!(!bench.root.join("new").exists());
    for (tool, arguments, why) in [
        ("edit_file", json!({ "path": "a.txt" }), "invalid arguments"),
        (
            "edit_file",
            json!({ "path": "c.txt", "old_string": "a", "new_string": "b" }),
            "does not exist",
        ),
        ("write_file", json!({ "path": "../a", "content": "" }), "outside"),
        (
            "write_file",
            json!({ "path": "keys/k", "content": "" }),
            "protected",
        ),
        ("move_file", moved("b.txt"), "exists already"),
        ("move_file", moved("../b.txt"), "outside"),
    ] {
        let refused = bench.preview(tool, arguments).await.unwrap_err();
        assert!(refused.is_error && said(&refused).contains(why), "{refused:?}");
    }
}

#[tokio::test]
async fn what_a_person_allowed_is_what_is_written() {
    let bench = Bench::new();
    bench.write("a.txt", "one\n");
    let whole = json!({ "path": "a.txt", "content": "two\n" });
    let allowed = bench.preview("write_file", whole.clone()).await.unwrap();
    let call = async || {
        let context = bench.context(whole.clone(), &feed()).await;
        let allowed = allowed.clone();
        bench
            .tool("write_file")
            .call(ToolCallContext { allowed, ..context })
            .await
    };
    bench.write("a.txt", "mine\n");
    let refused = call().await;
    assert!(
        refused.is_error && said(&refused).contains("read it again"),
        "{refused:?}"
    );
    assert_eq!(bench.read("a.txt"), b"mine\n");
    bench.write("a.txt", "one\n");
    assert!(!call().await.is_error);
    assert_eq!(bench.read("a.txt"), b"two\n");
}

#[tokio::test]
async fn several_edits_are_all_or_none() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let edits = |second: &str| {
        json!({ "path": "a.txt", "edits": [
            { "old_string": "one", "new_string": "1" },
            { "old_string": second, "new_string": "2" },
        ]})
    };
    let told = bench.fails("multi_edit", edits("four")).await;
    assert!(
        told.starts_with("1 of 2 edits failed; a.txt left untouched\nedit 2: old_string was not found"),
        "{told}"
    );
    assert_eq!(bench.read("a.txt"), b"one\ntwo\nthree\n");
    let told = bench.ok("multi_edit", edits("two")).await;
    assert_eq!(told, "multi_edit a.txt: 2 edits applied (2 total replacements)");
    assert_eq!(bench.read("a.txt"), b"1\n2\nthree\n");
    assert!(
        bench
            .fails("multi_edit", json!({ "path": "a.txt", "edits": [] }))
            .await
            .contains("1 to 100 edits")
    );
}

#[tokio::test]
async fn writing_keeps_what_a_file_is() {
    let bench = Bench::new();
    assert_eq!(
        bench
            .ok(
                "write_file",
                json!({ "path": "new/deep/a.txt", "content": "ä\n" })
            )
            .await,
        "wrote 3 bytes"
    );
    assert_eq!(bench.read("new/deep/a.txt"), "ä\n".as_bytes());
    bench.write("win.txt", b"\xff\xfea\0\r\0\n\0");
    bench
        .ok("write_file", json!({ "path": "win.txt", "content": "b\nc\n" }))
        .await;
    assert_eq!(bench.read("win.txt"), b"\xff\xfeb\0\r\0\n\0c\0\r\0\n\0");
    bench.write(
        "latin.txt",
        b"Stra\xdfe in K\xf6ln, sch\xf6ne Gr\xfc\xdfe aus \xd6sterreich\n",
    );
    bench
        .ok(
            "edit_file",
            json!({ "path": "latin.txt", "old_string": "schöne", "new_string": "große" }),
        )
        .await;
    assert_eq!(
        bench.read("latin.txt"),
        b"Stra\xdfe in K\xf6ln, gro\xdfe Gr\xfc\xdfe aus \xd6sterreich\n"
    );
    let edit = json!({ "path": "latin.txt", "old_string": "große", "new_string": "☃" });
    let told = bench.fails("edit_file", edit).await;
    assert!(
        told.contains("windows-1252, which lacks a character") && told.contains("use other characters"),
        "{told}"
    );
}

#[tokio::test]
async fn what_cannot_be_done_says_what_to_do() {
    let bench = Bench::new();
    bench.write("binary", b"\0\x01\x02");
    bench.write("keys/id", "secret");
    bench.write("folder/a", "");
    bench.write("big", vec![b'a'; 8 * 1024 * 1024 + 1]);
    bench.write("just", vec![b'a'; 8 * 1024 * 1024]);
    std::fs::write(bench.outside.join("x"), "outside").unwrap();
    std::os::unix::fs::symlink(&bench.outside, bench.root.join("link")).unwrap();
    let rows = [
        ("missing", "does not exist; glob and ls find"),
        ("binary", "is not text; bash can"),
        ("keys/id", "is protected, because keys are kept there"),
        ("folder", "is not a file; ls shows"),
        ("big", "holds more than 8388608 bytes; grep searches it"),
        (".ssh/id", "is protected"),
    ];
    for (path, part) in rows {
        let told = bench.fails("read_file", json!({ "path": path })).await;
        assert!(told.contains(part), "{told}");
        let told = bench
            .fails(
                "edit_file",
                json!({ "path": path, "old_string": "a", "new_string": "b" }),
            )
            .await;
        assert!(told.contains(part), "{told}");
    }
    assert!(
        bench
            .ok("read_file", json!({ "path": "just" }))
            .await
            .starts_with("1→aaa")
    );
    // Outside may be read (the gate asks before), and never written.
    assert_eq!(
        bench.ok("read_file", json!({ "path": "link/x" })).await,
        "1→outside"
    );
    for (tool, arguments) in [
        (
            "edit_file",
            json!({ "path": "link/x", "old_string": "outside", "new_string": "b" }),
        ),
        ("write_file", json!({ "path": "../outside/x", "content": "b" })),
        ("write_file", json!({ "path": "link/new", "content": "b" })),
        (
            "move_file",
            json!({ "source_path": "just", "destination_path": "link/just" }),
        ),
        (
            "move_file",
            json!({ "source_path": "link/x", "destination_path": "x" }),
        ),
    ] {
        let told = bench.fails(tool, arguments).await;
        assert!(
            told.contains("is outside the workspace; files are changed only below"),
            "{told}"
        );
    }
    assert_eq!(std::fs::read_dir(&bench.outside).unwrap().count(), 1);
    assert_eq!(std::fs::read(bench.outside.join("x")).unwrap(), b"outside");
    let told = bench.fails("read_file", json!({ "paths": ["a"] })).await;
    assert_eq!(told, "invalid arguments: missing field `path`");
}

#[tokio::test]
async fn moving_replaces_nothing() {
    let bench = Bench::new();
    bench.write("a.txt", "a");
    bench.write("b.txt", "b");
    bench.write("folder/c.txt", "c");
    let to = |from: &str, to: &str| json!({ "source_path": from, "destination_path": to });
    assert!(
        bench
            .fails("move_file", to("a.txt", "b.txt"))
            .await
            .contains("exists already")
    );
    assert_eq!(bench.read("b.txt"), b"b");
    assert_eq!(
        bench.ok("move_file", to("a.txt", "new/place.txt")).await,
        "moved a.txt to new/place.txt"
    );
    assert_eq!(
        bench.ok("move_file", to("folder", "moved")).await,
        "moved folder to moved"
    );
    assert_eq!(bench.read("moved/c.txt"), b"c");
    assert!(
        bench
            .fails("move_file", to("a.txt", "c.txt"))
            .await
            .contains("does not exist")
    );
    assert!(
        bench
            .fails("move_file", to("b.txt", "keys/b.txt"))
            .await
            .contains("is protected")
    );
    let intent = bench
        .tool("move_file")
        .intent(&to("b.txt", "../outside/b"), Some(bench.disk.roots()));
    assert_eq!(
        (intent.class, intent.subject.as_deref()),
        (Class::Edit, Some("b.txt"))
    );
    assert_eq!(intent.outside, [bench.outside.join("b")]);
}

#[tokio::test]
async fn rules_about_files_hold_for_the_folder_that_is_moved() {
    let bench = Bench::new();
    bench.write("a.txt", "a");
    bench.write("folder/c.txt", "c");
    let names = |tool: &str, arguments: Value| {
        let roots = Some(bench.disk.roots());
        bench.tool(tool).intent(&arguments, roots).names
    };
    let moving = |from: &str| {
        names(
            "move_file",
            json!({ "source_path": from, "destination_path": "x" }),
        )
    };
    assert_eq!(moving("a.txt"), Names::Files);
    assert_eq!(moving("folder"), Names::Trees);
    assert_eq!(moving("may-come-before-it-is-moved"), Names::Trees);
    assert_eq!(names("grep", json!({ "pattern": "c" })), Names::Trees);
    assert_eq!(
        names("grep", json!({ "pattern": "c", "path": "a.txt" })),
        Names::Files
    );
    assert_eq!(names("glob", json!({ "pattern": "*" })), Names::Trees);
    assert_eq!(names("read_file", json!({ "path": "a.txt" })), Names::Files);
}

#[tokio::test]
async fn edits_that_are_asked_for_at_once_are_all_made() {
    let bench = Bench::new();
    let lines: Vec<_> = (0..8).map(|line| format!("<{line}>\n")).collect();
    bench.write("a.txt", lines.concat());
    let edit = |line: usize| json!({ "path": "a.txt", "old_string": format!("<{line}>"), "new_string": format!("[{line}]") });
    let edits = (0..8).map(|line| bench.ok("edit_file", edit(line)));
    futures_util::future::join_all(edits).await;
    assert_eq!(
        String::from_utf8(bench.read("a.txt")).unwrap(),
        lines.concat().replace('<', "[").replace('>', "]")
    );
}

/// An editor with one unsaved buffer in front of the disk.
struct Editor {
    disk: LocalWorkspace,
    path: std::path::PathBuf,
    buffer: std::sync::Mutex<String>,
    written: std::sync::Mutex<Vec<Document>>,
}

#[async_trait::async_trait]
impl Workspace for Editor {
    fn roots(&self) -> &Roots {
        self.disk.roots()
    }

    async fn open(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        let document = self.disk.open(path, limit).await?;
        if document.path != self.path {
            return Ok(document);
        }
        let text = self.buffer.lock().unwrap().clone();
        Ok(Document {
            text,
            route: Route::Editor,
            ..document
        })
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        if document.route == Route::Disk {
            return self.disk.save(document).await;
        }
        if document.path.ends_with("refused") {
            return Err(WorkspaceError::ReadOnly(document.path.clone()));
        }
        self.written.lock().unwrap().push(document.clone());
        Ok(())
    }

    async fn run(&self, command: ShellCommand, watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        self.disk.run(command, watch).await
    }
}

#[tokio::test]
async fn what_the_editor_has_not_saved_is_what_counts() {
    let mut bench = Bench::new();
    let path = bench.write("a.txt", "saved\n");
    let editor = Arc::new(Editor {
        disk: bench.disk.clone(),
        path: path.clone(),
        buffer: std::sync::Mutex::new("not saved\n".to_owned()),
        written: std::sync::Mutex::default(),
    });
    bench.workspace = Arc::clone(&editor) as Arc<_>;
    assert_eq!(
        bench.ok("read_file", json!({ "path": "a.txt" })).await,
        "1→not saved"
    );
    let edit = json!({ "path": "a.txt", "old_string": "not saved", "new_string": "changed" });
    assert_eq!(
        bench.ok("edit_file", edit).await,
        "edited a.txt (in the editor) in line 1"
    );
    assert_eq!(
        bench.read("a.txt"),
        b"saved\n",
        "the disk is the editor's business"
    );
    assert_eq!(editor.written.lock().unwrap().pop().unwrap().text, "changed\n");
    // A file that is moved takes along what is not saved.
    let told = bench
        .ok(
            "move_file",
            json!({ "source_path": "a.txt", "destination_path": "b.txt" }),
        )
        .await;
    assert_eq!(told, "moved a.txt to b.txt");
    assert_eq!(bench.read("b.txt"), b"saved\n");
    let moved = editor.written.lock().unwrap().pop().unwrap();
    assert_eq!(
        (moved.path, moved.text.as_str()),
        (bench.root.join("b.txt"), "not saved\n")
    );
    // What was done and what was not are both told.
    bench.write("a.txt", "saved\n");
    let told = bench
        .fails(
            "move_file",
            json!({ "source_path": "a.txt", "destination_path": "refused" }),
        )
        .await;
    assert!(
        told.starts_with(
            "moved a.txt to refused, but what the editor had not saved could not be written there: "
        ),
        "{told}"
    );
    assert_eq!(bench.read("refused"), b"saved\n");
}
