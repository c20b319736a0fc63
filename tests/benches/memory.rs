//! Memory of the worker: idle, per idle connection, per conversation that is at rest.

use futures_util::future::join_all;
use sidewire_tests::{Home, Peer, Worker, play, question};

use crate::table::Table;

const CONNECTIONS: u32 = 200;
const CONVERSATIONS: u32 = 200;

pub(crate) async fn measure(table: &mut Table) {
    let home = Home::new();
    let mut worker = home.worker().await;
    let idle = resident_kb(&mut worker);
    table.value("memory of an idle worker", "MB", idle / 1_024.0, "≤ 16 MB");

    let clients = join_all((0..CONNECTIONS).map(|_| worker.client())).await;
    let connected = resident_kb(&mut worker);
    table.value(
        "memory per idle connection",
        "KB",
        (connected - idle) / f64::from(CONNECTIONS),
        "≤ 24 KB",
    );
    drop(clients);

    let mut client = worker.client().await;
    ask(&mut client, 0).await;
    let before = resident_kb(&mut worker);
    for at in 1..=CONVERSATIONS {
        ask(&mut client, at).await;
    }
    let after = resident_kb(&mut worker);
    table.value(
        "memory per conversation at rest",
        "KB",
        (after - before).max(0.0) / f64::from(CONVERSATIONS),
        "≤ 8 KB",
    );
    worker.end().await;
}

async fn ask(client: &mut impl Peer, at: u32) {
    let mut request = question(&format!("c-{at}"), "hello");
    request.history_hint = Some(format!("bench-{at}"));
    let _answer = play(client, request).await.done();
}

fn resident_kb(worker: &mut Worker) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.process().pid())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}
