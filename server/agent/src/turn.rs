//! One turn: asks the model, shows what it says, runs the tools it calls, and asks again until it is done.
//!
//! [`Turn::run`] returns the outcome, so a turn ends exactly once (invariant 3). It writes to its feed only; storing
//! and finishing are the session's.

mod album;
mod calls;
mod compact;
mod fit;
mod inside;
mod sample;
mod stop;

use std::sync::Arc;

pub(crate) use album::Album;
pub use stop::StopSwitch;

use serde_json::Value;

use crate::budget;
use crate::call_names::CallNames;
use crate::error::TurnFailure;
use crate::event::{Attempt, Cut, TurnEvent, TurnOutcome};
use crate::feed::TurnFeed;
use crate::hooks::{Hooks, TurnPlace, Verdict};
use crate::message::{Message, Notice, Part, Role, plain_text};
use crate::prompt::{self, Past};
use crate::provider::{ModelRequest, Provider};
use crate::references::Citation;
use crate::setting::Setting;
use crate::store::Store;
use crate::tool::Toolbox;
use crate::tool::offer::{Need, offered};
use calls::{Seen, Showing, Step};
use compact::Memory;
use sample::{Call, Reply, Sampled, Tally};

/// Model calls a turn may make unless a person says otherwise (decision 26).
pub const STEP_CEILING: u32 = 50;

/// Everything a turn needs.
pub struct Turn {
    /// Where it is.
    pub place: TurnPlace,
    /// Where it tells what happens.
    pub feed: Arc<TurnFeed>,
    /// What answers.
    pub provider: Arc<dyn Provider>,
    /// What the model may call.
    pub toolbox: Toolbox,
    /// Where the conversation is kept.
    pub store: Store,
    /// The tab the question came from; 0 for a document.
    pub tab: i64,
    /// Where and how it runs.
    pub setting: Setting,
    /// What decides which tools are offered.
    pub(crate) need: Need,
    /// What of its request are earlier turns.
    pub(crate) past: Past,
    /// The pictures its model is shown at first.
    pub(crate) album: Album,
    /// What may step in.
    pub hooks: Arc<dyn Hooks>,
    /// Model calls it may make.
    pub steps: u32,
    /// What ends it early.
    pub stop: StopSwitch,
}

/// What a turn leaves behind.
pub struct Finished {
    /// How it ended.
    pub outcome: TurnOutcome,
    /// The messages it added, in order.
    pub messages: Vec<Message>,
    /// Text of the last assistant message: what references are taken from.
    pub final_text: String,
    /// Sources the provider named for that message.
    pub citations: Vec<Citation>,
}

impl Finished {
    fn new() -> Self {
        Self {
            outcome: TurnOutcome::Done,
            messages: Vec::new(),
            final_text: String::new(),
            citations: Vec::new(),
        }
    }

    /// What is left of a turn that panicked: what it had said and done by then.
    pub(crate) fn broken(messages: Vec<Message>) -> Self {
        let last = messages.last().filter(|last| last.role == Role::Assistant);
        Self {
            final_text: last.map(Message::plain_text).unwrap_or_default(),
            messages,
            ..Self::new()
        }
        .ended(TurnOutcome::Failed(TurnFailure::Disposed))
    }

