//! Frames that are almost right, of every type a client may send: nothing panics, the connection goes on or ends
//! cleanly, and the next client finds the worker as it was. Bounded, and the same in every run; `SIDEWIRE_FUZZ_CASES`
//! makes it longer.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use rustix::process::Signal;
use serde_json::{Value, json};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_tests::{
    Client, Home, Hosted, Identity, Peer, Script, ScriptedModel, Worker, offer, play, question, report,
    requests, result,
};
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;

const SCHEMAS: [&str; 2] = [
    include_str!("../../contract/schema/chat-2.1.0.json"),
    include_str!("../../contract/schema/bridge-1.json"),
];
/// Bytes a worker may take however it was treated.
const MEMORY: u64 = 512 * 1024 * 1024;

/// Every example of a frame that a client may send.
fn seeds() -> Vec<Value> {
    let mut seeds = BTreeMap::new();
    for schema in SCHEMAS {
        let schema: Value = serde_json::from_str(schema).unwrap();
        let valid = schema.pointer("/examples/valid").unwrap().as_object().unwrap();
        for (name, frame) in valid {
            let frame_type = frame.get("type").and_then(Value::as_str).unwrap_or_default();
            if ClientFrame::TYPES.contains(&frame_type) {
                seeds.insert((frame_type.to_owned(), name.clone()), frame.clone());
            }
        }
    }
    let types: std::collections::BTreeSet<&str> =
        seeds.keys().map(|(frame_type, _)| frame_type.as_str()).collect();
    let missing: Vec<_> = ClientFrame::TYPES
        .iter()
        .filter(|known| !types.contains(**known))
        .collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
    seeds.into_values().collect()
}

/// One change of a frame.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, Value),
    Remove(Index),
    Repeat(Index, usize),
    Cut(Index),
    Insert(Index, &'static str),
}

fn odd_value() -> impl Strategy<Value = Value> {
    let deep = (0..200).fold(json!(0), |inner, _| json!([inner]));
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!(u64::MAX)),
        ".{0,40}".prop_map(Value::from),
        (0_usize..20_000).prop_map(|len| Value::from("x".repeat(len))),
        Just(json!("c-")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([{ "type": "text" }, 7])),
        Just(deep),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => (any::<Index>(), odd_value()).prop_map(|(at, value)| Change::Replace(at, value)),
        3 => any::<Index>().prop_map(Change::Remove),
        1 => (any::<Index>(), 2_usize..200).prop_map(|(at, times)| Change::Repeat(at, times)),
        1 => any::<Index>().prop_map(Change::Cut),
        1 => (any::<Index>(), prop::sample::select(vec!["\"", "{", "]", ",", "\\ud800", "\u{0}", "null"]))
            .prop_map(|(at, text)| Change::Insert(at, text)),
    ]
}

/// An example with up to three changes, as text.
fn frame(seeds: Vec<Value>) -> impl Strategy<Value = String> {
    (prop::sample::select(seeds), vec(change(), 0..4)).prop_map(|(seed, changes)| changed(seed, &changes))
}

fn changed(mut frame: Value, changes: &[Change]) -> String {
    let mut tail = Vec::new();
    for change in changes {
        let mut places = Vec::new();
        collect(&frame, &mut String::new(), &mut places);
        match change {
            Change::Replace(at, value) => {
                if let Some(place) = frame.pointer_mut(at.get(&places).as_str()) {
                    *place = value.clone();
                }
            }
            Change::Remove(at) => remove(&mut frame, at.get(&places).as_str()),
            Change::Repeat(at, times) => {
                if let Some(Value::Array(items)) = frame.pointer_mut(at.get(&places).as_str())
                    && let Some(first) = items.first().cloned()
                {
                    items.extend(std::iter::repeat_n(first, *times));
                }
            }
            other => tail.push(other),
        }
    }
    let mut text = frame.to_string();
    for change in tail {
        let boundary = |at: &Index, text: &str| text.floor_char_boundary(at.index(text.len() + 1));
        match change {
            Change::Cut(at) => text.truncate(boundary(at, &text)),
            Change::Insert(at, piece) => text.insert_str(boundary(at, &text), piece),
            _ => {}
        }
    }
    text
}

/// The pointers of all values of a frame, its own excepted.
fn collect(value: &Value, at: &mut String, into: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (name, child) in children.into_iter().take(50) {
        let len = at.len();
        at.push('/');
        at.push_str(&name);
        into.push(at.clone());
        if at.len() < 400 {
            collect(child, at, into);
        }
        at.truncate(len);
    }
    if into.is_empty() {
        into.push(String::new());
    }
}

fn remove(frame: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return;
    };
    match frame.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            if let Some(at) = name.parse::<usize>().ok().filter(|at| *at < items.len()) {
                items.remove(at);
            }
        }
        _ => {}
    }
}

fn runner(cases: u32) -> TestRunner {
    let cases = std::env::var("SIDEWIRE_FUZZ_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(cases);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 50,
        ..Config::default()
    };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    TestRunner::new_with_rng(config, rng)
}

/// A worker and the client that treats it badly.
struct Victim {
    worker: Worker,
    identity: Identity,
    client: Option<Client>,
    probes: u32,
}

