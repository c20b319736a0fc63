//! Pictures of a request: as data URLs for models that see, as a remark for those that do not.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sidewire_agent::message::{Part, ResultContent};
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

/// The pictures that a model is shown.
pub(super) struct Pictures<'a>(&'a [Picture]);

impl<'a> Pictures<'a> {
    /// Those of a request.
    pub(super) fn of(request: &'a ModelRequest) -> Self {
        Self(&request.pictures)
    }

    /// None, for a model that does not see.
    pub(super) const fn none() -> Self {
        Self(&[])
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Text of a person with the pictures among its parts.
    pub(super) fn beside(&self, text: String, parts: &[Part]) -> Content {
        let shown: Vec<Piece> = parts
            .iter()
            .filter_map(image_name)
            .filter_map(|name| self.piece(name))
            .collect();
        if shown.is_empty() {
            return Content::Text(text);
        }
        Content::Pieces([Piece::Text { text }].into_iter().chain(shown).collect())
    }

    /// The pictures of tool results, if any is shown.
    pub(super) fn of_results(&self, parts: &[Part]) -> Option<Content> {
        let shown: Vec<Piece> = parts
            .iter()
            .flat_map(result_images)
            .filter_map(|name| self.piece(name))
            .collect();
        let heading = Piece::Text {
            text: FOLLOWING.to_owned(),
        };
        (!shown.is_empty()).then(|| Content::Pieces([heading].into_iter().chain(shown).collect()))
    }

    /// A tool's result as text.
    pub(super) fn told(&self, content: &[ResultContent]) -> String {
        let texts: Vec<&str> = content.iter().map(|block| self.word(block)).collect();
        texts.join("\n")
    }

    fn word<'b>(&self, block: &'b ResultContent) -> &'b str {
        match block {
            ResultContent::Text { text } => text,
            ResultContent::Image { blob, .. } if self.find(blob).is_some() => "(a picture; it follows)",
            ResultContent::Image { .. } => "(a picture, which is not shown to you)",
        }
    }

    fn piece(&self, name: &str) -> Option<Piece> {
        let Picture { mime_type, bytes, .. } = self.find(name)?;
        let url = format!("data:{mime_type};base64,{}", STANDARD.encode(bytes));
        Some(Piece::ImageUrl {
            image_url: ImageUrl { url },
        })
    }

    fn find(&self, name: &str) -> Option<&'a Picture> {
        self.0.iter().find(|picture| picture.blob == name)
    }
}

fn image_name(part: &Part) -> Option<&str> {
    if let Part::Image { blob, .. } = part {
        Some(blob)
    } else {
        None
    }
}

fn result_images(part: &Part) -> impl Iterator<Item = &str> {
    let blocks: &[ResultContent] = if let Part::ToolResult { content, .. } = part {
        content
    } else {
        &[]
    };
    blocks.iter().filter_map(|block| match block {
        ResultContent::Image { blob, .. } => Some(blob.as_str()),
        ResultContent::Text { .. } => None,
    })
}
