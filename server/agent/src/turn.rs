//! One turn: asks the model, shows what it says, runs the tools it calls, and asks again until it is done.
//!
//! [`Turn::run`] returns the outcome, so a turn ends exactly once (invariant 3). It writes to its feed only; storing
//! and finishing are the session's.

mod sample;
mod stop;

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream;

pub use stop::StopSwitch;

use crate::error::TurnFailure;
use crate::event::{Attempt, ToolEnd, ToolStart, TurnEvent, TurnOutcome};
use crate::feed::TurnFeed;
use crate::hooks::{Hooks, TurnPlace, Verdict};
use crate::message::{Message, Notice, Part, Role, Usage, plain_text};
use crate::provider::{ModelRequest, Provider};
use crate::references::Citation;
use crate::tool::{Tool, ToolCallContext, ToolOutput};
use sample::{Call, Reply, Sampled};

/// Model calls a turn may make (decision 26).
pub const STEP_CEILING: u32 = 50;
/// Tool calls of one step that run at once.
const PARALLEL_CALLS: usize = 8;

/// Everything a turn needs.
pub struct Turn {
    /// Where it is.
    pub place: TurnPlace,
    /// Where it tells what happens.
    pub feed: Arc<TurnFeed>,
    /// What answers.
    pub provider: Arc<dyn Provider>,
    /// What the model may call.
    pub tools: Vec<Arc<dyn Tool>>,
    /// What may step in.
    pub hooks: Arc<dyn Hooks>,
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

    /// What is left of a turn that panicked.
    pub(crate) fn broken() -> Self {
        Self::new().ended(TurnOutcome::Failed(TurnFailure::Disposed))
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

    /// Providers refuse a transcript in which a call has no result.
    fn drop_open_calls(&mut self) {
        if let Some(last) = self.messages.last_mut() {
            last.parts.retain(|part| !matches!(part, Part::ToolCall { .. }));
        }
    }
}

impl Turn {
    /// Runs to the end.
    pub async fn run(self, mut request: ModelRequest) -> Finished {
        let mut finished = Finished::new();
        let mut usage = Usage::default();
        for step in 1..=STEP_CEILING {
            if let Verdict::Refuse(_) = self.hooks.before_model(&self.place, &mut request).await {
                return finished.ended(TurnOutcome::Failed(TurnFailure::Plugin));
            }
            self.feed.push(TurnEvent::Attempt(self.attempt(step)));
            let Sampled { reply, end } = self.sample(request.clone(), &mut usage).await;
            let calls = finished.take_reply(reply);
            if let Some(outcome) = end {
                finished.drop_open_calls();
                return finished.ended(outcome);
            }
            if calls.is_empty() {
                return finished;
            }
            let results = self.answer_calls(calls).await;
            request.messages.extend(finished.messages.last().cloned());
            request.messages.push(results.clone());
            finished.messages.push(results);
            if let Some(outcome) = self.stop.outcome() {
                return finished.ended(outcome);
            }
        }
        self.feed.push(TurnEvent::Notice(Notice::StepLimit));
        finished
    }

    fn attempt(&self, number: u32) -> Attempt {
        Attempt {
            number,
            message_id: format!("{}/{number}", self.place.turn.id),
            model: self.provider.describe().model,
        }
    }

    /// Runs the calls of one step side by side and keeps their order in the answer.
    async fn answer_calls(&self, calls: Vec<Call>) -> Message {
        let parts = stream::iter(calls)
            .map(|call| self.answer_call(call))
            .buffered(PARALLEL_CALLS)
            .collect()
            .await;
        Message {
            role: Role::Tool,
            parts,
        }
    }

    async fn answer_call(&self, mut call: Call) -> Part {
        let began = Instant::now();
        let tool = self.tools.iter().find(|tool| tool.meta().name == call.name);
        self.feed.push(TurnEvent::ToolStarted(announce(&call, tool)));
        let verdict = self
            .hooks
            .before_tool(&self.place, &call.name, &mut call.arguments)
            .await;
        let mut output = match (verdict, tool) {
            (Verdict::Refuse(why), _) => ToolOutput::error(why),
            (Verdict::Continue, None) => ToolOutput::error(format!("there is no tool named {:?}", call.name)),
            (Verdict::Continue, Some(tool)) => self.run_tool(tool.as_ref(), &call).await,
        };
        self.hooks.after_tool(&self.place, &call.name, &mut output).await;
        self.conclude(call, output, began)
    }

    async fn run_tool(&self, tool: &dyn Tool, call: &Call) -> ToolOutput {
        let context = ToolCallContext {
            call_id: call.id.clone(),
            arguments: call.arguments.clone(),
            turn: self.place.turn.clone(),
            conversation: self.place.conversation,
            feed: Arc::clone(&self.feed),
            cancel: self.stop.token().clone(),
        };
        tokio::select! {
            biased;
            () = self.stop.token().cancelled() => ToolOutput::error("the turn was stopped"),
            output = tool.call(context) => output,
        }
    }

    /// Shows the end of a call (its media first) and makes the part the model reads.
    fn conclude(&self, call: Call, output: ToolOutput, began: Instant) -> Part {
        for descriptor in output.media {
            self.feed.push(TurnEvent::Media(descriptor));
        }
        self.feed.push(TurnEvent::ToolFinished(ToolEnd {
            call_id: call.id.clone(),
            name: call.name,
            ok: !output.is_error,
            ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            content: output.shown,
            locations: output.locations,
        }));
        Part::ToolResult {
            call_id: call.id,
            content: output.content,
            is_error: output.is_error,
        }
    }
}

fn announce(call: &Call, tool: Option<&Arc<dyn Tool>>) -> ToolStart {
    ToolStart {
        call_id: call.id.clone(),
        name: call.name.clone(),
        title: tool.map_or_else(|| call.name.clone(), |tool| tool.title(&call.arguments)),
        kind: tool.map_or(crate::tool::ToolKind::Other, |tool| tool.meta().kind),
        arguments: call.arguments.clone(),
        locations: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
