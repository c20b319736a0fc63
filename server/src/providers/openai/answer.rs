//! The answer as it is put together from pieces: text at once, tool calls when they are whole, the end exactly once.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::Usage;
use sidewire_agent::provider::{FinishReason, ModelEvent};

use super::super::http::Answer;
use super::manners::Manners;
use super::wire::{Chunk, Delta, ToolDelta, stream_failure};

/// Tool calls of one answer.
const MOST_CALLS: usize = 128;

/// Turns chunks into events.
pub(crate) struct Completion {
    manners: Arc<Manners>,
    events: VecDeque<ModelEvent>,
    calls: Vec<PartialCall>,
    /// The newest count: some servers send the sum so far with every piece.
    usage: Option<Usage>,
    finish: Option<FinishReason>,
}

/// A tool call whose arguments are still coming.
#[derive(Debug, Default)]
struct PartialCall {
    index: Option<usize>,
    id: String,
    name: String,
    arguments: String,
}

impl Answer for Completion {
    fn events(&mut self) -> &mut VecDeque<ModelEvent> {
        &mut self.events
    }

    fn read(&mut self, event: &[u8]) -> Result<bool, ProviderError> {
        if event == b"[DONE]" {
            self.finish.get_or_insert(FinishReason::Stop);
            return Ok(true);
        }
        let chunk: Chunk = serde_json::from_slice(event).map_err(|_| ProviderError::BadResponse)?;
        self.add(chunk).map(|()| false)
    }

    fn read_whole(&mut self, json: &[u8]) -> Result<(), ProviderError> {
        let chunk: Chunk = serde_json::from_slice(json).map_err(|_| ProviderError::BadResponse)?;
        let has_answer = chunk.choices.as_ref().is_some_and(|choices| !choices.is_empty());
        if chunk.error.is_none() && !has_answer {
            return Err(ProviderError::BadResponse);
        }
        self.add(chunk)?;
        self.finish.get_or_insert(FinishReason::Stop);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn end(&mut self) -> Result<(), ProviderError> {
        let Some(finish) = self.finish else {
            return Err(ProviderError::BrokenStream);
        };
        let mut calls = std::mem::take(&mut self.calls);
        if finish == FinishReason::Length {
            // Whoever was cut off may not have come to the arguments.
            calls.retain(PartialCall::is_whole);
        }
        // Some servers say `stop` although they want tools to be called.
        let finish = if calls.is_empty() || finish != FinishReason::Stop {
            finish
        } else {
            FinishReason::ToolCalls
        };
        for (number, call) in calls.into_iter().enumerate() {
            self.events.push_back(call.whole(number));
        }
        self.events.extend(self.usage.take().map(ModelEvent::Usage));
        self.events.push_back(ModelEvent::Finished(finish));
        Ok(())
    }
}

impl Completion {
    /// The empty beginning; what it shows of its server goes to its manners.
    pub(super) fn of(manners: Arc<Manners>) -> Self {
        Self {
            manners,
            events: VecDeque::new(),
            calls: Vec::new(),
            usage: None,
            finish: None,
        }
    }

    fn add(&mut self, chunk: Chunk) -> Result<(), ProviderError> {
        if let Some(error) = chunk.error {
            return Err(stream_failure(&error));
        }
        for choice in chunk.choices.into_iter().flatten().take(1) {
            for delta in [choice.delta, choice.message].into_iter().flatten() {
                self.add_delta(delta)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.finish = Some(finish(&reason));
            }
        }
        if let Some(tokens) = chunk.usage {
            let usage = Usage::from(tokens);
            if usage.reasoning.is_some_and(|reasoning| reasoning > 0) {
                self.manners.thinks();
            }
            self.usage = Some(usage);
        }
        Ok(())
    }

    fn add_delta(&mut self, delta: Delta) -> Result<(), ProviderError> {
        let is_some = |text: &String| !text.is_empty();
        let shown = delta.reasoning_content.filter(is_some);
        if shown.is_some() {
            self.manners.shows_thinking();
        }
        if let Some(text) = shown.or(delta.reasoning.filter(is_some)) {
            self.events.push_back(ModelEvent::Reasoning(text));
        }
        if let Some(text) = delta.content.filter(is_some) {
            self.events.push_back(ModelEvent::Text(text));
        }
        if let Some(text) = delta.refusal.filter(is_some) {
            self.events.push_back(ModelEvent::Text(text));
        }
        for piece in delta.tool_calls.into_iter().flatten() {
            self.add_call(piece)?;
            // A long call shows nothing until it is whole.
            if self.events.back() != Some(&ModelEvent::Alive) {
                self.events.push_back(ModelEvent::Alive);
            }
        }
        Ok(())
    }

    fn add_call(&mut self, piece: ToolDelta) -> Result<(), ProviderError> {
        let call = self.call_for(&piece)?;
        if let Some(id) = piece.id.filter(|id| !id.is_empty()) {
            call.id = id;
        }
        if let Some(function) = piece.function {
            if let Some(name) = function.name.filter(|name| !name.is_empty()) {
                call.name = name;
            }
            call.arguments
                .push_str(function.arguments.as_deref().unwrap_or_default());
        }
        Ok(())
    }

    /// The call a piece belongs to; without one that is known it begins a new call.
    fn call_for(&mut self, piece: &ToolDelta) -> Result<&mut PartialCall, ProviderError> {
        let at = match self.known(piece) {
            Some(at) => at,
            None if self.calls.len() >= MOST_CALLS => return Err(ProviderError::BadResponse),
            None => {
                self.calls.push(PartialCall {
                    index: piece.index,
                    ..PartialCall::default()
                });
                self.calls.len() - 1
            }
        };
        self.calls.get_mut(at).ok_or(ProviderError::BadResponse)
    }

    /// Where the call of a piece is: the newest one of its index, unless another id says which. Some servers give every
    /// call the index 0, and some give none; there a new id begins a new call, with an index only beside a name.
    fn known(&self, piece: &ToolDelta) -> Option<usize> {
        let newest = match piece.index {
            Some(_) => self.calls.iter().rposition(|call| call.index == piece.index)?,
            None => self.calls.len().checked_sub(1)?,
        };
        let Some(id) = piece.id.as_ref().filter(|id| !id.is_empty()) else {
            return Some(newest);
        };
        let same = |call: &PartialCall| call.index == piece.index && call.id == *id;
        if let Some(known) = self.calls.iter().rposition(same) {
            return Some(known);
        }
        let may_be_given = self.calls.get(newest).is_some_and(|call| call.id.is_empty());
        let continues = piece.index.is_some() && (may_be_given || !piece.has_name());
        continues.then_some(newest)
    }
}

impl PartialCall {
    /// Whether there are arguments, to their end.
    fn is_whole(&self) -> bool {
        serde_json::from_str::<Value>(&self.arguments).is_ok()
    }

    fn whole(self, number: usize) -> ModelEvent {
        let arguments = match self.arguments.trim() {
            "" => Value::Object(serde_json::Map::new()),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(self.arguments.clone())),
        };
        let call_id = if self.id.is_empty() {
            format!("call_{number}")
        } else {
            self.id
        };
        ModelEvent::ToolCall {
            call_id,
            name: self.name,
            arguments,
        }
    }
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "length" => FinishReason::Length,
        "content_filter" => FinishReason::Filtered,
        _ => FinishReason::Stop,
    }
}
