use std::time::Duration;

use serde_json::{Value, json};
use sidewire_agent::event::{Attempt, PlanEntry, ToolContent, TurnOutcome};
use sidewire_agent::message::{Notice, Usage};
use sidewire_agent::tool::{Location, ToolKind};

use super::*;

fn updates() -> TurnUpdates {
    TurnUpdates::new(TurnId("t".into()), false)
}

fn json(updates: &[SessionUpdate]) -> Vec<Value> {
    let json = |update| serde_json::to_value(update).unwrap();
    updates.iter().map(json).collect()
}

/// What one event becomes, as JSON.
fn of(updates: &mut TurnUpdates, event: TurnEvent) -> Value {
    json(&updates.take(News::Event(event))).pop().unwrap_or_default()
}

fn attempt(updates: &mut TurnUpdates, id: &str) {
    let attempt = Attempt {
        number: 1,
        message_id: id.into(),
        model: "m".into(),
    };
    assert_eq!(updates.take(News::Event(TurnEvent::Attempt(attempt))), []);
}

fn start(arguments: Value) -> TurnEvent {
    TurnEvent::ToolStarted(ToolStart {
        call_id: "c".into(),
        name: "edit_file".into(),
        title: "Edit main.rs".into(),
        kind: ToolKind::Edit,
        arguments,
        locations: vec![Location {
            path: "/w/main.rs".into(),
            line: Some(7),
        }],
    })
}

fn progress(content: Vec<ToolContent>) -> ToolProgress {
    ToolProgress {
        call_id: "c".into(),
        name: "edit_file".into(),
        content,
        kept_arguments: None,
    }
}

fn end(ok: bool, content: Vec<ToolContent>) -> ToolEnd {
    ToolEnd {
        call_id: "c".into(),
        name: "edit_file".into(),
        ok,
        ms: 3,
        content,
        kept_arguments: None,
        locations: Vec::new(),
    }
}

fn text(text: &str) -> Vec<ToolContent> {
    vec![ToolContent::Text(text.into())]
}

fn text_content(text: &str) -> Value {
    json!([{"type": "content", "content": {"type": "text", "text": text}}])
}

#[test]
fn chunks_of_an_attempt_share_an_id_and_the_next_attempt_has_another() {
    let mut updates = updates();
    let said = |updates: &mut TurnUpdates, news| {
        let update = json(&updates.take(news)).pop().unwrap();
        (update["sessionUpdate"].clone(), update["messageId"].clone())
    };
    let message = |id: &str| (json!("agent_message_chunk"), json!(id));
    let early = said(&mut updates, News::Text("early".into()));
    assert_eq!(early, (json!("agent_message_chunk"), Value::Null));
    attempt(&mut updates, "t/1");
    assert_eq!(said(&mut updates, News::Text("a".into())), message("t/1"));
    let thought = said(&mut updates, News::Reasoning("hm".into()));
    assert_eq!(thought, (json!("agent_thought_chunk"), json!("t/1/thought")));
    assert_eq!(said(&mut updates, News::Text("b".into())), message("t/1"));
    attempt(&mut updates, "t/2");
    assert_eq!(said(&mut updates, News::Text("c".into())), message("t/2"));
}

#[test]
fn a_long_text_is_several_chunks_and_an_empty_one_none() {
    let mut updates = updates();
    let long = "x".repeat(100_000);
    let chunks = json(&updates.take(News::Text(long.clone())));
    let text: String = chunks
        .iter()
        .map(|chunk| chunk["content"]["text"].as_str().unwrap())
        .collect();
    assert_eq!((chunks.len(), text), (2, long));
    assert_eq!(updates.take(News::Text(String::new())), []);
    let end = News::End {
        outcome: TurnOutcome::Done,
        references: Vec::new(),
    };
    assert_eq!(updates.take(end), []);
}

#[test]
fn a_call_is_told_from_its_beginning_to_its_end() {
    let mut updates = updates();
    let began = of(&mut updates, start(json!({"path": "main.rs"})));
    // `pending` is the default and written out by whoever sends it.
    let expected = json!({
        "sessionUpdate": "tool_call", "toolCallId": "t:c", "title": "Edit main.rs", "name": "edit_file",
        "kind": "edit", "locations": [{"path": "/w/main.rs", "line": 7}], "rawInput": {"path": "main.rs"},
    });
    assert_eq!(began, expected);
    let report = of(&mut updates, TurnEvent::ToolProgress(progress(text("half"))));
    let expected = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "t:c", "status": "in_progress",
        "content": text_content("half"),
    });
    assert_eq!(report, expected);
    let diff = |before: Option<&str>| ToolContent::Diff {
        path: "/w/main.rs".into(),
        before: before.map(str::to_owned),
        after: "new".into(),
    };
    let mut ended = end(true, vec![diff(Some("old")), diff(None)]);
    ended.locations = vec![Location {
        path: "/w/main.rs".into(),
        line: None,
    }];
    let expected = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "t:c", "status": "completed",
        "content": [
            {"type": "diff", "path": "/w/main.rs", "oldText": "old", "newText": "new"},
            {"type": "diff", "path": "/w/main.rs", "newText": "new"},
        ],
        "locations": [{"path": "/w/main.rs"}],
    });
    assert_eq!(of(&mut updates, TurnEvent::ToolFinished(ended)), expected);
}

