use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

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

/// The same at each later moment: what is written lands in the folder that was meant, or nowhere.
#[tokio::test]
async fn no_moment_of_saving_lets_a_link_lead_outside() {
    let bench = Bench::new();
    let (folder, aside) = (bench.root.join("folder"), bench.root.join("aside"));
    let file = bench.write("folder/a.txt", "old");
    let theirs = bench.outside.join("a.txt");
    fs::write(&theirs, "theirs").unwrap();
    let swap = || {
        fs::rename(&folder, &aside).unwrap();
        symlink(&bench.outside, &folder).unwrap();
    };
    let swap_back = || {
        fs::remove_file(&folder).unwrap();
        fs::rename(&aside, &folder).unwrap();
    };
    let place = || bench.disk.0.place(&file, true);

    // It was found inside, and is not yet walked to.
    bench.disk.inside(Path::new("folder/a.txt")).unwrap();
    swap();
    assert!(place().is_err());
    swap_back();

    // It was walked to: the folder is held, whatever its name leads to now.
    let held = place().unwrap();
    swap();
    held.put(b"mine", Put::Replace).unwrap();
    swap_back();
    assert_eq!(bench.read("folder/a.txt"), b"mine");

    // The file itself became a link, which is neither read nor replaced.
    let held = place().unwrap();
    fs::remove_file(&file).unwrap();
    symlink(&theirs, &file).unwrap();
    assert!(held.open().is_err());
    for put in [Put::Replace, Put::Create] {
        assert!(held.put(b"mine", put).is_err(), "{put:?}");
    }
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
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
async fn a_folder_that_holds_what_is_protected_stays_where_it_is() {
    let bench = Bench::new();
    bench.write("home/data/keys/key", "secret");
    let protected = Protected::new(None, [bench.root.join("home/data/keys")]);
    let roots = bench.disk.roots().clone();
    let disk = LocalWorkspace::new(roots, protected, bench.disk.0.launcher.clone());
    for holder in ["home", "home/data", "home/data/keys"] {
        let moved = disk.rename(Path::new(holder), Path::new("x"));
        assert!(matches!(moved, Err(WorkspaceError::Protected(_))), "{moved:?}");
    }
    assert_eq!(bench.read("home/data/keys/key"), b"secret");
}

/// What an editor would write is refused like what goes to the disk, before anything is written.
#[tokio::test]
async fn every_way_of_saving_is_checked_alike() {
    let bench = Bench::new();
    for (path, bits) in [
        ("free", 0o644),
        ("read-only", 0o444),
        ("keys/id", 0o644),
        ("taken", 0o644),
    ] {
        let path = bench.write(path, "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
    }
    fs::create_dir(bench.root.join("folder")).unwrap();
    symlink("free", bench.root.join("link")).unwrap();
    let check = async |path: &str, exists: bool| {
        let document = Document {
            path: bench.root.join(path),
            text: "new".to_owned(),
            encoding: Encoding::UTF_8,
            route: Route::Editor,
            exists,
        };
        bench.disk.check_save(&document).await
    };
    for (path, exists) in [("free", true), ("new/deep", false), ("never/saved", true)] {
        check(path, exists).await.unwrap();
    }
    assert!(!bench.root.join("new").exists());
    assert!(matches!(
        check("read-only", true).await,
        Err(WorkspaceError::ReadOnly(_))
    ));
    assert!(matches!(
        check("keys/id", true).await,
        Err(WorkspaceError::Protected(_))
    ));
    assert!(matches!(
        check("keys/new", false).await,
        Err(WorkspaceError::Protected(_))
    ));
    assert!(matches!(
        check("taken", false).await,
        Err(WorkspaceError::Exists(_))
    ));
    assert!(matches!(
        check("folder", true).await,
        Err(WorkspaceError::NotAFile(_))
    ));
    // It led elsewhere when it was opened.
    assert!(matches!(
        check("link", true).await,
        Err(WorkspaceError::Outside(_))
    ));
    assert!(matches!(
        check("../outside/a", false).await,
        Err(WorkspaceError::Outside(_))
    ));
}

/// Bits that let others write do not let its owner; root is let everywhere.
#[tokio::test]
async fn whoever_may_not_write_a_file_does_not_replace_it() {
    let bench = Bench::new();
    let path = bench.write("theirs", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o466)).unwrap();
    let saved = put(&bench, "theirs", "new").await;
    assert_eq!(saved.is_ok(), rustix::process::geteuid().is_root(), "{saved:?}");
}

#[tokio::test]
async fn nothing_is_moved_to_where_keys_will_lie() {
    let bench = Bench::new();
    bench.write("planted/config/.env", "mine");
    let protected = Protected::new(None, [bench.root.join("home/config")]);
    let roots = bench.disk.roots().clone();
    let disk = LocalWorkspace::new(roots, protected, bench.disk.0.launcher.clone());
    let moved = disk.rename(Path::new("planted"), Path::new("home"));
    assert!(matches!(moved, Err(WorkspaceError::Protected(_))), "{moved:?}");
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
