//! The most that a process lets its clients choose: `--permission-mode` of the command line.

use std::str::FromStr;

use super::Posture;

/// The posture every session starts in, and the most permissive one a client can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// That posture.
    pub posture: Posture,
    /// Where a person would be asked about a change of files, it is made.
    pub accepts_edits: bool,
}

/// Why a mode of the command line is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CeilingError {
    /// `plan`.
    #[error(
        "permission mode \"plan\" needs an interactive session; choose the plan mode in the editor instead"
    )]
    Plan,
    /// Nothing has this name.
    #[error(
        "unknown permission mode {0:?}; it is one of read-only, dontAsk, ask, auto, acceptEdits and bypassPermissions"
    )]
    Unknown(String),
}

impl Ceiling {
    /// The posture, or the ceiling when that is lower.
    #[must_use]
    pub fn limit(self, wanted: Posture) -> Posture {
        wanted.min(self.posture)
    }

    /// Whether a client may select this posture.
    #[must_use]
    pub fn admits(self, wanted: Posture) -> bool {
        wanted <= self.posture
    }

    /// What a client is offered under it; without one, that is [`Posture::Ask`] and everything above.
    #[must_use]
    pub fn offered(ceiling: Option<Self>) -> Vec<Posture> {
        let offers = |posture: &Posture| match ceiling {
            Some(ceiling) => ceiling.admits(*posture),
            None => *posture >= Posture::Ask,
        };
        Posture::ALL.into_iter().filter(offers).collect()
    }
}

impl FromStr for Ceiling {
    type Err = CeilingError;

    fn from_str(mode: &str) -> Result<Self, CeilingError> {
        let posture = match mode {
            "read-only" | "readOnly" => Posture::ReadOnly,
            "dontAsk" | "dont-ask" | "deny" => Posture::DontAsk,
            "manual" | "ask" | "acceptEdits" | "accept-edits" => Posture::Ask,
            "auto" | "approve" | "allow" => Posture::Auto,
            "bypassPermissions" | "bypass" | "full" | "full-access" | "yolo" => Posture::Yolo,
            "plan" => return Err(CeilingError::Plan),
            other => return Err(CeilingError::Unknown(other.to_owned())),
        };
        Ok(Self {
            posture,
            accepts_edits: matches!(mode, "acceptEdits" | "accept-edits"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_its_posture() {
        let cases = [
            ("read-only", Posture::ReadOnly, false),
            ("dontAsk", Posture::DontAsk, false),
            ("manual", Posture::Ask, false),
            ("ask", Posture::Ask, false),
            ("acceptEdits", Posture::Ask, true),
            ("auto", Posture::Auto, false),
            ("bypassPermissions", Posture::Yolo, false),
        ];
        for (mode, posture, accepts_edits) in cases {
            let expected = Ceiling {
                posture,
                accepts_edits,
            };
            assert_eq!(mode.parse(), Ok(expected), "{mode}");
        }
    }

    #[test]
    fn plan_and_unknown_modes_are_refused() {
        assert_eq!("plan".parse::<Ceiling>(), Err(CeilingError::Plan));
        for mode in ["", "ASK", "everything"] {
            let refused = mode.parse::<Ceiling>().unwrap_err();
            assert_eq!(refused, CeilingError::Unknown(mode.to_owned()));
        }
    }

    #[test]
    fn a_client_moves_down_and_never_up() {
        let ceiling: Ceiling = "ask".parse().unwrap();
        let under: Vec<Posture> = Ceiling::offered(Some(ceiling));
        assert_eq!(under, [Posture::ReadOnly, Posture::DontAsk, Posture::Ask]);
        assert!(!ceiling.admits(Posture::Auto) && ceiling.admits(Posture::DontAsk));
        assert_eq!(ceiling.limit(Posture::Yolo), Posture::Ask);
        assert_eq!(ceiling.limit(Posture::ReadOnly), Posture::ReadOnly);
    }

    #[test]
    fn without_a_ceiling_the_usual_three_are_offered() {
        assert_eq!(
            Ceiling::offered(None),
            [Posture::Ask, Posture::Auto, Posture::Yolo]
        );
        assert_eq!(Ceiling::offered("bypassPermissions".parse().ok()), Posture::ALL);
    }
}