#[test]
fn a_call_that_failed_says_so() {
    let mut updates = updates();
    let failed = of(
        &mut updates,
        TurnEvent::ToolFinished(end(false, text("no such file"))),
    );
    assert_eq!(
        (&failed["status"], &failed["content"]),
        (&json!("failed"), &text_content("no such file"))
    );
    let silent = of(&mut updates, TurnEvent::ToolFinished(end(true, text(""))));
    assert_eq!(silent.get("content"), None);
}

#[test]
fn arguments_are_shown_when_they_are_json_and_without_secrets() {
    let rows = [
        (json!({"a": 1}), Some(json!({"a": 1}))),
        (json!([1]), Some(json!([1]))),
        (json!("{broken"), None),
        (Value::Null, None),
    ];
    for (arguments, expected) in rows {
        let began = of(&mut updates(), start(arguments));
        assert_eq!(began.get("rawInput"), expected.as_ref());
    }
    let long = of(&mut updates(), start(json!({"text": ["x".repeat(9_000)]})));
    let text = long["rawInput"]["text"][0].as_str().unwrap();
    assert!(text.ends_with("…(1000 more chars truncated)"));
    let mut updates = updates();
    of(&mut updates, start(json!({"value": "hunter2"})));
    let mut hidden = progress(Vec::new());
    hidden.kept_arguments = Some(json!({"value": "[hidden]"}));
    let report = of(&mut updates, TurnEvent::ToolProgress(hidden));
    assert_eq!(report["rawInput"], json!({"value": "[hidden]"}));
    let mut ended = end(true, Vec::new());
    ended.kept_arguments = Some(json!({"value": "[hidden]"}));
    let ended = of(&mut updates, TurnEvent::ToolFinished(ended));
    assert_eq!(ended["rawInput"], json!({"value": "[hidden]"}));
}

