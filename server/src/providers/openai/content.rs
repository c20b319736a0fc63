//! Content of a message: text, and pictures as data URLs for models that see.

use serde::Serialize;
use sidewire_agent::message::{Message, ResultContent};
use sidewire_agent::provider::Picture;

use super::super::http::{Pictures, encoded};

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

/// A message and where it stands in the transcript.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) message: &'a Message,
    pub(super) at: usize,
    pub(super) pictures: &'a Pictures<'a>,
}

impl Placed<'_> {
    /// Text of a person with their pictures.
    pub(super) fn said(&self) -> Content {
        self.with_pictures(self.message.plain_text())
            .unwrap_or_else(Content::Text)
    }

    /// The pictures of tool results, if any is shown here: a line of a tool may hold text only.
    pub(super) fn of_results(&self) -> Option<Content> {
        self.with_pictures(FOLLOWING.to_owned()).ok()
    }

    /// A tool's result as text.
    pub(super) fn told(&self, content: &[ResultContent]) -> Content {
        let texts: Vec<&str> = content.iter().map(|block| self.word(block)).collect();
        texts.join("\n").into()
    }

    /// The text with the pictures behind it; the text alone when there are none.
    fn with_pictures(&self, text: String) -> Result<Content, String> {
        let shown = self.pictures.beside(self.message, self.at);
        if shown.is_empty() {
            return Err(text);
        }
        let heading = Piece::Text { text };
        let pieces = [heading].into_iter().chain(shown.into_iter().map(piece));
        Ok(Content::Pieces(pieces.collect()))
    }

    fn word<'b>(&self, block: &'b ResultContent) -> &'b str {
        match block {
            ResultContent::Text { text } => text,
            ResultContent::Image { blob, .. } if self.pictures.here(blob, self.at).is_some() => {
                "(a picture; it follows)"
            }
            ResultContent::Image { blob, .. } => self.pictures.instead(blob, self.at),
        }
    }
}

fn piece(picture: &Picture) -> Piece {
    let url = format!("data:{};base64,{}", picture.mime_type, encoded(picture));
    Piece::ImageUrl {
        image_url: ImageUrl { url },
    }
}
