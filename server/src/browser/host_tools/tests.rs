use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sidewire_agent::event::{ToolContent, ToolStart, TurnEvent};
use sidewire_agent::feed::TurnFeed;
use sidewire_agent::ids::{ConversationId, Owner, TurnId, TurnKey};
use sidewire_agent::message::ResultContent;
use sidewire_agent::record::{Origin, TurnRecord, TurnState};
use sidewire_agent::store::{Lookup, Store};
use sidewire_agent::tool::{ToolCallContext, ToolKind, ToolOutput};
use sidewire_contract::frames::ClientFrame;
use sidewire_contract::host_tool::{HostToolCall, HostToolCancel};
use sidewire_contract::mode::Mode;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::result::PICTURES;
use super::*;
use crate::media::LibraryConfig;

const PATIENCE: Duration = Duration::from_secs(120);

/// A connection without a socket: what would be sent comes out of `sent`.
struct Rig {
    tools: Arc<HostTools>,
    sent: mpsc::Receiver<Post>,
    feed: Arc<TurnFeed>,
    cancel: CancellationToken,
    store: Store,
    _folder: tempfile::TempDir,
}

impl Rig {
    /// A client that offers `read` and a hidden tool.
    async fn new() -> Self {
        let mut rig = Self::without_tools();
        let ack = rig
            .set(json!([
                { "name": "read", "description": "Reads a range.",
                  "parameters": { "properties": { "range": { "type": "string" } }, "required": ["range"] } },
                { "name": "secret", "description": "Hidden.", "parameters": {}, "hidden": true },
            ]))
            .await;
        assert_eq!(
            ack,
            json!({ "type": "set_host_tools_ack", "toolNames": ["read", "secret"] })
        );
        rig
    }

    fn without_tools() -> Self {
        let (post, sent) = mpsc::channel(64);
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(LibraryConfig {
            folder: folder.path().join("media"),
            quota: 1 << 30,
            search_path: None,
        });
        Self {
            tools: HostTools::new(post, PATIENCE, library.unwrap()),
            sent,
            feed: Arc::new(TurnFeed::new(record())),
            cancel: CancellationToken::new(),
            store: Store::in_memory().unwrap(),
            _folder: folder,
        }
    }

    async fn set(&mut self, tools: Value) -> Value {
        self.tools.queue(set(tools), 100);
        self.tools.register(&[]).await;
        self.frame().await
    }

    /// The next frame, which is posted alone.
    async fn frame(&mut self) -> Value {
        match self.sent.recv().await.unwrap() {
            Post::Frame(frame) => serde_json::from_str(&frame.encode()).unwrap(),
            _ => panic!("more than one frame"),
        }
    }

    /// The next call, which is posted together with its scope.
    async fn called(&mut self) -> HostToolCall {
        let Post::Together(frames) = self.sent.recv().await.unwrap() else {
            panic!("no call")
        };
        match frames.as_slice() {
            [WorkerFrame::HostToolScope(scope), WorkerFrame::HostToolCall(call)] => {
                assert_eq!(scope.call_id.as_str(), call.id);
                assert_eq!((scope.chat_id.as_str(), scope.tab_id.as_i64()), ("c-1", Some(7)));
                call.clone()
            }
            other => panic!("{other:?}"),
        }
    }

    async fn cancelled(&mut self) -> HostToolCancel {
        serde_json::from_value(self.frame().await).unwrap()
    }

    fn quiet(&mut self) -> bool {
        self.sent.try_recv().is_err()
    }

    /// Begins a call.
    fn call(&self, name: &str, arguments: Value) -> JoinHandle<ToolOutput> {
        let tools = self.tools.shelf().tools();
        let tool = Arc::clone(tools.iter().find(|tool| tool.meta().name == name).unwrap());
        let context = self.context(arguments);
        tokio::spawn(async move { tool.call(context).await })
    }

    fn read(&self) -> JoinHandle<ToolOutput> {
        self.call("read", json!({ "range": "A1" }))
    }

