//! What goes wrong with tools of a client: silence, stops, lost connections, rubbish, storms. The turn always ends, the
//! model is told the truth, and nothing is left behind.

use std::fs;

use serde_json::json;
use sidewire_contract::bridge::turns::{Resume, ResumeTurns};
use sidewire_contract::chat::ChatStop;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::ChatId;
use sidewire_contract::limits;
use sidewire_contract::reason::ErrorReason;
use sidewire_tests::{
    Gate, Home, Hosted, Identity, NativeHost, Peer, Script, ScriptedModel, Worker, offer, picture_result,
    play, png, question, read_media, report, result, settle, until_quiet,
};

struct Rig {
    model: ScriptedModel,
    home: Home,
    worker: Worker,
}

impl Rig {
    async fn new() -> Self {
        Self::configured("").await
    }

    async fn configured(more: &str) -> Self {
        let model = ScriptedModel::start().await;
        let home = Home::new();
        let provider = format!(
            "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n",
            model.base_url()
        );
        home.configure(&format!("[provider]\n{provider}{more}"));
        let worker = home.worker().await;
        Self { model, home, worker }
    }

    /// A call of the tool `look`, then an answer.
    fn calls_once(&self) {
        self.model.script(
            Script::stream()
                .text("Looking. ")
                .call("k", "look", &json!({}))
                .done(),
        );
        self.model.script(Script::says("done"));
    }

    /// What the model was told last.
    async fn told(&self, request: usize) -> String {
        self.model.request(request).await.texts("tool").pop().unwrap()
    }
}

/// All the log files of a home.
fn log(home: &Home) -> String {
    let files = fs::read_dir(home.layout().log_folder()).unwrap().flatten();
    files
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect()
}

fn resume(id: &str) -> ClientFrame {
    ClientFrame::Resume(Resume {
        turns: ResumeTurns::new(vec![ChatId::new(id).unwrap()]).unwrap(),
    })
}

fn stop(id: &str) -> ClientFrame {
    ClientFrame::ChatStop(ChatStop {
        id: ChatId::new(id).unwrap(),
    })
}

/// chat-worker.md §8 row 11, no timeouts: a tool that says nothing is told to stop, and the turn goes on.
#[tokio::test]
async fn fault_11_a_silent_tool_is_cancelled_and_the_turn_goes_on() {
    let rig = Rig::configured("[browser]\nhost_tool_timeout_s = 1\n").await;
    let mut client = rig.worker.client().await;
    offer(&mut client, &["look"]).await;
    rig.calls_once();
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    let called = hosted.called(&mut client).await;
    let cancel = hosted.until_cancelled(&mut client).await;
    assert_eq!(cancel.target_id, called.call.id);
    assert_ne!(cancel.id, called.call.id);
    client.send_text(&result(&called.call.id, "TOO LATE")).await;
    let turn = hosted.ended(&mut client).await;
    assert_eq!(turn.tool_notices.last().map(|notice| notice.ok), Some(false));
    assert_eq!(turn.done(), "Looking. done");
    assert!(
        rig.told(1)
            .await
            .starts_with("the tool did not finish in 1 seconds")
    );
}

async fn stopped_mid_call(rig: &Rig, peer: &mut impl Peer) {
    offer(peer, &["look"]).await;
    rig.calls_once();
    let mut hosted = Hosted::ask(peer, question("c-1", "Look.")).await;
    let called = hosted.called(peer).await;
    peer.send(stop("c-1")).await;
    let cancel = hosted.until_cancelled(peer).await;
    assert_eq!(cancel.target_id, called.call.id, "one stop ends the action");
    let turn = hosted.ended(peer).await;
    assert_eq!(
        turn.report.as_ref().and_then(|report| report.stopped),
        Some(true),
        "and the turn"
    );
    assert_eq!(turn.tool_notices.last().map(|notice| notice.ok), Some(false));
    assert_eq!(turn.done(), "Looking. ");
    peer.send_text(&result(&called.call.id, "TOO LATE")).await;
    assert_eq!(until_quiet(peer).await, []);
    assert_eq!(rig.model.requests().len(), 1, "the model was not asked again");
    // The script of the stopped turn is left over. The conversation is free, and each call of its past has a result.
    play(peer, question("c-2", "Still there?")).await.done();
    let past = rig.model.request(1).await;
    assert_eq!(past.texts("tool"), ["the turn was stopped"]);
}

#[tokio::test]
async fn a_stop_ends_the_tool_and_the_turn() {
    let rig = Rig::new().await;
    let mut client = rig.worker.client().await;
    stopped_mid_call(&rig, &mut client).await;
}

#[tokio::test]
async fn a_stop_through_the_native_host_ends_the_tool_and_the_turn() {
    let rig = Rig::new().await;
    let mut host = NativeHost::start(&rig.home);
    host.introduce(&Identity::local(rig.worker.secret)).await;
    stopped_mid_call(&rig, &mut host).await;
}

