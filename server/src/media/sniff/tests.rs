use std::io::Cursor;

use proptest::prelude::*;

use super::super::mp4::tests::film;
use super::*;

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let len = u32::try_from(body.len()).unwrap();
    // Nobody who only looks at the structure checks the sum.
    [&len.to_be_bytes(), kind.as_slice(), body, &[0; 4]].concat()
}

/// A PNG of that size as far as its structure goes, with a comment that makes it one of a kind.
pub(in super::super) fn png(width: u32, height: u32, comment: &[u8]) -> Vec<u8> {
    png_with(width, height, &chunk(b"tEXt", comment))
}

fn png_with(width: u32, height: u32, chunks: &[u8]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    [
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", &header).as_slice(),
        chunks,
        &chunk(b"IDAT", b"x"),
        &chunk(b"IEND", b""),
    ]
    .concat()
}

pub(in super::super) fn gif(width: u16, height: u16) -> Vec<u8> {
    [
        b"GIF89a",
        &width.to_le_bytes()[..],
        &height.to_le_bytes(),
        &[0, 0, 0, 0x3b],
    ]
    .concat()
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let frame = [
        &[8][..],
        &height.to_be_bytes(),
        &width.to_be_bytes(),
        &[1, 1, 0x11, 0],
    ]
    .concat();
    let len = u16::try_from(frame.len() + 2).unwrap();
    [
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0",
        &b"\xff\xc0"[..],
        &len.to_be_bytes(),
        &frame,
        b"\xff\xd9",
    ]
    .concat()
}

fn webp(flags: u8, width: u32, height: u32) -> Vec<u8> {
    let side = |pixels: u32| (pixels - 1).to_le_bytes()[..3].to_vec();
    let body = [
        b"WEBPVP8X\x0a\0\0\0",
        &[flags, 0, 0, 0][..],
        &side(width),
        &side(height),
    ]
    .concat();
    let len = u32::try_from(body.len()).unwrap();
    [b"RIFF", &len.to_le_bytes()[..], &body].concat()
}

fn looked(bytes: &[u8]) -> Option<(MimeType, MediaKind, u64, u64)> {
    match sniff(Cursor::new(bytes)) {
        Ok(Found::Picture(found)) => Some((
            found.mime,
            found.kind,
            found.width.map_or(0, Positive::get),
            found.height.map_or(0, Positive::get),
        )),
        Ok(Found::Text(_)) | Err(_) => None,
    }
}

#[test]
fn every_kind_is_known_by_its_bytes() {
    use MediaKind::{Animation, Image, Video};
    let rows = [
        (png(30, 20, b"c"), MimeType::Png, Image),
        (
            png_with(30, 20, &chunk(b"acTL", &[0; 8])),
            MimeType::Png,
            Animation,
        ),
        (jpeg(30, 20), MimeType::Jpeg, Image),
        (gif(30, 20), MimeType::Gif, Animation),
        (webp(0, 30, 20), MimeType::Webp, Image),
        (webp(2, 30, 20), MimeType::Webp, Animation),
        (film(30, 20, 1), MimeType::Mp4, Video),
    ];
    for (bytes, mime, kind) in rows {
        assert_eq!(looked(&bytes), Some((mime, kind, 30, 20)), "{mime:?} {kind:?}");
    }
}

#[test]
fn what_only_looks_like_a_picture_is_refused() {
    for bytes in [
        &b"\x89PNG\r\n\x1a\n"[..],
        b"\xff\xd8\xff",
        b"GIF89a",
        b"RIFF\0\0\0\0WEBP",
        b"\0\0\0\x18ftypisom",
        b"\0\0\0\x18ftypheic\0\0\0\0heicmif1",
        b"\0\0\0\x14ftypqt  \0\0\0\0qt  ",
        b"%PDF-1.7",
        b"PK\x03\x04",
        b"\x7fELF",
        b"\0",
        &png(0, 20, b"c"),
        &gif(30, 0),
    ] {
        assert!(
            matches!(sniff(Cursor::new(bytes)), Err(SniffError::Unsupported)),
            "{bytes:?}"
        );
    }
}