    fn context(&self, arguments: Value) -> ToolCallContext {
        ToolCallContext {
            call_id: "call_abc".into(),
            arguments,
            turn: TurnKey {
                owner: Owner("me".into()),
                id: TurnId("c-1".into()),
            },
            conversation: ConversationId::mint(),
            store: self.store.clone(),
            tab: 7,
            feed: Arc::clone(&self.feed),
            cancel: self.cancel.clone(),
        }
    }

    fn result(&self, id: &str, members: Value) {
        let mut frame = json!({ "type": "host_tool_result", "id": id });
        frame
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        let text = frame.to_string();
        match ClientFrame::decode(&text).unwrap() {
            ClientFrame::HostToolResult(result) => self.tools.result(result, text.len()),
            other => panic!("{other:?}"),
        }
    }

    fn update(&self, id: &str, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        let update = json!({ "id": id, "partialResult": { "content": content } });
        self.tools.update(&serde_json::from_value(update).unwrap());
    }
}

fn set(tools: Value) -> SetHostTools {
    serde_json::from_value(json!({ "tools": tools })).unwrap()
}

fn words(text: &str) -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": text }] } })
}

fn record() -> TurnRecord {
    TurnRecord {
        id: TurnId("c-1".into()),
        prompt: "q".into(),
        mode: Mode::Educational,
        started_at_ms: 1,
        state: TurnState::Running,
        failure: None,
        text: String::new(),
        tools: Vec::new(),
        references: Vec::new(),
        media: Vec::new(),
        notices: Vec::new(),
        page: None,
        model: None,
        usage: None,
    }
}

fn text(output: &ToolOutput) -> &str {
    match output.content.first() {
        Some(ResultContent::Text { text }) => text,
        other => panic!("{other:?}"),
    }
}

async fn error(call: JoinHandle<ToolOutput>) -> String {
    let output = call.await.unwrap();
    assert!(output.is_error, "{output:?}");
    text(&output).to_owned()
}

#[tokio::test]
async fn a_call_goes_out_behind_its_scope_and_its_result_comes_back() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    assert_eq!(
        (call.tool_name.as_str(), call.tool_call_id.as_str()),
        ("read", "call_abc")
    );
    assert_eq!(Value::Object(call.arguments), json!({ "range": "A1" }));
    rig.result(&call.id, words("A1=1"));
    let output = calling.await.unwrap();
    assert_eq!((text(&output), output.is_error), ("A1=1", false));
    assert_eq!(output.shown, [ToolContent::Text("A1=1".into())]);
    assert_eq!(rig.tools.line.running(), 0);
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_leave() {
    let mut rig = Rig::new().await;
    for arguments in [
        json!({}),
        json!({ "range": 7 }),
        json!("{\"range\":"),
        json!(null),
    ] {
        let why = error(rig.call("read", arguments)).await;
        assert!(why.starts_with("the arguments"), "{why}");
    }
    assert!(rig.quiet());
}

#[tokio::test]
async fn a_call_larger_than_a_frame_never_leaves() {
    let mut rig = Rig::new().await;
    // Six bytes each once they are escaped.
    let arguments = json!({ "a": "\u{1}".repeat(20_000), "b": "x" });
    let tool = rig.call("secret", arguments);
    let call = rig.called().await;
    rig.result(&call.id, words("taken"));
    assert_eq!(text(&tool.await.unwrap()), "taken");
    let mut context = rig.context(json!({ "range": "A1" }));
    context.call_id = "x".repeat(limits::BROWSER_FRAME);
    let tool = Arc::clone(&rig.tools.shelf().tools()[0]);
    assert_eq!(
        text(&tool.call(context).await),
        "the call is larger than one message may be"
    );
    assert!(rig.quiet());
    assert_eq!(rig.tools.line.running(), 0);
}

#[tokio::test]
async fn the_first_result_counts_and_others_are_ignored_and_counted() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    rig.result("somebody-elses", words("foreign"));
    rig.update("somebody-elses", "foreign");
    rig.result(&call.id, words("first"));
    for _ in 0..10_000 {
        rig.result(&call.id, words("late"));
    }
    rig.update(&call.id, "late");
    assert_eq!(text(&calling.await.unwrap()), "first");
    assert_eq!(rig.tools.line.ignored(), 10_003);
}