impl Victim {
    async fn client(&mut self) -> Client {
        match self.client.take() {
            Some(client) => client,
            None => self.worker.client_as(&self.identity).await,
        }
    }

    /// Sends frames; then either the connection answers as ever, or a new one does.
    async fn treat(&mut self, frames: &[String]) {
        let mut client = self.client().await;
        let mut open = true;
        for frame in frames {
            open = open && client.try_send(Message::text(frame.as_str())).await;
        }
        if !open || !self.is_well(&mut client).await {
            client = self.worker.client_as(&self.identity).await;
            assert!(self.is_well(&mut client).await, "a new connection answers");
        }
        self.client = Some(client);
    }

    /// Whether a ping, a set of tools and a list are answered; false when the connection has ended.
    async fn is_well(&mut self, client: &mut Client) -> bool {
        self.probes += 1;
        let name = format!("probe{}", self.probes);
        let set = json!({ "type": "set_host_tools", "tools": [{ "name": name, "description": "x", "parameters": {} }] });
        let list = json!({ "type": "conversation_list", "requestId": name });
        let ping = json!({ "type": "ping" });
        for frame in [set, list, ping] {
            if !client.try_send(Message::text(frame.to_string())).await {
                return false;
            }
        }
        let mut missing = vec!["set", "list", "pong"];
        while !missing.is_empty() {
            let Some(text) = client.receive_text().await else {
                return false;
            };
            let frame = WorkerFrame::decode(&text).unwrap_or_else(|error| panic!("{error}: {text:.300}"));
            let found = match &frame {
                WorkerFrame::Pong(_) => "pong",
                WorkerFrame::SetHostToolsAck(ack) if ack.tool_names == [name.as_str()] => "set",
                WorkerFrame::ConversationPage(page) if page.request_id.as_str() == name => "list",
                _ => continue,
            };
            missing.retain(|waited| *waited != found);
        }
        true
    }

    fn memory(&mut self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.worker.process().pid()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.unwrap_or(0) * 1024
    }
}

#[test]
fn frames_that_are_almost_right_break_nothing() {
    let runtime = Runtime::new().unwrap();
    let (home, model) = runtime.block_on(async { (Home::new(), ScriptedModel::start().await) });
    home.use_model(&model);
    let mut victim = runtime.block_on(async {
        let worker = home.worker().await;
        // A browser: only a local program may ask the worker to go.
        let identity = worker.paired(&home).await;
        Victim {
            worker,
            identity,
            client: None,
            probes: 0,
        }
    });
    let cell = std::cell::RefCell::new(&mut victim);
    runner(300)
        .run(&vec(frame(seeds()), 1..24), |frames| {
            runtime.block_on(cell.borrow_mut().treat(&frames));
            Ok(())
        })
        .unwrap();
    assert!(victim.memory() < MEMORY, "{} bytes", victim.memory());
    runtime.block_on(async {
        let Victim { worker, identity, .. } = victim;
        end_without_panic(worker).await;
        // Whatever was set up meanwhile: with its model back, the worker answers.
        home.use_model(&model);
        let worker = home.worker().await;
        let mut client = worker.client_as(&identity).await;
        let mut request = question("c-after", "Still there?");
        request.history_hint = Some("after".to_owned());
        assert_eq!(play(&mut client, request).await.done(), "ok");
        requests::list(&mut client, None).await;
    });
}

#[test]
fn a_running_call_survives_whatever_is_said_about_it() {
    let runtime = Runtime::new().unwrap();
    let model = runtime.block_on(ScriptedModel::start());
    let home = Home::with_model(&model);
    let worker = runtime.block_on(home.worker());
    let about: Vec<Value> = [report("ID", "half"), result("ID", "whole")]
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    let count = std::cell::Cell::new(0_u32);
    runner(100)
        .run(&vec(frame(about), 1..8), |frames| {
            count.set(count.get() + 1);
            let id = format!("c-{}", count.get());
            model.script(Script::stream().call("k", "look", &json!({})).done());
            model.script(Script::says("done"));
            runtime.block_on(async {
                // A connection each: after too many frames that cannot be read, one is given up.
                let client = &mut worker.client().await;
                offer(client, &["look"]).await;
                let mut request = question(&id, "Look.");
                request.history_hint = Some(id.clone());
                let mut hosted = Hosted::ask(client, request).await;
                let called = hosted.called(client).await;
                for frame in &frames {
                    client.send_text(&frame.replace("ID", &called.call.id)).await;
                }
                client.send_text(&result(&called.call.id, "the last word")).await;
                // Complaints about frames come between those of the turn.
                while !hosted.turn.has_ended() {
                    match client.receive().await {
                        WorkerFrame::BridgeError(_) | WorkerFrame::SetHostToolsError(_) => {}
                        frame => hosted.take(frame),
                    }
                }
                assert_eq!(hosted.turn.done(), "done");
            });
            Ok(())
        })
        .unwrap();
    runtime.block_on(end_without_panic(worker));
}

/// A panic ends its connection or turn only, so it is looked for where it is told.
async fn end_without_panic(mut worker: Worker) {
    let process = worker.process();
    process.signal(Signal::TERM);
    assert!(process.ended().await.success());
    let errors = process.errors().await;
    assert!(!errors.contains("panicked"), "{errors}");
}