#[test]
fn a_picture_has_no_more_pixels_than_memory_can_take() {
    for bytes in [
        png(10_000, 10_000, b"c"),
        gif(10_000, 10_000),
        webp(2, 10_000, 10_000),
        film(10_000, 10_000, 1),
    ] {
        assert!(looked(&bytes).is_some());
    }
    for bytes in [
        png(10_001, 10_000, b"c"),
        png(u32::MAX, u32::MAX, b"c"),
        jpeg(u16::MAX, u16::MAX),
        gif(u16::MAX, u16::MAX),
        webp(0, 1 << 24, 1 << 24),
        film(u16::MAX, u16::MAX, 1),
    ] {
        let refused = sniff(Cursor::new(bytes)).unwrap_err();
        assert!(matches!(refused, SniffError::TooManyPixels), "{refused}");
    }
}

#[test]
fn text_is_what_is_readable_and_short() {
    let text = |bytes: &[u8]| match sniff(Cursor::new(bytes)) {
        Ok(Found::Text(text)) => Some(text),
        _ => None,
    };
    assert_eq!(
        text("Grüße\n\tan alle".as_bytes()),
        Some("Grüße\n\tan alle".into())
    );
    assert_eq!(text(b"bell \x07"), None);
    assert_eq!(text(b"\xff\xfe\0a"), None);
    let limit = usize::try_from(TEXT_BYTES).unwrap();
    assert!(text(&vec![b'a'; limit]).is_some());
    assert_eq!(text(&vec![b'a'; limit + 1]), None);
}

#[test]
fn a_png_whose_chunks_never_end_is_refused() {
    let endless = png_with(1, 1, &chunk(b"tEXt", b"").repeat(PNG_CHUNKS));
    assert!(sniff(Cursor::new(endless)).is_err());
}

/// Bytes that are wrong in their place: any, or a length that is the least or the most there is.
fn wrong_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 1..9),
        Just(vec![0; 4]),
        Just(vec![0, 0, 0, 1]),
        Just(vec![0xff; 4]),
        Just(vec![0x7f, 0xff, 0xff, 0xff]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever comes after a magic number: an answer, never a panic.
    #[test]
    fn rubbish_is_looked_at_without_harm(start in 0_usize..7, rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let starts: [&[u8]; 7] = [
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8X", b"RIFF\0\0\0\0WEBPVP8L",
            b"\0\0\0\x14ftypisom\0\0\0\0isom\0\0\0\x80moov", b"",
        ];
        let _any_answer = sniff(Cursor::new([starts[start], &rest].concat()));
    }

    /// Whatever is changed, doubled or cut in a good file, its structure being right all around: an answer.
    #[test]
    fn a_good_file_with_wrong_bytes_is_looked_at_without_harm(
        file in 0_usize..6,
        changes in prop::collection::vec((any::<prop::sample::Index>(), wrong_bytes()), 1..6),
        doubled in any::<(prop::sample::Index, prop::sample::Index)>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let good = [
            png_with(30, 20, &chunk(b"acTL", &[0; 8])), jpeg(30, 20), gif(30, 20), webp(2, 30, 20), film(30, 20, 1500),
            b"words of a text".to_vec(),
        ];
        let mut bytes = good[file].clone();
        for (place, wrong) in changes {
            let at = place.index(bytes.len());
            let end = bytes.len().min(at + wrong.len());
            bytes[at..end].copy_from_slice(&wrong[..end - at]);
        }
        let (one, other) = (doubled.0.index(bytes.len()), doubled.1.index(bytes.len()));
        let part = bytes[one.min(other)..one.max(other)].to_vec();
        bytes.splice(one..one, part);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _any_answer = sniff(Cursor::new(bytes));
    }
}
