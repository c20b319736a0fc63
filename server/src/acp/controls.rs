//! What a session is set to: model, effort, execution setting, collaboration, posture.
//!
//! Plain data and its rules. How it is shown is in [`options`], the methods that change it are in [`set`].

mod options;
mod set;
mod start;

use sidewire_agent::briefing::{Collaboration, Preset};
use sidewire_agent::permission::Posture;
use sidewire_agent::record::Controls;

use super::desks::{ModelDesk, ModelEntry, OpenModelError};
use crate::rpc::Error;

pub(super) use options::{config_options, mode_id, modes};
pub(super) use set::{set_config_option, set_mode, set_model};
pub(crate) use start::Start;

/// What a session is set to now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axes {
    /// `provider/model`.
    pub(super) model: String,
    /// The client, or the conversation as it was kept, named it; else it is the default.
    model_chosen: bool,
    /// What the model is asked for; `None` leaves it to the provider.
    pub(super) effort: Option<String>,
    /// How thoroughly it works.
    pub(super) preset: Preset,
    /// How it works with the person.
    pub(super) collaboration: Collaboration,
    /// How much it may do unasked.
    pub(super) posture: Posture,
    /// What a client chose, which may be more than the ceiling of this process.
    posture_chosen: Option<Posture>,
    /// The person lets it act although it began beside a page (decision 35).
    pub(super) trusted: bool,
}

impl Axes {
    /// How a session begins: as it was kept, as far as that still works, else as this process was started.
    pub(super) fn begin(models: &dyn ModelDesk, start: &Start, kept: &Controls) -> Result<Self, Error> {
        let listed = models.list();
        let kept_model = kept.model.as_ref().filter(|id| can_open(models, id));
        let model = match kept_model {
            Some(id) => id.clone(),
            None => start.model(models, &listed)?,
        };
        let efforts = efforts(&listed, &model);
        let effort = kept.effort.clone().filter(|effort| efforts.contains(effort));
        Ok(Self {
            model_chosen: kept_model.is_some(),
            model,
            effort,
            preset: kept.preset,
            collaboration: kept.collaboration,
            posture: start.limit(kept.posture.unwrap_or_else(|| start.posture())),
            posture_chosen: kept.posture,
            trusted: kept.trusted,
        })
    }

    /// What is kept with the conversation. A posture above the ceiling stays there until a client chooses one.
    pub(super) fn kept(&self) -> Controls {
        Controls {
            model: self.model_chosen.then(|| self.model.clone()),
            effort: self.effort.clone(),
            preset: self.preset,
            collaboration: self.collaboration,
            posture: self.posture_chosen,
            trusted: self.trusted,
        }
    }

    /// A client chose another model; an effort that it lacks becomes the provider's own.
    pub(super) fn choose_model(&mut self, model: &str, listed: &[ModelEntry]) {
        model.clone_into(&mut self.model);
        self.model_chosen = true;
        let known = efforts(listed, model);
        self.effort = self.effort.take().filter(|effort| known.contains(effort));
    }

    /// The conversation is trusted by now; whether that is news.
    pub(super) fn trust(&mut self, trusted: bool) -> bool {
        let news = trusted && !self.trusted;
        self.trusted |= trusted;
        news
    }

    /// A client chose a posture.
    pub(super) fn choose_posture(&mut self, posture: Posture) {
        self.posture = posture;
        self.posture_chosen = Some(posture);
    }
}

fn can_open(models: &dyn ModelDesk, id: &str) -> bool {
    models.open(id, None).is_ok()
}

/// Efforts of a model; none when it is not listed.
pub(super) fn efforts(listed: &[ModelEntry], model: &str) -> Vec<String> {
    let entry = listed.iter().find(|entry| entry.id == model);
    entry.map(|entry| entry.efforts.clone()).unwrap_or_default()
}

/// Why a model cannot be used, for the client that named it.
pub(super) fn unusable_model(error: &OpenModelError) -> Error {
    match error {
        OpenModelError::Unknown(_)
        | OpenModelError::NoKey(_)
        | OpenModelError::NoEffort { .. }
        | OpenModelError::Unusable(_) => Error::invalid_params(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
