//! The media of a record, as much as there is room for. Single frames go before whole pieces: what was shown once
//! stays in its place, perhaps as a still.

use serde_json::{Map, Value};
use sidewire_contract::media::{Media, MediaKind, Timeline};

use super::room;

/// Most bytes of the frames that stay of a timeline that has nothing else to show.
const FRAMES: usize = 4 * 1024;
/// What a person is told about it.
const SHORTER: &str = "Not all single frames are shown here, because this answer has more of them than fit.";

/// Descriptors that take at most `limit` bytes; and whether anything had to be left out.
pub(super) fn fitting(mut media: Vec<Media>, limit: usize) -> (Vec<Map<String, Value>>, bool) {
    let mut left: usize = media.iter().map(len).sum();
    let mut shorter = false;
    for piece in &mut media {
        if left <= limit {
            break;
        }
        let before = len(piece);
        shorter |= shorten(piece);
        left -= before.saturating_sub(len(piece));
    }
    let (kept, cut) = room::newest(media.iter().filter_map(descriptor).collect(), limit);
    (kept, shorter || cut)
}

/// Leaves frames out, as far as its kind allows; true when there were any.
fn shorten(media: &mut Media) -> bool {
    let Some(timeline) = media.timeline.take() else {
        return false;
    };
    let plays_by_itself = matches!(media.kind, MediaKind::Video | MediaKind::Animation);
    if !plays_by_itself || (media.original.is_none() && media.poster.is_none()) {
        media.timeline = beginning(&timeline);
        if media.timeline.as_ref() == Some(&timeline) {
            return false;
        }
    }
    media.degradation.get_or_insert_with(|| SHORTER.to_owned());
    true
}

/// Its first frames; at least one, since a timeline is never empty.
fn beginning(timeline: &Timeline) -> Option<Timeline> {
    let frames = timeline.frames();
    let mut left = FRAMES;
    let fitting = frames.iter().take_while(|frame| {
        let rest = left.checked_sub(len(frame));
        left = rest.unwrap_or_default();
        rest.is_some()
    });
    let count = fitting.count().max(1);
    Timeline::new(frames.iter().take(count).cloned().collect())
}

/// A descriptor as a record carries it.
fn descriptor(media: &Media) -> Option<Map<String, Value>> {
    match serde_json::to_value(media) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

fn len(part: &impl serde::Serialize) -> usize {
    serde_json::to_vec(part).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asset(mime: &str) -> Value {
        json!({ "ref": format!("blob:sha256:{}", "a".repeat(64)), "mimeType": mime, "bytes": 1 })
    }

    fn media(kind: &str, frame: &Value, more: Value) -> Media {
        let mut descriptor = json!({
            "version": 1, "id": format!("media_{}", "a".repeat(24)), "kind": kind,
            "timeline": vec![frame; 720],
            "provenance": { "sourceType": "tool", "source": "display_media" },
            "playback": { "autoplay": false, "loop": false, "muted": true, "fpsCap": 12 },
        });
        let Value::Object(more) = more else {
            panic!("{more}")
        };
        descriptor.as_object_mut().unwrap().extend(more);
        serde_json::from_value(descriptor).unwrap()
    }

    fn animation() -> Media {
        let frame = json!({ "asset": asset("image/png"), "durationMs": 83 });
        let more = json!({ "original": asset("image/gif"), "poster": asset("image/png") });
        media("animation", &frame, more)
    }

    fn frames(descriptor: &Map<String, Value>) -> usize {
        descriptor
            .get("timeline")
            .and_then(Value::as_array)
            .map_or(0, Vec::len)
    }

    #[test]
    fn single_frames_go_before_whole_pieces_and_the_oldest_first() {
        let limit = 2 * len(&animation());
        let (kept, cut) = fitting(vec![animation(); 3], limit + 1_000);
        assert_eq!(kept.iter().map(frames).collect::<Vec<_>>(), [0, 720, 720]);
        assert!(cut && kept[0]["original"] == asset("image/gif") && kept[0]["poster"] == asset("image/png"));
        assert_eq!(kept[0]["degradation"], SHORTER);
        assert!(kept[1].get("degradation").is_none());
        let whole: Vec<_> = std::iter::repeat_with(animation).take(2).collect();
        let (kept, cut) = fitting(whole, limit);
        assert_eq!((kept.len(), cut), (2, false));
    }

    #[test]
    fn what_has_nothing_but_frames_keeps_some() {
        let text = json!({ "text": "x".repeat(100), "durationMs": 1000 });
        let picture = json!({ "asset": asset("image/png"), "durationMs": 1000 });
        let more = json!({ "poster": asset("image/png") });
        let all = vec![
            media("text-timeline", &text, json!({})),
            media("raster-timeline", &picture, more),
            media(
                "text-timeline",
                &json!({ "text": "x".repeat(FRAMES), "durationMs": 1 }),
                json!({}),
            ),
        ];
        let (kept, cut) = fitting(all, 20 * 1024);
        let frames: Vec<_> = kept.iter().map(frames).collect();
        assert!(
            cut && frames.iter().all(|count| (1..40).contains(count)),
            "{frames:?}"
        );
        assert_eq!(frames[2], 1);
        for descriptor in kept {
            serde_json::from_value::<Media>(Value::Object(descriptor)).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_shortened_makes_room_for_newer_pieces() {
        let mut plain = animation();
        plain.timeline = None;
        let (kept, cut) = fitting(vec![plain.clone(); 3], 2 * len(&plain));
        assert_eq!((kept.len(), cut), (2, true));
        assert!(kept[0].get("degradation").is_none());
    }
}
