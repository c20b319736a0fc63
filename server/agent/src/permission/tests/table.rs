//! acp-agent.md §6.1: what each posture does with each kind of call, without and with rules.

use super::super::verdict::{Beyond, Grant, Policy, Standing, Verdict, judge};
use super::*;

/// What happens: `run`, `card`, or the last word of the code of the refusal.
fn outcome(case: &Case, policy: &Policy, standing: &Standing, planning: bool) -> String {
    match judge(case, policy, standing, planning) {
        Verdict::Run => "run".into(),
        Verdict::Ask(..) => "card".into(),
        Verdict::Refuse(refusal) => refusal.code.unwrap().trim_start_matches("permission.").into(),
    }
}

fn standing(posture: Posture) -> Standing {
    Standing {
        posture,
        trusted: true,
        grants: Vec::new(),
    }
}

/// The outcomes in all postures, lowest first.
fn row(case: &Case, policy: &Policy) -> String {
    let row: Vec<String> = Posture::ALL
        .into_iter()
        .map(|posture| outcome(case, policy, &standing(posture), false))
        .collect();
    row.join(" ")
}

fn policy(allow: &[&str], ask: &[&str], deny: &[&str]) -> Policy {
    Policy {
        rules: Rules {
            allow: rules(allow),
            ask: rules(ask),
            deny: rules(deny),
        },
        accepts_edits: false,
    }
}

fn read() -> Case {
    Case::new(
        "read_file",
        Intent::new(Class::Read, Some("src/a.rs".into())),
        None,
    )
}

fn with(case: &Case, change: impl FnOnce(&mut Intent)) -> Case {
    let mut intent = case.intent().clone();
    change(&mut intent);
    Case::new(case.tool(), intent, None)
}

fn outside(case: &Case) -> Case {
    with(case, |intent| intent.outside.push("/etc/hosts".into()))
}

#[test]
fn each_kind_of_call_in_each_posture() {
    let none = policy(&[], &[], &[]);
    let touch = bash(&["touch x"]);
    let fresh = with(&touch, |intent| intent.fresh = true);
    let fetch = Case::new(
        "web_fetch",
        Intent::new(Class::Fetch, Some("https://a.example/".into())),
        None,
    );
    let foreign = Case::new("mcp__a__b", Intent::new(Class::Other, None), None);
    let opaque = with(&touch, |intent| intent.opaque = true);
    // readOnly dontAsk ask auto yolo
    let writer = "read_only unattended card run run";
    let cases = [
        (&none, read(), "run run run run run"),
        (&none, touch.clone(), writer),
        (&none, write("a"), writer),
        (&none, fetch, writer),
        (&none, foreign, writer),
        (&none, opaque.clone(), writer),
        (&none, fresh.clone(), "read_only unattended card card card"),
        (&none, outside(&read()), "unattended unattended card card run"),
        (&none, outside(&touch), "read_only unattended card card run"),
        (
            &policy(&["Bash(touch:*)"], &[], &[]),
            touch.clone(),
            "read_only run run run run",
        ),
        (
            &policy(&["Bash(touch:*)"], &[], &[]),
            outside(&touch),
            "read_only run run run run",
        ),
        (&policy(&["Bash"], &[], &[]), opaque.clone(), writer),
        (
            &policy(&["Bash"], &[], &[]),
            fresh,
            "read_only unattended card card card",
        ),
        (
            &policy(&["Bash"], &["Bash(touch:*)"], &[]),
            touch.clone(),
            "read_only unattended card card run",
        ),
        (
            &policy(&[], &["read_file"], &[]),
            read(),
            "unattended unattended card card run",
        ),
        (
            &policy(&["Bash"], &["Bash"], &["Bash(touch:*)"]),
            touch,
            "deny_rule deny_rule deny_rule deny_rule deny_rule",
        ),
        (
            &policy(&[], &[], &["read_file(src/*)"]),
            read(),
            "deny_rule deny_rule deny_rule deny_rule deny_rule",
        ),
        (
            &policy(&[], &[], &["Bash(rm:*)"]),
            opaque.clone(),
            "read_only unattended card card card",
        ),
        (
            &policy(&[], &["Bash(rm:*)"], &[]),
            opaque,
            "read_only unattended card card run",
        ),
    ];
    for (policy, case, expected) in cases {
        assert_eq!(row(&case, policy), expected, "{case:?} {policy:?}");
    }
}

#[test]
fn one_denied_part_denies_the_whole_and_one_allowed_part_allows_nothing() {
    let policy = policy(&["Bash(git:*)"], &[], &["Bash(git push:*)"]);
    let cases: [(&[&str], &str); 4] = [
        (&["git status"], "run"),
        (&["git status", "git log"], "run"),
        (&["git status", "rm x"], "card"),
        (&["git status", "git push"], "deny_rule"),
    ];
    for (parts, expected) in cases {
        let got = outcome(&bash(parts), &policy, &standing(Posture::Ask), false);
        assert_eq!(got, expected, "{parts:?}");
    }
}

