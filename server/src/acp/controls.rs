//! What a session is set to: model, effort, execution setting, collaboration, posture.
//!
//! Plain data and its rules. How it is shown is in [`options`], the methods that change it are in [`set`] and [`switch`].

mod options;
mod set;
mod start;
mod switch;

use std::sync::Arc;

use sidewire_agent::briefing::{Collaboration, Preset};
use sidewire_agent::permission::Posture;
use sidewire_agent::provider::Provider;
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
    /// The person let it act when it was opened (decision 35); the gate and the store know more since.
    pub(super) trusted: bool,
}

impl Axes {
    /// How a session begins: as it was kept, as far as that still works, else as this process was started.
    pub(super) fn begin(models: &dyn ModelDesk, start: &Start, kept: &Controls) -> Result<Self, Error> {
        let listed = models.list().map_err(|error| unusable_model(&error.into()))?;
        let kept_model = kept.model.as_ref().filter(|id| can_open(models, id));
        let model = match kept_model {
            Some(id) => models.resolve(id),
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

    /// Model and effort of `other`; the rest stays, for it may have changed meanwhile.
    pub(super) fn switch_to(&mut self, other: &Self) {
        self.model.clone_from(&other.model);
        self.model_chosen = other.model_chosen;
        self.effort.clone_from(&other.effort);
    }

    /// A client chose a posture.
    pub(super) fn choose_posture(&mut self, posture: Posture) {
        self.posture = posture;
        self.posture_chosen = Some(posture);
    }
}

/// What a session is set to, and what answers then.
pub(super) struct Chosen {
    /// What it is set to.
    pub(super) axes: Axes,
    /// What answers.
    pub(super) provider: Arc<dyn Provider>,
}

impl Chosen {
    /// How a session begins, with what answers in it.
    pub(super) async fn begin(
        models: &Arc<dyn ModelDesk>,
        start: &Start,
        kept: Controls,
    ) -> Result<Self, Error> {
        let start = start.clone();
        let chosen = consult(models, move |models| {
            let axes = Axes::begin(models, &start, &kept)?;
            let opened = models.open(&axes.model, axes.effort.as_deref());
            let provider = opened.map_err(|error| unusable_model(&error))?;
            Ok(Self { axes, provider })
        });
        chosen.await
    }
}

/// What the editor is told of a change.
#[derive(Clone, Copy, Default)]
struct Changed {
    mode: bool,
    options: bool,
}

/// Looks at the models, which reads files, where nobody else waits.
pub(super) async fn consult<T: Send + 'static>(
    models: &Arc<dyn ModelDesk>,
    look: impl FnOnce(&dyn ModelDesk) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let models = Arc::clone(models);
    let looking = tokio::task::spawn_blocking(move || look(&*models));
    let failed = |_| Err(Error::internal("the models could not be looked at"));
    looking.await.unwrap_or_else(failed)
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
        OpenModelError::Unreadable(_) => Error::internal(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
