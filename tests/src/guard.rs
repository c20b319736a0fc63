//! The one guard against a hang: generous, and never part of what a test asserts.

use std::future::Future;
use std::time::Duration;

/// Long enough for a busy machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(40);

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
