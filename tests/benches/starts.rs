//! From nothing to ready: the worker, and the host beside a running worker.

use std::time::Instant;

use sidewire_tests::{Home, NativeHost, Peer, ping};

use crate::table::{Table, percentile};

const STARTS: usize = 20;

pub(crate) async fn measure(table: &mut Table) {
    let mut worker_starts = Vec::new();
    for _ in 0..STARTS {
        let home = Home::new();
        let began = Instant::now();
        let worker = home.worker().await;
        drop(worker.raw().await);
        worker_starts.push(millis(began));
        worker.end().await;
    }
    let home = Home::new();
    let worker = home.worker().await;
    let mut host_starts = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let mut host = NativeHost::start(&home);
        host.call(ping()).await;
        host_starts.push(millis(began));
    }
    worker.end().await;
    table.value(
        "start of the worker, until it accepts, p50",
        "ms",
        percentile(&mut worker_starts, 0.5),
        "≤ 50 ms",
    );
    table.value(
        "start of the host, until its first answer, p50",
        "ms",
        percentile(&mut host_starts, 0.5),
        "≤ 20 ms",
    );
}

fn millis(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1_000.0
}
