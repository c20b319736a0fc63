//! What ends a turn early, and why. The first cause counts.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use crate::error::TurnFailure;
use crate::event::{StopCause, TurnOutcome};

/// Ends a turn from outside. Clones are the same switch.
#[derive(Clone, Debug, Default)]
pub struct StopSwitch {
    token: CancellationToken,
    outcome: Arc<OnceLock<TurnOutcome>>,
}

impl StopSwitch {
    /// Stops the turn; its partial answer stays.
    pub fn stop(&self, cause: StopCause) {
        self.end(TurnOutcome::Stopped(cause));
    }

    /// Ends the turn because the worker goes away.
    pub fn dispose(&self) {
        self.end(TurnOutcome::Failed(TurnFailure::Disposed));
    }

    /// What it was ended with, when it was.
    #[must_use]
    pub fn outcome(&self) -> Option<TurnOutcome> {
        self.outcome.get().cloned()
    }

    /// Fires when the turn is to end.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    fn end(&self, outcome: TurnOutcome) {
        // A later cause changes nothing: the first one is what the person is told.
        let _first_counts = self.outcome.set(outcome);
        self.token.cancel();
    }
}
