use super::*;

#[test]
fn what_changes_how_git_behaves_is_told_from_its_words() {
    let place = Place::new();
    for command in [
        "git config core.fsmonitor ./evil.sh",
        "git -C sub config --local core.hooksPath hooks",
        "git -c a.b=c config alias.x '!sh'",
        "/usr/bin/git config --add core.pager ./evil",
        "git config set core.editor ./evil",
        "git config --unset user.name",
        "git config -e",
        "git config core.hooksPath list",
        "git config core.hooksPath get",
        "patch --ignore-whitespace .git/config",
        "env A=b git config core.fsmonitor x",
        "true && git config core.fsmonitor x",
        "sh -c 'git config core.fsmonitor x'",
        "printf x > .git/hooks/post-checkout",
        "cat <<< x >> sub/.GIT/config",
        "cp evil .git/hooks/pre-commit",
        "ln -s evil ./.git/hooks/x",
        "chmod +x .git/hooks/x",
        "cd .git",
        "rm -rf .git",
        "dd of=.git/config",
        "cp evil .git/hooks/ignore/../pre-commit",
        "cd .git && printf x > config",
    ] {
        let intent = place.classify(command);
        let is_look = intent.class == Class::Read;
        assert!(intent.tampers || (is_look && command == "cd .git"), "{command}");
    }
}

#[test]
fn what_only_uses_git_or_looks_at_it_is_no_matter_of_its_behaviour() {
    let place = Place::new();
    for command in [
        "git commit -m 'config x'",
        "git add . && git commit -m x",
        "git config user.name",
        "git config --get core.editor",
        "git config --list --show-origin",
        "git config get core.editor",
        "git log -- config",
        "git clone https://example.org/project.git",
        "git remote add origin git@example.org:project.git",
        "npm install git+https://example.org/x.git",
        "echo .git/hooks",
        "cat .git/config",
        "ls .git/hooks",
        "tar --exclude=.git -cf out.tar .",
        "rsync -a --exclude .git . copy",
        "find . -name .git -prune -o -print > files",
        "rg x -g '!.git/'",
        "cargo build",
        "mkdir .github",
    ] {
        assert!(!place.classify(command).tampers, "{command}");
    }
}
