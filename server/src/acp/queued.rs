//! What was chosen while a turn ran takes effect once it has ended: looked up anew, whatever has changed meanwhile.

use super::controls::{Axes, Chosen, consult};
use super::desks::{ModelDesk, OpenModelError};
use super::session::{Queued, Session, State};

/// Puts in use what waits, until nothing does. `then` happens in that moment, before anything else can be chosen.
pub(super) async fn settle(session: &Session, then: impl Fn(&mut State)) {
    while let Some(queued) = waiting(session, &then) {
        put_in_use(session, queued).await;
    }
}

fn waiting(session: &Session, then: &impl Fn(&mut State)) -> Option<Queued> {
    let mut state = session.state();
    if state.queued.is_empty() {
        then(&mut state);
        return None;
    }
    Some(state.queued.clone())
}

/// What cannot be used.
#[derive(Clone, Copy)]
enum Unusable {
    Model,
    Effort,
}

/// What cannot be used is dropped and said, so that the session goes on with the rest.
async fn put_in_use(session: &Session, queued: Queued) {
    let (axes, tried) = (session.state().axes.clone(), queued.clone());
    let looked = consult(&session.has.parts.models, move |models| {
        Ok(look(models, axes, tried))
    });
    match looked.await {
        Ok(Ok(chosen)) => {
            session.state().put_in_use(chosen, &queued);
            if let Err(error) = session.keep_controls().await {
                tracing::warn!(%error, "the controls of a session are not kept");
            }
        }
        Ok(Err((Unusable::Model, error))) => {
            session.state().queued.drop_model(&queued);
            tell_failed(session, &error.to_string()).await;
        }
        Ok(Err((Unusable::Effort, error))) => {
            session.state().queued.drop_effort(&queued);
            tell_failed(session, &error.to_string()).await;
        }
        Err(error) => {
            session.state().queued = Queued::default();
            tell_failed(session, &error.message).await;
        }
    }
}

/// What the session would be set to.
fn look(
    models: &dyn ModelDesk,
    mut axes: Axes,
    queued: Queued,
) -> Result<Chosen, (Unusable, OpenModelError)> {
    if let Some((model, _)) = &queued.model {
        let listed = models.list();
        let listed = listed.map_err(|error| (Unusable::Model, error.into()))?;
        axes.choose_model(model, &listed);
        let opened = models.open(&axes.model, axes.effort.as_deref());
        opened.map_err(|error| (Unusable::Model, error))?;
    }
    let failed = match queued.effort {
        Some(effort) => {
            axes.effort = effort;
            Unusable::Effort
        }
        None => Unusable::Model,
    };
    let opened = models.open(&axes.model, axes.effort.as_deref());
    let provider = opened.map_err(|error| (failed, error))?;
    Ok(Chosen { axes, provider })
}

async fn tell_failed(session: &Session, why: &str) {
    let text = format!("\n\n[warning] session config switch failed after turn: {why}");
    session.say(&text).await;
    session.tell_options().await;
}
