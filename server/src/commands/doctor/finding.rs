//! What a check found, in one line.

use std::fmt;

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// Works, but not as well as it could.
    Warn,
    /// Something will not work.
    Fail,
}

/// One line of the doctor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// How bad it is.
    pub(super) level: Level,
    /// What was found.
    pub(super) what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

impl Finding {
    /// As it should be.
    pub(super) fn ok(what: impl fmt::Display) -> Self {
        Self {
            level: Level::Ok,
            what: what.to_string(),
            fix: None,
        }
    }

    /// Works, but not as well as it could.
    pub(super) fn warn(what: impl fmt::Display) -> Self {
        Self {
            level: Level::Warn,
            ..Self::ok(what)
        }
    }

    /// Something will not work.
    pub(super) fn fail(what: impl fmt::Display) -> Self {
        Self {
            level: Level::Fail,
            ..Self::ok(what)
        }
    }

    /// Something that nobody may need: what will not work is no fault.
    pub(super) fn optional(self) -> Self {
        let level = match self.level {
            Level::Fail => Level::Warn,
            level @ (Level::Ok | Level::Warn) => level,
        };
        Self { level, ..self }
    }

    /// Says what to do about it.
    pub(super) fn fix(self, fix: impl fmt::Display) -> Self {
        Self {
            fix: Some(fix.to_string()),
            ..self
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Fail => "fail",
        };
        write!(f, "{level}  {}", self.what)?;
        self.fix.as_ref().map_or(Ok(()), |fix| write!(f, " — {fix}"))
    }
}
