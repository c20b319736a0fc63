//! Which places outside the workspace a command names.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A workspace with something in it, and something beside it.
struct Scene {
    place: Place,
    beside: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new();
        let root = place.roots.folder().to_owned();
        let beside = root.parent().unwrap().join("beside");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir(&beside).unwrap();
        fs::write(root.join("a"), "").unwrap();
        fs::write(beside.join("secret"), "").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&beside, root.join("leads-out")).unwrap();
            std::os::unix::fs::symlink(&beside, root.join("sub/leads-out")).unwrap();
            std::os::unix::fs::symlink(beside.join("nothing"), root.join("dangling")).unwrap();
        }
        Self { place, beside }
    }

    fn outside(&self, command: &str) -> Vec<PathBuf> {
        let command = command.replace("BESIDE", self.beside.to_str().unwrap());
        self.place.classify(&command).outside
    }
}

#[test]
#[cfg(unix)]
fn names_that_leave_the_workspace_are_found() {
    let scene = Scene::new();
    for command in [
        "cat BESIDE/secret",
        "cat ../beside/secret",
        "cat sub/../../beside/secret",
        "cat 'BESIDE/secret'",
        "cat leads-out/secret",
        "ls leads-out",
        "ls leads-out/*",
        "ls BESIDE/sec*",
        "ls sub/*/../../../beside",
        "grep -fBESIDE/secret a",
        "grep -rfBESIDE/secret a",
        "grep --file=BESIDE/secret a",
        "cd .. && ls",
        "cd sub && cat leads-out/secret",
        "(cd sub; ls) && cat ../beside/secret",
        "test -f BESIDE/secret",
        "cp a BESIDE/new",
        "cp a ../beside/new",
        "tar -C BESIDE -xf a",
        "dd if=a of=BESIDE/new",
        "echo x > BESIDE/new",
        "cat > BESIDE/new <<'EOF'\nx\nEOF",
        "cat << EOF > BESIDE/new\nx\nEOF",
        "sort < BESIDE/secret",
        "touch dangling",
        "sudo cat BESIDE/secret",
        "sh -c 'cat BESIDE/secret'",
        "git -C .. status",
    ] {
        let found = scene.outside(command);
        let parent = scene.place.roots.folder().parent().unwrap();
        let leaves = |path: &PathBuf| path.starts_with(parent) || path.ends_with("../beside");
        assert!(found.iter().any(leaves), "{command} {found:?}");
    }
}

#[test]
fn the_home_folder_is_outside() {
    let scene = Scene::new();
    for command in [
        "ls ~",
        "cat ~/.ssh/id",
        "cat ~root/x",
        "cat $HOME/x",
        "cat \"${HOME}/x\"",
        "cd",
        "tar --file=~/x",
    ] {
        assert_eq!(scene.outside(command).len(), 1, "{command}");
    }
}

#[test]
fn what_stays_inside_or_is_no_path_is_left_alone() {
    let scene = Scene::new();
    for command in [
        "cat a sub/new ./a sub/../a",
        "ls * sub/*",
        "cd sub && cat ../a",
        "grep '/api/v1' a",
        "rg '^/no/such/path' .",
        "sed -n '/fn main/,/^}/p' a",
        "awk '/x/ {print}' a",
        "echo /etc/hosts ../beside",
        "gcc -Isub/include a",
        "cargo test 2>/dev/null",
        "npm view https://example.org/x",
        "git show HEAD~1:a",
        "touch sub/new && rm sub/new",
        "/bin/ls a",
    ] {
        assert_eq!(scene.outside(command), Vec::<PathBuf>::new(), "{command}");
    }
}

#[test]
fn too_many_names_may_lead_anywhere() {
    let scene = Scene::new();
    let many = format!("touch {}", "a ".repeat(600));
    assert_eq!(scene.outside(&many), [PathBuf::from("/")]);
    let folders = "cd sub; cd a; cd b; cd c; cd d; ls";
    assert!(scene.outside(folders).contains(&PathBuf::from("/")));
}