#[test]
fn a_rule_is_named_to_the_model() {
    let policy = policy(&[], &[], &["Bash(git push:*)"]);
    let Verdict::Refuse(refusal) = judge(&bash(&["git push"]), &policy, &standing(Posture::Yolo), false)
    else {
        panic!("not refused")
    };
    let text = refusal.to_string();
    assert!(
        text.starts_with("permission.deny_rule: Matched permission rule: deny Bash(git push:*)"),
        "{text}"
    );
}

#[test]
fn accepting_edits_is_ask_with_edits_made() {
    let policy = Policy {
        accepts_edits: true,
        ..policy(&[], &["Edit(*.lock)"], &[])
    };
    assert_eq!(row(&write("a"), &policy), "read_only unattended run run run");
    assert_eq!(
        row(&write("a.lock"), &policy),
        "read_only unattended card card run"
    );
    assert_eq!(
        row(&outside(&write("a")), &policy),
        "read_only unattended card card run"
    );
    assert_eq!(
        row(&bash(&["touch x"]), &policy),
        "read_only unattended card run run"
    );
}

#[test]
fn a_plan_changes_nothing_whatever_the_posture() {
    let policy = policy(&["Bash", "Edit"], &[], &[]);
    let fetch = Case::new("web_fetch", Intent::new(Class::Fetch, None), None);
    for posture in [Posture::DontAsk, Posture::Ask, Posture::Auto, Posture::Yolo] {
        let planned = |case: &Case| outcome(case, &policy, &standing(posture), true);
        assert_eq!(planned(&bash(&["touch x"])), "plan_mode");
        assert_eq!(planned(&write("a")), "plan_mode");
        assert_eq!(planned(&read()), "run");
        assert_eq!(
            planned(&fetch),
            outcome(&fetch, &policy, &standing(posture), false)
        );
    }
}