#[test]
fn output_is_cut_at_its_end_and_while_it_comes_at_its_beginning() {
    let mut updates = updates();
    of(&mut updates, start(json!({})));
    let long = format!("{}end", "x".repeat(8_000));
    let shown = |update: Value| {
        update["content"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let report = shown(of(&mut updates, TurnEvent::ToolProgress(progress(text(&long)))));
    assert!(report.starts_with("…(3 earlier chars left out)\n") && report.ends_with("end"));
    let ended = shown(of(&mut updates, TurnEvent::ToolFinished(end(true, text(&long)))));
    assert!(ended.ends_with("x\n…(3 more chars truncated)"));
}

#[tokio::test(start_paused = true)]
async fn reports_come_at_a_pace_and_the_last_one_always() {
    let mut updates = updates();
    of(&mut updates, start(json!({})));
    let report =
        |updates: &mut TurnUpdates, words: &str| of(updates, TurnEvent::ToolProgress(progress(text(words))));
    assert_eq!(report(&mut updates, "1")["content"], text_content("1"));
    assert_eq!(updates.due(), None);
    assert_eq!(report(&mut updates, "2"), Value::Null);
    assert_eq!(report(&mut updates, "3"), Value::Null);
    let due = updates.due().unwrap();
    assert_eq!(
        (due - Instant::now(), updates.overdue()),
        (reports::PACE, Vec::new())
    );
    tokio::time::advance(reports::PACE).await;
    let overdue = json(&updates.overdue());
    assert_eq!((overdue.len(), &overdue[0]["content"]), (1, &text_content("3")));
    assert_eq!((updates.due(), updates.overdue()), (None, Vec::new()));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(report(&mut updates, "4")["content"], text_content("4"));
    assert_eq!(report(&mut updates, "5"), Value::Null);
    of(&mut updates, TurnEvent::ToolFinished(end(true, text("5"))));
    tokio::time::advance(reports::PACE).await;
    assert_eq!((updates.due(), updates.overdue()), (None, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_terminal_is_shown_at_once_and_stays() {
    let mut updates = updates();
    of(&mut updates, start(json!({})));
    of(&mut updates, TurnEvent::ToolProgress(progress(Vec::new())));
    let terminal = vec![ToolContent::Terminal("term".into())];
    let shown = json!([{"type": "terminal", "terminalId": "term"}]);
    let report = of(&mut updates, TurnEvent::ToolProgress(progress(terminal.clone())));
    assert_eq!(
        (&report["status"], &report["content"]),
        (&json!("in_progress"), &shown)
    );
    let again = of(&mut updates, TurnEvent::ToolProgress(progress(terminal.clone())));
    assert_eq!(again, Value::Null);
    // It is not named again: it was given back, and clients know it no longer.
    let ended = of(&mut updates, TurnEvent::ToolFinished(end(true, terminal.clone())));
    assert_eq!(
        (&ended["status"], ended.get("content")),
        (&json!("completed"), None)
    );
    of(&mut updates, start(json!({})));
    of(&mut updates, TurnEvent::ToolProgress(progress(terminal)));
    let stopped = of(&mut updates, TurnEvent::ToolFinished(end(false, text("stopped"))));
    assert_eq!(
        (&stopped["status"], stopped.get("content")),
        (&json!("failed"), None)
    );
}

#[test]
fn a_plan_has_priorities_and_an_empty_one_clears_it() {
    let entry = |status, top_level| PlanEntry {
        content: "do".into(),
        status,
        top_level,
    };
    let entries = vec![
        entry(PlanStatus::Completed, true),
        entry(PlanStatus::InProgress, false),
        entry(PlanStatus::Pending, true),
    ];
    let expected = json!({"sessionUpdate": "plan", "entries": [
        {"content": "do", "priority": "high", "status": "completed"},
        {"content": "do", "priority": "medium", "status": "in_progress"},
        {"content": "do", "priority": "high", "status": "pending"},
    ]});
    assert_eq!(of(&mut updates(), TurnEvent::Plan(entries)), expected);
    let cleared = json!({"sessionUpdate": "plan", "entries": []});
    assert_eq!(of(&mut updates(), TurnEvent::Plan(Vec::new())), cleared);
}

#[test]
fn a_plan_comes_before_the_call_that_made_it() {
    let start = |call_id: &str| match start(json!({})) {
        TurnEvent::ToolStarted(start) => TurnEvent::ToolStarted(ToolStart {
            call_id: call_id.into(),
            name: calls::PLAN_TOOL.into(),
            ..start
        }),
        other => other,
    };
    let kinds = |updates: &mut TurnUpdates, event| -> Vec<Value> {
        let updates = json(&updates.take(News::Event(event)));
        updates
            .iter()
            .map(|update| update["sessionUpdate"].clone())
            .collect()
    };
    let mut updates = updates();
    assert!(kinds(&mut updates, start("c")).is_empty());
    assert!(kinds(&mut updates, TurnEvent::ToolProgress(progress(Vec::new()))).is_empty());
    let planned = kinds(&mut updates, TurnEvent::Plan(Vec::new()));
    assert_eq!(planned, ["plan", "tool_call"]);
    let ended = kinds(&mut updates, TurnEvent::ToolFinished(end(true, Vec::new())));
    assert_eq!(ended, ["tool_call_update"]);
    // One that made none is told with its end.
    kinds(&mut updates, start("other"));
    kinds(&mut updates, start("c"));
    let failed = kinds(&mut updates, TurnEvent::ToolFinished(end(false, Vec::new())));
    assert_eq!(failed, ["tool_call", "tool_call_update"]);
}

#[test]
fn usage_is_told_when_the_window_is_known() {
    let report = |window| {
        TurnEvent::Usage(UsageReport {
            turn: Usage::default(),
            context: 5,
            window,
        })
    };
    let expected = json!({"sessionUpdate": "usage_update", "used": 5, "size": 100});
    assert_eq!(of(&mut updates(), report(Some(100))), expected);
    for unknown in [None, Some(0)] {
        assert_eq!(of(&mut updates(), report(unknown)), Value::Null);
    }
}

#[test]
fn notices_stand_in_the_text_without_an_id_or_beside_it() {
    let rows = [
        (Notice::HistoryTrimmed, "history_trimmed"),
        (Notice::PageTrimmed, "page_trimmed"),
        (Notice::AnswerClipped, "answer_clipped"),
        (Notice::StepLimit, "step_limit"),
        (Notice::Withheld, "withheld"),
        (Notice::GuessedWindow, "guessed_window"),
    ];
    for (notice, code) in rows {
        let mut updates = updates();
        attempt(&mut updates, "t/1");
        let told = of(&mut updates, TurnEvent::Notice(notice));
        assert!(
            told["content"]["text"]
                .as_str()
                .unwrap()
                .starts_with("\n\n[warning] "),
            "{told}"
        );
        assert_eq!(
            (
                told.get("messageId"),
                &told["_meta"]["reasonix.io"]["notice"]["code"]
            ),
            (None, &json!(code))
        );
        let beside = of(
            &mut TurnUpdates::new(TurnId("t".into()), true),
            TurnEvent::Notice(notice),
        );
        assert_eq!(
            (&beside["sessionUpdate"], &beside["severity"]),
            (&json!("notice"), &json!("warning"))
        );
    }
    let compacted = TurnEvent::Notice(Notice::Compacted { messages: 12 });
    let told = of(&mut updates(), compacted);
    assert_eq!(
        told["content"]["text"],
        "\n\n[compacted 12 earlier messages to save context]\n\n"
    );
}

#[test]
fn only_a_long_wait_for_the_provider_is_told() {
    let waiting = |wait_ms| TurnEvent::Retrying { attempt: 3, wait_ms };
    assert_eq!(of(&mut updates(), waiting(TOLD_WAIT_MS - 1)), Value::Null);
    let told = of(&mut updates(), waiting(TOLD_WAIT_MS));
    let expected = "\n\n[warning] The provider failed; asking again in 2 s (try 3).\n\n";
    assert_eq!(told["content"]["text"], expected);
}
