use std::fs;
use std::path::Path;

use super::*;

/// Two folders with a file each, `in` and `out`.
fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().canonicalize().unwrap();
    let (inside, outside) = (real.join("in"), real.join("out"));
    for folder in [&inside, &outside] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("old"), "old").unwrap();
    }
    (place, inside, outside)
}

/// Runs this confined; nothing is run where nothing confines.
fn confined(bounds: Bounds, run: impl FnOnce() + Send + 'static) {
    if sandbox().is_none() {
        eprintln!("skipped: this kernel has no Landlock");
        return;
    }
    let thread = std::thread::spawn(move || {
        confine(&bounds).unwrap();
        run();
    });
    thread.join().unwrap();
}

fn reads(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text == "old")
}

#[test]
fn a_confined_thread_writes_only_where_it_may() {
    let (_place, may, may_not) = folders();
    let bounds = Bounds {
        write: vec![may.clone()],
        ..Bounds::default()
    };
    let outside = may_not.clone();
    confined(bounds, move || {
        fs::write(may.join("new"), "new").unwrap();
        fs::rename(may.join("old"), may.join("moved")).unwrap();
        fs::write("/dev/null", "x").unwrap();
        assert!(reads(&may_not.join("old")));
        for refused in [
            fs::write(may_not.join("new"), "new"),
            fs::write(may_not.join("old"), "new"),
            fs::remove_file(may_not.join("old")),
            fs::rename(may_not.join("old"), may.join("stolen")),
            fs::create_dir(may_not.join("folder")),
            std::os::unix::fs::symlink("/", may_not.join("link")),
        ] {
            assert!(refused.is_err());
        }
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(reads(&outside.join("old")));
}

#[test]
fn what_is_hidden_is_not_read_by_any_name() {
    let (_place, shown, hidden) = folders();
    let link = shown.join("link");
    std::os::unix::fs::symlink(&hidden, &link).unwrap();
    let bounds = Bounds {
        write: vec![shown.clone()],
        hide: vec![hidden.clone()],
        show: vec![shown.clone()],
    };
    confined(bounds, move || {
        let through_proc = Path::new("/proc/self/root").join(hidden.strip_prefix("/").unwrap());
        for folder in [&hidden, &link, &through_proc] {
            assert!(!reads(&folder.join("old")), "{}", folder.display());
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "names are no secret");
        }
        // Nor by a name of one's own.
        assert!(fs::hard_link(hidden.join("old"), shown.join("mine")).is_err());
        assert!(fs::copy(hidden.join("old"), shown.join("mine")).is_err());
        assert!(reads(&shown.join("old")));
        fs::write(shown.join("new"), "old").unwrap();
        assert!(reads(&shown.join("new")), "what it writes it can read");
        for file in ["/etc/passwd", "/proc/self/status", "/dev/null", "/proc/self/exe"] {
            fs::File::open(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        }
        // Pipes have no place at all.
        let (reader, _writer) = io::pipe().unwrap();
        let again = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        fs::File::open(again).unwrap();
    });
}

#[test]
fn what_is_shown_in_a_hidden_place_is_read_and_the_rest_is_not() {
    let (place, inside, outside) = folders();
    let bounds = Bounds {
        hide: vec![place.path().to_owned()],
        show: vec![inside.clone()],
        ..Bounds::default()
    };
    confined(bounds, move || {
        assert!(reads(&inside.join("old")) && !reads(&outside.join("old")));
        assert!(fs::write(inside.join("new"), "").is_err());
    });
}

/// What a command can do to a folder beside which it may write: the next one must not be let in where it leads.
#[test]
fn a_place_that_became_a_link_opens_nothing() {
    let (place, inside, outside) = folders();
    let real = inside.parent().unwrap().to_owned();
    let deep = inside.join("deep");
    fs::create_dir(&deep).unwrap();
    fs::create_dir(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/old"), "old").unwrap();
    let bounds = Bounds {
        write: vec![inside.clone(), deep.clone()],
        hide: vec![outside.clone()],
        show: vec![inside.clone(), deep.join("old")],
    };
    fs::rename(&inside, real.join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    let kept = outside.clone();
    confined(bounds, move || {
        for folder in [&inside, &deep, &outside, &outside.join("deep")] {
            assert!(!reads(&folder.join("old")), "{}", folder.display());
            assert!(fs::write(folder.join("new"), "").is_err(), "{}", folder.display());
        }
        assert!(reads(&real.join("moved/old")), "which is not hidden");
    });
    assert!(!kept.join("new").exists() && !kept.join("deep/new").exists());
    drop(place);
}

#[test]
fn bounds_come_through_a_variable_as_they_are() {
    let bounds = Bounds {
        write: vec!["/home/ann/a b&c=d".into(), "/tmp:x%20\n+".into(), "/ö".into()],
        hide: vec!["/home/ann/.config".into()],
        show: Vec::new(),
    };
    let value = bounds.variable().unwrap();
    assert_eq!(Bounds::from_variable(&value), bounds, "{value}");
    assert_eq!(Bounds::from_variable("write=&unknown=x").write, [PathBuf::new()]);
}
