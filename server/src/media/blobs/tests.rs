use std::io::Write as _;
use std::sync::Arc;

use super::super::incoming::Kept;
use super::super::intake::Intake;
use super::*;

fn folder() -> (tempfile::TempDir, BlobFolder) {
    let folder = tempfile::tempdir().unwrap();
    let blobs = BlobFolder::open(folder.path().join("media")).unwrap();
    (folder, blobs)
}

fn add(blobs: &BlobFolder, bytes: &[u8]) -> BlobRef {
    let mut incoming = blobs
        .incoming(Arc::new(Intake::new(1 << 20)).share(1 << 20))
        .unwrap();
    incoming.write(bytes).unwrap();
    let staged = incoming.finish().unwrap();
    let Kept::File(file) = staged.kept else {
        panic!("a folder keeps files")
    };
    blobs.place(&staged.name, file).unwrap();
    blobs.sync().unwrap();
    staged.name
}

#[test]
fn a_file_is_read_in_parts() {
    let (_folder, blobs) = folder();
    let name = add(&blobs, b"abcdef");
    let mut blob = blobs.read(&name, 6).unwrap();
    assert_eq!(blob.read_at(1, 3).unwrap(), b"bcd");
    assert_eq!(blob.read_at(4, 2).unwrap(), b"ef");
    assert_eq!(blob.read_at(6, 0).unwrap(), b"");
    assert!(matches!(blob.read_at(4, 3), Err(BlobError::Damaged)));
    assert!(matches!(blobs.read(&name, 7), Err(BlobError::Damaged)));
}

#[test]
fn the_same_bytes_are_one_file_and_nothing_else_is_left() {
    let (_folder, blobs) = folder();
    let name = add(&blobs, b"abc");
    assert_eq!(add(&blobs, b"abc"), name);
    assert_eq!(blobs.names().unwrap(), [name]);
    assert_eq!(fs::read_dir(&blobs.folder).unwrap().count(), 1);
}

#[test]
fn a_file_that_was_changed_is_never_served() {
    let (_folder, blobs) = folder();
    let name = add(&blobs, b"abcdef");
    let mut open = blobs.read(&name, 6).unwrap();
    fs::write(blobs.path(&name), b"abcdeX").unwrap();
    assert!(matches!(open.read_at(0, 6), Err(BlobError::Damaged)));
    assert!(matches!(blobs.read(&name, 6), Err(BlobError::Damaged)));
    add(&blobs, b"abcdef");
    assert_eq!(blobs.read(&name, 6).unwrap().read_at(0, 6).unwrap(), b"abcdef");
}

#[test]
fn a_file_that_was_damaged_while_no_worker_ran_is_never_served() {
    let (folder, blobs) = folder();
    let name = add(&blobs, b"abcdef");
    drop(blobs);
    let mut file = File::options()
        .append(true)
        .open(folder.path().join("media").join(&name.as_str()[12..]))
        .unwrap();
    file.write_all(b"g").unwrap();
    let blobs = BlobFolder::open(folder.path().join("media")).unwrap();
    assert!(matches!(blobs.read(&name, 7), Err(BlobError::Damaged)));
}

#[test]
fn a_removed_file_is_gone_but_who_reads_it_goes_on() {
    let (_folder, blobs) = folder();
    let name = add(&blobs, b"abcdef");
    let open = blobs.read(&name, 6).unwrap();
    blobs.remove(&name);
    blobs.remove(&name);
    assert!(matches!(blobs.read(&name, 6), Err(BlobError::Missing)));
    assert_eq!(open.state.len, 6);
    assert_eq!(blobs.names().unwrap(), []);
}

#[test]
fn leftovers_of_dead_processes_go_and_what_is_being_written_stays() {
    let (_folder, blobs) = folder();
    let name = add(&blobs, b"abc");
    let (old, new) = (
        blobs.folder.join(".sidewire-old"),
        blobs.folder.join(".sidewire-new"),
    );
    fs::write(&old, b"x").unwrap();
    fs::write(&new, b"x").unwrap();
    let long_ago = SystemTime::now() - LEFT_OVER - Duration::from_secs(60);
    for path in [&old, &blobs.path(&name)] {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
    blobs.remove_leftovers().unwrap();
    assert!(!old.exists() && new.exists());
    assert!(
        blobs.read(&name, 3).is_ok(),
        "touched, hashed again and found whole"
    );
}

#[cfg(unix)]
#[test]
fn files_are_private_and_links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (folder, blobs) = folder();
    let name = add(&blobs, b"abc");
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&blobs.folder), mode(&blobs.path(&name))), (0o700, 0o600));
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(blobs.path(&name), &elsewhere).unwrap();
    symlink(&elsewhere, blobs.path(&name)).unwrap();
    assert!(matches!(blobs.read(&name, 3), Err(BlobError::File(_))));
}
