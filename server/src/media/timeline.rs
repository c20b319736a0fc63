//! Frames that are shown one after the other: all words or all pictures, never both.

use sidewire_contract::media::{Asset, Timeline, TimelineFrame};
use sidewire_contract::number::Positive;

use super::MEDIA_BYTES;
use super::ingest::Source;

/// Most frames of a timeline.
pub(crate) const FRAMES: usize = 720;
/// Most bytes of a timeline as a descriptor holds it: the descriptor has to fit a frame towards a browser, beside
/// the answer it belongs to.
const TIMELINE_BYTES: usize = 160 * 1024;

/// A frame that is asked for.
pub(crate) struct Frame {
    /// What it shows.
    pub(crate) content: Content,
    /// How long it stays.
    pub(crate) duration_ms: Positive,
}

/// What a frame shows.
pub(crate) enum Content {
    /// Words.
    Text(String),
    /// A file.
    Source(Source),
}

/// Why frames are not shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FramesError {
    /// There are none.
    #[error("a timeline needs at least one frame")]
    None,
    /// There are too many.
    #[error("a timeline has at most {FRAMES} frames")]
    TooMany,
    /// Words and pictures are mixed.
    #[error("a timeline is all text or all pictures, not both")]
    Mixed,
    /// A frame is a film.
    #[error("a frame of a timeline is a picture, not a film")]
    Film,
    /// All files together are too long.
    #[error("the frames of a timeline take at most {MEDIA_BYTES} bytes together")]
    TooLarge,
    /// All words together are too long.
    #[error("the text of a timeline takes at most {TIMELINE_BYTES} bytes")]
    TooMuchText,
}

/// A frame that can be shown.
pub(super) enum Shown {
    Text(String),
    Picture(Asset),
}

/// Puts frames together; gives the first picture beside them.
pub(super) fn put_together(frames: Vec<(Shown, Positive)>) -> Result<(Timeline, Option<Asset>), FramesError> {
    check_count(frames.len())?;
    let pictures = frames
        .iter()
        .filter(|(shown, _)| matches!(shown, Shown::Picture(_)))
        .count();
    if pictures != 0 && pictures != frames.len() {
        return Err(FramesError::Mixed);
    }
    let frames: Vec<TimelineFrame> = frames.into_iter().map(frame).collect();
    let poster = frames.iter().find_map(picture).cloned();
    let timeline = Timeline::new(frames).ok_or(FramesError::None)?;
    let fits = serde_json::to_vec(&timeline).is_ok_and(|json| json.len() <= TIMELINE_BYTES);
    if fits {
        Ok((timeline, poster))
    } else {
        Err(FramesError::TooMuchText)
    }
}

/// Whether there may be so many frames.
pub(crate) fn check_count(frames: usize) -> Result<(), FramesError> {
    match frames {
        0 => Err(FramesError::None),
        1..=FRAMES => Ok(()),
        _ => Err(FramesError::TooMany),
    }
}

fn frame((shown, duration_ms): (Shown, Positive)) -> TimelineFrame {
    match shown {
        Shown::Text(text) => TimelineFrame::Text { text, duration_ms },
        Shown::Picture(asset) => TimelineFrame::Asset { asset, duration_ms },
    }
}

fn picture(frame: &TimelineFrame) -> Option<&Asset> {
    match frame {
        TimelineFrame::Asset { asset, .. } => Some(asset),
        TimelineFrame::Text { .. } => None,
    }
}

/// How long all frames stay together.
pub(super) fn duration(timeline: &Timeline) -> Option<Positive> {
    let durations = timeline.frames().iter().map(|frame| match frame {
        TimelineFrame::Text { duration_ms, .. } | TimelineFrame::Asset { duration_ms, .. } => {
            duration_ms.get()
        }
    });
    Positive::new(durations.fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use sidewire_contract::ids::BlobRef;
    use sidewire_contract::media::MimeType;

    use super::*;

    fn ms(value: u64) -> Positive {
        Positive::new(value).unwrap()
    }

    fn text(words: &str) -> (Shown, Positive) {
        (Shown::Text(words.to_owned()), ms(100))
    }

    fn picture(byte: u8) -> (Shown, Positive) {
        let asset = Asset {
            reference: BlobRef::from_sha256([byte; 32]),
            mime_type: MimeType::Png,
            bytes: ms(u64::MAX),
        };
        (Shown::Picture(asset), ms(50))
    }

    #[test]
    fn pictures_have_a_poster_and_words_none() {
        let (timeline, poster) = put_together(vec![picture(1), picture(2)]).unwrap();
        assert_eq!(poster.unwrap().reference, BlobRef::from_sha256([1; 32]));
        assert_eq!(duration(&timeline), Some(ms(100)));
        let (_, poster) = put_together(vec![text("a"), text("b")]).unwrap();
        assert_eq!(poster, None);
    }

    #[test]
    fn the_rules_of_frames_hold_at_their_limits() {
        assert!(matches!(put_together(vec![]), Err(FramesError::None)));
        assert!(matches!(
            put_together(vec![text("a"), picture(1)]),
            Err(FramesError::Mixed)
        ));
        let many = |count: usize| (0..count).map(|_| picture(1)).collect::<Vec<_>>();
        assert!(put_together(many(FRAMES)).is_ok());
        assert!(matches!(
            put_together(many(FRAMES + 1)),
            Err(FramesError::TooMany)
        ));
        let room = TIMELINE_BYTES - r#"[{"text":"","durationMs":100}]"#.len();
        assert!(put_together(vec![text(&"a".repeat(room))]).is_ok());
        assert!(matches!(
            put_together(vec![text(&"a".repeat(room + 1))]),
            Err(FramesError::TooMuchText)
        ));
    }
}
