//! Makes room in a request while a turn runs. In an editor earlier turns are summed up once the request takes 0.85 of
//! the window, and after them the earlier steps of the turn itself; what cannot be summed up is given up as it is
//! beside a page ([`super::fit`]).

use super::{Turn, fit};
use crate::budget::{self, weight};
use crate::event::TurnEvent;
use crate::message::{Message, Notice, Part, Usage};
use crate::prompt::{Past, opening};
use crate::provider::{ModelRequest, ToolSpec};
use crate::summary::{self, Summing};

/// What a person sees while it happens, among the model's thoughts.
const SUMMING: &str = "Summing up earlier messages to make room.\n\n";

/// Hardly any text has more bytes in a token than this many times what is reckoned with.
const LIKELY: u64 = 2;

/// What a turn knows about how full its request is.
#[derive(Default)]
pub(super) struct Memory {
    past: Past,
    /// What the provider counted last: tokens, and how many messages they were.
    measured: Option<(u64, usize)>,
    /// The question ends with a summary of earlier steps.
    steps_summed: bool,
    /// The person knows that the window is a guess.
    told_guess: bool,
    /// Summing up did not work, or messages are no longer where they were.
    gave_up: bool,
}

impl Memory {
    pub(super) fn of(past: Past) -> Self {
        Self {
            measured: past.measured.map(|tokens| (tokens, past.len())),
            past,
            ..Self::default()
        }
    }

    /// The provider counted `tokens` for the first `messages` of the request.
    pub(super) fn measure(&mut self, tokens: Option<u64>, messages: usize) {
        self.measured = tokens
            .filter(|tokens| *tokens > 0)
            .map(|tokens| (tokens, messages));
    }

    /// Tokens of the request: what the provider counted and at most what came since, or else at most what its bytes can
    /// be. A count that can hardly be true, as when another model counted, is not believed.
    pub(super) fn tokens(&self, request: &ModelRequest) -> u64 {
        let bytes = |messages: &[Message]| messages.iter().map(weight).sum::<usize>();
        let tools: usize = request.tools.iter().map(ToolSpec::weight).sum();
        let most = budget::tokens(request.system.len() + tools + bytes(&request.messages));
        let counted = self.measured.and_then(|(tokens, seen)| {
            let since = request.messages.get(seen..)?;
            Some(tokens.saturating_add(budget::tokens(bytes(since))))
        });
        counted.map_or(most, |counted| counted.max(most / LIKELY))
    }
}

impl Turn {
    /// Makes the request fit the model's window.
    pub(super) async fn make_room(&self, request: &mut ModelRequest, memory: &mut Memory, usage: &mut Usage) {
        let model = self.provider.describe();
        let compacts = self.setting.briefing.keeps_results();
        if compacts && !model.offline {
            self.compact(request, memory, usage).await;
        }
        if self.stop.outcome().is_some() {
            return;
        }
        let window = self.window();
        let room = window
            .unwrap_or(budget::DEFAULT_WINDOW)
            .saturating_sub(request.answer_room());
        if compacts && memory.tokens(request) <= room {
            return;
        }
        let before = request.messages.len();
        if fit::fit(request, window, &mut memory.past.summary) {
            self.feed.push(TurnEvent::Notice(Notice::HistoryTrimmed));
            if compacts {
                self.tell_guess(memory);
            }
        }
        memory.measured = None;
        memory.gave_up |= request.messages.len() != before;
    }

    async fn compact(&self, request: &mut ModelRequest, memory: &mut Memory, usage: &mut Usage) {
        let limit = budget::compaction_point(self.window());
        // A summary is for good, and nothing is to be lost to a guess: then earlier turns are left out of the request.
        let is_told = self.provider.describe().window.is_some();
        if is_told && memory.tokens(request) > limit && !memory.gave_up {
            self.sum_up_turns(request, memory, usage).await;
        }
        if memory.tokens(request) > limit && !memory.gave_up {
            self.sum_up_steps(request, memory, usage).await;
        }
    }

    /// Tells the person, once in a turn, that room was made in a window whose size is a guess.
    fn tell_guess(&self, memory: &mut Memory) {
        let is_guess = self.provider.describe().window.is_none();
        if is_guess && !std::mem::replace(&mut memory.told_guess, true) {
            self.feed.push(TurnEvent::Notice(Notice::GuessedWindow));
        }
    }

