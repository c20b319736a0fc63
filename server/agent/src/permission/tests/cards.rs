//! Cards: what they say, what answers do, what ends them.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::Instant;

use super::*;
use crate::person::ChoiceKind;

fn labels(card: &Question) -> Vec<(&str, &str)> {
    let options = card.options.iter();
    options
        .map(|option| (option.id.as_str(), option.label.as_str()))
        .collect()
}

#[tokio::test]
async fn a_card_says_what_it_is_about_and_offers_the_official_kinds() {
    let person = Scripted::new([Act::Choose("allow_once")]);
    let gate = Gate::new(Posture::Ask);
    assert_eq!(ask(&gate, &bash(&["git commit -m x"]), &person).await, Ok(()));
    let [card] = person.cards().try_into().unwrap();
    assert_eq!(card.title, "bash git commit -m x");
    assert_eq!(card.about, Some(start("bash")));
    assert_eq!(
        labels(&card),
        [
            ("allow_once", "Allow"),
            ("allow_always", "Allow bash(git commit:*) for this session"),
            ("reject_once", "Reject"),
        ]
    );
    let kinds: Vec<ChoiceKind> = card.options.iter().map(|option| option.kind).collect();
    assert_eq!(
        kinds,
        [
            ChoiceKind::AllowOnce,
            ChoiceKind::AllowAlways,
            ChoiceKind::RejectOnce
        ]
    );
    let name: Vec<&str> = card.id.split('-').collect();
    let [gate, hex, number] = name[..] else {
        panic!("{}", card.id)
    };
    assert_eq!((gate, hex.len(), number), ("gate", 8, "1"));
    assert!(hex.chars().all(|char| char.is_ascii_hexdigit()));
}

#[tokio::test]
async fn what_a_lasting_yes_is_offered_for() {
    let fetch = |address: &str| Case::new("web_fetch", Intent::new(Class::Fetch, Some(address.into())), None);
    let opaque = |mut intent: Intent| {
        intent.opaque = true;
        Case::new("bash", intent, None)
    };
    let fresh = |mut intent: Intent| {
        intent.fresh = true;
        Case::new("bash", intent, None)
    };
    let outside = |mut intent: Intent| {
        intent.outside.push("/etc".into());
        Case::new("bash", intent, None)
    };
    let unconfined = |mut intent: Intent| {
        intent.unconfined = true;
        Case::new("bash", intent, None)
    };
    let moving = Intent {
        segments: vec!["/tmp/b".into()],
        outside: vec!["/tmp/b".into()],
        ..Intent::new(Class::Edit, Some("a".into()))
    };
    let long = format!("echo {}", "x".repeat(400));
    let cases: [(Case, Option<&str>); 18] = [
        (bash(&["touch x"]), Some("bash=touch x")),
        (bash(&["cargo test -p a"]), Some("bash(cargo test:*)")),
        (bash(&["cargo run --bin a"]), Some("bash=cargo run --bin a")),
        (bash(&["git -C x commit"]), Some("bash=git -C x commit")),
        (
            bash(&["cargo test", "git add a"]),
            Some("bash(cargo test:*), bash(git add:*)"),
        ),
        (bash(&["a", "b", "c", "d", "e"]), None),
        (bash(&[&long]), None),
        (write("a"), Some("Edit")),
        (
            fetch("https://a.example:8443/b?c"),
            Some("web_fetch(https://a.example:8443/*)"),
        ),
        (fetch("nonsense"), Some("web_fetch")),
        (
            Case::new("mcp__a__b", Intent::new(Class::Other, None), None),
            Some("mcp__a__b"),
        ),
        (opaque(command(&["sh -c x"])), None),
        (fresh(command(&["x"])), None),
        (outside(command(&["cat /etc/hosts"])), Some("bash=cat /etc/hosts")),
        (unconfined(command(&["npm install"])), Some("bash=npm install")),
        (unconfined(opaque(command(&["sh -c x"])).intent().clone()), None),
        (
            Case::new("move_file", moving, None),
            Some("move_file=a, move_file=/tmp/b"),
        ),
        (bash(&["git config a b"]), Some("bash=git config a b")),
    ];
    for (case, rule) in cases {
        let person = Scripted::new([Act::Choose("reject_once")]);
        ask(&Gate::new(Posture::Ask), &case, &person).await.unwrap_err();
        let card = &person.cards()[0];
        // Without a lasting yes it is not yet a decision that is made anew each time.
        assert_eq!(card.fresh, case.intent().fresh, "{case:?}");
        let offered = labels(card).into_iter().find(|(id, _)| *id == "allow_always");
        let expected = rule.map(|rule| format!("Allow {rule} for this session"));
        assert_eq!(offered.map(|(_, label)| label.to_owned()), expected, "{case:?}");
    }
}

