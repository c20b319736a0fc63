//! What is known of one agent after its runs.

use std::time::Duration;

use super::driver::{Opened, TurnSeen};
use crate::table::{number, percentile};

/// Names and goals of the rows, in the order of [`Figures::cells`].
pub(crate) const ROWS: &[(&str, &str)] = &[
    ("ACP: from start to the answer of `initialize`, p50", "≤ 25 ms"),
    ("ACP: `session/new`, p50", "≤ 10 ms"),
    ("ACP: from a prompt to its first chunk, p50", "-"),
    ("ACP: deltas per second, 4,992 at once", "≥ 12,000 /s"),
    ("ACP: chunks they came in", "-"),
    ("ACP: delay per delta, one each 5 ms, p50", "-"),
    ("ACP: delay per delta, one each 5 ms, p99", "-"),
    ("ACP: peak memory of the process and its children", "≤ 25 MiB"),
    ("ACP: from the end of its input to its own end, p50", "≤ 50 ms"),
];

/// Samples of one agent.
#[derive(Default)]
pub(crate) struct Figures {
    initialize_ms: Vec<f64>,
    new_ms: Vec<f64>,
    first_ms: Vec<f64>,
    rates: Vec<f64>,
    chunks: Vec<f64>,
    pub(crate) delays_us: Vec<f64>,
    peaks_mib: Vec<f64>,
    exits_ms: Vec<Option<f64>>,
}

impl Figures {
    #[expect(clippy::cast_precision_loss, reason = "thousands of chunks")]
    pub(crate) fn add_start(
        &mut self,
        opened: &Opened,
        turn: &TurnSeen,
        peak_mib: f64,
        exit: Option<Duration>,
    ) {
        self.initialize_ms.push(millis(opened.initialize));
        self.new_ms.push(millis(opened.new));
        self.first_ms.extend(turn.first.map(millis));
        self.rates.push(turn.characters as f64 / turn.took.as_secs_f64());
        self.chunks.push(turn.chunks as f64);
        self.peaks_mib.push(peak_mib);
        self.exits_ms.push(exit.map(millis));
    }

    /// The rows as they are printed.
    pub(crate) fn cells(mut self) -> Vec<String> {
        let exits: Option<Vec<f64>> = self.exits_ms.iter().copied().collect();
        let exit = exits.map_or_else(
            || "does not end in 5 s".to_owned(),
            |mut exits| number(percentile(&mut exits, 0.5), "ms"),
        );
        let half = |samples: &mut Vec<f64>, unit| number(percentile(samples, 0.5), unit);
        vec![
            half(&mut self.initialize_ms, "ms"),
            half(&mut self.new_ms, "ms"),
            half(&mut self.first_ms, "ms"),
            half(&mut self.rates, "/s"),
            half(&mut self.chunks, ""),
            half(&mut self.delays_us, "µs"),
            number(percentile(&mut self.delays_us, 0.99), "µs"),
            number(percentile(&mut self.peaks_mib, 1.0), "MiB"),
            exit,
        ]
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
