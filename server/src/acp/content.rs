//! The content blocks of a prompt: what the model reads, what the transcript shows, and the files that came along.
//!
//! Nothing is dropped: a block that cannot be used fails the prompt, before anything is written.

mod attachments;
mod images;

use std::path::Path;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    BlobResourceContents, ContentBlock, EmbeddedResourceResource, ResourceLink, TextResourceContents,
};
use sidewire_agent::message::Part;
use sidewire_agent::page_block::text::flat;
use sidewire_agent::provider::{PICTURE_BYTES, Picture};
use sidewire_agent::workspace::Roots;
use url::Url;

use crate::rpc::Error;
use attachments::Attachment;

/// Most bytes of a resource that stands in the text; a longer one becomes a file.
const INLINE: usize = 256 * 1024;
/// Most bytes of a name or an address that is repeated in the text.
const NAME: usize = 2 * 1024;

/// A prompt as a turn takes it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Prompt {
    /// What the model reads.
    pub(super) text: String,
    /// What the transcript shows, when that is shorter.
    pub(super) shown: Option<String>,
    /// Pictures, as the transcript keeps them.
    pub(super) parts: Vec<Part>,
    /// The same with their bytes.
    pub(super) pictures: Vec<Picture>,
}

/// Reads the blocks of a prompt; files are saved in the working folder of `roots`.
pub(super) async fn read(blocks: Vec<ContentBlock>, roots: &Roots) -> Result<Prompt, Error> {
    let folder = roots.folder().to_owned();
    // Decoding and saving: beside the connection's own threads.
    let reading = tokio::task::spawn_blocking(move || read_in(blocks, &folder));
    reading
        .await
        .unwrap_or_else(|_| Err(Error::internal("session/prompt: the prompt could not be read")))
}

/// A picture that came with an earlier prompt in the same folder, by its name in messages; nothing when it is gone.
pub(super) async fn picture(name: &str, roots: &Roots) -> Option<Picture> {
    let (name, folder) = (name.to_owned(), roots.folder().to_owned());
    let reading = tokio::task::spawn_blocking(move || {
        let bytes = attachments::load(&name, &folder, PICTURE_BYTES)?;
        let image = images::recognise(&bytes).ok()?;
        Some(Picture {
            blob: name,
            mime_type: image.picture?.to_owned(),
            bytes: image.bytes,
        })
    });
    reading.await.ok().flatten()
}

fn read_in(blocks: Vec<ContentBlock>, folder: &Path) -> Result<Prompt, Error> {
    let pieces = blocks
        .into_iter()
        .enumerate()
        .map(|(at, block)| piece(at, block))
        .collect::<Result<Vec<_>, _>>()?;
    let is_empty = |piece: &Piece| matches!(piece, Piece::Text { text, .. } if text.trim().is_empty());
    if pieces.iter().all(is_empty) {
        return Err(Error::invalid_params("session/prompt: empty prompt"));
    }
    put_together(pieces, folder).map_err(|error| {
        tracing::warn!(%error, "attachments cannot be saved");
        Error::internal(format!("session/prompt: {error}"))
    })
}

/// What one block is.
enum Piece {
    Text { text: String, shown: Option<String> },
    File(Attachment),
}

/// Why a block cannot be used.
#[derive(Debug, thiserror::Error)]
enum BlockError {
    #[error("no data")]
    NoData,
    #[error("data must be base64")]
    NotBase64,
    #[error("pasted image must be between 1 byte and 10 MB")]
    ImageSize,
    #[error("pasted data is not a supported image")]
    NotAnImage,
    #[error("unsupported image type: {0}")]
    ImageType(&'static str),
    #[error("attachment must be between 1 byte and 25 MB")]
    FileSize,
    #[error("audio is not supported")]
    Audio,
    #[error("the content is not supported")]
    Unknown,
}

fn piece(at: usize, block: ContentBlock) -> Result<Piece, Error> {
    let (kind, piece) = match block {
        ContentBlock::Text(text) => ("text", Ok(plain(text.text))),
        ContentBlock::Image(image) => ("image", images::read(&image.data).map(Piece::File)),
        ContentBlock::ResourceLink(link) => ("resource_link", Ok(plain(mention(&link)))),
        ContentBlock::Resource(resource) => ("resource", embedded(resource.resource)),
        ContentBlock::Audio(_) => ("audio", Err(BlockError::Audio)),
        _ => ("unknown", Err(BlockError::Unknown)),
    };
    piece.map_err(|cause| {
        Error::invalid_params(format!("session/prompt: prompt block {at} ({kind}): {cause}"))
    })
}

fn plain(text: String) -> Piece {
    Piece::Text { text, shown: None }
}

fn embedded(resource: EmbeddedResourceResource) -> Result<Piece, BlockError> {
    match resource {
        EmbeddedResourceResource::TextResourceContents(text) => inlined(text),
        EmbeddedResourceResource::BlobResourceContents(blob) => attached(&blob).map(Piece::File),
        _ => Err(BlockError::Unknown),
    }
}

/// A link as the person sees it, with its address for the model.
fn mention(link: &ResourceLink) -> String {
    let name = link.title.as_deref().unwrap_or(&link.name);
    linked(name, &link.uri)
}

/// A Markdown link on one line.
fn linked(name: &str, uri: &str) -> String {
    let (name, uri) = (flat(name, NAME), flat(uri, NAME));
    let name = if name.is_empty() { uri.clone() } else { name };
    let name = name.replace(['[', ']'], "");
    format!("[{name}]({uri})")
}

/// A text that came along. Its fence is longer than any in it, so that it stays data to its last line.
fn inlined(resource: TextResourceContents) -> Result<Piece, BlockError> {
    if resource.text.len() > INLINE {
        let extension = extension(&resource.uri, resource.mime_type.as_deref());
        return Attachment::of_file(resource.text.into_bytes(), extension).map(Piece::File);
    }
    let link = linked(&name_of(&resource.uri), &resource.uri);
    let fence = "`".repeat(longest_run(&resource.text, '`').max(2) + 1);
    let text = format!(
        "{link}:\n{fence}\n{}\n{fence}",
        resource.text.trim_end_matches('\n')
    );
    Ok(Piece::Text {
        text,
        shown: Some(link),
    })
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|char| char != of)
        .map(str::len)
        .max()
        .unwrap_or_default()
}

