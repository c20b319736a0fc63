//! Answers on their way: delay per delta, deltas per second, many conversations at once.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_tests::{Client, Home, Peer, question};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::bridge;
use crate::provider::{self, Pace};
use crate::table::{Table, percentile};

const ONE: Pace = Pace {
    deltas: 2_000,
    apart_us: 1_000,
};
const BURST: Pace = Pace {
    deltas: 200_000,
    apart_us: 0,
};
const MANY: Pace = Pace {
    deltas: 200,
    apart_us: 20_000,
};
const CONVERSATIONS: usize = 200;

/// What a turn looked like from the client.
#[derive(Default)]
struct Seen {
    delays_us: Vec<f64>,
    characters: usize,
    first: Option<Duration>,
    took: Duration,
}

impl Seen {
    fn take(&mut self, delta: &str, began: Instant) {
        self.first.get_or_insert_with(|| began.elapsed());
        self.characters += delta.len();
        self.delays_us.extend(provider::delays_us(delta));
    }
}

pub(crate) async fn measure(table: &mut Table) {
    let url = provider::start().await;
    let (_bridge, bridge_port) = bridge::start_self(&[bridge::ROLE, &url]).await;

    let ours = worker_turns(&url, ONE, 1).await;
    let baseline = bridge_turns(bridge_port, ONE, 1).await;
    compare_delays(
        table,
        "delay per delta, one conversation",
        ours,
        baseline,
        ["≤ 1.3", "-"],
    );

    let ours = worker_turns(&url, BURST, 1).await;
    let baseline = bridge_turns(bridge_port, BURST, 1).await;
    table.ratio(
        "deltas per second, one conversation",
        "/s",
        rate(&ours),
        rate(&baseline),
        "≥ 0.8",
    );

    let ours = worker_turns(&url, MANY, CONVERSATIONS).await;
    let baseline = bridge_turns(bridge_port, MANY, CONVERSATIONS).await;
    let expected = CONVERSATIONS * MANY.deltas as usize;
    for (who, seen) in [("sidewire", &ours), ("the baseline", &baseline)] {
        let arrived: usize = seen.iter().map(|turn| turn.delays_us.len()).sum();
        assert_eq!(arrived, expected, "{who} lost deltas");
    }
    compare_delays(
        table,
        "delay per delta, 200 conversations",
        ours,
        baseline,
        ["-", "≤ 1.5"],
    );
}

fn compare_delays(table: &mut Table, what: &str, ours: Vec<Seen>, baseline: Vec<Seen>, goals: [&str; 2]) {
    let pool = |seen: Vec<Seen>| -> Vec<f64> { seen.into_iter().flat_map(|turn| turn.delays_us).collect() };
    let (mut ours, mut baseline) = (pool(ours), pool(baseline));
    for (name, share, goal) in [("p50", 0.5, goals[0]), ("p99", 0.99, goals[1])] {
        table.ratio(
            &format!("{what}, {name}"),
            "µs",
            percentile(&mut ours, share),
            percentile(&mut baseline, share),
            goal,
        );
    }
}

/// Deltas of the provider per second, however they were merged on the way.
fn rate(seen: &[Seen]) -> f64 {
    let turn = seen.first().unwrap();
    f64::from(u32::try_from(turn.characters).unwrap()) / turn.took.as_secs_f64()
}

/// The same turn in as many conversations, each on its own connection, through the real worker.
async fn worker_turns(provider: &str, pace: Pace, conversations: usize) -> Vec<Seen> {
    let home = Home::new();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{provider}\"\nmodel = \"{}\"\n",
        pace.name()
    ));
    let worker = home.worker().await;
    let clients = join_all((0..conversations).map(|_| worker.client())).await;
    let seen = join_all(
        clients
            .into_iter()
            .enumerate()
            .map(|(at, client)| worker_turn(client, at)),
    )
    .await;
    worker.end().await;
    seen
}

async fn worker_turn(mut client: Client, at: usize) -> Seen {
    let mut request = question(&format!("c-{at}"), "go");
    request.history_hint = Some(format!("bench-{at}"));
    let began = Instant::now();
    client.send(ClientFrame::ChatRequest(Box::new(request))).await;
    let mut seen = Seen::default();
    loop {
        match client.receive().await {
            WorkerFrame::ChatDelta(delta) => seen.take(&delta.delta, began),
            WorkerFrame::ChatDone(_) => break,
            WorkerFrame::ChatError(error) => panic!("the turn failed: {:?}", error.reason),
            _ => {}
        }
    }
    seen.took = began.elapsed();
    seen
}

async fn bridge_turns(port: u16, pace: Pace, conversations: usize) -> Vec<Seen> {
    let clients = join_all((0..conversations).map(|_| bridge::connect(port))).await;
    join_all(
        clients
            .into_iter()
            .enumerate()
            .map(|(at, client)| bridge_turn(client, at, pace)),
    )
    .await
}

async fn bridge_turn(mut client: WebSocketStream<TcpStream>, at: usize, pace: Pace) -> Seen {
    let began = Instant::now();
    client
        .send(Message::text(format!("c-{at} {}", pace.name())))
        .await
        .unwrap();
    let mut seen = Seen::default();
    while let Some(Ok(Message::Text(text))) = client.next().await {
        match WorkerFrame::decode(&text).unwrap() {
            WorkerFrame::ChatDelta(delta) => seen.take(&delta.delta, began),
            _ => break,
        }
    }
    seen.took = began.elapsed();
    seen
}
