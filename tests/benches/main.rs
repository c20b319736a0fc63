//! `make bench`: speed and memory of the real binaries, each beside a baseline that is measured in the same run.
//!
//! Absolute figures move from machine to machine; the ratios are what is judged (README, "Benchmarks"). Nothing here
//! passes or fails. This program is also its own baseline: it starts itself again as a minimal bridge (provider events
//! to WebSocket frames and nothing else), as a bare relay and as a bare server of one file.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark that cannot measure has nothing better to do"
)]
#![expect(clippy::print_stdout, reason = "the table is the product")]

mod acp;
mod bridge;
mod host_tools;
mod media;
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
        Some(media::ROLE) => runtime.block_on(media::serve(args.get(1).expect("the file"))),
        Some(relay::ROLE) => runtime.block_on(relay::serve(args.get(1).expect("the port").parse().unwrap())),
        _ => runtime.block_on(measure(&args)),
    }
}

/// Measures everything, or only the groups that are named: `cargo bench --package sidewire-tests -- media`.
async fn measure(args: &[String]) {
    let named: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let wanted = |group: &str| named.is_empty() || named.contains(&group);
    let mut table = Table::default();
    if wanted("streams") {
        streams::measure(&mut table).await;
    }
    if wanted("relay") {
        relay::measure(&mut table).await;
    }
    if wanted("host_tools") {
        host_tools::measure(&mut table).await;
    }
    if wanted("media") {
        media::measure(&mut table).await;
    }
    if wanted("starts") {
        starts::measure(&mut table).await;
    }
    if wanted("memory") {
        memory::measure(&mut table).await;
    }
    println!("{table}");
    if wanted("acp") {
        println!("{}", acp::measure().await);
    }
}
