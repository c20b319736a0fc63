//! What a running turn has produced so far, and who reads it: one log, many cursors.
//!
//! The turn appends; each reader keeps a cursor and takes everything since. A slow reader therefore merges deltas
//! instead of losing them, costs no queue, and a reader that comes back later starts from a [`TurnRecord`] instead.

mod diffs;
mod partial;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use crate::event::{ToolEnd, ToolProgress, ToolStart, TurnEvent, TurnOutcome};
use crate::message::Reference;
use crate::record::{CallDiff, ToolRow, TurnRecord, shown_input, shown_output};
use diffs::Diffs;
use partial::Steps;

pub(crate) use partial::Saved;

/// Most bytes of answer text a turn may produce; then it ends with [`crate::message::Notice::AnswerClipped`].
pub const ANSWER_LIMIT: usize = 512 * 1024;
/// Most bytes of reasoning that are kept for readers; more is dropped, since it is only ever shown.
const REASONING_LIMIT: usize = 1024 * 1024;
/// Most pieces of media in one answer; a panel shows no more, and their descriptors fit the frame that shows the turn
/// again.
pub const MEDIA_LIMIT: usize = 64;

/// The log of one turn.
pub struct TurnFeed {
    // A std mutex: every section is a few copies and never awaits.
    state: Mutex<FeedState>,
    readers_changed: Notify,
}

struct FeedState {
    record: TurnRecord,
    diffs: Diffs,
    steps: Steps,
    /// Every piece of answer, also of drafts that the record no longer shows.
    said: String,
    /// Bytes of answer in the record before the newest attempt.
    before_attempt: usize,
    reasoning: String,
    log: Vec<Entry>,
    /// The newest report of each call that runs, and its place among all reports: reports replace each other, so that
    /// a tool that never stops reporting fills no log.
    reports: Vec<(u64, ToolProgress)>,
    reported: u64,
    /// Raised by everything that the record shows.
    revision: Revision,
    /// What may be kept of the arguments of calls that hold a secret.
    kept_arguments: HashMap<String, Value>,
    /// Pieces of media that are shown or about to be.
    media_places: usize,
    end: Option<End>,
    readers: Vec<Arc<Notify>>,
}

/// Text and reasoning live in one buffer each; an entry names a piece of it, so that pieces grow in place.
enum Entry {
    Text { end: usize },
    Reasoning { end: usize },
    Event(TurnEvent),
}

/// Which state of a record; a later one is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Revision(u64);

#[derive(Clone)]
struct End {
    outcome: TurnOutcome,
    references: Vec<Reference>,
}

/// What a reader gets, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A piece of answer, everything since the last one.
    Text(String),
    /// A piece of thinking.
    Reasoning(String),
    /// Anything else that happened; never `Text` or `Reasoning`.
    Event(TurnEvent),
    /// The end; nothing follows.
    End {
        /// How it ended.
        outcome: TurnOutcome,
        /// Links the answer cited.
        references: Vec<Reference>,
    },
}

impl TurnFeed {
    /// A feed of a turn that begins as `record` says.
    #[must_use]
    pub fn new(record: TurnRecord) -> Self {
        Self {
            state: Mutex::new(FeedState {
                said: record.text.clone(),
                before_attempt: record.text.len(),
                record,
                diffs: Diffs::default(),
                steps: Steps::default(),
                reasoning: String::new(),
                log: Vec::new(),
                reports: Vec::new(),
                reported: 0,
                revision: Revision::default(),
                kept_arguments: HashMap::new(),
                media_places: 0,
                end: None,
                readers: Vec::new(),
            }),
            readers_changed: Notify::new(),
        }
    }

    /// Adds what happened and wakes every reader. Returns how many bytes of answer there are now.
    pub fn push(&self, event: TurnEvent) -> usize {
        let mut state = self.lock();
        state.apply(event);
        for reader in &state.readers {
            reader.notify_one();
        }
        state.record.text.len()
    }

    /// Forgets the answer of the newest attempt: the next one begins anew. Readers tell the two apart by their names.
    pub(crate) fn drop_draft(&self) {
        let mut state = self.lock();
        let kept = state.before_attempt;
        state.record.text.truncate(kept);
        state.revision.0 += 1;
    }

    /// The record as it will be once the turn has ended so: what is stored before anyone is told.
    #[must_use]
    pub fn ended_record(&self, outcome: &TurnOutcome, references: &[Reference]) -> TurnRecord {
        let mut record = self.record();
        record.end(outcome, references);
        record
    }

    /// Ends the feed: readers get the end, and [`Self::record`] shows it.
    pub fn finish(&self, outcome: TurnOutcome, references: Vec<Reference>) {
        let mut state = self.lock();
        state.record.end(&outcome, &references);
        state.end = Some(End { outcome, references });
        for reader in &state.readers {
            reader.notify_one();
        }
    }

