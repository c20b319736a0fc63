//! How far apart the stills of a moving picture are and how large, so that all of it fits the bounds of a timeline.

use sidewire_contract::number::Positive;

use super::super::MEDIA_BYTES;
use super::super::timeline::FRAMES;

/// Most pixels of a still from left to right.
const WIDTH: u64 = 1920;
/// What a pixel of a photograph takes in a PNG, and a little more; what is drawn takes far less.
const PIXEL_BYTES: u64 = 2;

/// How stills follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Pace {
    /// How long each of them stays.
    pub(in super::super) period_ms: u64,
    pixels: u64,
}

impl Pace {
    /// As fast as asked for; slower and smaller when it would be too much. What nobody knows the length of may be long.
    pub(in super::super) fn new(fps_cap: u8, length_ms: Option<Positive>) -> Self {
        let most = FRAMES as u64;
        let asked = 1000_u64.div_ceil(u64::from(fps_cap.max(1)));
        let (period_ms, stills) = match length_ms.map(Positive::get) {
            None => (asked, most),
            Some(length) => {
                let period = asked.max(length.div_ceil(most));
                (period, length.div_ceil(period).clamp(1, most))
            }
        };
        Self {
            period_ms,
            pixels: MEDIA_BYTES / PIXEL_BYTES / stills,
        }
    }

    /// The stills of this pace, as FFmpeg is told.
    pub(super) fn filter(&self) -> String {
        let Self { period_ms, pixels } = self;
        format!("fps=1000/{period_ms},scale='max(1,floor(min(min({WIDTH},iw),sqrt({pixels}*iw/ih))))':-1")
    }

    /// Whether this many stills show all of it, as far as one can tell.
    pub(in super::super) fn is_whole(&self, stills: usize, length_ms: Option<Positive>) -> bool {
        let played = self.period_ms.saturating_mul(stills as u64);
        let fits = |length: u64| {
            let (shorter, longer) = (
                length.saturating_sub(self.period_ms),
                length.saturating_add(self.period_ms),
            );
            (shorter..=longer).contains(&played)
        };
        // Fewer than there may be end by themselves, whatever a file says of its length.
        stills < FRAMES || length_ms.map(Positive::get).is_some_and(fits)
    }
}

/// The filter of a single still.
pub(super) fn single() -> String {
    format!("scale='min({WIDTH},iw)':-1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(fps_cap: u8, length_ms: u64) -> Pace {
        Pace::new(fps_cap, Positive::new(length_ms))
    }

    #[test]
    fn stills_of_any_length_fit_number_and_bytes() {
        for fps_cap in [0, 1, 12, 60, 255] {
            for length in [0, 1, 83, 2_000, 60_000, 61_000, 3_600_000, u64::MAX / 2] {
                let pace = pace(fps_cap, length);
                let stills = length.div_ceil(pace.period_ms);
                assert!(stills <= FRAMES as u64, "{fps_cap} {length}");
                assert!(pace.pixels * PIXEL_BYTES * stills <= MEDIA_BYTES);
                assert!(pace.period_ms >= 1000 / u64::from(fps_cap.max(1)));
            }
        }
    }

    #[test]
    fn what_is_short_is_shown_as_asked_and_what_is_long_slower_and_smaller() {
        assert_eq!(pace(12, 2_000).period_ms, 84);
        assert!(pace(12, 2_000).pixels > 1920 * 1080);
        assert_eq!(pace(12, 600_000).period_ms, 834);
        assert_eq!(
            pace(12, 600_000).pixels,
            pace(12, 0).pixels,
            "no length: as for the most"
        );
        assert_eq!(
            pace(12, 0).filter(),
            "fps=1000/84,scale='max(1,floor(min(min(1920,iw),sqrt(72817*iw/ih))))':-1"
        );
    }

    #[test]
    fn what_ends_at_the_limit_is_whole_only_when_its_length_says_so() {
        let pace = pace(12, 0);
        let all = 84 * FRAMES as u64;
        for (stills, length, is_whole) in [
            (24, None, true),
            (24, Some(1_000_000), true),
            (FRAMES, None, false),
            (FRAMES, Some(all), true),
            (FRAMES, Some(all - 84), true),
            (FRAMES, Some(all + 85), false),
            (FRAMES, Some(1), false),
        ] {
            let length_ms = length.and_then(Positive::new);
            assert_eq!(pace.is_whole(stills, length_ms), is_whole, "{stills} {length:?}");
        }
    }
}
