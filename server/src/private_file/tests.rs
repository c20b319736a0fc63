use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::found::{Found, Kind};
use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn s17_written_files_are_0600_in_a_0700_folder() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("state/deep/local.secret");
    write_private(&path, b"secret").unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(read_private(&path).unwrap().unwrap(), b"secret");
}

#[test]
fn an_open_folder_is_closed_and_an_open_file_replaced() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("config");
    fs::create_dir(&folder).unwrap();
    set_mode(&folder, 0o755);
    let path = folder.join(".env");
    fs::write(&path, "old").unwrap();
    set_mode(&path, 0o644);
    write_private(&path, b"new").unwrap();
    assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
    let names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [".env"], "no temporary file is left");
}

#[test]
fn s17_links_are_refused_and_their_targets_untouched() {
    let temp = tempfile::tempdir().unwrap();
    let target = temp.path().join("target");
    fs::write(&target, "precious").unwrap();
    set_mode(&target, 0o600);
    let link = temp.path().join("private/worker.json");
    private_folder(link.parent().unwrap()).unwrap();
    symlink(&target, &link).unwrap();
    assert!(matches!(
        write_private(&link, b"x"),
        Err(PrivateFileError::Link { .. })
    ));
    assert!(matches!(read_private(&link), Err(PrivateFileError::Link { .. })));
    assert_eq!(fs::read(&target).unwrap(), b"precious");

    let folder_link = temp.path().join("folder");
    symlink(temp.path().join("private"), &folder_link).unwrap();
    let through = folder_link.join("file");
    assert!(matches!(
        write_private(&through, b"x"),
        Err(PrivateFileError::Link { .. })
    ));
    assert!(matches!(
        read_private(&through),
        Err(PrivateFileError::Link { .. })
    ));
}

#[test]
fn s17_a_foreign_owner_is_refused() {
    let path = Path::new("/somewhere/file");
    let found = Found {
        kind: Kind::File,
        owner: 1001,
        me: 1000,
        mode: 0o600,
    };
    let refusal = found.refuse_unless_own_file(path).unwrap_err();
    assert!(matches!(
        refusal,
        PrivateFileError::ForeignOwner { owner: 1001, .. }
    ));
    let folder = Found {
        kind: Kind::Folder,
        ..found
    };
    assert!(matches!(
        folder.refuse_unless_own_folder(path),
        Err(PrivateFileError::ForeignOwner { .. })
    ));
    let own = Found { owner: 1000, ..found };
    own.refuse_unless_own_file(path).unwrap();
}

#[test]
fn an_open_secret_is_not_read() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("p/.env");
    write_private(&path, b"secret").unwrap();
    for open in [0o640, 0o604, 0o620, 0o666] {
        set_mode(&path, open);
        let refusal = read_private(&path).unwrap_err();
        assert!(matches!(refusal, PrivateFileError::TooOpen { mode, .. } if mode == open));
        assert!(refusal.to_string().contains("chmod 600"), "{refusal}");
    }
}

#[test]
fn what_is_no_file_is_refused_without_hanging() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("p");
    private_folder(&folder).unwrap();
    let pipe = folder.join("pipe");
    let node = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        node,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(matches!(
        read_private(&pipe),
        Err(PrivateFileError::NotAFile { .. })
    ));
    assert!(matches!(
        write_private(&pipe, b"x"),
        Err(PrivateFileError::NotAFile { .. })
    ));
    assert!(matches!(
        private_folder(&pipe),
        Err(PrivateFileError::NotAFolder { .. })
    ));
}

#[test]
fn missing_is_none_and_the_limit_is_exact() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("p/file");
    assert!(read_private(&path).unwrap().is_none());
    let limit = usize::try_from(MAX_BYTES).unwrap();
    for (size, fits) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        write_private(&path, &vec![b'x'; size]).unwrap();
        assert_eq!(read_private(&path).is_ok(), fits, "{size}");
    }
}

#[test]
fn an_output_is_private_and_leaves_its_folder_as_it_is() {
    let temp = tempfile::tempdir().unwrap();
    set_mode(temp.path(), 0o755);
    let path = temp.path().join("export.jsonl");
    let mut output = stage_output(&path).unwrap();
    output.write_all(b"line").unwrap();
    assert!(!path.exists(), "nothing is seen before it is whole");
    output.commit().unwrap();
    assert_eq!((mode(&path), mode(temp.path())), (0o600, 0o755));
    assert!(matches!(
        stage_output(temp.path()),
        Err(PrivateFileError::NotAFile { .. })
    ));
}

#[test]
fn a_dropped_stage_changes_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("p/file");
    write_private(&path, b"old").unwrap();
    drop(stage_private(&path, b"new").unwrap());
    assert_eq!(read_private(&path).unwrap().unwrap(), b"old");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}