    /// Lets a summary stand for earlier turns. The newest ones stay as they are when they are short.
    async fn sum_up_turns(&self, request: &mut ModelRequest, memory: &mut Memory, usage: &mut Usage) {
        let limit = self.compaction_bytes();
        let own: usize = request.messages.iter().skip(memory.past.len()).map(weight).sum();
        let keep = (limit / 5).min((limit / 2).saturating_sub(own));
        let summed = turns_beyond(&memory.past, &request.messages, keep);
        let (through, turns) = match memory.past.turns.get(..summed) {
            Some(turns @ [.., (through, _)]) => (*through, turns),
            _ => return,
        };
        let count = memory.past.summary + turns.iter().map(|(_, messages)| messages).sum::<usize>();
        let Some(text) = self.summarize(request.messages.get(..count), usage).await else {
            memory.gave_up = true;
            return;
        };
        let message = summary::message(&text);
        self.keep(through, message.clone()).await;
        let opening = opening(message);
        memory.past.summary = opening.len();
        memory.past.turns.drain(..summed);
        memory.measured = None;
        request.messages.splice(..count, opening);
        self.tell_compacted(count);
    }

    /// Lets a summary at the end of the question stand for earlier steps of this turn.
    async fn sum_up_steps(&self, request: &mut ModelRequest, memory: &mut Memory, usage: &mut Usage) {
        let question = memory.past.len();
        let first = question + 1;
        let summed = steps_beyond(request.messages.get(first..), self.compaction_bytes() / 5);
        if summed == 0 {
            return;
        }
        let source = request.messages.get(question..first + summed);
        let Some(text) = self.summarize(source, usage).await else {
            memory.gave_up = true;
            return;
        };
        if let Some(question) = request.messages.get_mut(question) {
            if memory.steps_summed {
                question.parts.pop();
            }
            question.parts.push(Part::Text {
                text: format!(
                    "\n\n(What you have done about this so far, summed up to make room:\n\n{text})"
                ),
            });
        }
        memory.steps_summed = true;
        memory.measured = None;
        request.messages.drain(first..first + summed);
        self.tell_compacted(summed);
        self.tell_guess(memory);
    }

    /// The most bytes a request may take before it is summed up.
    fn compaction_bytes(&self) -> usize {
        budget::bytes(budget::compaction_point(self.window()))
    }

    /// `None` when there is nothing to sum up, the model did not manage to, or the turn was stopped meanwhile.
    async fn summarize(&self, messages: Option<&[Message]>, usage: &mut Usage) -> Option<String> {
        let messages = messages?;
        // It may take as long as an answer, without a sign of life that a person would see.
        self.feed.push(TurnEvent::Reasoning(SUMMING.to_owned()));
        let summing = Summing {
            provider: self.provider.as_ref(),
            feed: &self.feed,
            window: self.window(),
            wishes: None,
        };
        let summed = tokio::select! {
            biased;
            () = self.stop.token().cancelled() => return None,
            summed = summing.sum_up(messages, usage) => summed,
        };
        summed
            .inspect_err(
                |error| tracing::warn!(%error, "failed to sum up a conversation; it is trimmed instead"),
            )
            .ok()
    }

    /// A summary that could not be stored counts for this turn only.
    async fn keep(&self, through: i64, summary: Message) {
        let kept = self
            .store
            .keep_summary(self.place.conversation, through, summary)
            .await;
        if let Err(error) = kept {
            tracing::warn!(%error, "failed to store a summary");
        }
    }

    fn tell_compacted(&self, messages: usize) {
        let messages = u32::try_from(messages).unwrap_or(u32::MAX);
        self.feed.push(TurnEvent::Notice(Notice::Compacted { messages }));
    }
}

/// How many of the oldest turns go, so that the others take at most `keep` bytes.
fn turns_beyond(past: &Past, messages: &[Message], keep: usize) -> usize {
    let (mut left, mut end) = (keep, past.len());
    for (at, (_, count)) in past.turns.iter().enumerate().rev() {
        let start = end.saturating_sub(*count);
        let size: usize = messages.get(start..end).into_iter().flatten().map(weight).sum();
        let Some(rest) = left.checked_sub(size) else {
            return at + 1;
        };
        (left, end) = (rest, start);
    }
    0
}

/// How many messages of the oldest steps go, so that the others take at most `keep` bytes. A step is a message of the
/// assistant and the results of its calls; the newest one always stays.
fn steps_beyond(messages: Option<&[Message]>, keep: usize) -> usize {
    let steps: Vec<usize> = messages
        .into_iter()
        .flat_map(|messages| messages.chunks(2))
        .map(|step| step.iter().map(weight).sum())
        .collect();
    let mut left = keep;
    for (at, size) in steps.iter().enumerate().rev().skip(1) {
        let Some(rest) = left.checked_sub(*size) else {
            return (at + 1) * 2;
        };
        left = rest;
    }
    0
}