#[tokio::test]
async fn calls_run_side_by_side_under_fresh_names() {
    let mut rig = Rig::new().await;
    let (one, two) = (rig.read(), rig.read());
    let (first, second) = (rig.called().await, rig.called().await);
    assert_ne!(first.id, second.id);
    rig.result(&second.id, words("two"));
    rig.result(&first.id, words("one"));
    let texts = [
        text(&one.await.unwrap()).to_owned(),
        text(&two.await.unwrap()).to_owned(),
    ];
    assert!(
        texts.contains(&"one".to_owned()) && texts.contains(&"two".to_owned()),
        "{texts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_call_is_cancelled_and_the_model_is_told() {
    let mut rig = Rig::new().await;
    let began = Instant::now();
    let calling = rig.read();
    let call = rig.called().await;
    let cancel = rig.cancelled().await;
    assert_eq!(cancel.target_id, call.id);
    assert_ne!(cancel.id, call.id);
    assert_eq!(began.elapsed().as_secs(), 120);
    assert!(
        error(calling)
            .await
            .starts_with("the tool did not finish in 120 seconds")
    );
    rig.result(&call.id, words("late"));
    assert_eq!(rig.tools.line.ignored(), 1);
}

#[tokio::test(start_paused = true)]
async fn every_report_starts_the_clock_anew_until_ten_minutes_are_over() {
    let mut rig = Rig::new().await;
    let began = Instant::now();
    let calling = rig.read();
    let call = rig.called().await;
    // The last report would allow until 11:00.
    for at in 1..=6 {
        tokio::time::sleep_until(began + Duration::from_secs(at * 90)).await;
        assert!(rig.quiet() && !calling.is_finished(), "{at}");
        rig.update(&call.id, &format!("{at}"));
    }
    assert_eq!(rig.cancelled().await.target_id, call.id);
    assert_eq!(began.elapsed().as_secs(), 600);
    assert!(
        error(calling)
            .await
            .starts_with("the tool did not finish in 600 seconds")
    );
}

#[tokio::test]
async fn a_storm_of_reports_is_one_report() {
    let mut rig = Rig::new().await;
    rig.feed.push(TurnEvent::ToolStarted(ToolStart {
        call_id: "call_abc".into(),
        name: "read".into(),
        title: "Read".into(),
        kind: ToolKind::Other,
        arguments: json!({}),
        locations: Vec::new(),
    }));
    let wake = Arc::new(Notify::new());
    let mut reader = rig.feed.subscribe(Arc::clone(&wake));
    let calling = rig.read();
    let call = rig.called().await;
    for at in 0..10_000 {
        rig.update(&call.id, &format!("{at} {}", "x".repeat(100)));
    }
    let mut reports = 0;
    loop {
        wake.notified().await;
        let news = reader.take();
        reports += news.len();
        if rig.feed.record().tools[0]
            .output
            .as_deref()
            .is_some_and(|text| text.starts_with("9999 "))
        {
            break;
        }
    }
    // The beginning, and as many as the reader was quick enough to see.
    assert!(reports < 10, "{reports}");
    rig.result(&call.id, words("done"));
    assert_eq!(text(&calling.await.unwrap()), "done");
}

#[tokio::test]
async fn a_stopped_turn_cancels_its_calls_at_once() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    rig.cancel.cancel();
    assert_eq!(rig.cancelled().await.target_id, call.id);
    assert_eq!(error(calling).await, "the turn was stopped");
    // What is called afterwards is not even sent.
    assert_eq!(error(rig.read()).await, "the turn was stopped");
    assert!(rig.quiet());
    assert_eq!(rig.tools.line.running(), 0);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_any_longer_is_cancelled() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    calling.abort();
    assert_eq!(rig.cancelled().await.target_id, call.id);
}