    fn ended(mut self, outcome: TurnOutcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Adds what the model said and gives back the calls it wants answered.
    fn take_reply(&mut self, reply: Reply) -> Vec<Call> {
        self.final_text = plain_text(&reply.parts);
        self.citations = reply.citations;
        if !reply.parts.is_empty() {
            self.messages.push(Message {
                role: Role::Assistant,
                parts: reply.parts,
            });
        }
        reply.calls
    }

    /// What the model said last and what its calls gave.
    fn last_step(&self) -> &[Message] {
        self.messages.last_chunk::<2>().map_or(&[], |step| step)
    }

    /// Puts what may be kept of a call's arguments in their place, in the last message.
    fn hide_arguments(&mut self, kept: impl Fn(&str) -> Option<Value>) {
        let parts = self
            .messages
            .last_mut()
            .into_iter()
            .flat_map(|last| &mut last.parts);
        for part in parts {
            if let Part::ToolCall {
                call_id, arguments, ..
            } = part
                && let Some(kept) = kept(call_id)
            {
                *arguments = kept;
            }
        }
    }

    /// Providers refuse a transcript in which a call has no result.
    fn drop_open_calls(&mut self) {
        if let Some(last) = self.messages.last_mut() {
            last.parts.retain(|part| !matches!(part, Part::ToolCall { .. }));
        }
    }
}

impl Turn {
    /// Runs to the end.
    pub async fn run(mut self, mut request: ModelRequest) -> Finished {
        let mut finished = Finished::new();
        let mut album = std::mem::take(&mut self.album);
        request.pictures = album.shown();
        let mut tally = Tally::default();
        let mut memory = Memory::of(self.past.clone());
        let mut call_names = CallNames::of(&request.messages);
        let mut seen = Seen::default();
        let showing = Showing::default();
        for _step in 1..=self.steps {
            self.equip(&mut request, &mut seen);
            self.make_room(&mut request, &mut memory, &mut tally.turn).await;
            if let Some(outcome) = self.stop.outcome() {
                return finished.ended(outcome);
            }
            request.input_tokens = memory.tokens(&request);
            if let Verdict::Refuse(_) = self.hooks.before_model(&self.place, &mut request).await {
                return finished.ended(TurnOutcome::Failed(TurnFailure::Plugin));
            }
            let Sampled { mut reply, end } = self.draft(&request, &mut tally).await;
            memory.measure(tally.context, request.messages.len() + 1);
            reply.name_calls(&mut call_names);
            let calls = finished.take_reply(reply);
            let reason = match end {
                Ok(reason) => reason,
                Err(outcome) => {
                    finished.drop_open_calls();
                    return finished.ended(outcome);
                }
            };
            if calls.is_empty() {
                return finished.ended(sample::ended(reason));
            }
            let step = Step {
                turn: &self,
                seen: &seen,
                showing: &showing,
            };
            let (results, pictures) = step.answer(calls).await;
            finished.hide_arguments(|call_id| self.feed.kept_arguments(call_id));
            album.add(pictures);
            request.pictures = album.shown();
            finished.messages.push(results);
            request.messages.extend_from_slice(finished.last_step());
            self.feed.keep_step(finished.last_step());
            if let Some(outcome) = self.stop.outcome() {
                return finished.ended(outcome);
            }
        }
        self.feed.push(TurnEvent::Notice(Notice::StepLimit));
        finished.ended(TurnOutcome::CutShort(Cut::Steps))
    }

    /// Gives the request the tools of this moment.
    fn equip(&self, request: &mut ModelRequest, seen: &mut Seen) {
        let window = self.window();
        let tools = self.toolbox.tools();
        request.tools = offered(&tools, &self.need, budget::tool_room(window));
        request.system = prompt::system_text(&self.setting.briefing, !request.tools.is_empty(), window);
        seen.extend(tools.into_iter().map(|tool| (tool.meta().name.clone(), tool)));
    }

    /// The window of its model. One that nobody tells holds what the conversation took of it already.
    fn window(&self) -> Option<u64> {
        budget::window(self.provider.describe().window, self.past.held)
    }

    /// One answer of the model. Where the job allows it, one that breaks off is asked for once more.
    async fn draft(&self, request: &ModelRequest, tally: &mut Tally) -> Sampled {
        let first = self.attempt(request, tally).await;
        if !first.broke_off() || !self.setting.briefing.redrafts() {
            return first;
        }
        self.feed.drop_draft();
        self.attempt(request, tally).await
    }

    async fn attempt(&self, request: &ModelRequest, tally: &mut Tally) -> Sampled {
        tally.attempts += 1;
        self.feed
            .push(TurnEvent::Attempt(self.name_attempt(tally.attempts)));
        self.sample(request.clone(), tally).await
    }

    fn name_attempt(&self, number: u32) -> Attempt {
        Attempt {
            number,
            message_id: format!("{}/{number}", self.place.turn.id),
            model: self.provider.describe().model,
        }
    }
}

#[cfg(test)]
mod tests;
