//! The gate of one conversation: judges each call, and asks the person where the rules leave it to them.

use std::sync::{Mutex, PoisonError};

use super::{Class, Intent, Posture};

/// Judges the calls of one conversation. Shared by its front, which changes the posture, and its turns.
pub struct Gate {
    // A std mutex: held for a copy.
    posture: Mutex<Posture>,
}

/// Why a call may not run; the model reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// Names the reason, such as `permission.declined`.
    pub code: &'static str,
    /// The reason in words.
    pub text: String,
}

impl Gate {
    /// A gate in this posture.
    #[must_use]
    pub fn new(posture: Posture) -> Self {
        Self {
            posture: Mutex::new(posture),
        }
    }

    /// How much may be done unasked now.
    #[must_use]
    pub fn posture(&self) -> Posture {
        *self.posture.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the posture at once.
    pub fn set_posture(&self, posture: Posture) {
        *self.posture.lock().unwrap_or_else(PoisonError::into_inner) = posture;
    }

    /// Whether a call may run.
    pub fn judge(&self, intent: &Intent) -> Result<(), Refusal> {
        if intent.class == Class::Read || self.posture() >= Posture::Auto {
            return Ok(());
        }
        Err(Refusal {
            code: "permission.unattended",
            text: "nobody can be asked".to_owned(),
        })
    }
}
