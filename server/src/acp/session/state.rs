//! What changes while a session is open.

use std::collections::VecDeque;
use std::sync::Arc;

use sidewire_agent::provider::Provider;
use sidewire_agent::record::ConversationRecord;
use sidewire_agent::session::now_ms;
use tokio_util::sync::CancellationToken;

use super::servers::Servers;
use crate::acp::controls::{Axes, Chosen};

/// What changes while a session is open.
pub(in crate::acp) struct State {
    /// What it is set to.
    pub(in crate::acp) axes: Axes,
    /// What it will be set to once the turn has ended.
    pub(in crate::acp) queued: Queued,
    /// What answers.
    pub(in crate::acp) provider: Arc<dyn Provider>,
    /// Its MCP servers.
    pub(super) servers: Servers,
    /// What the editor knows the conversation as.
    pub(in crate::acp) title: String,
    /// Nothing was asked in it yet.
    pub(in crate::acp) is_new: bool,
    /// Tokens of the window that the conversation takes, when that is known.
    pub(in crate::acp) context: Option<u64>,
    /// When it was opened, in milliseconds since 1970.
    pub(in crate::acp) opened_at_ms: i64,
    /// The turn that runs. Behind it stand others only while each before them is being stopped.
    turns: VecDeque<Turn>,
    /// Fires once the newest turn is answered; nothing before the first.
    newest: Option<CancellationToken>,
    /// The number of the newest turn.
    last: u64,
    /// It takes no more turns.
    pub(super) gone: bool,
}

/// A turn that runs, or waits for the one before it.
struct Turn {
    number: u64,
    /// Stops it.
    stop: CancellationToken,
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
        Chosen { axes, provider }: Chosen,
        servers: Servers,
        (record, context): (&ConversationRecord, Option<u64>),
    ) -> Self {
        Self {
            axes,
            queued: Queued::default(),
            provider,
            servers,
            title: record.title.clone(),
            is_new: record.turns == 0,
            context,
            opened_at_ms: now_ms(),
            turns: VecDeque::new(),
            newest: None,
            last: 0,
            gone: false,
        }
    }

    /// Whether a turn runs.
    pub(in crate::acp) fn is_busy(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Whether another turn may come: none runs, or all are being stopped.
    pub(super) fn admits(&self) -> bool {
        self.turns.iter().all(|turn| turn.stop.is_cancelled())
    }

    /// Lets a turn in, which `stop` stops and which has been told to its end when `answered` fires. Nothing of it is
    /// read yet: it begins when what this gives has fired.
    pub(super) fn let_in(
        &mut self,
        stop: CancellationToken,
        answered: CancellationToken,
    ) -> (u64, Option<CancellationToken>) {
        self.last += 1;
        let has_begun = false;
        self.turns.push_back(Turn {
            number: self.last,
            stop,
            has_begun,
        });
        (self.last, self.newest.replace(answered))
    }

    /// Stops every turn.
    pub(super) fn stop_turns(&self) {
        for turn in &self.turns {
            turn.stop.cancel();
        }
    }

    /// Model and effort of the turn are read from now on.
    pub(in crate::acp) fn begin_turn(&mut self) {
        if let Some(turn) = self.turns.front_mut() {
            turn.has_begun = true;
        }
    }

    /// Whether model and effort are in use by a turn.
    pub(in crate::acp) fn has_begun(&self) -> bool {
        self.turns.front().is_some_and(|turn| turn.has_begun)
    }

    /// This turn runs no more.
    pub(super) fn end_turn(&mut self, number: u64) {
        self.turns.retain(|turn| turn.number != number);
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