#[tokio::test]
async fn a_lost_client_fails_its_calls_at_once_and_without_a_frame() {
    let mut rig = Rig::new().await;
    let (calling, tool) = (rig.read(), Arc::clone(&rig.tools.shelf().tools()[0]));
    rig.called().await;
    drop(rig.tools.close_on_drop());
    assert!(
        error(calling)
            .await
            .contains("disconnected before the tool finished")
    );
    assert!(rig.quiet());
    assert!(rig.tools.shelf().tools().is_empty());
    let late = tool.call(rig.context(json!({ "range": "A1" }))).await;
    assert!(text(&late).contains("no longer connected"), "{late:?}");
    // A set that comes too late is not put in force.
    rig.tools.queue(set(json!([])), 10);
    rig.tools.register(&[]).await;
    assert!(rig.tools.shelf().tools().is_empty());
}

#[tokio::test]
async fn another_set_leaves_running_calls_answerable() {
    let mut rig = Rig::new().await;
    let (calling, old) = (rig.read(), Arc::clone(&rig.tools.shelf().tools()[0]));
    let call = rig.called().await;
    let ack = rig
        .set(json!([{ "name": "other", "description": "x", "parameters": {} }]))
        .await;
    assert_eq!(ack["toolNames"], json!(["other"]));
    rig.result(&call.id, words("still"));
    assert_eq!(text(&calling.await.unwrap()), "still");
    let late = old.call(rig.context(json!({ "range": "A1" }))).await;
    assert_eq!(text(&late), "this tool is no longer offered");
    assert_eq!(rig.set(json!([])).await["toolNames"], json!([]));
    assert!(rig.tools.shelf().tools().is_empty());
}

#[tokio::test]
async fn a_faulty_set_is_rejected_whole_and_the_old_one_stays() {
    let mut rig = Rig::new().await;
    let good = json!({ "name": "good", "description": "x", "parameters": {} });
    let rejected = json!({ "type": "set_host_tools_error", "reason": "host-tools-rejected" });
    assert_eq!(
        rig.set(json!([good, { "name": " ", "description": "x", "parameters": {} }]))
            .await,
        rejected
    );
    rig.tools.queue(set(json!([good])), SET_FRAME + 1);
    rig.tools.register(&[]).await;
    assert_eq!(rig.frame().await, rejected);
    let tools = rig.tools.shelf().tools();
    rig.tools.queue(
        set(json!([{ "name": "read", "description": "x", "parameters": {} }])),
        10,
    );
    rig.tools.register(&tools).await;
    assert_eq!(rig.frame().await, rejected, "a name of the worker's own");
    let names: Vec<_> = rig
        .tools
        .shelf()
        .tools()
        .iter()
        .map(|tool| tool.meta().name.clone())
        .collect();
    assert_eq!(names, ["read", "secret"]);
}

#[tokio::test]
async fn sets_are_answered_in_order_of_arrival() {
    let mut rig = Rig::without_tools();
    let named = |name: String| json!([{ "name": name, "description": "x", "parameters": {} }]);
    for at in 0..20 {
        match at % 5 {
            4 => rig.tools.queue_unreadable(),
            _ => rig.tools.queue(set(named(format!("t{at}"))), 10),
        }
    }
    // The handlers run in any order.
    let handlers = (0..20).rev().map(|_| {
        let tools = Arc::clone(&rig.tools);
        async move { tools.register(&[]).await }
    });
    futures_util::future::join_all(handlers).await;
    for at in 0..20 {
        let answer = rig.frame().await;
        let expected = if at % 5 == 4 {
            Value::Null
        } else {
            json!([format!("t{at}")])
        };
        assert_eq!(answer.get("toolNames").cloned().unwrap_or_default(), expected);
    }
}

