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
        fs::create_dir_all(root.join("sub/deep")).unwrap();
        fs::create_dir(root.join("plain")).unwrap();
        fs::write(root.join("plain/b"), "").unwrap();
        fs::create_dir(&beside).unwrap();
        fs::write(root.join("a"), "").unwrap();
        fs::write(beside.join("secret"), "").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&beside, root.join("leads-out")).unwrap();
            std::os::unix::fs::symlink(&beside, root.join("sub/leads-out")).unwrap();
            std::os::unix::fs::symlink(beside.join("nothing"), root.join("dangling")).unwrap();
            std::os::unix::fs::symlink("sub/deep", root.join("link")).unwrap();
            std::os::unix::fs::symlink("/proc/self/cwd", root.join("here")).unwrap();
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
        // Links that only a pattern or an option leads through.
        "cat lead*/secret",
        "cat l?*",
        "ls *",
        "cat */leads-out/secret",
        "cat -- s*b/leads-out/secret",
        "cat .?/beside/secret",
        "cat .*/secret",
        "cat sub/.?/../beside/secret",
        "grep -nf../beside/secret a",
        "grep -nFfleads-out/secret a",
        "grep -RfBESIDE/secret a",
        "gcc -c../beside/secret",
        "git -C sub diff --no-index leads-out/secret a",
        "cd -P sub && cat leads-out/secret",
        "cd -- sub && cat leads-out/secret",
        "cd link/.. && cat leads-out/secret",
        "diff . sub",
        "diff sub ../root",
        "git show HEAD:../beside/secret",
        "date -r ../beside/secret",
        "env cat BESIDE/secret",
        // What is not there yet.
        "echo x > 'BESIDE/new file'",
        "mkdir -p BESIDE/a/b/c",
        "mkdir BESIDE/new/",
        "touch 'BESIDE/new file'",
        "cat \"BESIDE/$NAME\"",
        "cat BESIDE/{secret,x}",
    ] {
        let found = scene.outside(command);
        let parent = scene.place.roots.folder().parent().unwrap();
        // As it is written, where it cannot be followed.
        let leaves = |path: &PathBuf| path.starts_with(parent) || path.is_relative();
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
        "cd --",
        "cd -P",
        "cd -L",
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
        "ls a* plain/* su?/d*",
        "grep x plain/*",
        "diff plain sub/deep",
        "echo x > /dev/null",
        "cat /dev/fd/0",
        "sed -n '/a b/p' a",
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
    let many = format!("touch {}", "a ".repeat(5000));
    assert_eq!(scene.outside(&many), [PathBuf::from("/")]);
    let folders = "cd sub; cd a; cd b; cd c; cd d; ls";
    assert!(scene.outside(folders).contains(&PathBuf::from("/")));
}

#[test]
fn what_cannot_be_followed_is_outside() {
    let scene = Scene::new();
    for command in [
        "cd -",
        "cd -- -",
        "cat /dev/fd/../root/etc/hostname",
        "cat /dev/fd/",
        "cat /dev/fd/0/../x",
        "echo x > /dev/fd/../root/tmp/x",
        "cat /proc/self/cwd/no/such",
        "cat here/no/such",
        "cat here/a",
        "echo x > /dev/tcp/example.org/80",
        "locate secret",
        "cat */../../x",
    ] {
        assert!(!scene.outside(command).is_empty(), "{command}");
    }
}

#[test]
fn a_file_that_a_pattern_makes_an_option_of_is_seen() {
    let scene = Scene::new();
    let folder = scene.place.roots.folder();
    fs::remove_file(folder.join("leads-out")).unwrap();
    fs::remove_file(folder.join("dangling")).unwrap();
    fs::remove_file(folder.join("here")).unwrap();
    assert_eq!(scene.outside("grep x *"), Vec::<PathBuf>::new());
    fs::write(folder.join("-R"), "").unwrap();
    assert_ne!(scene.outside("grep x *"), Vec::<PathBuf>::new());
}

#[test]
fn places_of_keys_are_for_a_person_to_decide() {
    let scene = Scene::new();
    let folder = scene.place.roots.folder();
    for place in [".ssh", "keys"] {
        fs::create_dir(folder.join(place)).unwrap();
        fs::write(folder.join(place).join("id"), "").unwrap();
    }
    for command in [
        "cat .ssh/id",
        "cat sub/../.ssh/id",
        "cat .ss?/id",
        "cat k*/id",
        "cat ~/.ssh/id",
        "cat $HOME/.gnupg/x",
        "cat \"$X/.ssh/id\"",
        "cd .ssh && cat id",
        "cat keys/id",
        "grep -fkeys/id a",
        "grep -r x .",
        "grep -r x",
        "rg x",
        "cp -r . BESIDE/copy",
        "touch keys/new",
        "echo x > keys/new",
    ] {
        let intent = scene
            .place
            .classify(&command.replace("BESIDE", scene.beside.to_str().unwrap()));
        assert!(intent.fresh && !intent.outside.is_empty(), "{command}");
    }
    for command in [
        "cat a",
        "ls",
        "ls -la .",
        "grep x a",
        "find . -name id",
        "echo .ssh",
    ] {
        assert!(!scene.place.classify(command).fresh, "{command}");
    }
}
