use super::*;

/// A place with folders in it, with every link on the way to it resolved.
struct Place {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn place(folders: &[&str]) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    for name in folders {
        fs::create_dir_all(path.join(name)).unwrap();
    }
    Place {
        path,
        _folder: folder,
    }
}

impl Place {
    fn at(&self, name: &str) -> String {
        self.path.join(name).to_str().unwrap().to_owned()
    }

    fn vet(&self, wanted: &[&str], policy: &Policy) -> Result<Roots, Error> {
        let wanted: Vec<String> = wanted.iter().map(|name| self.at(name)).collect();
        let folders = vet(&self.path.join("work"), &wanted, policy)?;
        Ok(folders.roots)
    }
}

fn code(refused: Result<impl std::fmt::Debug, Error>) -> String {
    let error = refused.unwrap_err();
    assert_eq!(error.code, Error::INVALID_PARAMS);
    error.data.unwrap()["code"].as_str().unwrap().to_owned()
}

#[test]
fn folders_that_are_fine_become_roots() {
    let place = place(&["work", "lib", "docs"]);
    // One that is named twice is still one.
    let wanted = ["lib", "docs/../docs/", "lib"];
    let roots = place.vet(&wanted, &Policy::default()).unwrap();
    assert_eq!(roots.folder(), place.path.join("work"));
    assert_eq!(
        roots.all()[1..],
        [place.path.join("lib"), place.path.join("docs")]
    );
    assert_eq!(place.vet(&[], &Policy::default()).unwrap().all().len(), 1);
}

#[test]
fn one_bad_folder_refuses_all_and_says_why() {
    let place = place(&["work/sub", "lib/sub", "keys/.ssh", "home/.config/ours", "plain"]);
    fs::write(place.path.join("file"), "").unwrap();
    let policy = Policy {
        workspace_only: false,
        private: vec![place.path.join("home/.config/ours")],
        browser: None,
    };
    let rows = [
        (&["missing"][..], "workspace_roots.missing"),
        (&["file"], "workspace_roots.not_directory"),
        (&["plain", "keys/.ssh"], "workspace_roots.protected"),
        (&["keys"], "workspace_roots.protected"),
        (&["home/.config/ours"], "workspace_roots.protected"),
        (&["home"], "workspace_roots.protected"),
        (&["work"], "workspace_roots.overlap"),
        (&["work/sub"], "workspace_roots.overlap"),
        (&[""], "workspace_roots.overlap"),
        (&["lib", "lib/sub"], "workspace_roots.overlap"),
        (&["lib/sub", "lib"], "workspace_roots.overlap"),
    ];
    for (wanted, expected) in rows {
        assert_eq!(code(place.vet(wanted, &policy)), expected, "{wanted:?}");
    }
    let relative = vet(&place.path.join("work"), &["lib".to_owned()], &policy);
    assert_eq!(code(relative), "workspace_roots.not_absolute");
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_they_are_judged() {
    use std::os::unix::fs::symlink;
    let place = place(&["work/sub", "keys/.ssh", "lib"]);
    for (name, target) in [
        ("to-keys", "keys/.ssh"),
        ("to-work", "work/sub"),
        ("to-lib", "lib"),
        ("to-nothing", "gone"),
    ] {
        symlink(place.path.join(target), place.path.join(name)).unwrap();
    }
    let policy = Policy::default();
    assert_eq!(
        code(place.vet(&["to-keys"], &policy)),
        "workspace_roots.protected"
    );
    assert_eq!(code(place.vet(&["to-work"], &policy)), "workspace_roots.overlap");
    assert_eq!(
        code(place.vet(&["to-nothing"], &policy)),
        "workspace_roots.missing"
    );
    let roots = place.vet(&["to-lib"], &policy).unwrap();
    assert_eq!(roots.all()[1], place.path.join("lib"));
}

#[cfg(unix)]
#[test]
fn a_folder_of_another_user_is_refused() {
    let place = place(&["work", "lib"]);
    // Nobody but root can give a folder away, and for anybody else the root folder is another user's.
    let theirs = if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(place.path.join("lib"), Some(65_534), None).unwrap();
        place.at("lib")
    } else {
        "/usr".to_owned()
    };
    let refused = vet(&place.path.join("work"), &[theirs], &Policy::default());
    assert_eq!(code(refused), "workspace_roots.not_owned");
}

#[test]
fn there_are_at_most_so_many() {
    let names: Vec<String> = (0..=MOST).map(|at| format!("d{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = place(&[&["work"][..], &names].concat());
    for count in [MOST - 1, MOST] {
        assert_eq!(
            place
                .vet(&names[..count], &Policy::default())
                .unwrap()
                .all()
                .len(),
            count + 1
        );
    }
    assert_eq!(
        code(place.vet(&names, &Policy::default())),
        "acp.additional_directories.too_many"
    );
}

#[test]
fn an_agent_for_one_folder_takes_no_other() {
    let place = place(&["work", "lib"]);
    let policy = Policy {
        workspace_only: true,
        ..Policy::default()
    };
    assert_eq!(
        code(place.vet(&["lib"], &policy)),
        "acp.additional_directories.disabled"
    );
    assert!(place.vet(&[], &policy).is_ok());
}

#[test]
fn the_working_folder_must_be_one() {
    let place = place(&[]);
    fs::write(place.path.join("file"), "").unwrap();
    let rows = [
        (PathBuf::from("work"), "workspace_roots.not_absolute"),
        (place.path.join("missing"), "workspace_roots.missing"),
        (place.path.join("file"), "workspace_roots.not_directory"),
    ];
    for (cwd, expected) in rows {
        assert_eq!(code(vet(&cwd, &[], &Policy::default())), expected);
    }
}

#[test]
fn nobody_works_among_keys_or_in_our_own_folders() {
    let place = place(&[
        "home/.ssh/deep",
        "home/.aws",
        "home/work",
        "home/ours/browser/deep",
        "home/ours/logs",
    ]);
    let policy = Policy {
        private: vec![place.path.join("home/ours")],
        browser: Some(place.path.join("home/ours/browser")),
        ..Policy::default()
    };
    for name in [
        "home/.ssh",
        "home/.ssh/deep",
        "home/.aws",
        "home/ours",
        "home/ours/logs",
        "home/ours/browser/deep",
    ] {
        let refused = vet(&place.path.join(name), &[], &policy);
        assert_eq!(code(refused), "workspace_roots.protected", "{name}");
    }
    // A home folder is one a person may choose, and the conversations of a browser go on in theirs.
    for name in ["home", "home/work", "home/ours/browser"] {
        assert!(vet(&place.path.join(name), &[], &policy).is_ok(), "{name}");
    }
    let beside = vet(
        &place.path.join("home/work"),
        &[place.at("home/ours/browser")],
        &policy,
    );
    assert_eq!(code(beside), "workspace_roots.protected");
}