#[tokio::test]
async fn answers_that_do_not_allow_say_why() {
    let cases = [
        (Act::Choose("reject_once"), Some("permission.declined")),
        (Act::Answer(Answer::Dismissed), Some("permission.declined")),
        (Act::Answer(Answer::None), Some("permission.unattended")),
        (Act::Choose("yes"), None),
    ];
    for (act, expected) in cases {
        let person = Scripted::new([act]);
        let refused = ask(&Gate::new(Posture::Ask), &bash(&["touch x"]), &person).await;
        assert_eq!(code(refused), expected);
    }
    let alone = ask(&Gate::new(Posture::Ask), &bash(&["touch x"]), &Nobody).await;
    assert_eq!(code(alone), Some("permission.unattended"));
}

#[tokio::test]
async fn a_lasting_yes_holds_for_the_session_and_for_its_rule_only() {
    let person = Scripted::new([
        Act::Choose("allow_always"),
        Act::Choose("reject_once"),
        Act::Choose("reject_once"),
    ]);
    let gate = Gate::new(Posture::Ask);
    assert_eq!(ask(&gate, &bash(&["git add a"]), &person).await, Ok(()));
    assert_eq!(ask(&gate, &bash(&["git add b"]), &person).await, Ok(()));
    ask(&gate, &bash(&["git push"]), &person).await.unwrap_err();
    assert_eq!(person.titles(), ["bash git add a", "bash git push"]);
    gate.forget_grants();
    ask(&gate, &bash(&["git add c"]), &person).await.unwrap_err();
}

#[tokio::test]
async fn an_answer_that_was_not_offered_allows_nothing() {
    let mut intent = command(&["sh -c x"]);
    intent.opaque = true;
    let person = Scripted::new([Act::Choose("allow_always")]);
    let gate = Gate::new(Posture::Ask);
    let refused = ask(&gate, &Case::new("bash", intent, None), &person).await;
    assert_eq!(refused.unwrap_err().to_string(), "approval aborted");
}

#[tokio::test]
async fn cards_are_shown_one_at_a_time_in_the_order_of_the_calls() {
    let person = Scripted::new([
        Act::Choose("allow_once"),
        Act::Choose("reject_once"),
        Act::Choose("allow_once"),
    ]);
    let gate = Gate::new(Posture::Ask);
    let cases = [bash(&["a"]), bash(&["b"]), bash(&["c"])];
    let answers = join_all(cases.iter().map(|case| ask(&gate, case, &person))).await;
    assert_eq!(
        answers.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [true, false, true]
    );
    assert_eq!(person.titles(), ["bash a", "bash b", "bash c"]);
}

#[tokio::test]
async fn one_answer_decides_every_call_that_waits_for_the_same() {
    let person = Scripted::new([Act::Choose("allow_always")]);
    let gate = Gate::new(Posture::Ask);
    let (one, other) = (write("a"), write("b"));
    let answers = tokio::join!(ask(&gate, &one, &person), ask(&gate, &other, &person));
    assert_eq!(answers, (Ok(()), Ok(())));
    assert_eq!(person.titles(), ["write_file a"]);
}

