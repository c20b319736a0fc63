//! What changes while a session is open.

use std::sync::Arc;

use sidewire_agent::provider::Provider;
use sidewire_agent::record::ConversationRecord;
use sidewire_agent::session::now_ms;
use tokio_util::sync::CancellationToken;

use crate::acp::controls::Axes;

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
    /// Stops the turn that runs.
    pub(super) turn: Option<CancellationToken>,
    /// It takes no more turns.
    pub(super) gone: bool,
}

/// A model or effort that was chosen while a turn ran; the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::acp) struct Queued {
    /// `provider/model`.
    pub(in crate::acp) model: Option<String>,
    /// An effort, or the provider's own.
    pub(in crate::acp) effort: Option<Option<String>>,
}

impl Queued {
    /// Whether nothing waits.
    pub(in crate::acp) fn is_empty(&self) -> bool {
        self.model.is_none() && self.effort.is_none()
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

    /// What it is set to, with what waits for the turn's end.
    pub(in crate::acp) fn shown(&self) -> Axes {
        let mut axes = self.axes.clone();
        if let Some(model) = &self.queued.model {
            axes.model.clone_from(model);
        }
        if let Some(effort) = &self.queued.effort {
            axes.effort.clone_from(effort);
        }
        axes
    }
}
