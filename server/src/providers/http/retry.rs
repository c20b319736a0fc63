//! When to ask again, and how long to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use tokio::time::Instant;

use super::Limits;

/// Tries of one call.
#[derive(Debug)]
pub(super) struct Tries {
    /// The try that runs now, from 1.
    pub(super) number: u32,
    begun: Instant,
}

impl Tries {
    /// The first try begins.
    pub(super) fn begin() -> Self {
        Self {
            number: 1,
            begun: Instant::now(),
        }
    }

    /// The server began to answer, so what came before does not count against its time.
    pub(super) fn answered(&mut self) {
        self.begun = Instant::now();
    }

    /// How long to wait before the next try, or nothing when there is none.
    pub(super) fn next(&mut self, limits: &Limits, asked: Option<Duration>) -> Option<Duration> {
        let doubled = limits.back_off.saturating_mul(1 << (self.number - 1).min(16));
        let wait = match asked {
            Some(asked) => asked.min(limits.longest_wait),
            None => jittered(doubled.min(limits.longest_back_off)),
        };
        if self.number >= limits.tries || self.begun.elapsed() + wait > limits.retry_window {
            return None;
        }
        self.number += 1;
        Some(wait)
    }
}

/// Between half and all of a duration, so that many clients do not come back together.
fn jittered(wait: Duration) -> Duration {
    let random = getrandom::u32().unwrap_or(u32::MAX / 2);
    wait / 2 + (wait / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// What `Retry-After` asks for: seconds or a date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())])
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after(&headers("7"), now), Some(Duration::from_secs(7)));
        let date = "Sun, 06 Nov 1994 08:49:47 GMT";
        assert_eq!(retry_after(&headers(date), now), Some(Duration::from_secs(10)));
        assert_eq!(
            retry_after(&headers(date), now + Duration::from_secs(60)),
            Some(Duration::ZERO)
        );
        for odd in ["-1", "soon", "1.5", ""] {
            assert_eq!(retry_after(&headers(odd), now), None);
        }
    }

    #[test]
    fn waits_double_and_end() {
        let limits = Limits {
            tries: 3,
            ..Limits::default()
        };
        let mut tries = Tries::begin();
        let first = tries.next(&limits, None).unwrap();
        let second = tries.next(&limits, None).unwrap();
        assert!(
            first >= limits.back_off / 2 && first <= limits.back_off,
            "{first:?}"
        );
        assert!(
            second >= limits.back_off && second <= limits.back_off * 2,
            "{second:?}"
        );
        assert_eq!(tries.next(&limits, None), None);
    }

    #[test]
    fn waits_of_our_own_do_not_grow_without_end() {
        let limits = Limits {
            tries: u32::MAX,
            retry_window: Duration::MAX,
            ..Limits::default()
        };
        let mut tries = Tries::begin();
        let longest = (0..40).filter_map(|_| tries.next(&limits, None)).max();
        assert!(longest.unwrap() <= limits.longest_back_off, "{longest:?}");
    }

    #[test]
    fn a_provider_cannot_ask_for_more_than_the_longest_wait() {
        let limits = Limits::default();
        let asked = Some(Duration::from_secs(86_400));
        assert_eq!(Tries::begin().next(&limits, asked), Some(limits.longest_wait));
        let narrow = Limits {
            retry_window: Duration::from_secs(20),
            ..limits
        };
        assert_eq!(Tries::begin().next(&narrow, asked), None);
    }
}
