//! `make bench`: speed and memory of the real binaries, each beside a baseline that is measured in the same run.
//!
//! Absolute figures move from machine to machine; the ratios are what is judged (README, "Benchmarks"). Nothing here
//! passes or fails. This program is also its own baseline: it starts itself again as a minimal bridge (provider events
//! to WebSocket frames and nothing else) and as a bare relay.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark that cannot measure has nothing better to do"
)]
#![expect(clippy::print_stdout, reason = "the table is the product")]

mod bridge;
mod memory;
mod provider;
mod relay;
mod starts;
mod streams;
mod table;

use table::Table;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some(bridge::ROLE) => runtime.block_on(bridge::serve(args.get(1).expect("the provider's address"))),
        Some(relay::ROLE) => runtime.block_on(relay::serve(args.get(1).expect("the port").parse().unwrap())),
        _ => runtime.block_on(measure()),
    }
}

async fn measure() {
    let mut table = Table::default();
    streams::measure(&mut table).await;
    relay::measure(&mut table).await;
    starts::measure(&mut table).await;
    memory::measure(&mut table).await;
    println!("{table}");
}
