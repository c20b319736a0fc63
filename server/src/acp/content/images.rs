//! Images of a prompt: what they are is read from their bytes, never from what the client calls them.

use std::io::Cursor;

use super::BlockError;
use super::attachments::{self, Attachment};

/// Most bytes of an image.
pub(super) const IMAGE_BYTES: usize = 10 * 1024 * 1024;

/// An image in base64.
pub(super) fn read(data: &str) -> Result<Attachment, BlockError> {
    recognise(&attachments::decode(data)?)
}

/// An image, as its bytes say.
pub(super) fn recognise(bytes: &[u8]) -> Result<Attachment, BlockError> {
    if bytes.len() > IMAGE_BYTES {
        return Err(BlockError::ImageSize);
    }
    let known = infer::get(bytes).map(|known| known.mime_type());
    let (mime_type, extension) = match known {
        Some("image/png") => ("image/png", ".png"),
        Some("image/jpeg") => ("image/jpeg", ".jpg"),
        Some("image/gif") => ("image/gif", ".gif"),
        Some("image/webp") => ("image/webp", ".webp"),
        Some(other) if other.starts_with("image/") => return Err(BlockError::ImageType(other)),
        _ => return Err(BlockError::NotAnImage),
    };
    // It has the structure of one, and a size.
    let size = imagesize::reader_size(Cursor::new(bytes)).map_err(|_| BlockError::NotAnImage)?;
    if size.width == 0 || size.height == 0 {
        return Err(BlockError::NotAnImage);
    }
    Ok(Attachment {
        extension: extension.to_owned(),
        bytes: bytes.into(),
        picture: Some(mime_type),
    })
}
