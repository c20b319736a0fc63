//! What is printed: a row per quantity, with its baseline and goal.

use std::fmt;

/// The result of a run.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<[String; 5]>,
}

impl Table {
    /// A quantity beside its baseline; `goal` is said of the ratio.
    pub(crate) fn ratio(&mut self, what: &str, unit: &str, ours: f64, baseline: f64, goal: &str) {
        let ratio = if baseline > 0.0 {
            format!("{:.2}", ours / baseline)
        } else {
            "-".to_owned()
        };
        self.rows.push([
            what.to_owned(),
            number(ours, unit),
            number(baseline, unit),
            ratio,
            goal.to_owned(),
        ]);
    }

    /// A quantity without a baseline.
    pub(crate) fn value(&mut self, what: &str, unit: &str, ours: f64, goal: &str) {
        self.rows.push([
            what.to_owned(),
            number(ours, unit),
            "-".to_owned(),
            "-".to_owned(),
            goal.to_owned(),
        ]);
    }
}

pub(crate) fn number(value: f64, unit: &str) -> String {
    if value >= 100.0 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.2} {unit}")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["quantity", "sidewire", "baseline", "ratio", "goal"].map(str::to_owned);
        let rule = ["---"; 5].map(str::to_owned);
        for row in [&head, &rule].into_iter().chain(&self.rows) {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

/// The same quantities of several programs, one column each.
pub(crate) struct Columns {
    rows: &'static [(&'static str, &'static str)],
    programs: Vec<(String, Vec<String>)>,
}

impl Columns {
    /// No program yet; a row is what is measured, and its goal for the first program.
    pub(crate) fn new(rows: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            rows,
            programs: Vec::new(),
        }
    }

    /// Adds a program with its cells; missing ones are dashes.
    pub(crate) fn add(&mut self, name: &str, cells: Vec<String>) {
        self.programs.push((name.to_owned(), cells));
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.programs.iter().map(|(name, _)| name.as_str()).collect();
        writeln!(f, "| quantity | {} | goal |", names.join(" | "))?;
        writeln!(f, "|{}", " --- |".repeat(names.len() + 2))?;
        for (at, (what, goal)) in self.rows.iter().enumerate() {
            let cells = self
                .programs
                .iter()
                .map(|(_, cells)| cells.get(at).map_or("-", String::as_str));
            let cells: Vec<&str> = cells.collect();
            writeln!(f, "| {what} | {} | {goal} |", cells.join(" | "))?;
        }
        Ok(())
    }
}

/// The value below which `share` of the samples lie.
pub(crate) fn percentile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index within the samples"
    )]
    let at = ((samples.len().saturating_sub(1)) as f64 * share).round() as usize;
    samples.get(at).copied().unwrap_or(f64::NAN)
}
