use serde_json::json;

use super::*;
use crate::event::ToolContent;
use crate::message::{Message, Role};
use crate::testing::record;
use crate::tool::ToolKind;

fn started(call_id: &str) -> TurnEvent {
    TurnEvent::ToolStarted(ToolStart {
        call_id: call_id.into(),
        name: "t".into(),
        title: "T".into(),
        kind: ToolKind::Read,
        arguments: json!({ "range": "A1" }),
        locations: Vec::new(),
    })
}

fn report(call_id: &str, text: &str) -> TurnEvent {
    TurnEvent::ToolProgress(ToolProgress {
        call_id: call_id.into(),
        name: "t".into(),
        content: vec![ToolContent::Text(text.into())],
        kept_arguments: None,
    })
}

fn finished(call_id: &str) -> TurnEvent {
    TurnEvent::ToolFinished(ToolEnd {
        call_id: call_id.into(),
        name: "t".into(),
        ok: true,
        ms: 1,
        content: Vec::new(),
        kept_arguments: None,
        locations: Vec::new(),
    })
}

fn feed() -> (Arc<TurnFeed>, Subscription) {
    let feed = Arc::new(TurnFeed::new(record("t")));
    let subscription = feed.subscribe(Arc::default());
    (feed, subscription)
}

#[test]
fn reports_replace_each_other_and_fill_no_log() {
    let (feed, mut reader) = feed();
    feed.push(started("1"));
    for at in 0..10_000 {
        feed.push(report("1", &at.to_string()));
    }
    assert_eq!(
        reader.take(),
        [News::Event(started("1")), News::Event(report("1", "9999"))]
    );
    assert_eq!(reader.take(), []);
    feed.push(report("1", "more"));
    assert_eq!(reader.take(), [News::Event(report("1", "more"))]);
    assert_eq!(feed.record().tools[0].output.as_deref(), Some("more"));
    assert_eq!(feed.lock().log.len(), 1);
}

#[test]
fn a_report_is_not_shown_after_its_end_nor_without_its_beginning() {
    let (feed, mut reader) = feed();
    feed.push(report("1", "early"));
    feed.push(started("1"));
    feed.push(report("1", "half"));
    feed.push(finished("1"));
    feed.push(report("1", "late"));
    assert_eq!(
        reader.take(),
        [News::Event(started("1")), News::Event(finished("1"))]
    );
}

#[test]
fn a_secret_is_gone_for_every_reader_once_it_is_known() {
    let (feed, mut early) = feed();
    let mut late = feed.subscribe(Arc::default());
    let secret = |call_id: &str| {
        TurnEvent::ToolProgress(ToolProgress {
            call_id: call_id.into(),
            name: "t".into(),
            content: Vec::new(),
            kept_arguments: Some(json!({ "range": "[hidden]" })),
        })
    };
    feed.push(secret("1"));
    feed.push(started("1"));
    assert_eq!(early.take(), [News::Event(started("1"))]);
    feed.push(secret("1"));
    // A later report, and the end, need not say it again.
    feed.push(report("1", "more"));
    feed.push(finished("1"));
    assert_eq!(
        feed.record().tools[0].input.as_deref(),
        Some(r#"{"range":"[hidden]"}"#)
    );
    assert_eq!(feed.kept_arguments("1"), Some(json!({ "range": "[hidden]" })));
    assert!(!format!("{:?}", late.take()).contains("A1"));
    let ends = early.take();
    let [News::Event(TurnEvent::ToolFinished(end))] = ends.as_slice() else {
        panic!("{ends:?}")
    };
    assert_eq!(end.kept_arguments, feed.kept_arguments("1"));
}

#[test]
fn everything_that_a_record_shows_makes_it_another_one() {
    let (feed, _) = feed();
    let mut seen = Saved::default();
    assert!(feed.partial_since(seen).is_none());
    for event in [
        TurnEvent::Text("a".into()),
        started("1"),
        report("1", "half"),
        finished("1"),
        TurnEvent::Notice(crate::message::Notice::StepLimit),
    ] {
        feed.push(event.clone());
        let (saved, partial) = feed.partial_since(seen).unwrap();
        assert!(saved != seen && partial.record == feed.record(), "{event:?}");
        seen = saved;
    }
    feed.push(TurnEvent::Reasoning("hm".into()));
    assert!(feed.partial_since(seen).is_none());
}

#[test]
fn finished_steps_are_told_once_and_what_is_said_now_again_and_again() {
    let (feed, _) = feed();
    let said = |text: &str| Message::text(Role::Assistant, text);
    let results = Message::text(Role::Tool, "results");
    let say = |text: &str| feed.push(TurnEvent::Text(text.into()));
    let since = |then| {
        let (saved, partial) = feed.partial_since(then).unwrap();
        (saved, partial.kept, partial.messages)
    };
    say("I look. ");
    let (first, kept, messages) = since(Saved::default());
    assert_eq!((kept, messages), (0, vec![said("I look. ")]));
    feed.keep_step(&[said("I look. "), results.clone()]);
    let (second, kept, messages) = since(first);
    assert_eq!((kept, messages), (0, vec![said("I look. "), results.clone()]));
    say("Now");
    let (third, kept, messages) = since(second);
    assert_eq!((kept, messages), (2, vec![said("Now")]));
    say(" this");
    assert_eq!(since(third).2, [said("Now this")]);
    assert_eq!(feed.messages(), [said("I look. "), results, said("Now this")]);
}

#[test]
fn changed_files_are_kept_beside_the_record() {
    let (feed, _) = feed();
    feed.push(started("1"));
    let TurnEvent::ToolFinished(end) = finished("1") else {
        panic!("an end")
    };
    feed.push(TurnEvent::ToolFinished(ToolEnd {
        content: vec![ToolContent::Diff {
            path: "/w/a".into(),
            before: None,
            after: "new".into(),
        }],
        ..end
    }));
    let kept = CallDiff {
        call_id: "1".into(),
        path: "/w/a".into(),
        before: None,
        after: "new".into(),
    };
    assert_eq!(feed.diffs(), [kept]);
    // The record, which clients get, shows the file by its name.
    assert_eq!(feed.record().tools[0].output.as_deref(), Some("/w/a"));
    assert!(!serde_json::to_string(&feed.record()).unwrap().contains("new"));
}

#[test]
fn an_answer_has_places_for_so_much_media() {
    let (feed, _) = feed();
    let taken = (0..100).filter(|_| feed.take_media_place()).count();
    assert_eq!(taken, MEDIA_LIMIT);
}

#[test]
fn a_client_that_comes_back_has_the_newest_report_in_its_record() {
    let (feed, _) = feed();
    feed.push(started("1"));
    feed.push(report("1", "half"));
    let (record, mut reader) = feed.resume(Arc::default());
    assert_eq!(record.tools[0].output.as_deref(), Some("half"));
    assert_eq!(record.tools[0].input.as_deref(), Some(r#"{"range":"A1"}"#));
    assert_eq!(reader.take(), []);
    feed.push(report("1", "more"));
    assert_eq!(reader.take(), [News::Event(report("1", "more"))]);
}
