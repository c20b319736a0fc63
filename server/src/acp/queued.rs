//! What was chosen while a turn ran takes effect once it has ended: looked up anew, whatever has changed meanwhile.

use super::controls::efforts;
use super::desks::OpenModelError;
use super::session::{Queued, Session};

/// Puts everything in use that waits. What cannot be used is dropped and said, so that the session goes on.
pub(super) async fn apply(session: &Session) {
    loop {
        let queued = std::mem::take(&mut session.state().queued);
        if queued.is_empty() {
            return;
        }
        match put_in_use(session, queued) {
            Ok(()) => {
                if let Err(error) = session.keep_controls().await {
                    tracing::warn!(%error, "the controls of a session are not kept");
                }
            }
            Err(error) => {
                let text = format!("\n\n[warning] session config switch failed after turn: {error}");
                session.say(&text).await;
                session.tell_options().await;
            }
        }
    }
}

fn put_in_use(session: &Session, queued: Queued) -> Result<(), OpenModelError> {
    let models = &session.has.parts.models;
    let listed = models.list();
    let mut state = session.state();
    let mut axes = state.axes.clone();
    if let Some(model) = queued.model {
        axes.choose_model(&model, &listed);
    }
    if let Some(effort) = queued.effort {
        let known = efforts(&listed, &axes.model);
        axes.effort = effort.filter(|effort| known.contains(effort));
    }
    state.provider = models.open(&axes.model, axes.effort.as_deref())?;
    state.axes = axes;
    Ok(())
}
