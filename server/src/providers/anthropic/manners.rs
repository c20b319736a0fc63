//! How one model wants to be told to think, and what its server refuses, as far as that has shown.
//!
//! Refusals and an accepted next way are all that counts; what a server writes is not read.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sidewire_agent::message::{Message, Part, Role};

use super::super::http::Asking;
use super::seal::Sealer;

/// How a model is told to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thinking {
    /// As much as it finds right, at this effort: what newer models take.
    Adaptive,
    /// Up to a number of tokens: what older models take.
    Budget,
    /// Not at all.
    Off,
}

/// One way to put a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// How the model is told to think.
    pub(super) thinking: Thinking,
    /// Says what the server may keep in its cache.
    pub(super) marks: bool,
    /// Gives sealed thinking back.
    pub(super) thoughts: bool,
}

impl Way {
    /// How many wishes it holds that a server may not know.
    pub(super) fn extras(self) -> usize {
        let wishes = [self.thinking != Thinking::Off, self.marks, self.thoughts];
        wishes.into_iter().filter(|wish| *wish).count()
    }
}

/// What a request is about, as far as models differ in it.
pub(super) struct Wants<'a> {
    /// How hard the model is to think.
    effort: Option<&'a str>,
    /// The transcript holds thinking that this server sealed.
    thoughts: bool,
    /// It goes on with a step that began without thinking, which models with a budget refuse.
    unthought: bool,
}

impl<'a> Wants<'a> {
    /// Those of a request.
    pub(super) fn of(asking: &Asking<'a>, sealer: &Sealer) -> Self {
        let messages = &asking.request.messages;
        let is_thought = |part: &Part| match part {
            Part::Reasoning {
                signature: Some(kept),
                ..
            } => sealer.read(kept).is_some(),
            _ => false,
        };
        let has_thought = |message: &Message| message.parts.iter().any(is_thought);
        let open = messages
            .last()
            .filter(|last| last.role == Role::Tool)
            .and_then(|_| messages.iter().rfind(|message| message.role == Role::Assistant));
        Self {
            effort: asking.effort.filter(|effort| *effort != "none"),
            thoughts: messages.iter().any(has_thought),
            unthought: open.is_some_and(|message| !has_thought(message)),
        }
    }
}

/// What is known of one model and its server.
#[derive(Default)]
pub(super) struct Manners {
    // A std mutex: held for a look or a note.
    learned: Mutex<Learned>,
}

#[derive(Default)]
struct Learned {
    /// How it takes each effort.
    efforts: HashMap<String, Thinking>,
    /// Whether it takes marks for its cache.
    marks: Option<bool>,
}

impl Manners {
    /// The ways to try, the likeliest first.
    pub(super) fn ways(&self, wants: &Wants<'_>) -> Vec<Way> {
        let learned = self.lock();
        let known = wants.effort.map(|effort| learned.efforts.get(effort).copied());
        let thinking = match known {
            None => vec![Thinking::Off],
            Some(Some(Thinking::Budget)) if wants.unthought => vec![Thinking::Off],
            Some(Some(known)) => vec![known],
            Some(None) if wants.unthought => vec![Thinking::Adaptive, Thinking::Off],
            Some(None) => vec![Thinking::Adaptive, Thinking::Budget, Thinking::Off],
        };
        let marks = learned.marks.unwrap_or(true);
        let mut ways: Vec<Way> = thinking
            .into_iter()
            .map(|thinking| Way {
                thinking,
                marks,
                thoughts: wants.thoughts,
            })
            .collect();
        let plainest = Way {
            thinking: Thinking::Off,
            marks,
            thoughts: false,
        };
        if wants.thoughts {
            // A seal of another model of this server, perhaps.
            ways.push(plainest);
        }
        if learned.marks.is_none() {
            ways.push(Way {
                marks: false,
                ..plainest
            });
        }
        ways
    }

    /// The server took this way.
    pub(super) fn took(&self, way: Way, wants: &Wants<'_>) {
        let mut learned = self.lock();
        let usual = way.marks == learned.marks.unwrap_or(true) && way.thoughts == wants.thoughts;
        learned.marks = Some(way.marks);
        if let Some(effort) = wants.effort.filter(|_| usual && !wants.unthought)
            && learned.efforts.insert(effort.to_owned(), way.thinking).is_none()
            && way.thinking == Thinking::Off
        {
            tracing::info!(effort, "the model cannot be told to think");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
