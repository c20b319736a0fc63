//! A running turn and what surrounds it: the prompt before, saving and the grace period beside, the end after.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::MissedTickBehavior;

use super::{AgentParts, Ask, Seat, now_ms};
use crate::briefing::Briefing;
use crate::budget;
use crate::error::TurnFailure;
use crate::event::{StopCause, TurnEvent, TurnOutcome};
use crate::feed::{Saved, TurnFeed};
use crate::hooks::TurnPlace;
use crate::message::{Message, Notice, Role};
use crate::prompt::{self, EarlierTurn, Past, Prompt, PromptInput};
use crate::provider::{ModelRequest, Provider};
use crate::record::{TurnRecord, TurnState};
use crate::references;
use crate::store::{Begun, Claim, StoredTurn, TurnEnd};
use crate::tool::Toolbox;
use crate::tool::offer::{Need, offered};
use crate::turn::{Album, Finished, StopSwitch, Turn};

/// A partial answer is written at most this late (decision 16).
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// A turn that was accepted and stored.
pub(super) struct Job {
    pub(super) parts: AgentParts,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) ask: Ask,
    pub(super) begun: Begun,
    pub(super) feed: Arc<TurnFeed>,
    pub(super) stop: StopSwitch,
    pub(super) toolbox: Toolbox,
    pub(super) seat: Seat,
    pub(super) claim: Claim,
}

/// Most tokens that a model is known to have taken in these turns.
pub(super) fn held(turns: &[StoredTurn], model: &str) -> u64 {
    let records = turns.iter().map(|turn| &turn.record);
    let own = records.filter(|record| record.model.as_deref() == Some(model));
    own.filter_map(|record| record.context).max().unwrap_or(0)
}

impl Job {
    pub(super) async fn run(self) {
        // A panic in a provider or tool ends this turn, not its waiting readers.
        let finished = AssertUnwindSafe(self.guarded())
            .catch_unwind()
            .await
            .unwrap_or_else(|_panic| {
                tracing::error!(turn = %self.ask.key.id, "a turn panicked");
                Finished::broken(self.feed.messages())
            });
        self.conclude(finished).await;
    }

    async fn guarded(&self) -> Finished {
        tokio::select! {
            biased;
            () = self.stop.token().cancelled() => {}
            () = self.provider.learn() => {}
        }
        let (mut turn, request) = self.prepare();
        if let Some(workspace) = &self.ask.setting.workspace {
            turn.album.recall(&self.begun.history, workspace.as_ref()).await;
        }
        let turn = turn.run(request);
        let mut turn = std::pin::pin!(turn);
        let mut save = tokio::time::interval(SAVE_EVERY);
        save.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut saved = Saved::default();
        let mut abandoned = std::pin::pin!(self.abandoned());
        loop {
            tokio::select! {
                finished = &mut turn => return finished,
                _ = save.tick() => saved = self.save_partial(saved),
                () = &mut abandoned, if self.stop.outcome().is_none() => self.stop.stop(StopCause::Abandoned),
            }
        }
    }

    fn prepare(&self) -> (Turn, ModelRequest) {
        let earlier = self.begun.history.iter().map(|turn| EarlierTurn {
            number: turn.number,
            messages: turn.messages.clone(),
        });
        let history: Vec<EarlierTurn> = earlier.collect();
        let window = self.provider.describe().window;
        let need = self.need(&history);
        let tools = offered(&self.toolbox.tools(), &need, budget::tool_room(window));
        let Prompt {
            request,
            mut past,
            notices,
        } = prompt::build(PromptInput {
            briefing: &self.ask.setting.briefing,
            question: &self.ask.text,
            parts: &self.ask.parts,
            page: self.ask.page.clone(),
            summary: self.begun.summary.as_ref(),
            history: &history,
            history_cut: self.begun.history_cut,
            window,
            tools,
            marker: &self.marker(),
        });
        past.measured = self.measured();
        past.held = held(&self.begun.history, &self.provider.describe().model);
        for notice in notices {
            self.feed.push(TurnEvent::Notice(notice));
        }
        (self.turn(need, past), request)
    }

