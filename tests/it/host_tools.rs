//! Tools that a client offers: registered, offered to the model, called, answered, shown. The client here plays both
//! our extension and an add-in of a document.

use serde_json::{Value, json};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::number::Number;
use sidewire_contract::turn::ToolPhase;
use sidewire_tests::{
    Home, Hosted, Identity, NativeHost, Peer, Script, ScriptedModel, offer, offered, play, question, report,
    result, until_quiet,
};

const CONTRACT: &str = include_str!("../../contract/schema/chat-2.1.0.json");

/// An example of the chat contract.
fn example(name: &str) -> Value {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    contract
        .pointer(&format!("/examples/valid/{name}"))
        .unwrap()
        .clone()
}

/// A call of a tool without arguments, then an answer.
pub(crate) fn calls_once(model: &ScriptedModel, tool: &str) {
    model.script(Script::stream().call("call_abc", tool, &json!({})).done());
    model.script(Script::says("done"));
}

/// What the model was told of its calls in this request.
pub(crate) async fn told(model: &ScriptedModel, request: usize) -> Vec<String> {
    model.request(request).await.texts("tool")
}

/// The add-in of a document, as the contract's examples have it.
async fn read_a_document(peer: &mut impl Peer, model: &ScriptedModel) {
    let tools = example("set_host_tools")["tools"].clone();
    let names = example("set_host_tools_ack")["toolNames"].clone();
    assert_eq!(json!(offered(peer, &tools).await.unwrap()), names);
    let arguments = example("host_tool_call")["arguments"].clone();
    model.script(
        Script::stream()
            .text("Reading. ")
            .call("call_abc", "office_read_range", &arguments)
            .done(),
    );
    model.script(Script::says("The sum is 10."));
    let request = ChatRequest {
        tab_id: Number::from(0_i64),
        session_key: "document-7".parse().unwrap(),
        ..question("c-1", "What is the sum?")
    };
    let mut hosted = Hosted::ask(peer, request).await;
    let called = hosted.called(peer).await;
    let accepted = hosted.turn.accepted.clone().unwrap();
    assert_eq!(
        (
            called.scope.tab_id.as_i64(),
            &called.scope.conversation,
            called.scope.chat_id.as_str()
        ),
        (Some(0), &accepted.conversation, "c-1")
    );
    assert_eq!(
        (called.call.tool_name.as_str(), called.call.tool_call_id.as_str()),
        ("office_read_range", "call_abc")
    );
    assert_eq!(Value::Object(called.call.arguments), arguments);
    assert_eq!(
        hosted.turn.frames.last(),
        Some(&"chat_tool_notice"),
        "the beginning is told before"
    );
    peer.send_text(&report(&called.call.id, "reading range…")).await;
    hosted.until(peer, "tool_activity").await;
    let mut answer = example("host_tool_result");
    answer["id"] = json!(called.call.id);
    peer.send_text(&answer.to_string()).await;
    let turn = hosted.ended(peer).await;
    let phases: Vec<_> = turn
        .activities
        .iter()
        .map(|activity| (activity.phase, activity.ok))
        .collect();
    assert_eq!(
        phases,
        [
            (ToolPhase::Started, None),
            (ToolPhase::Progress, None),
            (ToolPhase::Finished, Some(true))
        ]
    );
    let notices: Vec<_> = turn
        .tool_notices
        .iter()
        .map(|notice| (notice.ok, notice.detail.as_deref()))
        .collect();
    assert_eq!(
        notices,
        [
            (true, Some("office_read_range: running…")),
            (true, Some("office_read_range: done"))
        ]
    );
    assert_eq!(turn.done(), "Reading. The sum is 10.");
    assert_eq!(told(model, 1).await, ["A1=1, B1=2, A2=3, B2=4"]);
    assert_eq!(model.request(0).await.tools(), ["office_read_range"]);
}

#[tokio::test]
async fn a_document_add_in_reads_its_document_over_a_web_socket() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    read_a_document(&mut worker.client().await, &model).await;
}

#[tokio::test]
async fn a_document_add_in_reads_its_document_through_the_native_host() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    read_a_document(&mut host, &model).await;
}

