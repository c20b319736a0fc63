//! Media in the result of a tool: announced to the person, and its still picture given to the model.

use sidewire_agent::message::ResultContent;
use sidewire_agent::provider::Picture;
use sidewire_agent::store::Store;
use sidewire_agent::tool::ToolOutput;
use sidewire_contract::media::{Media, MimeType};

use super::library::Library;

impl Library {
    /// Adds media that was shown to a result, with what a model may see of it.
    pub(crate) async fn add_media(&self, store: &Store, media: Media, output: &mut ToolOutput) {
        if let Some(picture) = self.picture(store, &media).await {
            output.content.push(ResultContent::Image {
                mime_type: picture.mime_type.clone(),
                blob: picture.blob.clone(),
            });
            output.pictures.push(picture);
        }
        output.media.push(media);
    }

    /// Its still picture, or itself when it is one.
    async fn picture(&self, store: &Store, media: &Media) -> Option<Picture> {
        let asset = media.poster.as_ref().or(media.original.as_ref())?;
        if matches!(asset.mime_type, MimeType::Mp4 | MimeType::Text) {
            return None;
        }
        let bytes = self.image_bytes(store, &asset.reference).await?;
        Some(Picture {
            blob: asset.reference.as_str().to_owned(),
            mime_type: asset.mime_type.as_str().to_owned(),
            bytes: bytes.as_ref().into(),
        })
    }
}
