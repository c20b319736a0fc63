//! Progress of running calls: what a server reports about a token goes to the turn that waits for the call.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use sidewire_agent::event::{ToolContent, ToolProgress, TurnEvent};
use sidewire_agent::feed::TurnFeed;
use sidewire_agent::page_block::text::clip;

use super::visible::visible;

/// Bytes of a report that are shown.
const SHOWN: usize = 2 * 1024;
/// Reports that are kept of calls whose token is not known yet: a server may be faster than we are.
const EARLY: usize = 16;

/// Who waits for reports. Clones are the same.
#[derive(Clone, Default)]
// A std mutex: held for one look-up.
pub(super) struct Reports(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    watched: HashMap<ProgressToken, Call>,
    early: VecDeque<ProgressNotificationParam>,
}

/// A call that runs.
#[derive(Clone)]
pub(super) struct Call {
    /// The model's id of it.
    pub(super) id: String,
    /// The name of the tool in the turn.
    pub(super) tool: String,
    /// Where its reports go.
    pub(super) feed: Arc<TurnFeed>,
}

/// Ends with the call it watches.
pub(super) struct Watching {
    reports: Reports,
    token: ProgressToken,
}

impl Reports {
    /// From now on reports about `token` are those of `call`.
    pub(super) fn watch(&self, token: ProgressToken, call: Call) -> Watching {
        let mut inner = self.lock();
        let (known, others): (VecDeque<_>, _) = inner
            .early
            .drain(..)
            .partition(|report| report.progress_token == token);
        inner.early = others;
        if let Some(last) = known.back() {
            call.show(last);
        }
        inner.watched.insert(token.clone(), call);
        drop(inner);
        Watching {
            reports: self.clone(),
            token,
        }
    }

    /// A server reports.
    pub(super) fn take(&self, report: ProgressNotificationParam) {
        let mut inner = self.lock();
        if let Some(call) = inner.watched.get(&report.progress_token).cloned() {
            drop(inner);
            call.show(&report);
            return;
        }
        if inner.early.len() == EARLY {
            inner.early.pop_front();
        }
        inner.early.push_back(report);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.reports.lock().watched.remove(&self.token);
    }
}

impl Call {
    fn show(&self, report: &ProgressNotificationParam) {
        self.feed.push(TurnEvent::ToolProgress(ToolProgress {
            call_id: self.id.clone(),
            name: self.tool.clone(),
            content: vec![ToolContent::Text(words(report))],
            kept_arguments: None,
        }));
    }
}

/// A report in words: `Indexing (3/10)`.
fn words(report: &ProgressNotificationParam) -> String {
    let amount = match report.total {
        Some(total) => format!("{}/{total}", report.progress),
        None => report.progress.to_string(),
    };
    let message = visible(report.message.as_deref().unwrap_or_default());
    match clip(&message, SHOWN) {
        "" => amount,
        message => format!("{message} ({amount})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_reads_well() {
        for (report, expected) in [
            (
                json!({ "progressToken": 1, "progress": 3, "total": 10, "message": "In\u{1b}dexing" }),
                "Indexing (3/10)",
            ),
            (json!({ "progressToken": 1, "progress": 0.5 }), "0.5"),
            (json!({ "progressToken": "a", "progress": 1, "message": "" }), "1"),
        ] {
            let report: ProgressNotificationParam = serde_json::from_value(report).unwrap();
            assert_eq!(words(&report), expected);
        }
    }
}