#[tokio::test(start_paused = true)]
async fn a_posture_that_decides_a_waiting_card_answers_it_at_once() {
    let cases = [
        (Posture::Auto, None),
        (Posture::Yolo, None),
        (Posture::DontAsk, Some("permission.unattended")),
        (Posture::ReadOnly, Some("permission.read_only")),
    ];
    for (posture, refusal) in cases {
        let person = Scripted::new([Act::Ponder]);
        let gate = Gate::new(Posture::Ask);
        let (first, second) = (bash(&["a"]), bash(&["b"]));
        let switch = async {
            person.shown.notified().await;
            // It decides nothing: the card stays.
            gate.set_posture(Posture::Ask);
            tokio::task::yield_now().await;
            assert_eq!(person.withdrawn(), Vec::<String>::new());
            gate.set_posture(posture);
        };
        let asked = tokio::join!(ask(&gate, &first, &person), ask(&gate, &second, &person), switch);
        for answer in [asked.0, asked.1] {
            assert_eq!(
                answer.err().and_then(|refusal| refusal.code),
                refusal,
                "{posture}"
            );
        }
        assert_eq!(person.withdrawn(), [person.cards()[0].id.clone()]);
        assert_eq!(person.titles(), ["bash a"], "the second was never shown");
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_turn_takes_a_card_away_at_once() {
    for act in [Act::Ponder, Act::Sleep] {
        let patient = matches!(act, Act::Sleep);
        let person = Scripted::new([act]);
        let (gate, cancel) = (Gate::new(Posture::Ask), CancellationToken::new());
        let (first, second) = (bash(&["a"]), bash(&["b"]));
        let began = Instant::now();
        let stop = async {
            person.shown.notified().await;
            cancel.cancel();
        };
        let asked = tokio::join!(
            judge(&gate, &first, &person, &cancel),
            judge(&gate, &second, &person, &cancel),
            stop
        );
        for answer in [asked.0, asked.1] {
            assert_eq!(answer.unwrap_err().to_string(), "the turn was stopped");
        }
        let most = Duration::from_millis(if patient { 500 } else { 0 });
        assert!(began.elapsed() <= most, "{:?}", began.elapsed());
        // The next turn has its cards again.
        let person = Scripted::new([Act::Choose("allow_once")]);
        assert_eq!(ask(&gate, &first, &person).await, Ok(()));
    }
}

#[tokio::test]
async fn trust_is_given_once_and_for_all() {
    let person = Scripted::new([Act::Choose("allow_once"), Act::Choose("allow_always")]);
    let gate = Gate::new(Posture::Auto).untrusted();
    assert_eq!(ask(&gate, &write("a"), &person).await, Ok(()));
    assert!(!gate.is_trusted());
    assert_eq!(ask(&gate, &write("b"), &person).await, Ok(()));
    assert!(gate.is_trusted());
    assert_eq!(
        ask(&gate, &write("c"), &person).await,
        Ok(()),
        "auto holds from here on"
    );
    let label = labels(&person.cards()[1])[1].1.to_owned();
    assert_eq!(label, "Allow, and trust this conversation to act here");
    let unseen = ask(&Gate::new(Posture::Yolo).untrusted(), &write("a"), &Nobody).await;
    assert_eq!(code(unseen), Some("permission.untrusted_folder"));
}

#[tokio::test]
async fn a_card_says_why_it_is_shown_and_where_the_call_reaches() {
    let mut intent = command(&["cat /etc/hosts"]);
    let plain = Case::new("bash", intent.clone(), None);
    intent.outside = vec!["/etc/hosts".into(), "/etc/fstab".into()];
    let (mut opaque, mut fresh, mut free) = (intent.clone(), intent.clone(), intent.clone());
    (opaque.opaque, fresh.fresh, free.unconfined) = (true, true, true);
    let cases = [
        (plain, "no permission rule allows it"),
        (
            Case::new("bash", intent, None),
            "it reaches outside the workspace: /etc/hosts, /etc/fstab",
        ),
        (write(".git/config"), "it changes how git behaves here"),
        (
            Case::new("bash", opaque, None),
            "it reaches outside the workspace: /etc/hosts, /etc/fstab",
        ),
        (
            Case::new("bash", free.clone(), None),
            "it runs outside the sandbox: it can read and write whatever you can, the keys of Sidewire too; \
             it reaches outside the workspace: /etc/hosts, /etc/fstab",
        ),
        (
            Case::new(
                "bash",
                Intent {
                    fresh: true,
                    outside: Vec::new(),
                    ..free
                },
                None,
            ),
            "only a person can decide this; it runs outside the sandbox: it can read and write whatever you can, \
             the keys of Sidewire too",
        ),
        (
            Case::new("bash", fresh, None),
            "only a person can decide this; it reaches outside the workspace: /etc/hosts, /etc/fstab",
        ),
    ];
    for (case, expected) in cases {
        let person = Scripted::new([Act::Choose("reject_once")]);
        ask(&Gate::new(Posture::Ask), &case, &person).await.unwrap_err();
        assert_eq!(person.cards()[0].detail.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn a_long_subject_is_shown_in_one_line_and_carried_whole() {
    let person = Scripted::new([Act::Choose("reject_once")]);
    let subject = format!("first\nsecond {}", "ä".repeat(1_000));
    let case = Case::new("bash", Intent::new(Class::Execute, Some(subject.clone())), None);
    ask(&Gate::new(Posture::Ask), &case, &person).await.unwrap_err();
    assert_eq!(person.cards()[0].subject, Some(subject));
    let title = &person.titles()[0];
    assert!(
        title.starts_with("bash first second ä") && title.ends_with('…'),
        "{title}"
    );
    assert!(title.len() < 320 && !title.contains('\n'));
}
