//! How tests wait: for what is said to them, and, where nobody says anything, by looking again and again. The one guard
//! against a hang is generous, and never part of what a test asserts.

use std::future::Future;
use std::time::{Duration, SystemTime};

/// Long enough for a busy machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// Between two looks; whatever is waited for needs the processor more than whoever looks.
const BETWEEN: Duration = Duration::from_millis(5);

/// Waits for a future, and fails the test when it hangs.
///
/// # Panics
/// When nothing happens for far too long.
#[track_caller]
pub fn within<F: Future>(what: &'static str, future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        match tokio::time::timeout(PATIENCE, future).await {
            Ok(output) => output,
            Err(_) => panic!("{what} did not happen within {PATIENCE:?} ({caller})"),
        }
    }
}

/// Looks until something holds of which nobody tells, such as a file or the end of a process that is not ours.
#[track_caller]
pub fn eventually(what: &'static str, holds: impl Fn() -> bool) -> impl Future<Output = ()> {
    within(what, async move {
        while !holds() {
            pause().await;
        }
    })
}

/// Leaves the processor to others before the next look.
pub(crate) async fn pause() {
    tokio::time::sleep(BETWEEN).await;
}

/// Waits until the clock shows another millisecond: what is sorted by time is told apart however fast the machine is.
pub async fn next_millisecond() {
    let now = || {
        SystemTime::UNIX_EPOCH
            .elapsed()
            .map_or(0, |since| since.as_millis())
    };
    let before = now();
    eventually("another millisecond", || now() != before).await;
}
