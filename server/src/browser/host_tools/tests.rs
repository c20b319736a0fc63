mod ends;
mod results;
mod sets;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sidewire_agent::event::{ToolContent, ToolStart, TurnEvent};
use sidewire_agent::feed::TurnFeed;
use sidewire_agent::ids::{ConversationId, Owner, TurnId, TurnKey};
use sidewire_agent::message::ResultContent;
use sidewire_agent::person::Nobody;
use sidewire_agent::record::{Origin, TurnRecord};
use sidewire_agent::store::{Lookup, Store};
use sidewire_agent::tool::{ToolCallContext, ToolKind, ToolOutput};
use sidewire_contract::frames::ClientFrame;
use sidewire_contract::host_tool::{HostToolCall, HostToolCancel};
use sidewire_contract::mode::Mode;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::line::CALLS;
use super::result::PICTURES;
use super::*;
use crate::media::LibraryConfig;

const PATIENCE: Duration = Duration::from_secs(120);

/// A connection without a socket: what would be sent comes out of `sent`.
struct Rig {
    tools: Arc<HostTools>,
    sent: mpsc::Receiver<Post>,
    cancels: Arc<Cancels>,
    /// Fires with every cancel.
    wake: Arc<Notify>,
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
        let wake = Arc::new(Notify::new());
        let cancels = Cancels::new(Arc::clone(&wake));
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(LibraryConfig {
            folder: folder.path().join("media"),
            quota: 1 << 30,
            search_path: None,
        });
        Self {
            tools: HostTools::new((post, Arc::clone(&cancels)), PATIENCE, library.unwrap()),
            sent,
            cancels,
            wake,
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
        let Post::Call(message) = self.sent.recv().await.unwrap() else {
            panic!("no call")
        };
        assert_eq!(message.turn.as_str(), "c-1");
        match message.frames.as_slice() {
            [WorkerFrame::HostToolScope(scope), WorkerFrame::HostToolCall(call)] => {
                assert_eq!(
                    (scope.call_id.as_str(), &message.id),
                    (call.id.as_str(), &call.id)
                );
                assert_eq!((scope.chat_id.as_str(), scope.tab_id.as_i64()), ("c-1", Some(7)));
                call.clone()
            }
            other => panic!("{other:?}"),
        }
    }

    async fn cancelled(&mut self) -> HostToolCancel {
        self.wake.notified().await;
        let mut cancels = self.cancels.take();
        assert_eq!(cancels.len(), 1);
        cancels.remove(0)
    }

    fn quiet(&mut self) -> bool {
        self.sent.try_recv().is_err() && self.cancels.take().is_empty()
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
            workspace: None,
            allowed: Vec::new(),
            person: Arc::new(Nobody),
            feed: Arc::clone(&self.feed),
            cancel: self.cancel.clone(),
        }
    }

    fn result(&self, id: &str, members: Value) {
        let Value::Object(mut frame) = members else {
            panic!("{members}")
        };
        frame.extend([
            ("type".into(), "host_tool_result".into()),
            ("id".into(), id.into()),
        ]);
        let text = Value::Object(frame).to_string();
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
    let tools = serde_json::from_value(tools).unwrap();
    SetHostTools { tools }
}

fn words(text: &str) -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": text }] } })
}

fn record() -> TurnRecord {
    TurnRecord::begun(TurnId("c-1".into()), "q", Mode::Educational, 1)
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
async fn calls_of_all_conversations_share_the_places_of_a_connection() {
    let mut rig = Rig::new().await;
    let mut calls: Vec<_> = (0..CALLS + 2).map(|_| rig.read()).collect();
    let mut out = Vec::new();
    for _ in 0..CALLS {
        out.push(rig.called().await);
    }
    tokio::task::yield_now().await;
    assert!(rig.quiet());
    // A free place goes to the next call.
    rig.result(&out.remove(0).id, words("done"));
    rig.called().await;
    assert!(rig.quiet());
    drop(rig.tools.close_on_drop());
    let ended = futures_util::future::join_all(calls.drain(..)).await;
    let failed = ended.iter().filter(|output| output.as_ref().unwrap().is_error);
    assert_eq!(failed.count(), CALLS + 1, "what waited and what was out");
    assert!(rig.quiet());
}