/// chat-worker.md §8 rows 11 and 12: a lost client fails its calls at once, and one that returns brings its tools to
/// the turn that still runs.
#[tokio::test]
async fn fault_12_a_client_that_returns_brings_its_tools_to_the_running_turn() {
    let rig = Rig::new().await;
    let identity = rig.worker.local();
    let mut client = rig.worker.client_as(&identity).await;
    offer(&mut client, &["look"]).await;
    let gate = Gate::new();
    rig.model
        .script(Script::stream().call("1", "look", &json!({})).done());
    rig.model
        .script(Script::stream().call("2", "look", &json!({})).done());
    rig.model
        .script(Script::stream().wait(&gate).call("3", "look", &json!({})).done());
    rig.model.script(Script::says("done"));
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    let first = hosted.called(&mut client).await;
    client.vanish();
    // Nobody waited: the model is asked again while no client is there, and what it calls then fails at once.
    assert!(
        rig.told(1)
            .await
            .contains("disconnected before the tool finished")
    );
    assert_eq!(
        rig.model.request(1).await.tools(),
        [""; 0],
        "nobody is there to be called"
    );
    assert!(rig.told(2).await.contains("no longer connected"));
    let mut client = rig.worker.client_as(&identity).await;
    client.send(resume("c-1")).await;
    hosted.until(&mut client, "turn_snapshot").await;
    offer(&mut client, &["look"]).await;
    client.send_text(&result(&first.call.id, "TOO LATE")).await;
    gate.open();
    let third = hosted.called(&mut client).await;
    assert_eq!(third.call.tool_call_id, "3");
    client.send_text(&result(&third.call.id, "seen")).await;
    assert_eq!(hosted.ended(&mut client).await.done(), "done");
    assert_eq!(rig.told(3).await, "seen");
    assert_eq!(rig.model.request(3).await.tools(), ["look"]);
}

#[tokio::test]
async fn a_killed_worker_leaves_a_failed_turn_and_the_tools_can_be_offered_again() {
    let rig = Rig::new().await;
    let identity = rig.worker.local();
    let mut client = rig.worker.client_as(&identity).await;
    offer(&mut client, &["look"]).await;
    rig.calls_once();
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    hosted.called(&mut client).await;
    let Rig { home, worker, model } = rig;
    home.until_stored("Looking.").await;
    worker.kill().await;
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    client.send(resume("c-1")).await;
    hosted.until(&mut client, "turn_snapshot").await;
    assert_eq!(
        (hosted.turn.error, hosted.turn.text.as_str()),
        (Some(ErrorReason::SessionDisposed), "Looking. ")
    );
    // The script of the dead turn is left over.
    play(&mut client, question("c-2", "Still there?")).await.done();
    offer(&mut client, &["look"]).await;
    model.script(Script::stream().call("k", "look", &json!({})).done());
    let mut hosted = Hosted::ask(&mut client, question("c-3", "Look.")).await;
    let called = hosted.called(&mut client).await;
    client.send_text(&result(&called.call.id, "seen")).await;
    hosted.ended(&mut client).await.done();
}

/// Nothing but what tools did has changed since the last word.
#[tokio::test]
async fn a_killed_worker_has_kept_what_its_tools_gave_so_far() {
    let Rig { model, home, worker } = Rig::new().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    offer(&mut client, &["page_screenshot", "look"]).await;
    let step = |script: Script, tool| script.call(tool, tool, &json!({})).done();
    model.script(step(Script::stream().text("Looking. "), "page_screenshot"));
    model.script(step(Script::stream(), "look"));
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    let called = hosted.called(&mut client).await;
    let picture = png(b"shown");
    client.send_text(&picture_result(&called.call.id, &picture)).await;
    let called = hosted.called(&mut client).await;
    // The beginning of the call is stored before its report comes.
    home.until_stored("\"look\"").await;
    client.send_text(&report(&called.call.id, "half of it")).await;
    home.until_stored("half of it").await;
    worker.kill().await;
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    client.send(resume("c-1")).await;
    let WorkerFrame::TurnSnapshot(snapshot) = client.receive().await else {
        panic!("no snapshot")
    };
    let rows: Vec<_> = snapshot
        .turn
        .tools
        .iter()
        .map(|row| (row.ok, row.output.as_deref()))
        .collect();
    assert_eq!(rows, [(Some(true), None), (None, Some("half of it"))]);
    assert_eq!(snapshot.turn.media.len(), 1);
    let media = serde_json::from_value(json!(snapshot.turn.media[0])).unwrap();
    let asset = crate::media::original(&media);
    assert_eq!(read_media(&mut client, &asset).await, Some(picture));
}