/// Bytes that came along. What calls itself an image has to be one.
fn attached(blob: &BlobResourceContents) -> Result<Attachment, BlockError> {
    let mime_type = blob.mime_type.as_deref();
    let bytes = attachments::decode(&blob.blob)?;
    if mime_type.is_some_and(|mime_type| mime_type.starts_with("image/")) {
        return images::recognise(&bytes);
    }
    // One without a name may still be a picture.
    if name_of(&blob.uri).is_empty()
        && let Ok(image) = images::recognise(&bytes)
    {
        return Ok(image);
    }
    Attachment::of_file(bytes, extension(&blob.uri, mime_type))
}

/// The last part of an address.
fn name_of(uri: &str) -> String {
    let url = Url::parse(uri).ok();
    let last = url.as_ref().and_then(|url| url.path_segments()?.next_back());
    last.unwrap_or_default().to_owned()
}

/// The ending of a file name that an address, or else a type, suggests.
fn extension(uri: &str, mime_type: Option<&str>) -> String {
    let name = name_of(uri);
    let by_name = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    let by_type = match mime_type {
        Some("text/plain") => Some("txt".to_owned()),
        Some("application/pdf") => Some("pdf".to_owned()),
        Some("application/json") => Some("json".to_owned()),
        _ => None,
    };
    let is_ending = |ending: &String| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        (1..=12).contains(&ending.len()) && ending.bytes().all(is_plain)
    };
    let ending = by_name.filter(is_ending).or(by_type);
    format!(".{}", ending.as_deref().unwrap_or("bin"))
}

/// Saves what is to be saved and joins everything, a blank line between.
fn put_together(pieces: Vec<Piece>, folder: &Path) -> Result<Prompt, attachments::SaveError> {
    let files: Vec<&Attachment> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::File(file) => Some(file),
            Piece::Text { .. } => None,
        })
        .collect();
    let mut saved = attachments::save(&files, folder)?.into_iter();
    let mut prompt = Prompt::default();
    let (mut texts, mut shown) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text { text, shown: short } => {
                shown.push(short.unwrap_or_else(|| text.clone()));
                texts.push(text);
            }
            Piece::File(file) => {
                let name = saved.next().unwrap_or_default();
                prompt.add_picture(&name, &file);
                shown.push(format!("@{name}"));
                texts.push(format!("@{name}"));
            }
        }
    }
    prompt.text = join(&texts);
    prompt.shown = Some(join(&shown)).filter(|shown| *shown != prompt.text);
    Ok(prompt)
}

fn join(texts: &[String]) -> String {
    let texts: Vec<&str> = texts
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}

impl Prompt {
    /// A picture is shown to the model too, unless it is larger than any model takes.
    fn add_picture(&mut self, name: &str, file: &Attachment) {
        let Some(mime_type) = file.picture else { return };
        if file.bytes.len() > PICTURE_BYTES {
            return;
        }
        self.parts.push(Part::Image {
            mime_type: mime_type.to_owned(),
            blob: name.to_owned(),
        });
        self.pictures.push(Picture {
            blob: name.to_owned(),
            mime_type: mime_type.to_owned(),
            bytes: Arc::clone(&file.bytes),
        });
    }
}

#[cfg(test)]
mod tests;