#[tokio::test]
async fn a_result_that_cannot_be_read_or_is_too_large_ends_its_call_at_once() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    rig.tools.unreadable("host_tool_update", &call.id);
    assert!(!calling.is_finished());
    rig.tools.unreadable("host_tool_result", &call.id);
    assert!(error(calling).await.contains("could not be read"));
    for (bytes, fails) in [
        (limits::HOST_TOOL_RESULT - 1, false),
        (limits::HOST_TOOL_RESULT, false),
        (limits::HOST_TOOL_RESULT + 1, true),
    ] {
        let calling = rig.read();
        let id = rig.called().await.id;
        let result = json!({ "id": id, "result": { "content": [] } });
        rig.tools.result(serde_json::from_value(result).unwrap(), bytes);
        let output = calling.await.unwrap();
        assert_eq!(output.is_error, fails, "{bytes}: {output:?}");
    }
}

#[tokio::test]
async fn calls_of_one_connection_are_not_without_number() {
    let mut rig = Rig::new().await;
    let mut calls = Vec::new();
    for _ in 0..256 {
        calls.push(rig.read());
        rig.called().await;
    }
    assert!(
        error(rig.read())
            .await
            .starts_with("256 calls are running already")
    );
    drop(rig.tools.close_on_drop());
    for call in calls {
        error(call).await;
    }
}

#[tokio::test]
async fn what_a_model_reads_of_a_result() {
    let mut rig = Rig::new().await;
    let long = "é".repeat(50_000);
    let rows: [(Value, bool, String); 8] = [
        (json!([]), false, "(done; the tool gave no output)".into()),
        (json!([]), true, "Host tool execution failed".into()),
        (
            json!([{ "type": "text", "text": "" }]),
            true,
            "Host tool execution failed".into(),
        ),
        (
            json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]),
            true,
            "a\nb".into(),
        ),
        (
            json!([{ "type": "chart", "points": [1, 2] }]),
            false,
            r#"{"points":[1,2],"type":"chart"}"#.into(),
        ),
        (json!([{ "type": "text" }]), false, r#"{"type":"text"}"#.into()),
        (
            json!([{ "type": "image", "data": "nope", "mimeType": "image/png" }]),
            false,
            "(a picture that cannot be shown: ".into(),
        ),
        (
            json!([{ "type": "text", "text": long }]),
            false,
            format!(
                "{}\n(cut here: 34464 more bytes; ask for a smaller part)",
                "é".repeat(32_768)
            ),
        ),
    ];
    for (content, is_error, expected) in rows {
        let calling = rig.read();
        let call = rig.called().await;
        rig.result(
            &call.id,
            json!({ "result": { "content": content }, "isError": is_error }),
        );
        let output = calling.await.unwrap();
        assert!(
            text(&output).starts_with(&expected),
            "{content:.100}: {:.100}",
            text(&output)
        );
        assert_eq!(output.is_error, is_error);
    }
}

#[tokio::test]
async fn a_picture_is_kept_and_named() {
    let mut rig = Rig::new().await;
    // One transparent pixel.
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let picture = json!({ "type": "image", "data": data, "mimeType": "image/png" });
    let conversation = rig.store.conversation_for(place()).await.unwrap().id;
    let tool = Arc::clone(&rig.tools.shelf().tools()[0]);
    let mut context = rig.context(json!({ "range": "A1" }));
    context.conversation = conversation;
    let calling = tokio::spawn(async move { tool.call(context).await });
    let call = rig.called().await;
    rig.result(
        &call.id,
        json!({ "result": { "content": vec![picture; PICTURES + 1] } }),
    );
    let output = calling.await.unwrap();
    assert_eq!(
        (output.media.len(), output.content.len()),
        (PICTURES, PICTURES + 1),
        "{output:?}"
    );
    assert_eq!(text(&output), "(one more picture, which is not shown)");
    let original = output.media[0].original.clone().unwrap();
    assert_eq!(
        output.content[1],
        ResultContent::Image {
            mime_type: "image/png".into(),
            blob: original.reference.as_str().to_owned(),
        }
    );
}

fn place() -> Lookup {
    Lookup {
        owner: Owner("me".into()),
        origin: Origin::Browser,
        hint: None,
        session_key: "s".into(),
        tab: 7,
        browser_run: None,
        now_ms: 1,
    }
}
