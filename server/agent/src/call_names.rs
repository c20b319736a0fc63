//! Ids of calls. Models number their calls anew in each step, or not at all, and some providers refuse a request in which
//! two calls have the same id; here each has one of its own.

use std::collections::{HashMap, HashSet};

use crate::message::{Message, Part};
use crate::page_block::text::clip;

/// Bytes of a given id that are kept.
const LONGEST: usize = 128;

/// The ids that are taken.
#[derive(Default)]
pub(crate) struct CallNames(HashSet<String>);

impl CallNames {
    /// Those of a transcript.
    pub(crate) fn of(messages: &[Message]) -> Self {
        let parts = messages.iter().flat_map(|message| &message.parts);
        let ids = parts.filter_map(|part| match part {
            Part::ToolCall { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        Self(ids.collect())
    }

    /// An id that no call has yet, as close to the given one as can be.
    pub(crate) fn take(&mut self, given: &str) -> String {
        let given = if given.is_empty() {
            "call"
        } else {
            clip(given, LONGEST)
        };
        let mut name = given.to_owned();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = format!("{given}-{number}");
        }
        name
    }
}

/// Gives the calls of a transcript different ids, and their results the same ones.
pub(crate) fn tell_apart(messages: &mut [Message]) {
    let mut names = CallNames::default();
    let mut newest: HashMap<String, String> = HashMap::new();
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::ToolCall { call_id, .. } => {
                let own = names.take(call_id);
                newest.insert(std::mem::replace(call_id, own.clone()), own);
            }
            Part::ToolResult { call_id, .. } => {
                if let Some(own) = newest.get(call_id) {
                    call_id.clone_from(own);
                }
            }
            _ => {}
        }
    }
}
