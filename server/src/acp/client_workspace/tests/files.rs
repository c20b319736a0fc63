use serde_json::json;
use tokio::task::JoinHandle;

use super::*;

const READ: &str = "fs/read_text_file";
const WRITE: &str = "fs/write_text_file";
const READ_ONLY: ClientIo = ClientIo {
    read: true,
    write: false,
    terminal: false,
};
const WRITE_ONLY: ClientIo = ClientIo {
    read: false,
    write: true,
    terminal: false,
};

/// What the editor answers to a read.
#[derive(Clone, Copy)]
enum Says {
    /// It is not asked.
    NotAsked,
    Text(&'static str),
    Refuses,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug)]
enum To {
    Look,
    Change,
}

type Opening = JoinHandle<Result<Document, WorkspaceError>>;

fn open(scene: &Scene, path: &'static str, to: To) -> Opening {
    let workspace = Arc::clone(&scene.workspace);
    tokio::spawn(async move {
        match to {
            To::Look => workspace.open(Path::new(path), 10).await,
            To::Change => workspace.open_to_change(Path::new(path), 10).await,
        }
    })
}

async fn opened(scene: &mut Scene, says: Says, to: To) -> Result<Document, WorkspaceError> {
    let opening = open(scene, "file.txt", to);
    match says {
        Says::NotAsked => {}
        Says::Text(text) => {
            let params = scene.editor.serve(READ, json!({"content": text})).await;
            // The whole file: neither line nor limit.
            let path = scene.folder.join("file.txt");
            assert_eq!(params, json!({"sessionId": "s", "path": path}));
        }
        Says::Refuses => {
            let (id, _) = scene.editor.request(READ).await;
            scene.editor.refuse(&id).await;
        }
    }
    opening.await.unwrap()
}

