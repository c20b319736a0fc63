//! What changes while a session is open.

use std::sync::Arc;

use sidewire_agent::provider::Provider;
use sidewire_agent::record::ConversationRecord;
use sidewire_agent::session::now_ms;
use tokio_util::sync::CancellationToken;

use crate::acp::controls::{Axes, Chosen};

/// What changes while a session is open.
pub(in crate::acp) struct State {
    /// What it is set to.
    pub(in crate::acp) axes: Axes,
    /// What it will be set to once the turn has ended.
    pub(in crate::acp) queued: Queued,
    /// What answers.
    pub(in crate::acp) provider: Arc<dyn Provider>,
    /// What the editor knows the conversation as.
    pub(in crate::acp) title: String,
    /// Nothing was asked in it yet.
    pub(in crate::acp) is_new: bool,
    /// Tokens of the window that the conversation takes, when that is known.
    pub(in crate::acp) context: Option<u64>,
    /// When it was opened, in milliseconds since 1970.
    pub(in crate::acp) opened_at_ms: i64,
    /// The turn that runs.
    pub(super) turn: Option<Turn>,
    /// It takes no more turns.
    pub(super) gone: bool,
}

/// A turn that runs.
pub(super) struct Turn {
    /// Stops it.
    pub(super) stop: CancellationToken,
    /// Model and effort are read: what is chosen from now on waits for its end.
    has_begun: bool,
}

/// A model or effort that was chosen while a turn ran; the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::acp) struct Queued {
    /// `provider/model`, and the effort that is left of the one before.
    pub(in crate::acp) model: Option<(String, Option<String>)>,
    /// An effort that was chosen, or the provider's own.
    pub(in crate::acp) effort: Option<Option<String>>,
}

impl Queued {
    /// Whether nothing waits.
    pub(in crate::acp) fn is_empty(&self) -> bool {
        self.model.is_none() && self.effort.is_none()
    }

    /// A model was chosen, with which this effort is left.
    pub(in crate::acp) fn choose_model(&mut self, model: String, effort: Option<String>) {
        self.effort.take_if(|chosen| *chosen != effort);
        self.model = Some((model, effort));
    }

    /// The model that `tried` holds cannot be used; one that was chosen since may be.
    pub(in crate::acp) fn drop_model(&mut self, tried: &Self) {
        if self.model == tried.model {
            self.model = None;
        }
    }

    /// The same for the effort.
    pub(in crate::acp) fn drop_effort(&mut self, tried: &Self) {
        if self.effort == tried.effort {
            self.effort = None;
        }
    }
}

impl State {
    /// A session of this conversation, which takes so much of the window, in which nothing runs.
    pub(in crate::acp) fn new(
        axes: Axes,
        provider: Arc<dyn Provider>,
        (record, context): (&ConversationRecord, Option<u64>),
    ) -> Self {
        Self {
            axes,
            queued: Queued::default(),
            provider,
            title: record.title.clone(),
            is_new: record.turns == 0,
            context,
            opened_at_ms: now_ms(),
            turn: None,
            gone: false,
        }
    }

    /// Whether a turn runs.
    pub(in crate::acp) fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    /// Lets a turn in; nothing of it is read yet.
    pub(super) fn let_in(&mut self, stop: CancellationToken) {
        let has_begun = false;
        self.turn = Some(Turn { stop, has_begun });
    }

    /// Model and effort of the turn are read from now on.
    pub(in crate::acp) fn begin_turn(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.has_begun = true;
        }
    }

    /// Whether model and effort are in use by a turn.
    pub(in crate::acp) fn has_begun(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.has_begun)
    }

    /// No turn runs any more.
    pub(super) fn end_turn(&mut self) {
        self.turn = None;
    }

    /// This model and effort are in use now, and `queued` waits no longer.
    pub(in crate::acp) fn put_in_use(&mut self, chosen: Chosen, queued: &Queued) {
        self.axes.switch_to(&chosen.axes);
        self.provider = chosen.provider;
        self.queued.drop_model(queued);
        self.queued.drop_effort(queued);
    }

    /// What it is set to, with what waits for the turn's end.
    pub(in crate::acp) fn shown(&self) -> Axes {
        let mut axes = self.axes.clone();
        if let Some((model, effort)) = &self.queued.model {
            axes.model.clone_from(model);
            axes.effort.clone_from(effort);
        }
        if let Some(effort) = &self.queued.effort {
            axes.effort.clone_from(effort);
        }
        axes
    }
}
