//! A turn as an editor saw it.

use serde_json::{Value, json};

use super::wire::{Frame, Refusal};

/// A turn that has ended.
#[derive(Clone, Debug)]
pub struct PromptTurn {
    /// Its updates, in order.
    pub updates: Vec<Value>,
    /// How the prompt was answered.
    pub end: Result<Value, Refusal>,
}

/// A tool call of a turn.
#[derive(Clone, Debug)]
pub struct Call {
    /// How it began.
    pub began: Value,
    /// Everything that is known of it, later updates over earlier ones.
    pub all: Value,
    /// Its states, in order.
    pub statuses: Vec<String>,
}

impl PromptTurn {
    pub(super) fn new(session: &str, frames: &[Frame], end: Result<Value, Refusal>) -> Self {
        let updates = frames
            .iter()
            .filter_map(|frame| frame.update_of(session).cloned());
        Self {
            updates: updates.collect(),
            end,
        }
    }

    /// Why it stopped.
    ///
    /// # Panics
    /// When it failed.
    #[must_use]
    pub fn stop(&self) -> &str {
        let end = self.end.as_ref();
        let end = end.unwrap_or_else(|refusal| panic!("the turn failed: {refusal:?}"));
        end["stopReason"].as_str().expect("a stop reason")
    }

    /// Its text, when it ended by itself.
    ///
    /// # Panics
    /// When it ended otherwise.
    pub fn done(&self) -> String {
        assert_eq!(self.stop(), "end_turn", "{self:?}");
        self.text()
    }

    /// How it failed.
    ///
    /// # Panics
    /// When it did not.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        self.end.as_ref().expect_err("the turn should have failed")
    }

    /// Updates of this kind.
    pub fn of(&self, kind: &str) -> Vec<&Value> {
        let updates = self.updates.iter();
        updates.filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// What the agent said.
    #[must_use]
    pub fn text(&self) -> String {
        joined(&self.of("agent_message_chunk"))
    }

    /// What it thought.
    #[must_use]
    pub fn thoughts(&self) -> String {
        joined(&self.of("agent_thought_chunk"))
    }

    /// Its tool calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        let mut calls: Vec<Call> = Vec::new();
        for update in &self.updates {
            match update["sessionUpdate"].as_str() {
                Some("tool_call") => calls.push(Call::begin(update)),
                Some("tool_call_update") => {
                    let known = calls
                        .iter_mut()
                        .find(|call| call.began["toolCallId"] == update["toolCallId"]);
                    known.into_iter().for_each(|call| call.take(update));
                }
                _ => {}
            }
        }
        calls
    }

    /// Its only tool call.
    ///
    /// # Panics
    /// When there is none, or more.
    #[must_use]
    pub fn call(&self) -> Call {
        let mut calls = self.calls();
        assert_eq!(calls.len(), 1, "{:?}", self.updates);
        calls.remove(0)
    }
}

impl Call {
    fn begin(update: &Value) -> Self {
        let mut call = Self {
            began: update.clone(),
            all: json!({}),
            statuses: Vec::new(),
        };
        call.take(update);
        call
    }

    fn take(&mut self, update: &Value) {
        for (name, value) in update.as_object().into_iter().flatten() {
            if !value.is_null() {
                self.all[name] = value.clone();
            }
        }
        if let Some(status) = update["status"].as_str()
            && self.statuses.last().is_none_or(|last| last != status)
        {
            self.statuses.push(status.to_owned());
        }
    }

    /// Its state at the end.
    #[must_use]
    pub fn status(&self) -> &str {
        self.statuses.last().map_or("", String::as_str)
    }

    /// The texts of its content, joined.
    #[must_use]
    pub fn text(&self) -> String {
        let content = self.all["content"].as_array().cloned().unwrap_or_default();
        let texts = content.iter().filter_map(|one| one["content"]["text"].as_str());
        texts.collect()
    }

    /// Its content of this type.
    #[must_use]
    pub fn content(&self, kind: &str) -> Vec<Value> {
        let content = self.all["content"].as_array().cloned().unwrap_or_default();
        content.into_iter().filter(|one| one["type"] == kind).collect()
    }
}

fn joined(chunks: &[&Value]) -> String {
    let texts = chunks
        .iter()
        .filter_map(|chunk| chunk["content"]["text"].as_str());
    texts.collect()
}
