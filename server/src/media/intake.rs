//! Room for files that come in. It is counted while they come, all of them together, so that nothing is fetched,
//! decoded or held for which there is no room.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::incoming::IncomingError;

/// How much there may be, and how much is spoken for.
pub(super) struct Intake {
    quota: u64,
    /// What conversations show, as it was counted last.
    shown: AtomicU64,
    /// What is on its way.
    coming: AtomicU64,
}

/// What one file takes of the room for as long as this lives.
pub(super) struct Share {
    intake: Arc<Intake>,
    limit: u64,
    bytes: u64,
}

impl Intake {
    /// Room for `quota` bytes, of which none are taken.
    pub(super) fn new(quota: u64) -> Self {
        Self {
            quota,
            shown: AtomicU64::default(),
            coming: AtomicU64::default(),
        }
    }

    /// Most bytes there may be.
    pub(super) fn quota(&self) -> u64 {
        self.quota
    }

    /// Takes note of how much conversations show.
    pub(super) fn set_shown(&self, bytes: u64) {
        self.shown.store(bytes, Ordering::Relaxed);
    }

    /// How much may still come in.
    pub(super) fn left(&self) -> u64 {
        self.left_beside(self.coming.load(Ordering::Relaxed))
    }

    /// The share of a file of at most `limit` bytes; nothing yet.
    pub(super) fn share(self: &Arc<Self>, limit: u64) -> Share {
        Share {
            intake: Arc::clone(self),
            limit,
            bytes: 0,
        }
    }

    fn left_beside(&self, coming: u64) -> u64 {
        let taken = self.shown.load(Ordering::Relaxed).saturating_add(coming);
        self.quota.saturating_sub(taken)
    }
}

impl Share {
    /// Takes room for more bytes.
    pub(super) fn grow(&mut self, bytes: u64) -> Result<(), IncomingError> {
        let grown = self.bytes.saturating_add(bytes);
        if grown > self.limit {
            return Err(IncomingError::TooLarge { limit: self.limit });
        }
        let Intake { coming, quota, .. } = &*self.intake;
        let taken = coming.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |coming| {
            (bytes <= self.intake.left_beside(coming)).then(|| coming.saturating_add(bytes))
        });
        taken.map_err(|_full| IncomingError::NoRoom { quota: *quota })?;
        self.bytes = grown;
        Ok(())
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.intake.coming.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_at_once_shares_the_room_and_gives_it_back() {
        let intake = Arc::new(Intake::new(10));
        intake.set_shown(3);
        let (mut one, mut other) = (intake.share(100), intake.share(100));
        one.grow(3).unwrap();
        other.grow(4).unwrap();
        assert_eq!(intake.left(), 0);
        assert!(matches!(one.grow(1), Err(IncomingError::NoRoom { quota: 10 })));
        assert_eq!((one.bytes(), other.bytes()), (3, 4));
        drop(other);
        one.grow(4).unwrap();
        assert!(matches!(
            intake.share(0).grow(1),
            Err(IncomingError::TooLarge { limit: 0 })
        ));
        drop(one);
        assert_eq!(intake.left(), 7);
        intake.set_shown(11);
        assert_eq!(intake.left(), 0);
    }
}