/// What is offered, what is on the disk, what it is opened for and what the editor says; the text, whether it exists
/// and its route.
type Row = (ClientIo, fn(&mut Local), To, Says, &'static str, bool, Route);

#[tokio::test]
async fn one_route_for_one_edit() {
    let existing = |_: &mut Local| {};
    let new = |local: &mut Local| {
        local.document.exists = false;
        local.document.text.clear();
    };
    use {
        Route::{Disk, Editor},
        Says::{NotAsked, Refuses, Text},
        To::{Change, Look},
    };
    let neither = ClientIo::default();
    let rows: [Row; 16] = [
        (BOTH, existing, Look, Text("buffer"), "buffer", true, Editor),
        (BOTH, existing, Change, Text("buffer"), "buffer", true, Editor),
        (BOTH, existing, Change, Text("disk"), "disk", true, Editor),
        (BOTH, existing, Change, Text(""), "", true, Editor),
        (BOTH, existing, Change, Refuses, "disk", true, Disk),
        (BOTH, new, Change, Refuses, "", false, Editor),
        (BOTH, new, Change, Text(""), "", false, Editor),
        (BOTH, new, Change, Text("unsaved"), "unsaved", true, Editor),
        (READ_ONLY, existing, Look, Text("buffer"), "buffer", true, Editor),
        (READ_ONLY, existing, Look, Refuses, "disk", true, Disk),
        (READ_ONLY, existing, Change, NotAsked, "disk", true, Disk),
        (READ_ONLY, new, Change, NotAsked, "", false, Disk),
        (WRITE_ONLY, existing, Change, NotAsked, "disk", true, Disk),
        (WRITE_ONLY, new, Change, NotAsked, "", false, Editor),
        (neither, existing, Look, NotAsked, "disk", true, Disk),
        (neither, new, Change, NotAsked, "", false, Disk),
    ];
    for (at, (io, change, to, says, text, exists, route)) in rows.into_iter().enumerate() {
        let mut scene = scene(io, change);
        let document = opened(&mut scene, says, to).await.unwrap();
        let expected = Document {
            text: text.into(),
            exists,
            route,
            ..scene.local.document.clone()
        };
        assert_eq!(document, expected, "row {at}");
    }
}

#[tokio::test]
async fn what_is_not_eligible_stays_on_the_disk() {
    let rows: [fn(&mut Local); 3] = [
        |local| local.document.encoding.name = "UTF-16LE",
        |local| local.document.encoding.mark = true,
        |local| local.document.path = "/outside/file.txt".into(),
    ];
    for change in rows {
        let mut scene = scene(BOTH, change);
        let document = opened(&mut scene, Says::NotAsked, To::Change).await.unwrap();
        assert_eq!(document, scene.local.document);
        scene.workspace.save(&document).await.unwrap();
        assert_eq!(*scene.local.saved.lock().unwrap(), [document]);
    }
    let scene = scene(BOTH, |_| {});
    let refused = open(&scene, "missing", To::Look).await.unwrap();
    assert!(matches!(refused, Err(WorkspaceError::Missing(_))));
}

#[tokio::test]
async fn a_turn_that_is_to_end_waits_for_no_editor_and_reads_nothing_instead() {
    let mut scene = scene(BOTH, |_| {});
    let stop = CancellationToken::new();
    scene.workspace = Arc::new(scene.workspace.during(stop.clone()));
    let opening = open(&scene, "file.txt", To::Look);
    let (id, _) = scene.editor.request(READ).await;
    stop.cancel();
    let refused = opening.await.unwrap().unwrap_err();
    assert!(matches!(refused, WorkspaceError::Cancelled), "{refused}");
    scene.editor.given_up(&id).await;
}

#[tokio::test]
async fn a_buffer_may_hold_no_more_than_a_file() {
    for (text, fits) in [("123456789", true), ("1234567890", true), ("12345678901", false)] {
        let mut scene = scene(BOTH, |_| {});
        let opened = opened(&mut scene, Says::Text(text), To::Look).await;
        assert_eq!(opened.is_ok(), fits, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_does_not_answer_is_not_waited_for() {
    let mut scene = scene(BOTH, |_| {});
    let opening = open(&scene, "file.txt", To::Look);
    let (id, _) = scene.editor.request(READ).await;
    assert_eq!(opening.await.unwrap().unwrap(), scene.local.document);
    scene.editor.given_up(&id).await;
}

/// Saves a document that came from the editor.
fn save(scene: &Scene, change: impl FnOnce(&mut Document)) -> JoinHandle<Result<(), WorkspaceError>> {
    let mut document = Document {
        text: "new".into(),
        route: Route::Editor,
        ..scene.local.document.clone()
    };
    change(&mut document);
    let workspace = Arc::clone(&scene.workspace);
    tokio::spawn(async move { workspace.save(&document).await })
}

#[tokio::test]
async fn what_came_from_a_buffer_goes_back_to_it_and_not_to_the_disk() {
    let mut scene = scene(BOTH, |_| {});
    let saving = save(&scene, |_| {});
    let params = scene.editor.serve(WRITE, serde_json::Value::Null).await;
    let expected = json!({"sessionId": "s", "path": scene.folder.join("file.txt"), "content": "new"});
    assert_eq!(params, expected);
    saving.await.unwrap().unwrap();
    assert!(scene.local.saved.lock().unwrap().is_empty());
    assert!(!scene.folder.join("file.txt").exists());
}

#[tokio::test]
async fn a_new_file_has_its_folder_before_the_editor_writes_it() {
    let mut scene = scene(BOTH, |_| {});
    let path = scene.folder.join("new/deep/file.txt");
    let saving = save(&scene, |document| {
        document.exists = false;
        document.path.clone_from(&path);
    });
    let (id, _) = scene.editor.request(WRITE).await;
    assert!(scene.folder.join("new/deep").is_dir() && !path.exists());
    scene.editor.answer(&id, json!({})).await;
    saving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_write_that_fails_is_an_error_and_no_other_write() {
    let mut scene = scene(BOTH, |_| {});
    let saving = save(&scene, |_| {});
    let (id, _) = scene.editor.request(WRITE).await;
    scene.editor.refuse(&id).await;
    let refused = saving.await.unwrap();
    assert!(matches!(
        refused,
        Err(WorkspaceError::Editor { action: "write", .. })
    ));
    assert!(scene.local.saved.lock().unwrap().is_empty());
    // Unsaved text of an editor that cannot be written to is not overwritten behind its back.
    let scene = self::scene(READ_ONLY, |_| {});
    let refused = save(&scene, |_| {}).await.unwrap();
    assert!(matches!(refused, Err(WorkspaceError::Editor { .. })));
    assert!(scene.local.saved.lock().unwrap().is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn a_path_that_leads_elsewhere_by_now_is_not_written() {
    let scene = scene(BOTH, |_| {});
    std::os::unix::fs::symlink("/", scene.folder.join("away")).unwrap();
    for path in [
        scene.folder.join("away/file.txt"),
        scene.folder.join("../file.txt"),
    ] {
        let refused = save(&scene, |document| document.path = path).await.unwrap();
        assert!(matches!(refused, Err(WorkspaceError::Outside(_))));
    }
}
