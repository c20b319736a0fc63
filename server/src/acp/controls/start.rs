//! How this process was started: what sessions begin with, and the posture they cannot leave upwards.

use serde_json::json;
use sidewire_agent::briefing::Preset;
use sidewire_agent::permission::{Ceiling, Posture};

use super::super::desks::{ModelDesk, ModelEntry, OpenModelError};
use super::super::refusals;
use crate::rpc::Error;

/// What the command line says about every session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// The model that sessions begin with.
    pub(crate) model: Option<String>,
    /// The execution setting that sessions begin with.
    pub(crate) preset: Preset,
    /// The most permissive posture.
    pub(crate) ceiling: Option<Ceiling>,
    /// Sessions write inside their folder only.
    pub(crate) workspace_only: bool,
}

impl Start {
    /// The posture that a new session begins in.
    pub(super) fn posture(&self) -> Posture {
        self.ceiling.map_or(Posture::Ask, |ceiling| ceiling.posture)
    }

    /// A posture, or the ceiling when that is lower.
    pub(super) fn limit(&self, posture: Posture) -> Posture {
        self.ceiling.map_or(posture, |ceiling| ceiling.limit(posture))
    }

    /// Whether a change of files is made where a person would be asked about it.
    pub(in crate::acp) fn accepts_edits(&self) -> bool {
        self.ceiling.is_some_and(|ceiling| ceiling.accepts_edits)
    }

    /// Whether a client may choose this posture.
    pub(super) fn permit(&self, method: &str, posture: Posture) -> Result<(), Error> {
        let Some(ceiling) = self.ceiling.filter(|ceiling| !ceiling.admits(posture)) else {
            return Ok(());
        };
        let text = format!("{method}: {posture} is above the ceiling {}", ceiling.posture);
        let data = json!({ "code": "acp.tool_approval.above_ceiling", "ceiling": ceiling.posture.name() });
        Err(Error::invalid_params(text).with_data(data))
    }

    /// The model that a session begins with when none was kept for it: the one that was named, or the first that is
    /// configured.
    pub(super) fn model(&self, models: &dyn ModelDesk, listed: &[ModelEntry]) -> Result<String, Error> {
        let Some(named) = &self.model else {
            let first = listed.first().ok_or_else(refusals::auth_required)?;
            return Ok(first.id.clone());
        };
        match models.open(named, None) {
            Ok(_) => Ok(models.resolve(named)),
            Err(OpenModelError::NoKey(_)) => Err(refusals::auth_required()),
            // Not what a client sent, but what this process was started with.
            Err(
                error @ (OpenModelError::Unknown(_)
                | OpenModelError::NoEffort { .. }
                | OpenModelError::Unusable(_)
                | OpenModelError::Unreadable(_)),
            ) => Err(Error::internal(error.to_string())),
        }
    }
}
