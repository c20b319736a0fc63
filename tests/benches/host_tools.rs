//! Tools of a client: from its result to the worker's next call, beside a socket that only echoes.

use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use sidewire_tests::{Client, Peer};
use sidewire_tests::{Home, Hosted, Script, ScriptedModel, offer, question, result};
use tokio_tungstenite::tungstenite::Message;

use crate::bridge;
use crate::relay::{echo, micros};
use crate::table::{Table, percentile};

const TURNS: usize = 40;
/// Calls of one step: the most a worker takes. Eight are out at once, so each result brings the next call.
const CALLS: usize = 64;
const AT_ONCE: usize = 8;

pub(crate) async fn measure(table: &mut Table) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["look"]).await;
    let mut ours = Vec::with_capacity(TURNS * CALLS);
    for turn in 0..TURNS {
        let script = (0..CALLS).fold(Script::stream(), |script, at| {
            script.call(&format!("k{at}"), "look", &json!({ "ref": "e12" }))
        });
        model.script(script.done());
        step(&mut client, turn, &mut ours).await;
    }
    worker.end().await;
    let mut baseline = echoes().await;
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (ours, baseline) = (percentile(&mut ours, share), percentile(&mut baseline, share));
        table.ratio(
            &format!("host tool, from a result to the next call, {name}"),
            "µs",
            ours,
            baseline,
            "-",
        );
    }
}

/// One turn: seven calls wait, the eighth is answered again and again.
async fn step(client: &mut Client, turn: usize, samples: &mut Vec<f64>) {
    let mut request = question(&format!("c-tool-{turn}"), "go");
    request.history_hint = Some(format!("tools-{turn}"));
    let mut hosted = Hosted::ask(client, request).await;
    let mut waiting = hosted.called_times(client, AT_ONCE).await;
    for _ in AT_ONCE..CALLS {
        let answered = waiting.pop().unwrap();
        let answer = result(&answered.call.id, "the text of an element");
        let began = Instant::now();
        client.send_text(&answer).await;
        waiting.push(hosted.called(client).await);
        samples.push(micros(began));
    }
    for left in waiting {
        client.send_text(&result(&left.call.id, "the last")).await;
    }
    hosted.ended(client).await;
}

/// The same frames, answered by nobody's thought.
async fn echoes() -> Vec<f64> {
    let mut socket = bridge::connect(echo().await).await;
    let answer = result("0123456789abcdef0123456789abcdef", "the text of an element");
    let mut samples = Vec::new();
    for _ in 0..TURNS * (CALLS - AT_ONCE) {
        let began = Instant::now();
        socket.send(Message::text(answer.as_str())).await.unwrap();
        socket.next().await.unwrap().unwrap();
        samples.push(micros(began));
    }
    samples
}
