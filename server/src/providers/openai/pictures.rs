//! Pictures of a request: as data URLs for models that see, as a remark for those that do not.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sidewire_agent::message::{Message, Part, ResultContent};
use sidewire_agent::provider::{ModelRequest, Picture};

/// What stands between text and pictures in the line that carries those of tool results.
const FOLLOWING: &str = "The pictures of the tool results above, in their order:";

/// Content of a line.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content {
    /// What every server takes.
    Text(String),
    /// What servers of models that see take.
    Pieces(Vec<Piece>),
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// One piece of mixed content.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Piece {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
pub(super) struct ImageUrl {
    url: String,
}

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
pub(super) struct Pictures<'a> {
    shown: &'a [Picture],
    /// The number of the message that mentions a picture last.
    last: HashMap<&'a str, usize>,
}

impl<'a> Pictures<'a> {
    /// Those of a request.
    pub(super) fn of(request: &'a ModelRequest) -> Self {
        let messages = request.messages.iter().enumerate();
        let mentions = messages.flat_map(|(at, message)| names(message).map(move |name| (name, at)));
        Self {
            shown: &request.pictures,
            last: mentions.collect(),
        }
    }

    /// None, for a model that does not see.
    pub(super) fn none() -> Self {
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

    /// Text of a person with the pictures of their message, the one of number `at`.
    pub(super) fn beside(&self, text: String, message: &Message, at: usize) -> Content {
        self.pieces(text, message, at).unwrap_or_else(Content::Text)
    }

    /// The pictures of tool results, if any is shown with the message of number `at`.
    pub(super) fn of_results(&self, message: &Message, at: usize) -> Option<Content> {
        self.pieces(FOLLOWING.to_owned(), message, at).ok()
    }

    /// The text with the pictures behind it; the text alone when there are none.
    fn pieces(&self, text: String, message: &Message, at: usize) -> Result<Content, String> {
        let mut shown: Vec<&Picture> = Vec::new();
        for picture in names(message).filter_map(|name| self.at(name, at)) {
            if !shown.contains(&picture) {
                shown.push(picture);
            }
        }
        if shown.is_empty() {
            return Err(text);
        }
        let heading = Piece::Text { text };
        Ok(Content::Pieces(
            [heading]
                .into_iter()
                .chain(shown.into_iter().map(piece))
                .collect(),
        ))
    }

    /// A tool's result as text.
    pub(super) fn told(&self, content: &[ResultContent], at: usize) -> String {
        let texts: Vec<&str> = content.iter().map(|block| self.word(block, at)).collect();
        texts.join("\n")
    }

    fn word<'b>(&self, block: &'b ResultContent, at: usize) -> &'b str {
        match block {
            ResultContent::Text { text } => text,
            ResultContent::Image { blob, .. } if self.at(blob, at).is_some() => "(a picture; it follows)",
            ResultContent::Image { blob, .. } if self.find(blob).is_some() => {
                "(a picture; it comes again below)"
            }
            ResultContent::Image { .. } => "(a picture, which is not shown to you)",
        }
    }

    fn at(&self, name: &str, at: usize) -> Option<&'a Picture> {
        self.find(name).filter(|_| self.last.get(name) == Some(&at))
    }

    fn find(&self, name: &str) -> Option<&'a Picture> {
        self.shown.iter().find(|picture| picture.blob == name)
    }
}

fn piece(picture: &Picture) -> Piece {
    let Picture { mime_type, bytes, .. } = picture;
    let url = format!("data:{mime_type};base64,{}", STANDARD.encode(bytes));
    Piece::ImageUrl {
        image_url: ImageUrl { url },
    }
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
