//! Why a call may not run, with the code that names the reason; the model reads both.

use std::fmt;

/// Why a call may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Names the reason, such as `permission.declined`; an answer that went astray has none.
    pub code: Option<&'static str>,
    /// The reason in words.
    pub text: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "{code}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self {
            code: Some(code),
            text: text.into(),
        }
    }

    /// A rule of the person forbids it.
    pub(super) fn deny_rule(rule: impl fmt::Display) -> Self {
        Self::new(
            "permission.deny_rule",
            format!("Matched permission rule: deny {rule}. Do not try it another way."),
        )
    }

    /// The posture lets nothing change.
    pub(super) fn read_only() -> Self {
        Self::new(
            "permission.read_only",
            "This session may only look. Report what you would change instead of changing it.",
        )
    }

    /// The person wants a plan first.
    pub(super) fn plan_mode() -> Self {
        Self::new(
            "permission.plan_mode",
            "The session is in plan mode: nothing is changed. Look around, then propose a plan; the person \
             switches to normal mode to have it done.",
        )
    }

    /// A person said no.
    pub(super) fn declined() -> Self {
        Self::new(
            "permission.declined",
            "The person declined this call. Do not retry it; go on without it or ask what they want instead.",
        )
    }

    /// Nobody can be asked.
    pub(super) fn unattended(why: &str) -> Self {
        Self::new(
            "permission.unattended",
            format!("{why}, and nobody can be asked. Go on without it and report what was not done."),
        )
    }

    /// The conversation began beside a web page, and nobody can be asked whether to trust it.
    pub(super) fn untrusted() -> Self {
        Self::new(
            "permission.untrusted_folder",
            "This conversation began beside a web page and was never trusted to act here, and nobody can be asked. \
             Report what you would do.",
        )
    }

    /// The answer was none of those that were offered.
    pub(super) fn aborted() -> Self {
        Self {
            code: None,
            text: "approval aborted".to_owned(),
        }
    }

    /// The turn ended meanwhile.
    pub(super) fn stopped() -> Self {
        Self {
            code: None,
            text: "the turn was stopped".to_owned(),
        }
    }
}
