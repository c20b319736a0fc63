//! `display_media`: shows a picture, a film or a run of frames in the conversation (chat-worker.md §6.2).
//!
//! What it shows comes from a public https address or is shown in the conversation already. It opens no file of this
//! machine: a browser conversation has no workspace.

mod arguments;

use std::time::Duration;

use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput, ToolSource};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::Media;
use sidewire_contract::number::Positive;

use crate::media::{
    About, Address, Content, Frame, FramesError, IngestError, Library, MEDIA_BYTES, Place, Source,
    check_count,
};
use arguments::{Arguments, ArgumentsError, FrameArguments, Shown};

const NAME: &str = "display_media";
/// How an address that is no reference begins.
const REFERENCE: &str = "blob:";

/// All frames together are fetched in this time; each alone has its own.
const FRAMES_TIME: Duration = Duration::from_secs(180);

/// The tool.
pub(crate) struct DisplayMedia {
    library: Library,
    meta: ToolMeta,
}

/// Why nothing is shown; the model reads it.
#[derive(Debug, thiserror::Error)]
enum DisplayError {
    #[error(transparent)]
    Arguments(#[from] ArgumentsError),
    #[error(
        "local files are not shown in this conversation; use an https address or a blob:sha256: reference"
    )]
    Local,
    #[error("this conversation shows no such file")]
    UnknownReference,
    #[error("the frames were not fetched within {} seconds", FRAMES_TIME.as_secs())]
    TooSlow,
    #[error("this answer shows as much media as it may; show more in another one")]
    Full,
    #[error("the conversation could not be read")]
    Store(#[from] sidewire_agent::store::StoreError),
    #[error(transparent)]
    Ingest(#[from] IngestError),
}

impl DisplayMedia {
    /// The tool over a library.
    pub(crate) fn new(library: Library) -> Self {
        let meta = ToolMeta {
            name: NAME.to_owned(),
            label: "Show media".to_owned(),
            description: "Shows the person a picture, an animation or a film (`source`), or texts or pictures one after \
                          the other (`frames`). A source is a public https address, or a blob:sha256: reference of \
                          media that this conversation shows already. Give a caption, and alt for people who do not \
                          see it."
                .to_owned(),
            parameters: arguments::schema(),
            kind: ToolKind::Fetch,
            read_only: true,
            hidden: false,
            source: ToolSource::BuiltIn,
        };
        Self { library, meta }
    }

    async fn display(&self, call: &ToolCallContext) -> Result<Media, DisplayError> {
        let Arguments {
            shown,
            caption,
            alt,
            playing,
        } = Arguments::read(&call.arguments)?;
        if !call.may_show_media() {
            return Err(DisplayError::Full);
        }
        let place = Place {
            store: &call.store,
            conversation: call.conversation,
        };
        match shown {
            Shown::Source(address) => {
                let (source, mut about) = self.source(place, &address, MEDIA_BYTES).await?;
                (about.caption, about.alt, about.playing) = (caption, alt, playing);
                Ok(self.library.show(place, source, about).await?)
            }
            Shown::Frames(frames) => {
                check_count(frames.len()).map_err(IngestError::from)?;
                let mut about = About::of_tool(NAME);
                (about.caption, about.alt, about.playing) = (caption, alt, playing);
                let frames = tokio::time::timeout(FRAMES_TIME, self.frames(place, frames)).await;
                let frames = frames.map_err(|_| DisplayError::TooSlow)??;
                Ok(self.library.show_frames(place, frames, about).await?)
            }
        }
    }

    async fn frames(
        &self,
        place: Place<'_>,
        asked: Vec<(FrameArguments, Positive)>,
    ) -> Result<Vec<Frame>, DisplayError> {
        let mut frames = Vec::with_capacity(asked.len());
        let mut left = MEDIA_BYTES;
        for (frame, duration_ms) in asked {
            let content = match frame {
                FrameArguments::Text(text) => Content::Text(text),
                FrameArguments::Source(address) => {
                    let (source, _about) = self.source(place, &address, left).await?;
                    // Counted while they come, so that no row of frames fills the disk.
                    let rest = left.checked_sub(source.bytes());
                    left = rest.ok_or(IngestError::from(FramesError::TooLarge))?;
                    Content::Source(source)
                }
            };
            frames.push(Frame { content, duration_ms });
        }
        Ok(frames)
    }

    async fn source(
        &self,
        place: Place<'_>,
        address: &str,
        limit: u64,
    ) -> Result<(Source, About), DisplayError> {
        if address.starts_with(REFERENCE) {
            let reference = BlobRef::new(address).map_err(|_| DisplayError::UnknownReference)?;
            let kept = self.library.kept(place, &reference).await?;
            let source = kept.ok_or(DisplayError::UnknownReference)?;
            return Ok((source, About::of_tool(NAME)));
        }
        if is_local(address) {
            return Err(DisplayError::Local);
        }
        let wanted = Address {
            url: address,
            tool: NAME,
            limit,
        };
        Ok(self.library.fetch(place.store, wanted).await?)
    }

    async fn output(&self, call: &ToolCallContext, media: Media) -> ToolOutput {
        let words = media.caption.as_deref().or(media.alt.as_deref());
        let kind = media.kind.as_str();
        let mut output = ToolOutput::text(match words {
            Some(words) => format!("Shown: {words} ({kind})"),
            None => format!("Shown: {kind}"),
        });
        self.library.add_media(&call.store, media, &mut output).await;
        output
    }
}

#[async_trait::async_trait]
impl Tool for DisplayMedia {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        let displayed = tokio::select! {
            biased;
            // Dropping the work ends what it started: a download, a decoder.
            () = call.cancel.cancelled() => return ToolOutput::error("the turn was stopped"),
            displayed = self.display(&call) => displayed,
        };
        match displayed {
            Ok(media) => self.output(&call, media).await,
            Err(error) => ToolOutput::error(error.to_string()),
        }
    }
}

/// Whether an address means a file of this machine: no scheme, that of files, or a drive of Windows.
fn is_local(address: &str) -> bool {
    match url::Url::parse(address) {
        Ok(url) => url.scheme() == "file" || url.scheme().len() == 1,
        Err(_) => !address.contains("://"),
    }
}

#[cfg(test)]
mod tests;
