//! Which pictures of a request a model is shown and where, and what is known of its sight.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sidewire_agent::message::{Message, Part, ResultContent};
use sidewire_agent::provider::{ModelRequest, Picture};

/// What stands in the place of a picture that the model does not get.
const UNSEEN: &str = "(a picture, which is not shown to you)";
/// What stands in the place of a picture that is shown where it is mentioned last.
const LATER: &str = "(a picture; it comes again below)";
/// What stands in the place of a picture that was just shown.
const ABOVE: &str = "(the picture above)";

/// What is known of a model's sight. One refusal proves nothing, for it may have been that one picture.
#[derive(Default)]
// A std mutex: held for one comparison.
pub(super) struct Sight(Mutex<Known>);

#[derive(Default)]
enum Known {
    /// Nothing, or that it refused pictures of which this was the newest.
    #[default]
    Little,
    Refused(String),
    Sees,
    Blind,
}

impl Sight {
    /// Of a model that is known to see nothing.
    pub(super) fn blind() -> Self {
        Self(Mutex::new(Known::Blind))
    }

    /// It refused two different pictures and never took one.
    pub(super) fn is_blind(&self) -> bool {
        matches!(*self.lock(), Known::Blind)
    }

    /// It took pictures.
    pub(super) fn saw(&self) {
        *self.lock() = Known::Sees;
    }

    /// It refused these pictures, and answered without them.
    pub(super) fn refused(&self, pictures: &Pictures<'_>) {
        let mut known = self.lock();
        let newest = pictures.newest();
        match &*known {
            Known::Little => *known = Known::Refused(newest.to_owned()),
            Known::Refused(earlier) if earlier != newest => *known = Known::Blind,
            Known::Refused(_) | Known::Sees | Known::Blind => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pictures that a model is shown, each where it is mentioned last.
pub(crate) struct Pictures<'a> {
    shown: &'a [Picture],
    /// The number of the message that mentions a picture last.
    last: HashMap<&'a str, usize>,
}

impl<'a> Pictures<'a> {
    /// Those of a request.
    pub(crate) fn of(request: &'a ModelRequest) -> Self {
        let messages = request.messages.iter().enumerate();
        let mentions = messages.flat_map(|(at, message)| names(message).map(move |name| (name, at)));
        Self {
            shown: &request.pictures,
            last: mentions.collect(),
        }
    }

    /// None, for a model that does not see.
    pub(crate) fn none() -> Self {
        Self {
            shown: &[],
            last: HashMap::new(),
        }
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    fn newest(&self) -> &str {
        self.shown.last().map_or("", |picture| &picture.blob)
    }

    /// The pictures that are shown with the message of number `at`, each once.
    pub(crate) fn beside(&self, message: &Message, at: usize) -> Vec<&'a Picture> {
        let mut shown: Vec<&Picture> = Vec::new();
        for picture in names(message).filter_map(|name| self.here(name, at)) {
            if !shown.contains(&picture) {
                shown.push(picture);
            }
        }
        shown
    }

    /// The picture of this name, if it is shown with the message of number `at`.
    pub(crate) fn here(&self, name: &str, at: usize) -> Option<&'a Picture> {
        self.find(name).filter(|_| self.last.get(name) == Some(&at))
    }

    /// What stands in the message of number `at` in the place of a picture that is not shown again.
    pub(crate) fn instead(&self, name: &str, at: usize) -> &'static str {
        match self.find(name) {
            None => UNSEEN,
            Some(_) if self.last.get(name) == Some(&at) => ABOVE,
            Some(_) => LATER,
        }
    }

    fn find(&self, name: &str) -> Option<&'a Picture> {
        self.shown.iter().find(|picture| picture.blob == name)
    }
}

/// The bytes of a picture as APIs take them.
pub(crate) fn encoded(picture: &Picture) -> String {
    STANDARD.encode(&picture.bytes)
}

/// The pictures that a message mentions.
fn names(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().flat_map(|part| {
        let (own, results): (Option<&str>, &[ResultContent]) = match part {
            Part::Image { blob, .. } => (Some(blob), &[]),
            Part::ToolResult { content, .. } => (None, content),
            _ => (None, &[]),
        };
        own.into_iter()
            .chain(results.iter().filter_map(|block| match block {
                ResultContent::Image { blob, .. } => Some(blob.as_str()),
                ResultContent::Text { .. } => None,
            }))
    })
}
