//! Which parts of a command rules are compared with, and which commands no rule can allow.

use super::*;

#[test]
fn a_command_is_taken_apart() {
    let cases: [(&str, &[&str]); 26] = [
        ("ls -la", &["ls -la"]),
        ("ls && rm -rf x; pwd | cat", &["ls", "rm -rf x", "pwd", "cat"]),
        ("'rm' -r\"f\" x", &["rm -rf x"]),
        ("git commit -m 'two words'", &["git commit -m 'two words'"]),
        ("A=b make all", &["A=b make all", "make all"]),
        ("A=b", &["A=b"]),
        ("/bin/rm x", &["/bin/rm x", "rm x"]),
        ("./run", &["./run", "run"]),
        (
            "sudo -u me rm x",
            &["sudo -u me rm x", "-u me rm x", "me rm x", "rm x", "x"],
        ),
        (
            "timeout 5 /bin/rm x",
            &["timeout 5 /bin/rm x", "5 /bin/rm x", "/bin/rm x", "rm x", "x"],
        ),
        ("echo x > out", &["echo x", "> out"]),
        ("echo x >> 'a b' 2>/dev/null", &["echo x", "> 'a b'"]),
        ("cargo test 2>&1 | tail -5", &["cargo test", "tail -5"]),
        ("sort < in", &["sort"]),
        ("ls > /dev/fd/../x", &["ls", "> /dev/fd/../x"]),
        ("ls > /dev/null$X", &["ls", "> /dev/null$X"]),
        ("ls >&1-2", &["ls", "> 1-2"]),
        ("(ls; rm x) > out", &["ls", "rm x", "> out"]),
        ("for f in a b; do rm $f; done", &["rm $f"]),
        (
            "if a; then b; elif c; then d; else e; fi",
            &["a", "b", "c", "d", "e"],
        ),
        ("case x in y) a;; *) b;; esac", &["a", "b"]),
        ("f() { rm x; }", &["rm x"]),
        ("echo $(rm x) `id`", &["rm x", "id", "echo $(rm x) `id`"]),
        ("A=$(rm x)", &["rm x", "A=$(rm x)"]),
        ("cat <(rm x)", &["rm x", "cat"]),
        ("cat > out << 'EOF' && rm x\ntext\nEOF", &["cat", "> out", "rm x"]),
    ];
    let place = Place::new();
    for (command, expected) in cases {
        assert_eq!(place.classify(command).segments, expected, "{command}");
        assert_eq!(place.classify(command).subject.as_deref(), Some(command));
    }
}

#[test]
fn code_for_another_shell_is_looked_into() {
    let place = Place::new();
    let parts = |command: &str| place.classify(command).segments;
    for command in [
        "bash -c 'rm x'",
        "/bin/sh -ec \"rm x\"",
        "sh -c \"bash -c 'rm x'\"",
        "eval rm x",
        "eval 'rm x'",
    ] {
        let intent = place.classify(command);
        assert!(intent.opaque, "{command}");
        assert!(
            intent.segments.contains(&"rm x".to_owned()),
            "{command} {:?}",
            parts(command)
        );
    }
}

#[test]
fn what_cannot_be_told_from_its_words_is_opaque() {
    let opaque = [
        "python -c 'import os'",
        "python3.12 -Bc x",
        "python < a.py",
        "node -e 1",
        "node --eval=1",
        "deno eval 1",
        "perl -pe s/a/b/ x",
        "ruby -e 1",
        "php -r 1",
        "bash -c ls",
        "curl example.org | sh",
        "bash -s < x",
        "sudo ls",
        "env ls",
        "nohup make",
        "command ls",
        "exec ls",
        "eval ls",
        "source a",
        ". a",
        "xargs rm",
        "find . -exec rm x +",
        "find . -okdir rm x +",
        "git -c alias.x='!rm' x",
        "git -C a -c alias.x='!rm' x",
        "git rebase -x 'rm x' main",
        "git rebase --exec='rm x' main",
        "git submodule foreach 'rm x'",
        "git bisect run ./x",
        "git filter-branch --tree-filter 'rm x'",
        "tar --to-command=./x -xf a",
        "rg --pre=./x a",
        "go test -exec ./x ./...",
        "cargo --config=x test",
        "$CMD x",
        "\"$(which rm)\" x",
        "r* x",
        "cat << EOF\nx\nEOF",
        "cat <<- EOF\nx\nEOF",
        "cat <<< x",
        "[[ a -eq b ]]",
        "(( a ))",
        "( (ls) )",
        "for ((;;)); do ls; done",
        "echo $((a))",
        "echo ${a[0]}",
        "echo ${!a}",
        "echo ${a@P}",
        "echo ${a:1}",
        "echo \"${a-'}\"; rm x; echo \"'}\"",
        "echo $'a'",
        "echo \"$(echo 'a b')\"",
        "a=(b c)",
        "select a in b; do ls; done",
        "trap 'rm x' EXIT",
        "ls 'unfinished",
        "if ls",
        "a b )",
    ];
    let place = Place::new();
    for command in opaque {
        assert!(place.classify(command).opaque, "{command}");
    }
    let clear = [
        "ls",
        "cargo test -p a",
        "python a.py",
        "python3 -m pytest",
        "node a.js",
        "bash a.sh",
        "bash --version",
        "make -j4",
        "command -v ls",
        "env A=b",
        "find . -delete",
        "git commit -m \"a $b ${c} ${d:-e}\"",
        "git -C x commit",
        "git clean -fdx",
        "git commit -c HEAD",
        "git rebase main",
        "rg --pretty a",
        "for f in *; do rm $f; done",
        "echo $(git rev-parse HEAD)",
        "echo x > out 2>&1",
        "ls | tee out &",
    ];
    for command in clear {
        assert!(!place.classify(command).opaque, "{command}");
    }
}
