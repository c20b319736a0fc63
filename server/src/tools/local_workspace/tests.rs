use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::tools::testing::Bench;

const LIMIT: u64 = 1024;

async fn put(bench: &Bench, path: &str, text: &str) -> Result<(), WorkspaceError> {
    let mut document = bench.disk.open(Path::new(path), LIMIT).await?;
    document.text = text.to_owned();
    bench.disk.save(&document).await
}

#[tokio::test]
async fn mode_bits_and_hard_edges_of_a_file_are_kept() {
    let bench = Bench::new();
    let path = bench.write("run.sh", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    put(&bench, "run.sh", "new").await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o751);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = put(&bench, "run.sh", "newer").await;
    assert!(matches!(refused, Err(WorkspaceError::ReadOnly(_))), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    put(&bench, "fresh", "x").await.unwrap();
    assert_eq!(fs::metadata(bench.root.join("fresh")).unwrap().mode() & 0o111, 0);
    // Nothing is left lying about.
    let mut names: Vec<_> = fs::read_dir(&bench.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["fresh", "run.sh"]);
}

#[tokio::test]
async fn the_limit_is_exact_and_holds_before_reading() {
    let bench = Bench::new();
    bench.write("just", "x".repeat(1024));
    bench.write("over", "x".repeat(1025));
    assert_eq!(
        bench
            .disk
            .open(Path::new("just"), LIMIT)
            .await
            .unwrap()
            .text
            .len(),
        1024
    );
    let over = bench.disk.open(Path::new("over"), LIMIT).await;
    assert!(
        matches!(over, Err(WorkspaceError::TooLarge { limit: LIMIT, .. })),
        "{over:?}"
    );
    let huge = fs::File::create(bench.root.join("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let huge = bench.disk.open(Path::new("huge"), LIMIT).await;
    assert!(matches!(huge, Err(WorkspaceError::TooLarge { .. })), "{huge:?}");
}

#[tokio::test]
async fn what_is_no_file_is_not_waited_for() {
    let bench = Bench::new();
    let fifo = rustix::fs::CWD;
    rustix::fs::mknodat(
        fifo,
        bench.root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let opened = bench.disk.open(Path::new("pipe"), LIMIT).await;
    assert!(matches!(opened, Err(WorkspaceError::NotAFile(_))), "{opened:?}");
    let saved = put(&bench, ".", "x").await;
    assert!(matches!(saved, Err(WorkspaceError::NotAFile(_))), "{saved:?}");
}

#[tokio::test]
async fn a_link_within_is_followed_and_stays_a_link() {
    let bench = Bench::new();
    bench.write("real.txt", "old");
    symlink("real.txt", bench.root.join("link.txt")).unwrap();
    put(&bench, "link.txt", "new").await.unwrap();
    assert_eq!(bench.read("real.txt"), b"new");
    assert!(bench.root.join("link.txt").is_symlink());
}

/// Between opening and saving a folder becomes a link that leads out.
#[tokio::test]
async fn a_folder_that_became_a_link_is_not_followed() {
    let bench = Bench::new();
    bench.write("folder/a.txt", "old");
    fs::write(bench.outside.join("a.txt"), "theirs").unwrap();
    let mut document = bench.disk.open(Path::new("folder/a.txt"), LIMIT).await.unwrap();
    fs::rename(bench.root.join("folder"), bench.root.join("moved")).unwrap();
    symlink(&bench.outside, bench.root.join("folder")).unwrap();
    document.text = "mine".to_owned();
    assert!(bench.disk.save(&document).await.is_err());
    assert_eq!(fs::read_to_string(bench.outside.join("a.txt")).unwrap(), "theirs");
}

/// The same at any moment: whatever wins, nothing is written outside.
#[tokio::test(flavor = "multi_thread")]
async fn no_race_with_links_writes_outside() {
    let bench = Bench::new();
    bench.write("folder/a.txt", "old");
    fs::write(bench.outside.join("a.txt"), "theirs").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let (stop, root, outside) = (Arc::clone(&stop), bench.root.clone(), bench.outside.clone());
        move || {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(root.join("folder"), root.join("aside")).unwrap();
                symlink(&outside, root.join("folder")).unwrap();
                fs::remove_file(root.join("folder")).unwrap();
                fs::rename(root.join("aside"), root.join("folder")).unwrap();
            }
        }
    });
    let mut written = 0;
    for round in 0..300 {
        let opened = bench.disk.open(Path::new("folder/a.txt"), LIMIT).await;
        // Where there is none just then, saving would make a new folder in the way of the swapping.
        let Some(mut document) = opened.ok().filter(|document| document.exists) else {
            continue;
        };
        document.text = format!("mine {round}");
        written += usize::from(bench.disk.save(&document).await.is_ok());
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(written > 0, "the race was never won");
    assert_eq!(fs::read_to_string(bench.outside.join("a.txt")).unwrap(), "theirs");
    assert_eq!(fs::read_dir(&bench.outside).unwrap().count(), 1);
}

#[tokio::test]
async fn a_new_file_never_replaces_one_that_came_meanwhile() {
    let bench = Bench::new();
    let mut document = bench.disk.open(Path::new("a.txt"), LIMIT).await.unwrap();
    assert!(!document.exists && document.route == Route::Disk);
    bench.write("a.txt", "theirs");
    document.text = "mine".to_owned();
    let saved = bench.disk.save(&document).await;
    assert!(matches!(saved, Err(WorkspaceError::Exists(_))), "{saved:?}");
    assert_eq!(bench.read("a.txt"), b"theirs");
}

#[tokio::test]
async fn a_root_stays_what_it_was_whatever_its_name_leads_to() {
    let bench = Bench::new();
    bench.write("a.txt", "old");
    let moved = bench.root.with_file_name("moved");
    fs::rename(&bench.root, &moved).unwrap();
    symlink(&bench.outside, &bench.root).unwrap();
    fs::write(bench.outside.join("a.txt"), "theirs").unwrap();
    assert!(put(&bench, "a.txt", "mine").await.is_err());
    assert_eq!(fs::read_to_string(bench.outside.join("a.txt")).unwrap(), "theirs");
}
