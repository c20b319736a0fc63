//! The answer as it is put together from blocks: words and thinking at once, seals and tool calls when they are whole.

use std::collections::VecDeque;

use serde_json::{Map, Value};
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{FinishReason, ModelEvent};

use super::super::http::Answer;
use super::seal::{Seal, Sealer};
use super::wire::{Block, Delta, Event, Tokens, Whole, finish};

/// Blocks of one answer.
const MOST_BLOCKS: u64 = 512;

/// Turns a stream's events into the agent's.
pub(crate) struct Reply {
    sealer: Sealer,
    events: VecDeque<ModelEvent>,
    /// The block that is coming; the API sends one after the other.
    open: Option<(u64, Open)>,
    /// The newest call; told once it shows whether the answer was cut off within it.
    last: Option<Call>,
    blocks: u64,
    tokens: Option<Tokens>,
    finish: Option<FinishReason>,
}

/// A block of which more may come.
enum Open {
    Thinking { signature: String },
    Call(Call),
    Passing,
}

/// A tool call.
struct Call {
    id: String,
    name: String,
    /// Its arguments piece by piece.
    json: String,
    /// Its arguments at once.
    input: Map<String, Value>,
}

impl Answer for Reply {
    fn events(&mut self) -> &mut VecDeque<ModelEvent> {
        &mut self.events
    }

    fn read(&mut self, event: &[u8]) -> Result<bool, ProviderError> {
        match serde_json::from_slice(event).map_err(|_| ProviderError::BadResponse)? {
            Event::MessageStart { message } => self.count(message.usage),
            Event::ContentBlockStart { index, content_block } => self.begin(index, content_block)?,
            Event::ContentBlockDelta { index, delta } => self.add(index, delta)?,
            Event::ContentBlockStop { index } => self.close_block(index),
            Event::MessageDelta { delta, usage } => {
                self.count(usage);
                self.finish = delta.stop_reason.as_deref().map(finish).or(self.finish);
            }
            Event::MessageStop => {
                self.finish.get_or_insert(FinishReason::Stop);
                return Ok(true);
            }
            Event::Error { error } => return Err(error.failure()),
            Event::Other => self.events.push_back(ModelEvent::Alive),
        }
        Ok(false)
    }

    fn read_whole(&mut self, json: &[u8]) -> Result<(), ProviderError> {
        if let Ok(Event::Error { error }) = serde_json::from_slice(json) {
            return Err(error.failure());
        }
        let whole: Whole = serde_json::from_slice(json).map_err(|_| ProviderError::BadResponse)?;
        for (index, block) in (0..).zip(whole.content) {
            self.begin(index, block)?;
            self.close_block(index);
        }
        self.count(whole.usage);
        self.finish = Some(whole.stop_reason.as_deref().map_or(FinishReason::Stop, finish));
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn end(&mut self) -> Result<(), ProviderError> {
        let finish = self.finish.ok_or(ProviderError::BrokenStream)?;
        // Whoever was cut off may not have come to the arguments.
        self.last
            .take_if(|call| finish == FinishReason::Length && !call.is_whole());
        self.tell_last();
        let tokens = self.tokens.take();
        self.events
            .extend(tokens.map(|tokens| ModelEvent::Usage(tokens.into())));
        self.events.push_back(ModelEvent::Finished(finish));
        Ok(())
    }
}

impl Reply {
    /// The empty beginning.
    pub(super) fn new(sealer: Sealer) -> Self {
        Self {
            sealer,
            events: VecDeque::new(),
            open: None,
            last: None,
            blocks: 0,
            tokens: None,
            finish: None,
        }
    }

    fn count(&mut self, tokens: Option<Tokens>) {
        if let Some(newer) = tokens {
            self.tokens.get_or_insert_default().update(newer);
        }
    }

    fn begin(&mut self, index: u64, block: Block) -> Result<(), ProviderError> {
        self.blocks += 1;
        if self.open.is_some() || self.blocks > MOST_BLOCKS {
            return Err(ProviderError::BadResponse);
        }
        self.tell_last();
        let open = match block {
            Block::Text { text } => {
                self.tell(ModelEvent::Text, text);
                Open::Passing
            }
            Block::Thinking { thinking, signature } => {
                self.tell(ModelEvent::Reasoning, thinking);
                Open::Thinking { signature }
            }
            Block::RedactedThinking { data } => {
                let kept = self.sealer.keep(Seal::Redacted(&data));
                self.events.push_back(ModelEvent::Signature(kept));
                Open::Passing
            }
            Block::ToolUse { id, name, input } => Open::Call(Call {
                id: if id.is_empty() {
                    format!("call_{index}")
                } else {
                    id
                },
                name,
                json: String::new(),
                input,
            }),
            Block::Other => Open::Passing,
        };
        self.open = Some((index, open));
        Ok(())
    }

    fn add(&mut self, index: u64, delta: Delta) -> Result<(), ProviderError> {
        let Some((_, open)) = self.open.as_mut().filter(|(number, _)| *number == index) else {
            return Err(ProviderError::BadResponse);
        };
        match (open, delta) {
            (_, Delta::Text { text }) => self.tell(ModelEvent::Text, text),
            (_, Delta::Thinking { thinking }) => self.tell(ModelEvent::Reasoning, thinking),
            (Open::Thinking { signature }, Delta::Signature { signature: more }) => {
                signature.push_str(&more);
            }
            (Open::Call(call), Delta::InputJson { partial_json }) => {
                call.json.push_str(&partial_json);
                // A long call shows nothing until it is whole.
                self.events.push_back(ModelEvent::Alive);
            }
            (_, Delta::Signature { .. } | Delta::InputJson { .. } | Delta::Other) => {}
        }
        Ok(())
    }

    fn close_block(&mut self, index: u64) {
        let Some((_, open)) = self.open.take_if(|(number, _)| *number == index) else {
            return;
        };
        match open {
            Open::Thinking { signature } if !signature.is_empty() => {
                let kept = self.sealer.keep(Seal::Signature(&signature));
                self.events.push_back(ModelEvent::Signature(kept));
            }
            Open::Call(call) => self.last = Some(call),
            Open::Thinking { .. } | Open::Passing => {}
        }
    }

    fn tell_last(&mut self) {
        self.events.extend(self.last.take().map(ModelEvent::from));
    }

    fn tell(&mut self, event: impl FnOnce(String) -> ModelEvent, text: String) {
        if !text.is_empty() {
            self.events.push_back(event(text));
        }
    }
}

impl Call {
    /// Whether there are arguments, to their end.
    fn is_whole(&self) -> bool {
        if self.json.trim().is_empty() {
            return !self.input.is_empty();
        }
        serde_json::from_str::<Value>(&self.json).is_ok()
    }
}

impl From<Call> for ModelEvent {
    fn from(call: Call) -> Self {
        Self::ToolCall {
            call_id: call.id,
            name: call.name,
            arguments: arguments(&call.json, call.input),
        }
    }
}

/// What came piece by piece, else what came at once; what cannot be parsed stays text.
fn arguments(json: &str, input: Map<String, Value>) -> Value {
    if json.trim().is_empty() {
        return Value::Object(input);
    }
    serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.to_owned()))
}
