//! Another model or effort: in use at once, or once the turn that runs has ended.
//!
//! Looking at the configuration takes a moment, so it is not done while a message is read. Whoever chooses stands in
//! line instead, and a prompt behind them waits.

use futures_util::future::BoxFuture;

use super::{Axes, Changed, Chosen, consult, efforts, unusable_model};
use crate::acp::desks::ModelDesk;
use crate::acp::order::Front;
use crate::acp::session::Session;
use crate::rpc::Error;

/// What a client chose.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    /// A model by its id, or a shorter name for it.
    Model(String),
    /// An effort, or the provider's own; `refusal` is for one that the model has not.
    Effort {
        /// Which.
        effort: Option<String>,
        /// What the client is told.
        refusal: Error,
    },
}

/// A choice in its place among others.
pub(super) struct Switch {
    wish: Wish,
    front: BoxFuture<'static, Front>,
}

impl Switch {
    /// Takes its place.
    pub(super) fn new(session: &Session, wish: Wish) -> Self {
        let front = Box::pin(session.order.line_up());
        Self { wish, front }
    }

    /// Looks whether it can be used, and puts it in use.
    pub(super) async fn run(self, session: &Session) -> Result<Changed, Error> {
        let _in_order = self.front.await;
        let (shown, wish) = (session.state().shown(), self.wish.clone());
        let looked = consult(&session.has.parts.models, move |models| {
            look(models, &shown, wish)
        });
        let Some(chosen) = looked.await? else {
            return Ok(Changed::default());
        };
        refuse_while_waiting(session)?;
        let mut state = session.state();
        if state.has_begun() {
            match self.wish {
                Wish::Model(_) => state.queued.choose_model(chosen.axes.model, chosen.axes.effort),
                Wish::Effort { .. } => state.queued.effort = Some(chosen.axes.effort),
            }
        } else {
            let queued = state.queued.clone();
            state.put_in_use(chosen, &queued);
        }
        Ok(Changed {
            options: true,
            ..Changed::default()
        })
    }
}

/// What the session would be set to; `None` when it is that already.
fn look(models: &dyn ModelDesk, shown: &Axes, wish: Wish) -> Result<Option<Chosen>, Error> {
    let mut axes = shown.clone();
    let listed = models.list().map_err(|error| unusable_model(&error.into()))?;
    match wish {
        Wish::Model(name) => {
            let model = models.resolve(&name);
            if shown.model == model {
                return Ok(None);
            }
            axes.choose_model(&model, &listed);
        }
        Wish::Effort { effort, refusal } => {
            let known = efforts(&listed, &shown.model);
            if known.is_empty() || effort.as_ref().is_some_and(|effort| !known.contains(effort)) {
                return Err(refusal);
            }
            if shown.effort == effort {
                return Ok(None);
            }
            axes.effort = effort;
        }
    }
    let opened = models.open(&axes.model, axes.effort.as_deref());
    let provider = opened.map_err(|error| unusable_model(&error))?;
    Ok(Some(Chosen { axes, provider }))
}

fn refuse_while_waiting(session: &Session) -> Result<(), Error> {
    let first = if session.has.person.are_open() {
        "answer pending prompts"
    } else if session.has.kit.jobs.running() > 0 {
        "stop background jobs"
    } else {
        return Ok(());
    };
    let text = format!("session config: {first} before switching config");
    Err(Error::invalid_request(text))
}
