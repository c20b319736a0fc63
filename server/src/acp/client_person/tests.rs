use std::sync::Arc;

use sidewire_agent::event::{ToolContent, ToolStart};
use sidewire_agent::tool::{Location, ToolKind as Kind};
use tokio::task::JoinHandle;

use super::*;
use crate::acp::testing::{Editor, editor, session};

const METHOD: &str = "session/request_permission";

fn person() -> (Arc<ClientPerson>, Editor) {
    let (peer, editor) = editor();
    (
        Arc::new(told(ClientPerson::new(
            peer,
            session(),
            Arc::default(),
            "/w".into(),
        ))),
        editor,
    )
}

/// Somebody who has been told of the call that cards are about.
fn told(person: ClientPerson) -> ClientPerson {
    person.told.begin_with("t", "c");
    person
}

fn choice(id: &str, label: &str, kind: ChoiceKind) -> Choice {
    Choice {
        id: id.into(),
        label: label.into(),
        kind,
    }
}

/// A permission card for a command.
fn card_question(id: &str) -> Question {
    Question {
        id: id.into(),
        title: "bash cargo test".into(),
        detail: Some("It may change anything.".into()),
        about: Some(ToolStart {
            call_id: "c".into(),
            name: "bash".into(),
            title: "Run".into(),
            kind: Kind::Execute,
            arguments: json!({"command": "cargo test"}),
            locations: vec![Location {
                path: "/w".into(),
                line: None,
            }],
        }),
        shown: Vec::new(),
        subject: Some("cargo test".into()),
        fresh: false,
        options: vec![
            choice("allow_once", "Allow", ChoiceKind::AllowOnce),
            choice(
                "allow_always",
                "Allow bash for this session",
                ChoiceKind::AllowAlways,
            ),
            choice("reject_once", "Reject", ChoiceKind::RejectOnce),
        ],
        deadline_ms: None,
    }
}

/// A plain question.
fn plain_question() -> Question {
    Question {
        id: "ask-1-colour".into(),
        title: "Which colour?".into(),
        detail: None,
        about: None,
        shown: Vec::new(),
        subject: None,
        fresh: false,
        options: vec![
            choice("colour:0", "Red - warm", ChoiceKind::AllowOnce),
            choice("colour:1", "Blue - cold", ChoiceKind::AllowOnce),
        ],
        deadline_ms: None,
    }
}

fn ask(person: &Arc<ClientPerson>, question: Question, cancel: &CancellationToken) -> JoinHandle<Answer> {
    let (person, cancel) = (Arc::clone(person), cancel.clone());
    tokio::spawn(async move { person.ask(question, cancel).await })
}

fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

#[tokio::test]
async fn a_card_says_what_it_is_about_with_official_kinds_only() {
    let (person, mut editor) = person();
    let asking = ask(
        &person,
        card_question("gate-5d2f0a11-1"),
        &CancellationToken::new(),
    );
    let (id, params) = editor.request(METHOD).await;
    let expected = json!({
        "sessionId": "s",
        "toolCall": {
            "toolCallId": "t:c", "title": "Run", "name": "bash", "kind": "execute",
            "status": "pending", "rawInput": {"command": "cargo test"}, "locations": [{"path": "/w"}],
            "content": [{"type": "content", "content": {"type": "text", "text": "It may change anything."}}],
            "_meta": {"reasonix.io": {
                "approvalId": "5d2f0a11-1", "tool": "bash", "subject": "cargo test", "fresh": false,
                "reason": "It may change anything.", "commandSchemaVersion": 1, "argv": ["cargo", "test"], "cwd": "/w",
            }},
        },
        "options": [
            {"optionId": "allow_once", "name": "Allow", "kind": "allow_once"},
            {"optionId": "allow_always", "name": "Allow bash for this session", "kind": "allow_always"},
            {"optionId": "reject_once", "name": "Reject", "kind": "reject_once"},
        ],
    });
    assert_eq!(params, expected);
    editor.answer(&id, selected("allow_always")).await;
    assert_eq!(asking.await.unwrap(), Answer::Chosen("allow_always".into()));
}

#[tokio::test]
async fn a_card_shows_what_the_call_would_do_before_it_says_why() {
    let (person, mut editor) = person();
    let mut question = card_question("gate-1");
    question.shown = vec![ToolContent::Diff {
        path: "/w/a".into(),
        before: Some("one".into()),
        after: "two".into(),
    }];
    let asking = ask(&person, question, &CancellationToken::new());
    let params = editor.serve(METHOD, selected("allow_once")).await;
    let content = json!([
        {"type": "diff", "path": "/w/a", "oldText": "one", "newText": "two"},
        {"type": "content", "content": {"type": "text", "text": "It may change anything."}},
    ]);
    assert_eq!(params["toolCall"]["content"], content);
    asking.await.unwrap();
}