    /// The turn as it stands.
    #[must_use]
    pub fn record(&self) -> TurnRecord {
        self.lock().record.clone()
    }

    /// The changed files that calls showed, as far as they are kept.
    #[must_use]
    pub fn diffs(&self) -> Vec<CallDiff> {
        self.lock().diffs.kept().to_vec()
    }

    /// What may be kept of a call's arguments; nothing when that is all of them.
    #[must_use]
    pub fn kept_arguments(&self, call_id: &str) -> Option<Value> {
        self.lock().kept_arguments.get(call_id).cloned()
    }

    /// Takes a place for one more piece of media; false when there is none left.
    pub(crate) fn take_media_place(&self) -> bool {
        let mut state = self.lock();
        let free = state.media_places < MEDIA_LIMIT;
        state.media_places += usize::from(free);
        free
    }

    /// Starts reading from the very beginning. `wake` is notified whenever there is news.
    #[must_use]
    pub fn subscribe(self: &Arc<Self>, wake: Arc<Notify>) -> Subscription {
        self.add_reader(wake, Cursor::default())
    }

    /// Starts reading after the returned record, which holds everything before.
    #[must_use]
    pub fn resume(self: &Arc<Self>, wake: Arc<Notify>) -> (TurnRecord, Subscription) {
        let (record, cursor) = {
            let state = self.lock();
            let cursor = Cursor {
                entry: state.log.len(),
                text: state.said.len(),
                reasoning: state.reasoning.len(),
                reports: state.reported,
                ended: false,
            };
            (state.record.clone(), cursor)
        };
        // News between the two locks is not lost: the cursor was taken with the record.
        (record, self.add_reader(wake, cursor))
    }

    /// Resolves once nobody reads.
    pub async fn deserted(&self) {
        self.until(|state| state.readers.is_empty()).await;
    }

    /// Resolves once somebody reads.
    pub async fn attended(&self) {
        self.until(|state| !state.readers.is_empty()).await;
    }