    /// Tokens of the history and what stands before it, when the last turn ended with just that.
    fn measured(&self) -> Option<u64> {
        let turn = self.begun.history.last()?;
        let last = &turn.record;
        // What came after the newest model call was not counted: results of a turn that was stopped or ran out of steps.
        let answered = last.state == TurnState::Done
            && turn
                .messages
                .last()
                .is_some_and(|message| message.role == Role::Assistant);
        let whole = !last
            .notices
            .iter()
            .any(|notice| matches!(notice, Notice::Compacted { .. } | Notice::HistoryTrimmed));
        let comparable = answered
            && self.is_of_this_model(last)
            && whole
            && last.page.is_none()
            && !self.begun.history_cut;
        last.context.filter(|_| comparable)
    }

    fn is_of_this_model(&self, record: &TurnRecord) -> bool {
        record.model.as_ref() == Some(&self.provider.describe().model)
    }

    /// A word no page can know. In an editor it stays the same, so that earlier turns stay what a provider has cached.
    fn marker(&self) -> String {
        match self.ask.setting.briefing {
            Briefing::Panel(_) => uuid::Uuid::new_v4().simple().to_string(),
            Briefing::Editor(_) => self.begun.conversation.to_string(),
        }
    }

    /// The questions are the person's own words: the page of each is kept by name only, beside them.
    fn need(&self, history: &[EarlierTurn]) -> Need {
        let asked = history
            .iter()
            .flat_map(|turn| &turn.messages)
            .filter(|message| message.role == Role::User);
        let earlier: Vec<String> = asked.map(Message::plain_text).collect();
        let questions = earlier.iter().map(String::as_str).chain([self.ask.text.as_str()]);
        Need::new(self.ask.setting.briefing.clone(), questions)
    }

    fn turn(&self, need: Need, past: Past) -> Turn {
        Turn {
            place: TurnPlace {
                turn: self.ask.key.clone(),
                conversation: self.begun.conversation,
            },
            feed: Arc::clone(&self.feed),
            provider: Arc::clone(&self.provider),
            toolbox: self.toolbox.clone(),
            store: self.parts.store.clone(),
            tab: self.ask.place.tab(),
            setting: self.ask.setting.clone(),
            need,
            past,
            album: Album::of(self.ask.pictures.clone()),
            hooks: Arc::clone(&self.parts.hooks),
            steps: self.parts.steps,
            stop: self.stop.clone(),
        }
    }

    /// Resolves once no client has followed the turn for the grace period. The clock is tokio's monotonic one, which
    /// stands still while a laptop sleeps, so a client has its full grace after waking.
    async fn abandoned(&self) {
        loop {
            self.feed.deserted().await;
            if tokio::time::timeout(self.parts.grace, self.feed.attended())
                .await
                .is_err()
            {
                return;
            }
        }
    }

    /// Writes what has come since `saved`; returns how much is written then.
    fn save_partial(&self, saved: Saved) -> Saved {
        let Some((now, partial)) = self.feed.partial_since(saved) else {
            return saved;
        };
        let store = &self.parts.store;
        let taken = store.save_partial(self.begun.conversation, self.begun.number, partial);
        if taken { now } else { saved }
    }

    /// Keeps that the person trusts the conversation, when an answer of theirs in this turn said so.
    async fn keep_trust(&self) {
        let gate = self.ask.setting.gate.as_ref();
        if self.begun.trusted || !gate.is_some_and(|gate| gate.is_trusted()) {
            return;
        }
        if let Err(error) = self.parts.store.trust(self.begun.conversation).await {
            tracing::warn!(%error, "the trust in a conversation is not kept");
        }
    }

    /// Makes the end durable, frees the conversation, then tells the readers: what they see as ended is stored.
    async fn conclude(self, finished: Finished) {
        let references = references::extract(
            &finished.final_text,
            &finished.citations,
            &self.parts.reference_kinds,
        );
        self.keep_trust().await;
        let mut outcome = finished.outcome;
        let end = TurnEnd {
            record: self.feed.ended_record(&outcome, &references),
            messages: finished.messages,
            diffs: self.feed.diffs(),
        };
        let stored = self
            .parts
            .store
            .finish_turn(self.begun.conversation, self.begun.number, end, now_ms())
            .await;
        if let Err(error) = stored {
            tracing::error!(turn = %self.ask.key.id, %error, "failed to store a turn");
            outcome = TurnOutcome::Failed(TurnFailure::Storage);
        }
        drop(self.claim);
        self.seat.leave();
        self.feed.finish(outcome, references);
    }
}
