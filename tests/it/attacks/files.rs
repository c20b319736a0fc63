//! S17: the files that open the door are closed to others, and nobody else's files are written.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use sidewire_tests::{Home, NativeHost, Script, ScriptedModel, play, question};

#[tokio::test]
async fn s17_everything_is_closed_to_others() {
    let model = ScriptedModel::playing(Script::says("hello")).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    play(&mut worker.client().await, question("c-1", "Go?")).await;
    for name in ["worker.json", "local.secret", "worker.lock", "sidewire.db"] {
        assert_eq!(home.mode(name), 0o600, "{name}");
    }
    for (path, _) in home.files() {
        // A side file of the database may be gone by now.
        let mode = fs::metadata(&path).map_or(0o600, |found| found.permissions().mode() & 0o777);
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
    }
    assert_eq!((home.mode("."), home.mode("log")), (0o700, 0o700));
}

#[tokio::test]
async fn s17_a_folder_that_is_open_to_others_is_closed_first() {
    let home = Home::new();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let _worker = home.worker().await;
    assert_eq!(home.mode("."), 0o700);
}

#[tokio::test]
async fn s17_a_folder_that_does_not_exist_is_made_private() {
    let outer = Home::new();
    let home = outer.below("a/b");
    let _worker = home.worker().await;
    assert_eq!(home.mode("."), 0o700);
}

#[tokio::test]
async fn s17_a_link_in_the_place_of_a_file_is_not_followed() {
    for name in ["worker.json", "local.secret", "log"] {
        let home = Home::new();
        let elsewhere = Home::new();
        let target = elsewhere.path().join("target");
        if name == "log" {
            fs::create_dir(&target).unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o700)).unwrap();
        } else {
            elsewhere.write_private("target", "precious");
        }
        symlink(&target, home.path().join(name)).unwrap();
        let error = home.run(&["serve", "--port", "0"]).await.failed();
        assert!(error.contains("link") && error.contains(name), "{name}: {error}");
        let untouched = if name == "log" {
            fs::read_dir(&target).unwrap().count() == 0
        } else {
            fs::read(&target).unwrap() == b"precious"
        };
        assert!(untouched, "{name}");
    }
}

#[tokio::test]
async fn s17_a_secret_that_others_could_have_read_or_written_is_not_used() {
    for mode in [0o640, 0o604, 0o620, 0o602, 0o666] {
        let home = Home::new();
        home.worker().await.end().await;
        fs::set_permissions(home.layout().local_secret(), fs::Permissions::from_mode(mode)).unwrap();
        let error = home.run(&["serve", "--port", "0"]).await.failed();
        assert!(
            error.contains("open to other users") && error.contains("chmod 600"),
            "{mode:o}: {error}"
        );
    }
}

#[tokio::test]
async fn s17_clients_do_not_believe_files_of_others_either() {
    let home = Home::new();
    let _worker = home.worker().await;
    fs::set_permissions(home.layout().worker_file(), fs::Permissions::from_mode(0o666)).unwrap();
    let error = home.run(&["ask", "Go?"]).await.failed();
    assert!(error.contains("open to other users"), "{error}");
    let (frames, status, _) = NativeHost::start(&home).ended().await;
    assert!(!status.success());
    let [sidewire_contract::frames::WorkerFrame::BridgeError(error)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    assert_eq!(
        error.code,
        sidewire_contract::bridge::handshake::BridgeErrorCode::WorkerUnreachable
    );
}

#[tokio::test]
async fn s17_a_damaged_secret_is_named_and_not_replaced() {
    let home = Home::new();
    for text in ["", "00", &"g".repeat(64), &"A".repeat(64)] {
        home.write_private("local.secret", text);
        let error = home.run(&["serve", "--port", "0"]).await.failed();
        assert!(error.contains("local.secret"), "{error}");
    }
}
