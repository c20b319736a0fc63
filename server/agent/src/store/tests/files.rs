use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::*;
use crate::store::OpenError;

fn open_error(folder: &Path) -> OpenError {
    match Store::open(folder, "test") {
        Err(error) => error,
        Ok(_) => panic!("the store opened"),
    }
}

#[tokio::test]
async fn what_is_stored_is_there_after_the_last_handle_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("deep/data");
    let store = Store::open(&home, "test").unwrap();
    let id = conversation_with(&store, "kept", "x", 10).await;
    drop(store.clone());
    drop(store);
    assert!(
        !home.join("sidewire.db-wal").exists(),
        "closed in order: the log is folded in"
    );
    let store = Store::open(&home, "test").unwrap();
    assert_eq!(turns(&store, id).await, [answered("kept", "kept", "x")]);
}

#[test]
fn a_newer_format_is_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path(), "test").unwrap());
    let file = folder.path().join("sidewire.db");
    Connection::open(&file)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = fs::read(&file).unwrap();
    let error = open_error(folder.path());
    assert!(
        matches!(
            &error,
            OpenError::Newer {
                found: 99,
                known: 4,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("sidewire.db was written by a newer sidewire")
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn an_older_format_waits_until_nobody_has_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let older = fs::File::create(folder.path().join("sidewire.db.open")).unwrap();
    older.lock_shared().unwrap();
    let error = open_error(folder.path());
    assert!(matches!(error, OpenError::InUse { .. }), "{error}");
    drop(older);
    Store::open(folder.path(), "test").unwrap();
}

#[test]
fn many_that_start_together_all_get_in() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| Store::open(folder.path(), "test").unwrap());
        }
    });
}

#[test]
fn a_file_that_is_no_database_is_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("sidewire.db"),
        "not a database, by far".repeat(500),
    )
    .unwrap();
    make_private(&folder.path().join("sidewire.db"));
    let error = open_error(folder.path());
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("sidewire.db is damaged or not a database; move it away")
    );
}

#[tokio::test]
async fn damage_inside_is_told_apart_from_other_faults() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = conversation_with(&store, "kept", &"x".repeat(100_000), 10).await;
    drop(store);
    let file = folder.path().join("sidewire.db");
    let mut bytes = fs::read(&file).unwrap();
    // The first page holds the schema; everything after it is destroyed.
    bytes[4096..].fill(0xEE);
    fs::write(&file, bytes).unwrap();
    match Store::open(folder.path(), "test") {
        Err(OpenError::Corrupt { .. }) => {}
        Err(error) => panic!("{error:?}"),
        Ok(store) => {
            let read = store.transcript(&ann(), id, None, 100).await;
            assert!(matches!(read, Err(StoreError::Corrupt)), "{read:?}");
        }
    }
}

#[cfg(unix)]
fn make_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[cfg(not(unix))]
fn make_private(_path: &Path) {}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::store::folder::system;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[tokio::test]
    async fn files_and_folders_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("data");
        let store = Store::open(&home, "test").unwrap();
        let id = conversation_with(&store, "q", "x", 10).await;
        let _claim = store.claim(id).unwrap();
        for name in ["", "claims"] {
            assert_eq!(mode(&home.join(name)), 0o700, "{name:?}");
        }
        let lock = format!("claims/{id}.lock");
        for name in [
            "sidewire.db",
            "sidewire.db-wal",
            "sidewire.db-shm",
            "sidewire.db.open",
            &lock,
        ] {
            assert_eq!(mode(&home.join(name)), 0o600, "{name:?}");
        }
    }

    #[test]
    fn what_others_may_read_is_closed_and_what_they_may_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path(), "test").unwrap());
        let file = folder.path().join("sidewire.db");
        set_mode(folder.path(), 0o755);
        set_mode(&file, 0o644);
        drop(Store::open(folder.path(), "test").unwrap());
        assert_eq!((mode(folder.path()), mode(&file)), (0o700, 0o600));

        set_mode(&file, 0o620);
        assert!(matches!(open_error(folder.path()), OpenError::Loose(path) if path == file));
        set_mode(&file, 0o600);
        set_mode(folder.path(), 0o702);
        assert!(matches!(open_error(folder.path()), OpenError::Loose(path) if path == folder.path()));
    }

    #[test]
    fn links_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        drop(Store::open(&real, "test").unwrap());
        symlink(&real, &link).unwrap();
        assert!(matches!(open_error(&link), OpenError::Link(path) if path == link));

        let other = folder.path().join("other");
        drop(Store::open(&other, "test").unwrap());
        for name in ["sidewire.db", "claims"] {
            let path = other.join(name);
            fs::rename(&path, other.join("aside")).unwrap();
            symlink(other.join("aside"), &path).unwrap();
            assert!(
                matches!(open_error(&other), OpenError::Link(at) if at == path),
                "{name}"
            );
            fs::remove_file(&path).unwrap();
            fs::rename(other.join("aside"), &path).unwrap();
        }
        let lock = other.join("sidewire.db.open");
        fs::remove_file(&lock).unwrap();
        symlink(folder.path().join("elsewhere"), &lock).unwrap();
        assert!(matches!(open_error(&other), OpenError::Io { .. }));
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn what_belongs_to_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let metadata = fs::symlink_metadata(folder.path()).unwrap();
        system::check_private(folder.path(), &metadata, system::user()).unwrap();
        let stranger = system::check_private(folder.path(), &metadata, system::user() + 1);
        assert!(matches!(stranger, Err(OpenError::Foreign(path)) if path == folder.path()));
    }
}