#[tokio::test]
async fn a_card_waits_for_the_call_it_is_about() {
    let (peer, mut editor) = editor();
    let person = Arc::new(ClientPerson::new(peer, session(), Arc::default(), "/w".into()));
    let cancel = CancellationToken::new();
    let never = ask(&person, card_question("gate-1"), &cancel);
    cancel.cancel();
    assert_eq!(never.await.unwrap(), Answer::None);
    let asking = ask(&person, card_question("gate-2"), &CancellationToken::new());
    let plan = Question {
        about: Some(ToolStart {
            name: calls::PLAN_TOOL.into(),
            ..card_question("gate-3").about.unwrap()
        }),
        ..card_question("gate-3")
    };
    person.told.begin_with("t", "c");
    let params = editor.serve(METHOD, selected("allow_once")).await;
    // Nothing came before: the first card was given up unseen.
    assert_eq!(params["toolCall"]["_meta"]["reasonix.io"]["approvalId"], "2");
    assert_eq!(params["toolCall"]["toolCallId"], "t:c");
    asking.await.unwrap();
    // Plans are no calls to an editor.
    let asking = ask(&person, plan, &CancellationToken::new());
    let params = editor.serve(METHOD, selected("allow_once")).await;
    assert_eq!(params["toolCall"]["toolCallId"], "gate-3");
    asking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_card_does_not_overtake_its_call_on_the_way_to_a_slow_editor() {
    let (peer, mut editor) = editor();
    let person = Arc::new(ClientPerson::new(peer, session(), Arc::default(), "/w".into()));
    let asking = ask(&person, card_question("gate-1"), &CancellationToken::new());
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    person.told.begin_with("t", "c");
    let params = editor.serve(METHOD, selected("allow_once")).await;
    assert_eq!(params["toolCall"]["toolCallId"], "t:c");
    asking.await.unwrap();
}

#[tokio::test]
async fn a_plain_question_can_be_answered_and_closed() {
    let rows = [
        ("colour:1", Answer::Chosen("colour:1".into())),
        ("ask-1-colour:cancel", Answer::Dismissed),
    ];
    for (option, expected) in rows {
        let (person, mut editor) = person();
        let asking = ask(&person, plain_question(), &CancellationToken::new());
        let params = editor.serve(METHOD, selected(option)).await;
        let raw = json!({
            "id": "ask-1-colour", "question": "Which colour?", "options": ["Red - warm", "Blue - cold"],
            "multi": false,
        });
        assert_eq!(
            (&params["toolCall"]["kind"], &params["toolCall"]["rawInput"]),
            (&json!("other"), &raw)
        );
        assert_eq!(params["toolCall"].get("_meta"), None);
        let cancel = json!({"optionId": "ask-1-colour:cancel", "name": "Cancel", "kind": "reject_once"});
        assert_eq!(params["options"][2], cancel);
        assert_eq!(asking.await.unwrap(), expected);
    }
}

#[tokio::test]
async fn whatever_is_no_choice_is_a_refusal() {
    let rows = [
        (selected("yes_to_all"), Answer::Dismissed),
        (json!({"outcome": {"outcome": "cancelled"}}), Answer::Dismissed),
        (json!({"outcome": {"outcome": "later"}}), Answer::None),
        (json!({}), Answer::None),
        (json!(7), Answer::None),
    ];
    for (answer, expected) in rows {
        let (person, mut editor) = person();
        let asking = ask(&person, card_question("gate-1"), &CancellationToken::new());
        editor.serve(METHOD, answer.clone()).await;
        assert_eq!(asking.await.unwrap(), expected, "{answer}");
    }
    let (person, mut editor) = person();
    let asking = ask(&person, card_question("gate-1"), &CancellationToken::new());
    let (id, _) = editor.request(METHOD).await;
    editor.refuse(&id).await;
    assert_eq!(asking.await.unwrap(), Answer::None);
    let asking = ask(&person, card_question("gate-2"), &CancellationToken::new());
    editor.request(METHOD).await;
    drop(editor);
    assert_eq!(asking.await.unwrap(), Answer::None);
}

#[tokio::test]
async fn one_card_is_open_at_a_time_and_the_others_wait_their_turn() {
    let (person, mut editor) = person();
    let cancel = CancellationToken::new();
    let first = ask(&person, card_question("gate-1"), &cancel);
    let (id, _) = editor.request(METHOD).await;
    let second = ask(&person, card_question("gate-2"), &cancel);
    let third_cancel = CancellationToken::new();
    let third = ask(&person, card_question("gate-3"), &third_cancel);
    third_cancel.cancel();
    assert_eq!(third.await.unwrap(), Answer::None);
    editor.answer(&id, selected("reject_once")).await;
    assert_eq!(first.await.unwrap(), Answer::Chosen("reject_once".into()));
    // The next message is the second card: nothing came while the first was open, and the third never comes.
    let (id, params) = editor.request(METHOD).await;
    assert_eq!(params["toolCall"]["_meta"]["reasonix.io"]["approvalId"], "2");
    editor.answer(&id, selected("allow_once")).await;
    assert_eq!(second.await.unwrap(), Answer::Chosen("allow_once".into()));
}

#[tokio::test]
async fn a_cancelled_card_ends_at_once_and_is_taken_back() {
    let (person, mut editor) = person();
    let cancel = CancellationToken::new();
    let asking = ask(&person, card_question("gate-1"), &cancel);
    let (id, _) = editor.request(METHOD).await;
    cancel.cancel();
    assert_eq!(asking.await.unwrap(), Answer::None);
    editor.given_up(&id).await;
    // A late answer disturbs nobody, and the next card comes.
    editor.answer(&id, selected("allow_once")).await;
    let asking = ask(&person, card_question("gate-2"), &CancellationToken::new());
    editor.serve(METHOD, selected("allow_once")).await;
    assert_eq!(asking.await.unwrap(), Answer::Chosen("allow_once".into()));
}

#[tokio::test(start_paused = true)]
async fn a_question_with_a_deadline_is_taken_back_when_it_passes() {
    let (person, mut editor) = person();
    let mut question = card_question("gate-1");
    question.deadline_ms = Some(1_000);
    let asking = ask(&person, question, &CancellationToken::new());
    let (id, _) = editor.request(METHOD).await;
    assert_eq!(asking.await.unwrap(), Answer::None);
    editor.given_up(&id).await;
}

#[tokio::test]
async fn the_subject_is_whole_and_a_fresh_decision_is_marked() {
    let subject = format!("echo {}\n| cat", "x".repeat(1_000));
    for fresh in [true, false] {
        let (person, mut editor) = person();
        let mut question = card_question("gate-1");
        // Nothing lasting is offered for a decision that is not fresh either.
        question.options.remove(1);
        question.title = "bash echo xxx… | cat".into();
        question.detail = None;
        question.subject = Some(subject.clone());
        question.fresh = fresh;
        question.about.as_mut().unwrap().arguments = json!({"command": subject});
        let asking = ask(&person, question, &CancellationToken::new());
        let params = editor.serve(METHOD, selected("allow_once")).await;
        let meta = json!({"approvalId": "1", "tool": "bash", "subject": subject, "fresh": fresh});
        assert_eq!(params["toolCall"]["_meta"]["reasonix.io"], meta);
        asking.await.unwrap();
    }
}

#[tokio::test]
async fn a_command_that_is_not_waited_for_is_not_taken_apart() {
    let (person, mut editor) = person();
    let mut question = card_question("gate-1");
    question.about.as_mut().unwrap().arguments = json!({"command": "cargo test", "run_in_background": true});
    let asking = ask(&person, question, &CancellationToken::new());
    let params = editor.serve(METHOD, selected("allow_once")).await;
    let meta = &params["toolCall"]["_meta"]["reasonix.io"];
    assert_eq!((meta.get("argv"), meta.get("cwd")), (None, None));
    asking.await.unwrap();
}

#[tokio::test]
async fn an_editor_that_cannot_show_questions_is_asked_for_permission_only() {
    let (peer, mut editor) = editor();
    let person = Arc::new(ClientPerson {
        silent: true,
        ..told(ClientPerson::new(peer, session(), Arc::default(), "/w".into()))
    });
    let cancel = CancellationToken::new();
    assert_eq!(
        ask(&person, plain_question(), &cancel).await.unwrap(),
        Answer::None
    );
    let asking = ask(&person, card_question("gate-1"), &cancel);
    editor.serve(METHOD, selected("allow_once")).await;
    assert_eq!(asking.await.unwrap(), Answer::Chosen("allow_once".into()));
}
