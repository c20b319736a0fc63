//! One model call of a turn: from the stream of model events to feed events and the parts of a message.

use futures_util::StreamExt;
use serde_json::Value;

use super::Turn;
use crate::call_names::CallNames;
use crate::error::{ProviderError, TurnFailure};
use crate::event::{Cut, TurnEvent, TurnOutcome, UsageReport};
use crate::feed::ANSWER_LIMIT;
use crate::message::{Notice, Part, Usage};
use crate::page_block::text::clip;
use crate::provider::{FinishReason, ModelEvent, ModelRequest};
use crate::references::Citation;

/// Calls a model may ask for in one step; a model that asks for more is broken.
const CALLS_PER_STEP: usize = 64;

/// Bytes of a tool's name that are kept; no tool has a longer one.
const NAME: usize = 128;

/// A tool call the model asked for.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// What one model call gave.
pub(super) struct Sampled {
    pub(super) reply: Reply,
    /// Why the model stopped; how the turn ends, when it ends here whatever calls there are.
    pub(super) end: Result<FinishReason, TurnOutcome>,
}

impl Sampled {
    /// The answer was cut off. None of its calls has run: that begins when an answer is whole.
    pub(super) fn broke_off(&self) -> bool {
        let Err(TurnOutcome::Failed(TurnFailure::Provider { source })) = &self.end else {
            return false;
        };
        match source {
            ProviderError::BrokenStream | ProviderError::Timeout => true,
            // Before it said anything, the provider has asked again itself.
            ProviderError::Server { .. } | ProviderError::Refused { status: 429 } => {
                !self.reply.parts.is_empty()
            }
            _ => false,
        }
    }
}

/// What the model calls of a turn have taken.
#[derive(Default)]
pub(super) struct Tally {
    /// Model calls so far.
    pub(super) attempts: u32,
    /// Tokens of all of them.
    pub(super) turn: Usage,
    /// Tokens of the newest one, read and written, when the provider told.
    pub(super) context: Option<u64>,
}

/// The assistant message as it is put together.
#[derive(Default)]
pub(super) struct Reply {
    pub(super) parts: Vec<Part>,
    pub(super) calls: Vec<Call>,
    pub(super) citations: Vec<Citation>,
}

impl Reply {
    fn add_text(&mut self, more: &str) {
        if let Some(Part::Text { text }) = self.parts.last_mut() {
            text.push_str(more);
        } else {
            self.parts.push(Part::Text {
                text: more.to_owned(),
            });
        }
    }

    fn add_reasoning(&mut self, more: &str) {
        if let Some(Part::Reasoning {
            text,
            signature: None,
        }) = self.parts.last_mut()
        {
            text.push_str(more);
        } else {
            self.parts.push(Part::Reasoning {
                text: more.to_owned(),
                signature: None,
            });
        }
    }

    fn seal(&mut self, seal: String) {
        match self.parts.last_mut() {
            Some(Part::Reasoning {
                signature: signature @ None,
                ..
            }) => *signature = Some(seal),
            _ => self.parts.push(Part::Reasoning {
                text: String::new(),
                signature: Some(seal),
            }),
        }
    }

    /// Gives each call an id that no other call of the conversation has.
    pub(super) fn name_calls(&mut self, names: &mut CallNames) {
        let ids = self.parts.iter_mut().filter_map(|part| match part {
            Part::ToolCall { call_id, .. } => Some(call_id),
            _ => None,
        });
        for (call, id) in self.calls.iter_mut().zip(ids) {
            call.id = names.take(id);
            id.clone_from(&call.id);
        }
    }

    fn add_call(&mut self, call: Call) {
        self.parts.push(Part::ToolCall {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        self.calls.push(call);
    }
}

impl Turn {
    pub(super) async fn sample(&self, request: ModelRequest, tally: &mut Tally) -> Sampled {
        let mut reply = Reply::default();
        tally.context = None;
        let end = tokio::select! {
            biased;
            () = self.stop.token().cancelled() => self.stop.outcome().map_or(Ok(FinishReason::Stop), Err),
            end = self.read_answer(request, &mut reply, tally) => end,
        };
        Sampled { reply, end }
    }

    async fn read_answer(
        &self,
        request: ModelRequest,
        reply: &mut Reply,
        tally: &mut Tally,
    ) -> Result<FinishReason, TurnOutcome> {
        let mut stream = self.provider.stream(request).await.map_err(failed)?;
        loop {
            match stream.next().await {
                Some(Ok(ModelEvent::Finished(reason))) => {
                    match reason {
                        FinishReason::Length => self.notice(Notice::AnswerClipped),
                        FinishReason::Filtered => self.notice(Notice::Withheld),
                        FinishReason::Stop | FinishReason::ToolCalls => {}
                    }
                    return Ok(reason);
                }
                Some(Ok(event)) => {
                    if let Some(end) = self.take(event, reply, tally) {
                        return Err(end);
                    }
                }
                Some(Err(error)) => return Err(failed(error)),
                None => return Err(failed(ProviderError::BrokenStream)),
            }
        }
    }

    fn notice(&self, notice: Notice) {
        self.feed.push(TurnEvent::Notice(notice));
    }

    /// Takes one model event; returns an outcome when a limit ends the turn.
    fn take(&self, event: ModelEvent, reply: &mut Reply, tally: &mut Tally) -> Option<TurnOutcome> {
        match event {
            ModelEvent::Text(text) => {
                reply.add_text(&text);
                if self.feed.push(TurnEvent::Text(text)) > ANSWER_LIMIT {
                    self.feed.push(TurnEvent::Notice(Notice::AnswerClipped));
                    return Some(TurnOutcome::CutShort(Cut::Length));
                }
            }
            ModelEvent::Reasoning(text) => {
                reply.add_reasoning(&text);
                self.feed.push(TurnEvent::Reasoning(text));
            }
            ModelEvent::Signature(seal) => reply.seal(seal),
            ModelEvent::ToolCall {
                call_id,
                name,
                arguments,
            } => {
                if reply.calls.len() == CALLS_PER_STEP {
                    return Some(failed(ProviderError::BadResponse));
                }
                reply.add_call(Call {
                    id: call_id,
                    name: clip(&name, NAME).to_owned(),
                    arguments,
                });
            }
            ModelEvent::Citation { title, url } => reply.citations.push(Citation { title, url }),
            ModelEvent::Usage(more) => {
                tally.turn.add(more);
                let context = more.input.saturating_add(more.output);
                tally.context = Some(context);
                self.feed.push(TurnEvent::Usage(UsageReport {
                    turn: tally.turn,
                    context,
                    window: self.provider.describe().window,
                }));
            }
            ModelEvent::Retrying { attempt, wait_ms } => {
                self.feed.push(TurnEvent::Retrying { attempt, wait_ms });
            }
            // `Finished` is handled by the caller; `Alive` only had to arrive: silence is judged inside providers.
            ModelEvent::Alive | ModelEvent::Finished(_) => {}
        }
        None
    }
}

/// How a turn ends whose last model call stopped so.
pub(super) fn ended(reason: FinishReason) -> TurnOutcome {
    match reason {
        FinishReason::Stop | FinishReason::ToolCalls => TurnOutcome::Done,
        FinishReason::Length => TurnOutcome::CutShort(Cut::Length),
        FinishReason::Filtered => TurnOutcome::CutShort(Cut::Withheld),
    }
}

fn failed(error: ProviderError) -> TurnOutcome {
    TurnOutcome::Failed(TurnFailure::from(error))
}