    async fn until(&self, holds: impl Fn(&FeedState) -> bool) {
        loop {
            let changed = self.readers_changed.notified();
            if holds(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    fn add_reader(self: &Arc<Self>, wake: Arc<Notify>, cursor: Cursor) -> Subscription {
        self.lock().readers.push(Arc::clone(&wake));
        self.readers_changed.notify_waiters();
        // Only now: news that came before this reader was listed would wake nobody else for it.
        wake.notify_one();
        Subscription {
            feed: Arc::clone(self),
            wake,
            cursor,
        }
    }

    fn lock(&self) -> MutexGuard<'_, FeedState> {
        // A panic while holding it cannot leave a half-made entry worth refusing every reader for.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedState {
    fn apply(&mut self, event: TurnEvent) {
        if !matches!(event, TurnEvent::Reasoning(_)) {
            self.revision.0 += 1;
        }
        match event {
            TurnEvent::Text(text) => {
                self.record.text.push_str(&text);
                self.said.push_str(&text);
                self.grow_text();
            }
            TurnEvent::Reasoning(text) => {
                if self.reasoning.len() + text.len() <= REASONING_LIMIT {
                    self.reasoning.push_str(&text);
                    self.grow_reasoning();
                }
            }
            TurnEvent::ToolProgress(report) => self.report(report),
            TurnEvent::ToolFinished(mut end) => {
                self.finish_tool(&end);
                self.diffs.keep(&end);
                // A reader may have missed the report that said so.
                end.kept_arguments = self.kept_arguments.get(&end.call_id).cloned();
                self.log.push(Entry::Event(TurnEvent::ToolFinished(end)));
            }
            other => {
                self.note(&other);
                self.log.push(Entry::Event(other));
            }
        }
    }

    fn grow_text(&mut self) {
        let len = self.said.len();
        if let Some(Entry::Text { end }) = self.log.last_mut() {
            *end = len;
        } else {
            self.log.push(Entry::Text { end: len });
        }
    }

    fn grow_reasoning(&mut self) {
        let len = self.reasoning.len();
        if let Some(Entry::Reasoning { end }) = self.log.last_mut() {
            *end = len;
        } else {
            self.log.push(Entry::Reasoning { end: len });
        }
    }

    /// Keeps the record in step with an event.
    fn note(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Attempt(attempt) => {
                self.record.model = Some(attempt.model.clone());
                self.before_attempt = self.record.text.len();
            }
            TurnEvent::ToolStarted(start) => self.record.tools.push(ToolRow::started(start)),
            TurnEvent::Usage(usage) => {
                self.record.usage = Some(usage.turn);
                self.record.context = Some(usage.context);
            }
            TurnEvent::Notice(notice) if !self.record.notices.contains(notice) => {
                self.record.notices.push(*notice);
            }
            TurnEvent::Media(media) => self.record.media.push(media.as_ref().clone()),
            TurnEvent::Notice(_)
            | TurnEvent::Text(_)
            | TurnEvent::Reasoning(_)
            | TurnEvent::ToolProgress(_)
            | TurnEvent::ToolFinished(_)
            | TurnEvent::Plan(_)
            | TurnEvent::Retrying { .. } => {}
        }
    }

    /// A report of a call that does not run is dropped.
    fn report(&mut self, report: ToolProgress) {
        let Some(row) = self.running_tool(&report.call_id) else {
            return;
        };
        row.output = shown_output(&report.content);
        self.hide_arguments(&report.call_id, report.kept_arguments.as_ref());
        self.reports.retain(|(_, known)| known.call_id != report.call_id);
        self.reported += 1;
        self.reports.push((self.reported, report));
    }

    fn finish_tool(&mut self, end: &ToolEnd) {
        self.reports.retain(|(_, known)| known.call_id != end.call_id);
        self.hide_arguments(&end.call_id, end.kept_arguments.as_ref());
        if let Some(row) = self.running_tool(&end.call_id) {
            row.ok = Some(end.ok);
            row.ms = Some(end.ms);
            row.output = shown_output(&end.content);
            if !end.locations.is_empty() {
                row.locations.clone_from(&end.locations);
            }
        }
    }

    /// Nothing of the call says more than `kept` from now on, not even to a reader that has not come to its beginning.
    fn hide_arguments(&mut self, call_id: &str, kept: Option<&Value>) {
        let Some(kept) = kept else { return };
        let Some(row) = self.running_tool(call_id) else {
            return;
        };
        row.input = shown_input(kept);
        for entry in &mut self.log {
            if let Entry::Event(TurnEvent::ToolStarted(start)) = entry
                && start.call_id == call_id
            {
                start.arguments = kept.clone();
            }
        }
        self.kept_arguments.insert(call_id.to_owned(), kept.clone());
    }

    fn running_tool(&mut self, call_id: &str) -> Option<&mut ToolRow> {
        let running = |row: &&mut ToolRow| row.call_id == call_id && row.ok.is_none();
        self.record.tools.iter_mut().rev().find(running)
    }
}

impl ToolRow {
    fn started(start: &ToolStart) -> Self {
        Self {
            call_id: start.call_id.clone(),
            tool: start.name.clone(),
            label: start.title.clone(),
            ok: None,
            ms: None,
            input: shown_input(&start.arguments),
            output: None,
            kind: Some(start.kind),
            locations: start.locations.clone(),
        }
    }
}

/// How far a reader has read.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    entry: usize,
    text: usize,
    reasoning: usize,
    reports: u64,
    ended: bool,
}

/// One reader of a feed; dropping it ends the reading.
pub struct Subscription {
    feed: Arc<TurnFeed>,
    wake: Arc<Notify>,
    cursor: Cursor,
}

impl Subscription {
    /// Everything since the last call, in order; empty when there is nothing new.
    #[must_use]
    pub fn take(&mut self) -> Vec<News> {
        let state = self.feed.lock();
        let mut news = Vec::new();
        // The last entry read may have grown since, so reading starts with it again; its event, if any, was given.
        let given = self.cursor.entry;
        for (at, entry) in state.log.iter().enumerate().skip(given.saturating_sub(1)) {
            news.extend(match entry {
                Entry::Text { end } => piece(&state.said, &mut self.cursor.text, *end).map(News::Text),
                Entry::Reasoning { end } => {
                    piece(&state.reasoning, &mut self.cursor.reasoning, *end).map(News::Reasoning)
                }
                Entry::Event(event) => (at >= given).then(|| News::Event(event.clone())),
            });
        }
        self.cursor.entry = state.log.len();
        // After the log, which holds the beginning of every call that reports.
        let fresh = state.reports.iter().filter(|(at, _)| *at > self.cursor.reports);
        news.extend(fresh.map(|(_, report)| News::Event(TurnEvent::ToolProgress(report.clone()))));
        self.cursor.reports = state.reported;
        if let Some(end) = state.end.as_ref().filter(|_| !self.cursor.ended) {
            self.cursor.ended = true;
            news.push(News::End {
                outcome: end.outcome.clone(),
                references: end.references.clone(),
            });
        }
        news
    }

    /// The turn as it stands.
    #[must_use]
    pub fn record(&self) -> TurnRecord {
        self.feed.record()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = self.feed.lock();
        if let Some(at) = state
            .readers
            .iter()
            .position(|reader| Arc::ptr_eq(reader, &self.wake))
        {
            state.readers.swap_remove(at);
        }
        drop(state);
        self.feed.readers_changed.notify_waiters();
    }
}

/// What `buffer` holds between the cursor and `end`, moving the cursor there.
fn piece(buffer: &str, from: &mut usize, end: usize) -> Option<String> {
    let text = buffer.get(*from..end).filter(|text| !text.is_empty())?.to_owned();
    *from = end;
    Some(text)
}

#[cfg(test)]
mod tests;
