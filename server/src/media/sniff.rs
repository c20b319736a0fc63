//! What a file holds, read from its first bytes and its structure; never from a name or a header. Nothing is decoded.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use sidewire_contract::media::{MediaKind, MimeType};
use sidewire_contract::number::Positive;

use super::mp4;

/// Bytes in which every magic number lies.
const HEAD: usize = 64;
/// Chunks of a PNG that are looked at for the one that says it moves; it stands before the picture.
const PNG_CHUNKS: usize = 1024;
/// Most pixels of a picture: whoever shows it needs four bytes for each, however few the file has.
pub(super) const PIXELS: u64 = 100_000_000;
/// Most bytes of a text that is shown.
const TEXT_BYTES: u64 = 64 * 1024;

/// What a file was found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Something to look at.
    Picture(Picture),
    /// Words.
    Text(String),
}

/// A picture, still or moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) mime: MimeType,
    pub(super) kind: MediaKind,
    pub(super) width: Option<Positive>,
    pub(super) height: Option<Positive>,
    pub(super) duration_ms: Option<Positive>,
}

/// Why a file is no media.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SniffError {
    /// It is of another kind, or broken.
    #[error("unsupported or corrupt media content")]
    Unsupported,
    /// It would take more memory than there should be for it.
    #[error("the picture has more than {PIXELS} pixels")]
    TooManyPixels,
    /// The disk said no.
    #[error("the media file could not be read")]
    Io(#[from] io::Error),
}

/// Looks at a file from its beginning.
pub(super) fn sniff(file: impl Read + Seek) -> Result<Found, SniffError> {
    let mut file = BufReader::new(file);
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    file.rewind()?;
    let Some(mime) = mime_of(&head)? else {
        return text(file).map(Found::Text);
    };
    let picture = match mime {
        MimeType::Mp4 => {
            let film = mp4::look(&mut file).map_err(|_broken| SniffError::Unsupported)?;
            Picture {
                mime,
                kind: MediaKind::Video,
                width: film.width,
                height: film.height,
                duration_ms: film.duration_ms,
            }
        }
        _ => raster(mime, &head, &mut file)?,
    };
    if picture.pixels() > PIXELS {
        return Err(SniffError::TooManyPixels);
    }
    Ok(Found::Picture(picture))
}

impl Picture {
    /// How many it has; none where its size is not known.
    fn pixels(&self) -> u64 {
        let side = |pixels: Option<Positive>| pixels.map_or(0, Positive::get);
        side(self.width).saturating_mul(side(self.height))
    }
}

/// The type of the magic number; none where there is no such number, as in a text.
fn mime_of(head: &[u8]) -> Result<Option<MimeType>, SniffError> {
    let Some(known) = infer::get(head) else {
        return Ok(None);
    };
    Ok(Some(match known.mime_type() {
        "image/png" => MimeType::Png,
        "image/jpeg" => MimeType::Jpeg,
        "image/gif" => MimeType::Gif,
        "image/webp" => MimeType::Webp,
        "video/mp4" | "video/x-m4v" => MimeType::Mp4,
        other if other.starts_with("text/") => return Ok(None),
        _ => return Err(SniffError::Unsupported),
    }))
}

fn raster(
    mime: MimeType,
    head: &[u8],
    file: &mut BufReader<impl Read + Seek>,
) -> Result<Picture, SniffError> {
    let size = imagesize::reader_size(&mut *file).map_err(|_broken| SniffError::Unsupported)?;
    let side = |pixels: usize| Positive::new(pixels as u64).ok_or(SniffError::Unsupported);
    let moves = match mime {
        MimeType::Gif => true,
        MimeType::Webp => webp_moves(head),
        MimeType::Png => png_moves(file)?,
        MimeType::Jpeg | MimeType::Mp4 | MimeType::Text => false,
    };
    Ok(Picture {
        mime,
        kind: if moves {
            MediaKind::Animation
        } else {
            MediaKind::Image
        },
        width: Some(side(size.width)?),
        height: Some(side(size.height)?),
        duration_ms: None,
    })
}

/// The extended header of a WebP has a bit for it.
fn webp_moves(head: &[u8]) -> bool {
    const ANIMATION: u8 = 0x02;
    head.get(12..16) == Some(b"VP8X") && head.get(20).is_some_and(|flags| flags & ANIMATION != 0)
}

/// A PNG that moves says so in a chunk before its first picture.
fn png_moves(file: &mut BufReader<impl Read + Seek>) -> Result<bool, SniffError> {
    const SIGNATURE: u64 = 8;
    const CHECKSUM: i64 = 4;
    file.seek(SeekFrom::Start(SIGNATURE))?;
    for _ in 0..PNG_CHUNKS {
        let mut header = [0; 8];
        file.read_exact(&mut header)
            .map_err(|_short| SniffError::Unsupported)?;
        let [a, b, c, d, kind @ ..] = header;
        match &kind {
            b"acTL" => return Ok(true),
            b"IDAT" | b"IEND" => return Ok(false),
            _ => file.seek_relative(i64::from(u32::from_be_bytes([a, b, c, d])) + CHECKSUM)?,
        }
    }
    Err(SniffError::Unsupported)
}

/// A short text without control characters.
fn text(file: impl Read) -> Result<String, SniffError> {
    let mut bytes = Vec::new();
    file.take(TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_binary| SniffError::Unsupported)?;
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if text.len() as u64 > TEXT_BYTES || text.contains(is_odd) {
        return Err(SniffError::Unsupported);
    }
    Ok(text)
}

#[cfg(test)]
pub(super) mod tests;
