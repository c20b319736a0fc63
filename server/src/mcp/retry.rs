//! When a server that failed may be tried again.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Between a failure and the next try.
pub(super) const REST: Duration = Duration::from_secs(30);

/// The pace of the tries of one server.
#[derive(Default)]
// A std mutex: held for one look-up. Nothing in it while the server works, or is being tried.
pub(super) struct Pace(Mutex<Option<Instant>>);

impl Pace {
    /// It failed just now.
    pub(super) fn failed(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + REST);
    }

    /// Whether it may be tried again; once for each failure.
    pub(super) fn take_turn(&self) -> bool {
        let mut due = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        due.take_if(|due| *due <= Instant::now()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_failure_is_followed_by_one_try_after_a_rest() {
        let pace = Pace::default();
        assert!(!pace.take_turn(), "it has not failed");
        for _ in 0..2 {
            pace.failed();
            advance(REST - Duration::from_millis(1)).await;
            assert!(!pace.take_turn());
            advance(Duration::from_millis(1)).await;
            assert!(pace.take_turn());
            advance(REST).await;
            assert!(!pace.take_turn(), "it is being tried");
        }
    }
}