#[tokio::test]
async fn eight_calls_are_out_at_once_and_the_ninth_follows_the_first_result() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["look"]).await;
    let script = (0..11).fold(Script::stream(), |script, at| {
        script.call(&format!("k{at}"), "look", &json!({}))
    });
    model.script(script.done());
    model.script(Script::says("done"));
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look everywhere.")).await;
    let mut called = hosted.called_times(&mut client, 8).await;
    for frame in until_quiet(&mut client).await {
        hosted.take(frame);
    }
    for _ in 0..3 {
        // The newest first: order is the worker's business.
        let last = called.pop().unwrap();
        client
            .send_text(&result(&last.call.id, &last.call.tool_call_id))
            .await;
        called.push(hosted.called(&mut client).await);
    }
    for left in called {
        client
            .send_text(&result(&left.call.id, &left.call.tool_call_id))
            .await;
    }
    hosted.ended(&mut client).await.done();
    let expected: Vec<String> = (0..11).map(|at| format!("k{at}")).collect();
    assert_eq!(told(&model, 1).await, expected, "in the order of the calls");
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_leave_and_can_be_corrected() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let tools = example("set_host_tools")["tools"].clone();
    offered(&mut client, &tools).await.unwrap();
    model.script(
        Script::stream()
            .call("1", "office_read_range", &json!({ "range": 7 }))
            .done(),
    );
    model.script(
        Script::stream()
            .call("2", "office_read_range", &json!({ "range": "A1" }))
            .done(),
    );
    model.script(Script::says("done"));
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Go?")).await;
    let called = hosted.called(&mut client).await;
    assert_eq!(called.call.tool_call_id, "2", "the first never left");
    client.send_text(&result(&called.call.id, "A1=1")).await;
    let turn = hosted.ended(&mut client).await;
    assert_eq!(
        turn.tool_notices
            .iter()
            .map(|notice| notice.ok)
            .collect::<Vec<_>>(),
        [true, false, true, true]
    );
    let first = told(&model, 1).await.remove(0);
    assert!(
        first.contains("at /range: 7 is not of type \"string\""),
        "{first}"
    );
}

/// Attack row S20: a name of a call is worth nothing on another connection, and no client sees another's tools.
#[tokio::test]
async fn s20_another_clients_result_is_ignored() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let (mut client, mut other) = (worker.client().await, worker.client().await);
    offer(&mut client, &["mine"]).await;
    calls_once(&model, "mine");
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Go?")).await;
    let called = hosted.called(&mut client).await;
    other.send_text(&result(&called.call.id, "FORGED")).await;
    other.send_text(&report(&called.call.id, "FORGED")).await;
    assert_eq!(until_quiet(&mut other).await, []);
    play(&mut other, question("c-1", "What can you do?")).await;
    client.send_text(&result(&called.call.id, "the real one")).await;
    hosted.ended(&mut client).await;
    let requests = model.requests();
    let others: Vec<_> = requests
        .iter()
        .filter(|request| request.question().contains("What can"))
        .collect();
    assert_eq!(others.len(), 1);
    assert_eq!(others[0].tools(), [""; 0]);
    assert!(
        requests
            .iter()
            .all(|request| !request.body.to_string().contains("FORGED"))
    );
}

/// chat-worker.md §8 row 17: a call acts on the tab of its own conversation.
#[tokio::test]
async fn fault_17_every_call_names_the_tab_and_conversation_it_belongs_to() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["look"]).await;
    let mut scopes = Vec::new();
    for tab in [1_i64, 2] {
        calls_once(&model, "look");
        let request = ChatRequest {
            tab_id: tab.into(),
            ..question(&format!("c-{tab}"), "Look.")
        };
        let mut hosted = Hosted::ask(&mut client, request).await;
        let called = hosted.called(&mut client).await;
        let accepted = hosted.turn.accepted.clone().unwrap();
        assert_eq!(called.scope.conversation, accepted.conversation);
        assert_eq!(called.scope.chat_id, accepted.id);
        assert_eq!(called.scope.tab_id.as_i64(), Some(tab));
        client.send_text(&result(&called.call.id, "seen")).await;
        hosted.ended(&mut client).await.done();
        scopes.push(called.scope);
    }
    assert_ne!(scopes[0].conversation, scopes[1].conversation);
    assert_ne!(scopes[0].call_id, scopes[1].call_id);
}

#[tokio::test]
async fn results_that_add_up_do_not_break_a_small_window() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.use_model_with_window(&model, 4_096);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["look"]).await;
    for at in 0..5 {
        model.script(
            Script::stream()
                .call(&format!("k{at}"), "look", &json!({}))
                .done(),
        );
    }
    model.script(Script::says("done"));
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    for at in 0..5 {
        let called = hosted.called(&mut client).await;
        client
            .send_text(&result(&called.call.id, &format!("{at} {}", "x".repeat(20_000))))
            .await;
    }
    hosted.ended(&mut client).await.done();
    for number in 1..6 {
        let request = model.request(number).await;
        let bytes = request.body.to_string().len();
        // Three quarters of 4,096 tokens, three bytes each, and what JSON adds.
        assert!(bytes < 3 * 3_072 + 2_000, "{number}: {bytes}");
        let results = request.texts("tool");
        assert_eq!(results.len(), number, "every call has its result");
        assert!(
            results
                .last()
                .unwrap()
                .starts_with(&format!("{} xxx", number - 1))
        );
    }
}
