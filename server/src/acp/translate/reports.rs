//! Reports of running calls, at a pace an editor can follow: the newest one counts, and none is lost at the end.

use std::collections::HashMap;
use std::time::Duration;

use sidewire_agent::event::{ToolContent, ToolProgress};
use tokio::time::Instant;

/// Between two reports of a call there is at least this.
pub(super) const PACE: Duration = Duration::from_millis(100);

/// The calls that run.
#[derive(Default)]
pub(super) struct Reports(HashMap<String, Report>);

#[derive(Default)]
struct Report {
    told_at: Option<Instant>,
    held: Option<ToolProgress>,
    terminal: Option<String>,
}

impl Reports {
    /// A call begins.
    pub(super) fn begin(&mut self, call_id: &str) {
        self.0.insert(call_id.to_owned(), Report::default());
    }

    /// A call reports: what is to be told of it now.
    pub(super) fn take(&mut self, progress: ToolProgress, now: Instant) -> Option<ToolProgress> {
        let report = self.0.get_mut(&progress.call_id)?;
        let is_new_terminal = report.note_terminal(&progress.content);
        // A terminal has to be shown before it is gone, a secret to be hidden at once.
        let is_urgent = is_new_terminal || progress.kept_arguments.is_some();
        if is_urgent || report.due().is_none_or(|due| due <= now) {
            report.told_at = Some(now);
            report.held = None;
            return Some(progress);
        }
        report.held = Some(progress);
        None
    }

    /// When the next report that is held back is to be told.
    pub(super) fn due(&self) -> Option<Instant> {
        let held = self.0.values().filter(|report| report.held.is_some());
        held.filter_map(Report::due).min()
    }

    /// Reports that were held back long enough.
    pub(super) fn overdue(&mut self, now: Instant) -> Vec<ToolProgress> {
        let mut overdue = Vec::new();
        for report in self.0.values_mut() {
            if report.due().is_some_and(|due| due <= now)
                && let Some(progress) = report.held.take()
            {
                report.told_at = Some(now);
                overdue.push(progress);
            }
        }
        overdue
    }

    /// A call ended: the terminal it ran in, if any. What was held back is part of what it gave.
    pub(super) fn end(&mut self, call_id: &str) -> Option<String> {
        self.0.remove(call_id)?.terminal
    }
}

impl Report {
    fn due(&self) -> Option<Instant> {
        self.told_at.map(|told| told + PACE)
    }

    /// Whether the call turns out to run in a terminal.
    fn note_terminal(&mut self, content: &[ToolContent]) -> bool {
        let terminal = content.iter().find_map(|block| match block {
            ToolContent::Terminal(id) => Some(id),
            ToolContent::Text(_) | ToolContent::Diff { .. } | ToolContent::Picture(_) => None,
        });
        let is_new = terminal.is_some() && self.terminal.is_none();
        if is_new {
            self.terminal = terminal.cloned();
        }
        is_new
    }
}
