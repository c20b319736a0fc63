//! A line in which messages stand: whoever came first goes first, whenever the work on a message begins.

use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::unconstrained;

/// A line. Its front is held over awaits.
#[derive(Clone, Default)]
pub(super) struct Order(Arc<Mutex<()>>);

/// The front of a line; dropped, it lets the next one in.
pub(super) struct Front {
    _held: OwnedMutexGuard<()>,
}

impl Order {
    /// Takes a place in the line at once; the future waits until it is the front. Dropped, it leaves the line.
    pub(super) fn line_up(&self) -> impl Future<Output = Front> + Send + use<> {
        // A mutex lets in by the order of first polls. Unconstrained, for a task whose time is up would not be queued.
        let mut place = Box::pin(unconstrained(Arc::clone(&self.0).lock_owned()));
        let at_once = place.as_mut().now_or_never();
        async move {
            let _held = match at_once {
                Some(held) => held,
                None => place.await,
            };
            Front { _held }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_are_taken_before_anyone_waits_for_them() {
        let order = Order::default();
        let (first, second, third) = (order.line_up(), order.line_up(), order.line_up());
        let mut third = Box::pin(third);
        assert!(third.as_mut().now_or_never().is_none());
        drop(first.await);
        assert!(third.as_mut().now_or_never().is_none(), "the second is in front");
        drop(second);
        third.await;
    }
}
