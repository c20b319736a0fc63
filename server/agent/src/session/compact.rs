//! Sums up a conversation because the person wants it (`/compact`): like a turn it has a seat, a claim and a feed, but
//! it leaves no turn behind.

use std::sync::Arc;

use tokio::sync::Notify;

use super::live::{LiveTurn, Seat};
use super::supervise::held;
use super::{Agent, AskError, LONG_HISTORY_BYTES, Started, now_ms};
use crate::budget;
use crate::error::{ProviderError, TurnFailure};
use crate::event::{Attempt, TurnEvent, TurnOutcome, UsageReport};
use crate::feed::TurnFeed;
use crate::ids::{ConversationId, TurnKey};
use crate::message::{Message, Notice, Usage};
use crate::prompt::opening;
use crate::provider::Provider;
use crate::record::TurnRecord;
use crate::setting::Setting;
use crate::store::{Claim, Store, StoreError, StoredPast};
use crate::summary::{self, Summing};
use crate::tool::Toolbox;
use crate::turn::StopSwitch;

const NOTHING: &str = "There is nothing to sum up yet.";
const OFFLINE: &str = "No model is in use that could sum this up.";

/// A wish to sum up a conversation.
pub struct Compact {
    /// Names it among turns; [`Agent::stop`] knows it.
    pub key: TurnKey,
    /// Which conversation.
    pub conversation: ConversationId,
    /// What answers; the rest of it is not used.
    pub setting: Setting,
    /// What the summary should look at in particular.
    pub wishes: Option<String>,
}

struct Job {
    store: Store,
    provider: Arc<dyn Provider>,
    compact: Compact,
    feed: Arc<TurnFeed>,
    stop: StopSwitch,
    seat: Seat,
    claim: Claim,
}

impl Agent {
    /// Lets a summary stand for all turns of a conversation. The feed tells [`Notice::Compacted`], or in words why there
    /// was nothing to do; its end is not stored as a turn.
    pub async fn compact(self: &Arc<Self>, compact: Compact, wake: Arc<Notify>) -> Result<Started, AskError> {
        if self.tasks.is_closed() {
            return Err(AskError::Disposed);
        }
        let provider = self.provider_of(&compact.setting)?;
        let store = self.parts.store.clone();
        let conversation = store
            .conversation(&compact.key.owner, compact.conversation)
            .await?;
        let mode = compact.setting.briefing.mode();
        let record = TurnRecord::begun(compact.key.id.clone(), String::new(), mode, now_ms());
        let feed = Arc::new(TurnFeed::new(record));
        let stop = StopSwitch::default();
        let turn = LiveTurn {
            conversation: conversation.id,
            feed: Arc::clone(&feed),
            stop: stop.clone(),
            toolbox: Toolbox::default(),
        };
        let seat = self.live.take_seat(&compact.key, turn)?;
        let claim = store.claim(conversation.id)?;
        let started = Started {
            conversation: conversation.id,
            title: conversation.title,
            model: provider.describe().model,
            subscription: feed.subscribe(wake),
        };
        let job = Job {
            store,
            provider,
            compact,
            feed,
            stop,
            seat,
            claim,
        };
        self.tasks.spawn(job.run());
        Ok(started)
    }
}

impl Job {
    async fn run(self) {
        let outcome = tokio::select! {
            biased;
            () = self.stop.token().cancelled() => self.stop.outcome(),
            outcome = self.sum_up() => Some(outcome),
        };
        drop(self.claim);
        self.seat.leave();
        self.feed.finish(outcome.unwrap_or(TurnOutcome::Done), Vec::new());
    }

    async fn sum_up(&self) -> TurnOutcome {
        let past = match self
            .store
            .past(self.compact.conversation, LONG_HISTORY_BYTES)
            .await
        {
            Ok(past) => past,
            Err(error) => return self.failed(&error),
        };
        self.provider.learn().await;
        let model = self.provider.describe();
        let name = model.model;
        self.feed.push(TurnEvent::Attempt(Attempt {
            number: 1,
            message_id: format!("{}/1", self.compact.key.id),
            model: name.clone(),
        }));
        let Some(through) = past.turns.last().map(|turn| turn.number) else {
            return self.say(NOTHING);
        };
        if model.offline {
            return self.say(OFFLINE);
        }
        let window = budget::window(model.window, held(&past.turns, &name));
        let messages = everything(past);
        let text = match self.summarize(&messages, window).await {
            Ok(text) => text,
            Err(error) => return TurnOutcome::Failed(TurnFailure::from(error)),
        };
        let summary = summary::message(&text);
        let kept = self
            .store
            .keep_summary(self.compact.conversation, through, summary);
        if let Err(error) = kept.await {
            return self.failed(&error);
        }
        let messages = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        self.feed.push(TurnEvent::Notice(Notice::Compacted { messages }));
        TurnOutcome::Done
    }

    async fn summarize(&self, messages: &[Message], window: Option<u64>) -> Result<String, ProviderError> {
        let mut usage = Usage::default();
        let summing = Summing {
            provider: self.provider.as_ref(),
            feed: &self.feed,
            window,
            wishes: self.compact.wishes.as_deref(),
        };
        let summed = summing.sum_up(messages, &mut usage).await?;
        // What the next request will take is about what the summary took to write.
        self.feed.push(TurnEvent::Usage(UsageReport {
            turn: usage,
            context: usage.output,
            window: self.provider.describe().window,
        }));
        Ok(summed)
    }

    fn say(&self, words: &str) -> TurnOutcome {
        self.feed.push(TurnEvent::Text(words.to_owned()));
        TurnOutcome::Done
    }

    fn failed(&self, error: &StoreError) -> TurnOutcome {
        tracing::error!(turn = %self.compact.key.id, %error, "failed to sum up a conversation");
        TurnOutcome::Failed(TurnFailure::Storage)
    }
}

/// The older summary and every turn after it.
fn everything(past: StoredPast) -> Vec<Message> {
    let summary = past.summary.map(opening).into_iter().flatten();
    let turns = past.turns.into_iter().flat_map(|turn| turn.messages);
    summary.chain(turns).collect()
}
