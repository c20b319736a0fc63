use serde_json::json;
use sidewire_agent::ids::TurnId;
use sidewire_agent::message::{Notice, Role};
use sidewire_agent::tool::{Location, ToolKind};
use sidewire_contract::mode::Mode;

use super::*;

fn row(call_id: &str) -> ToolRow {
    ToolRow {
        call_id: call_id.into(),
        tool: "read_file".into(),
        label: "Read main.rs".into(),
        ok: Some(true),
        ms: Some(1),
        input: None,
        output: None,
        kind: Some(ToolKind::Read),
        locations: vec![Location {
            path: "/w/main.rs".into(),
            line: Some(2),
        }],
    }
}

fn call(call_id: &str, name: &str, arguments: Value) -> Part {
    Part::ToolCall {
        call_id: call_id.into(),
        name: name.into(),
        arguments,
    }
}

fn result(call_id: &str, text: &str, is_error: bool) -> Part {
    Part::ToolResult {
        call_id: call_id.into(),
        content: vec![ResultContent::Text { text: text.into() }],
        is_error,
    }
}

/// A turn in which the assistant and its tools say this, as JSON of its updates.
fn shown(record: TurnRecord, parts: Vec<(Role, Vec<Part>)>) -> Vec<Value> {
    shown_with(record, parts, Vec::new())
}

/// The same of a turn that showed these changed files.
fn shown_with(record: TurnRecord, parts: Vec<(Role, Vec<Part>)>, diffs: Vec<CallDiff>) -> Vec<Value> {
    let question = Message::text(Role::User, "<page>secret</page> hi");
    let answers = parts.into_iter().map(|(role, parts)| Message { role, parts });
    let turn = StoredTurn {
        number: 1,
        record,
        messages: std::iter::once(question).chain(answers).collect(),
        diffs,
    };
    let json = |update| serde_json::to_value(update).unwrap();
    updates(&turn).iter().map(json).collect()
}

fn record() -> TurnRecord {
    TurnRecord {
        tools: vec![row("c")],
        notices: vec![Notice::HistoryTrimmed],
        ..TurnRecord::begun(TurnId("t".into()), "hi", Mode::Educational, 0)
    }
}

fn text_content(text: &str) -> Value {
    json!([{"type": "content", "content": {"type": "text", "text": text}}])
}

#[test]
fn a_turn_is_shown_in_the_order_it_happened() {
    let parts = vec![
        (
            Role::Assistant,
            vec![
                Part::Reasoning {
                    text: "hm".into(),
                    signature: None,
                },
                Part::Text {
                    text: "I look.".into(),
                },
                call("c", "read_file", json!({"path": "main.rs"})),
            ],
        ),
        (Role::Tool, vec![result("c", "fn main", false)]),
        (Role::Assistant, vec![Part::Text { text: "Done.".into() }]),
    ];
    let expected = [
        json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "hi"}, "messageId": "t/question"}),
        json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}}),
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "I look."}}),
        json!({
            "sessionUpdate": "tool_call", "toolCallId": "t:c", "title": "Read main.rs", "name": "read_file",
            "kind": "read", "status": "completed", "rawInput": {"path": "main.rs"},
            "locations": [{"path": "/w/main.rs", "line": 2}],
        }),
        json!({
            "sessionUpdate": "tool_call_update", "toolCallId": "t:c", "status": "completed",
            "content": text_content("fn main"),
        }),
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}),
    ];
    assert_eq!(shown(record(), parts), expected);
}

#[test]
fn a_call_that_failed_stays_failed_and_long_output_is_cut() {
    let long = "x".repeat(8_001);
    let parts = vec![
        (Role::Assistant, vec![call("c", "read_file", json!("{broken"))]),
        (Role::Tool, vec![result("c", &long, true)]),
    ];
    let updates = shown(record(), parts);
    assert_eq!(
        (&updates[1]["status"], updates[1].get("rawInput")),
        (&json!("failed"), None)
    );
    assert_eq!(updates[2]["status"], "failed");
    let text = updates[2]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("x\n…(1 more chars truncated)"));
}

#[test]
fn an_edit_shows_its_difference_as_it_did_and_its_text_where_that_was_not_kept() {
    let ids = ["c", "new", "large"];
    let calls = ids.map(|id| call(id, "edit_file", json!({})));
    let results = ids.map(|id| result(id, "edited", false));
    let diff = |call_id: &str, before: Option<&str>| CallDiff {
        call_id: call_id.into(),
        path: "/w/a".into(),
        before: before.map(str::to_owned),
        after: "b\n".into(),
    };
    let parts = vec![(Role::Assistant, calls.into()), (Role::Tool, results.into())];
    let updates = shown_with(record(), parts, vec![diff("c", Some("a\n")), diff("new", None)]);
    let contents: Vec<&Value> = updates
        .iter()
        .rev()
        .take(3)
        .rev()
        .map(|update| &update["content"])
        .collect();
    assert_eq!(
        contents,
        [
            &json!([{"type": "diff", "path": "/w/a", "oldText": "a\n", "newText": "b\n"}]),
            &json!([{"type": "diff", "path": "/w/a", "newText": "b\n"}]),
            &text_content("edited"),
        ]
    );
}

#[test]
fn a_plan_comes_before_its_call() {
    let todos = json!({"todos": [
        {"content": "one", "status": "completed", "level": 0},
        {"content": "two", "status": "in_progress", "level": 1},
        {"content": "three", "status": "odd"},
        {"status": "pending"},
    ]});
    let calls = |is_error| {
        vec![
            (Role::Assistant, vec![call("p", calls::PLAN_TOOL, todos.clone())]),
            (Role::Tool, vec![result("p", "ok", is_error)]),
        ]
    };
    let expected = json!({"sessionUpdate": "plan", "entries": [
        {"content": "one", "priority": "high", "status": "completed"},
        {"content": "two", "priority": "medium", "status": "in_progress"},
        {"content": "three", "priority": "high", "status": "pending"},
    ]});
    let kinds = |updates: &[Value]| -> Vec<Value> {
        updates
            .iter()
            .map(|update| update["sessionUpdate"].clone())
            .collect()
    };
    let updates = shown(record(), calls(false));
    assert_eq!(
        kinds(&updates),
        ["user_message_chunk", "plan", "tool_call", "tool_call_update"]
    );
    assert_eq!(updates[1], expected);
    let refused = shown(record(), calls(true));
    assert_eq!(
        kinds(&refused),
        ["user_message_chunk", "tool_call", "tool_call_update"]
    );
}

#[test]
fn a_question_beside_a_page_names_it_and_one_without_words_is_not_shown() {
    let page = PageStub {
        title: "Console".into(),
        url: "https://example.com/".into(),
    };
    let about = TurnRecord {
        page: Some(page),
        ..record()
    };
    let link = json!({"sessionUpdate": "user_message_chunk", "content": {
        "type": "resource_link", "name": "Console", "uri": "https://example.com/",
    }, "messageId": "t/question"});
    assert_eq!(shown(about, Vec::new())[1], link);
    let silent = TurnRecord {
        prompt: String::new(),
        ..record()
    };
    assert_eq!(shown(silent, Vec::new()), [] as [Value; 0]);
}