#[tokio::test]
async fn a_result_that_is_none_ends_its_call_at_once() {
    let rig = Rig::new().await;
    let mut client = rig.worker.client().await;
    offer(&mut client, &["look"]).await;
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let rows = [
        json!({ "result": { "content": "nope" } }).to_string(),
        json!({ "result": { "content": [7] } }).to_string(),
        json!({ "result": { "content": [{ "text": "no type" }] } }).to_string(),
        json!({ "result": null }).to_string(),
        json!({ "isError": "yes", "result": { "content": [] } }).to_string(),
        r#"{"result":{"content":[{"type":"text","text":"\ud800"}]}}"#.to_owned(),
        format!(r#"{{"result":{{"content":[{{"type":"x","x":{deep}}}]}}}}"#),
    ];
    for (number, members) in rows.iter().enumerate() {
        rig.calls_once();
        let mut hosted = Hosted::ask(&mut client, question(&format!("c-{number}"), "Look.")).await;
        let called = hosted.called(&mut client).await;
        // A report that is none is ignored; so is a result of another call.
        let update = r#"{"type":"host_tool_update","id":"ID","partialResult":{"content":"nope"}}"#;
        client.send_text(&update.replace("ID", &called.call.id)).await;
        client
            .send_text(r#"{"type":"host_tool_result","id":"another","result":7}"#)
            .await;
        let head = format!(r#"{{"type":"host_tool_result","id":"{}","#, called.call.id);
        client.send_text(&members.replacen('{', &head, 1)).await;
        assert_eq!(hosted.ended(&mut client).await.done(), "Looking. done");
        assert!(
            rig.told(2 * number + 1).await.contains("could not be read"),
            "{members:.80}"
        );
    }
}

/// A result of exactly this many bytes.
fn large_result(id: &str, bytes: usize) -> String {
    let empty = result(id, "").len();
    result(id, &"x".repeat(bytes - empty))
}

#[tokio::test]
async fn the_size_of_a_result() {
    let rig = Rig::new().await;
    let mut client = rig.worker.client().await;
    offer(&mut client, &["look"]).await;
    for (number, (bytes, fails)) in [
        (limits::HOST_TOOL_RESULT - 1, false),
        (limits::HOST_TOOL_RESULT, false),
        (limits::HOST_TOOL_RESULT + 1, true),
    ]
    .into_iter()
    .enumerate()
    {
        rig.calls_once();
        let mut hosted = Hosted::ask(&mut client, question(&format!("c-{number}"), "Look.")).await;
        let called = hosted.called(&mut client).await;
        client.send_text(&large_result(&called.call.id, bytes)).await;
        let turn = hosted.ended(&mut client).await;
        assert_eq!(
            turn.tool_notices.last().map(|notice| notice.ok),
            Some(!fails),
            "{bytes}"
        );
        let told = rig.told(2 * number + 1).await;
        assert_eq!(told.contains("larger than 8 MiB"), fails, "{bytes}: {told:.80}");
        assert!(told.len() < 20_000, "what the model reads fits its window");
    }
}

#[tokio::test]
async fn storms_of_reports_and_late_results_disturb_nobody() {
    let rig = Rig::new().await;
    let mut client = rig.worker.client().await;
    offer(&mut client, &["look"]).await;
    rig.calls_once();
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    let called = hosted.called(&mut client).await;
    for at in 0..5_000 {
        client
            .send_text(&report(&called.call.id, &format!("{at} {}", "x".repeat(200))))
            .await;
    }
    client.send_text(&result(&called.call.id, "first")).await;
    for _ in 0..10_000 {
        client.send_text(&result(&called.call.id, "late")).await;
    }
    let turn = hosted.ended(&mut client).await;
    assert_eq!(
        turn.activities.last().and_then(|last| last.output.as_deref()),
        Some("first")
    );
    assert_eq!(turn.done(), "Looking. done");
    assert_eq!(rig.told(1).await, "first");
    assert_eq!(until_quiet(&mut client).await, []);
    client.vanish();
    rig.worker.end().await;
    let log = log(&rig.home);
    assert!(log.contains("ignored=10000"), "{log}");
}

#[tokio::test]
async fn a_tool_that_nobody_offers_is_an_answer_like_any_other() {
    let rig = Rig::new().await;
    let mut client = rig.worker.client().await;
    rig.calls_once();
    assert_eq!(
        play(&mut client, question("c-1", "Look.")).await.done(),
        "Looking. done"
    );
    assert_eq!(rig.told(1).await, "there is no tool named \"look\"");
}

#[tokio::test]
async fn a_result_of_no_call_is_ignored() {
    let rig = Rig::new().await;
    let mut client = rig.worker.client().await;
    client
        .send_text(&settle("1", &json!({ "result": { "content": [] } })))
        .await;
    client.send_text(&report("1", "x")).await;
    assert_eq!(until_quiet(&mut client).await, []);
}