#[test]
fn a_conversation_from_the_browser_acts_only_when_asked() {
    let policy = Policy {
        accepts_edits: true,
        ..policy(&["Bash", "Edit"], &[], &["Bash(rm:*)"])
    };
    let look = with(&bash(&["ls"]), |intent| intent.class = Class::Read);
    let untrusted = |case: &Case| -> String {
        let outcomes = Posture::ALL.into_iter().map(|posture| {
            let standing = Standing {
                trusted: false,
                ..standing(posture)
            };
            outcome(case, &policy, &standing, false)
        });
        outcomes.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(untrusted(&read()), "run run run run run");
    assert_eq!(
        untrusted(&write("a")),
        "read_only untrusted_folder card card card"
    );
    assert_eq!(
        untrusted(&look),
        "untrusted_folder untrusted_folder card card card"
    );
    assert_eq!(
        untrusted(&bash(&["touch x"])),
        "read_only untrusted_folder card card card"
    );
    assert_eq!(
        untrusted(&bash(&["rm x"])),
        "deny_rule deny_rule deny_rule deny_rule deny_rule"
    );
}

#[test]
fn what_was_granted_inside_does_not_allow_leaving() {
    let inside = Grant {
        rule: Rule::parse("Bash(touch:*)").unwrap(),
        beyond: None,
    };
    let beyond = Grant {
        beyond: Some(Beyond::Outside),
        ..inside.clone()
    };
    let none = policy(&[], &[], &[]);
    let touch = bash(&["touch x"]);
    let granted = |case: &Case, grant: &Grant| {
        let standing = Standing {
            grants: vec![grant.clone()],
            ..standing(Posture::Ask)
        };
        outcome(case, &none, &standing, false)
    };
    assert_eq!(granted(&touch, &inside), "run");
    assert_eq!(granted(&outside(&touch), &inside), "card");
    assert_eq!(granted(&outside(&touch), &beyond), "run");
}

#[test]
fn a_command_that_changes_how_git_behaves_is_a_persons_decision() {
    let configures = with(&bash(&["git config a.b c"]), |intent| intent.tampers = true);
    let none = policy(&[], &[], &[]);
    assert_eq!(row(&configures, &none), "read_only unattended card card run");
    let allowed = policy(&["Bash(git config:*)"], &[], &[]);
    assert_eq!(row(&configures, &allowed), "read_only run run run run");
}

#[test]
fn whoever_allowed_a_command_did_not_allow_it_outside_the_sandbox() {
    let touch = bash(&["touch x"]);
    let free = with(&touch, |intent| intent.unconfined = true);
    let asked = "read_only unattended card card card";
    assert_eq!(row(&free, &policy(&[], &[], &[])), asked);
    assert_eq!(row(&free, &policy(&["Bash", "Bash=touch x"], &[], &[])), asked);
    let denied = "deny_rule deny_rule deny_rule deny_rule deny_rule";
    assert_eq!(row(&free, &policy(&[], &[], &["Bash(touch:*)"])), denied);
    let accepting = Policy {
        accepts_edits: true,
        ..policy(&[], &[], &[])
    };
    assert_eq!(row(&free, &accepting), asked);
    let none = policy(&[], &[], &[]);
    for posture in Posture::ALL
        .into_iter()
        .filter(|posture| *posture != Posture::ReadOnly)
    {
        assert_eq!(outcome(&free, &none, &standing(posture), true), "plan_mode");
        let untrusted = Standing {
            trusted: false,
            ..standing(posture)
        };
        let expected = if posture.asks() {
            "card"
        } else {
            "untrusted_folder"
        };
        assert_eq!(outcome(&free, &none, &untrusted, false), expected);
    }
    let granted = |case: &Case, beyond| {
        let rule = Rule::parse("Bash=touch x").unwrap();
        let standing = Standing {
            grants: vec![Grant { rule, beyond }],
            ..standing(Posture::Auto)
        };
        outcome(case, &none, &standing, false)
    };
    assert_eq!(granted(&free, Some(Beyond::Outside)), "card");
    assert_eq!(granted(&free, Some(Beyond::Sandbox)), "run");
    assert_eq!(granted(&outside(&touch), Some(Beyond::Sandbox)), "run");
}

#[test]
fn what_is_done_to_a_folder_is_done_to_all_that_it_holds() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let roots = crate::workspace::Roots::new(root.clone(), []);
    let moved = |names: Names, from: &str, to: &str| {
        let intent = Intent {
            names,
            segments: vec![to.into()],
            ..Intent::new(Class::Edit, Some(from.into()))
        };
        Case::new("move_file", intent, Some(&roots))
    };
    let folder = |from: &str, to: &str| moved(Names::Trees, from, to);
    let whole = "deny_rule deny_rule deny_rule deny_rule deny_rule";
    let unsure = "read_only unattended card card card";
    let writer = "read_only unattended card run run";
    let key = format!("Edit({}/secrets/key)", root.display());
    // What is denied, what is moved, what happens in readOnly dontAsk ask auto yolo.
    let cases = [
        ("Edit(secrets/*)", folder("secrets", "x"), whole),
        ("Edit(secrets/*)", folder("x", "secrets"), whole),
        ("Edit(secrets/a/b)", folder("secrets", "x"), whole),
        (key.as_str(), folder("secrets", "x"), whole),
        ("Edit(secrets/*)", folder("src", "x"), writer),
        ("Edit(*.env)", folder("src", "x"), unsure),
        ("Edit(*.env)", moved(Names::Files, "src", "x"), writer),
        ("Bash(rm:*)", folder("src", "x"), writer),
    ];
    for (denied, case, expected) in cases {
        assert_eq!(
            row(&case, &policy(&[], &[], &[denied])),
            expected,
            "{denied} {case:?}"
        );
    }
    let asked = policy(&["Edit"], &["Edit(secrets/*)", "Edit(*.env)"], &[]);
    let ask = "read_only unattended card card run";
    assert_eq!(row(&folder("secrets", "x"), &asked), ask);
    assert_eq!(row(&folder("src", "x"), &asked), ask);
    // What is allowed by its own name does not allow what is in it.
    let allowed = policy(&["Edit(src/*.d)", "Edit(new/*)"], &[], &[]);
    let run = "read_only run run run run";
    assert_eq!(row(&moved(Names::Files, "src/a.d", "new/a"), &allowed), run);
    assert_eq!(row(&folder("new/a", "new/b"), &allowed), run);
    assert_eq!(row(&folder("src/a.d", "new/a"), &allowed), writer);
}

#[test]
fn a_rule_about_files_sees_where_a_path_leads() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("src")).unwrap();
    let roots = crate::workspace::Roots::new(root.clone(), []);
    let policy = policy(&["Edit(src/*)"], &[], &["Edit(secrets/*)"]);
    let verdict = |path: &str| {
        let intent = Intent::new(Class::Edit, Some(path.into()));
        let case = Case::new("edit_file", intent, Some(&roots));
        outcome(&case, &policy, &standing(Posture::Ask), false)
    };
    let absolute = root.join("src/new.rs");
    for path in [
        "src/new.rs",
        "./src/a/b.rs",
        "secrets/../src/a",
        absolute.to_str().unwrap(),
    ] {
        let expected = if path.starts_with("secrets") {
            "deny_rule"
        } else {
            "run"
        };
        assert_eq!(verdict(path), expected, "{path}");
    }
    assert_eq!(verdict("src/../Cargo.toml"), "card");
    assert_eq!(verdict("src/../secrets/key"), "deny_rule");
    #[cfg(unix)]
    {
        std::fs::create_dir(root.join("secrets")).unwrap();
        std::os::unix::fs::symlink(root.join("secrets"), root.join("src/link")).unwrap();
        assert_eq!(verdict("src/link/key"), "deny_rule");
    }
}
