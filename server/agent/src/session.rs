//! Conversations as fronts use them: ask, stop, follow, shut down.
//!
//! One turn at a time per conversation. A turn belongs to the core, not to the client that asked: it goes on without
//! one for a grace period and can be followed again (decision 10).

mod ask;
mod compact;
mod live;
mod supervise;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::error::TurnFailure;
use crate::event::{StopCause, TurnOutcome};
use crate::feed::TurnFeed;
use crate::hooks::Hooks;
use crate::ids::{ConversationId, Owner, TurnKey};
use crate::provider::Provider;
use crate::record::{ConversationRecord, TurnRecord, TurnState};
use crate::references::ReferenceKinds;
use crate::setting::Setting;
use crate::store::{BeginError, BeginTurn, Begun, Store, StoreError, Transcript};
use crate::tool::{Tool, ToolShelf, Toolbox};
use crate::turn::StopSwitch;
use ask::{first_record, user_message};
use live::{LiveTurn, LiveTurns, Seat};

pub use ask::{Ask, AskError, DeleteError, Followed, Place, Started};
pub use compact::Compact;

/// How long a turn goes on without a client (decision 10).
pub const GRACE: Duration = Duration::from_secs(30);
/// The ends of disposed turns are stored by then.
const LAST_WRITES: Duration = Duration::from_secs(5);
/// Most bytes of stored history that are read for a prompt; the model's window cuts further.
const HISTORY_BYTES: usize = 2 * 1024 * 1024;
/// The same where results stay whole and all of it is summed up when it is too much.
const LONG_HISTORY_BYTES: usize = 16 * 1024 * 1024;

/// What an agent is made of; `app.rs` fills it.
#[derive(Clone)]
pub struct AgentParts {
    /// Where conversations are kept.
    pub store: Store,
    /// What answers. Shared, so that choosing a model reaches every agent.
    pub provider: ProviderSlot,
    /// What may step in.
    pub hooks: Arc<dyn Hooks>,
    /// The worker's own tools, the same for every conversation.
    pub tools: Vec<Arc<dyn Tool>>,
    /// How links are told apart.
    pub reference_kinds: Arc<ReferenceKinds>,
    /// How long a turn goes on without a client.
    pub grace: Duration,
    /// Model calls a turn may make.
    pub steps: u32,
}

/// The provider in use; a change takes effect with the next turn.
#[derive(Clone)]
// A std lock: it is held for one pointer copy.
pub struct ProviderSlot(Arc<RwLock<Arc<dyn Provider>>>);

impl ProviderSlot {
    /// A slot that holds `provider`.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self(Arc::new(RwLock::new(provider)))
    }

    /// The provider for a turn that begins now.
    #[must_use]
    pub fn current(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another provider in use.
    pub fn replace(&self, provider: Arc<dyn Provider>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = provider;
    }
}

/// The core. Cheap to share; one per store.
pub struct Agent {
    parts: AgentParts,
    live: Arc<LiveTurns>,
    tasks: TaskTracker,
}

impl Agent {
    /// An agent of these parts.
    #[must_use]
    pub fn new(parts: AgentParts) -> Arc<Self> {
        Arc::new(Self {
            parts,
            live: Arc::default(),
            tasks: TaskTracker::new(),
        })
    }

    /// An agent with the same parts that keeps nothing: for private windows.
    pub fn ephemeral(&self) -> Result<Arc<Self>, crate::store::OpenError> {
        let parts = AgentParts {
            store: Store::in_memory()?,
            ..self.parts.clone()
        };
        // Shared, so that shutting down waits for private turns too.
        Ok(Arc::new(Self {
            parts,
            live: Arc::clone(&self.live),
            tasks: self.tasks.clone(),
        }))
    }

    /// Where its conversations are kept.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.parts.store
    }

    /// The worker's own tools.
    #[must_use]
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.parts.tools
    }

    /// The provider in use.
    #[must_use]
    pub fn provider(&self) -> &ProviderSlot {
        &self.parts.provider
    }

    /// Takes a question and starts its turn. `wake` is notified whenever the subscription has news.
    ///
    /// Dropping the future does not undo the question: a client that vanishes right after asking finds its turn again.
    pub async fn ask(self: &Arc<Self>, ask: Ask, wake: Arc<Notify>) -> Result<Started, AskError> {
        if self.tasks.is_closed() {
            return Err(AskError::Disposed);
        }
        let agent = Arc::clone(self);
        let accepting = self.tasks.spawn(async move { agent.accept(ask, wake).await });
        accepting.await.unwrap_or(Err(AskError::Disposed))
    }

    async fn accept(&self, ask: Ask, wake: Arc<Notify>) -> Result<Started, AskError> {
        let provider = self.provider_of(&ask.setting)?;
        let conversation = self.find(&ask).await?;
        let feed = Arc::new(TurnFeed::new(first_record(&ask)));
        let stop = StopSwitch::default();
        let toolbox = Toolbox::new(self.parts.tools.clone(), ask.tools.clone());
        let turn = LiveTurn {
            conversation: conversation.id,
            feed: Arc::clone(&feed),
            stop: stop.clone(),
            toolbox: toolbox.clone(),
        };
        let seat = self.live.take_seat(&ask.key, turn)?;
        let claim = self.parts.store.claim(conversation.id)?;
        let begun = self.begin(&ask, conversation.id).await?;
        if let Some(gate) = ask.setting.gate.as_ref().filter(|_| !begun.trusted) {
            gate.distrust();
        }
        // Before the turn runs, so that it never looks deserted.
        let subscription = feed.subscribe(wake);
        let started = Started {
            conversation: conversation.id,
            title: begun.title.clone(),
            model: provider.describe().model,
            subscription,
        };
        self.tasks.spawn(
            supervise::Job {
                parts: self.parts.clone(),
                provider,
                ask,
                begun,
                feed,
                stop,
                toolbox,
                seat,
                claim,
            }
            .run(),
        );
        Ok(started)
    }

    /// What answers in this setting, when it can.
    fn provider_of(&self, setting: &Setting) -> Result<Arc<dyn Provider>, AskError> {
        let provider = match &setting.provider {
            Some(provider) => Arc::clone(provider),
            None => self.parts.provider.current(),
        };
        provider.check().map_err(AskError::Provider)?;
        Ok(provider)
    }

    async fn find(&self, ask: &Ask) -> Result<ConversationRecord, StoreError> {
        match &ask.place {
            Place::Found(lookup) => self.parts.store.conversation_for(lookup.clone()).await,
            Place::Known(id) => self.parts.store.conversation(&ask.key.owner, *id).await,
        }
    }

    async fn begin(&self, ask: &Ask, conversation: ConversationId) -> Result<Begun, AskError> {
        let begin = BeginTurn {
            conversation,
            owner: ask.key.owner.clone(),
            turn: first_record(ask),
            user_message: user_message(ask),
            history_bytes: history_bytes(&ask.setting),
            now_ms: now_ms(),
        };
        self.parts
            .store
            .begin_turn(begin)
            .await
            .map_err(|error| match error {
                BeginError::Duplicate { .. } => AskError::Duplicate,
                BeginError::Store(source) => AskError::Store(source),
            })
    }

    /// Stops a running turn; false when there is none of that key.
    pub fn stop(&self, key: &TurnKey) -> bool {
        self.live
            .get(key)
            .map(|seat| seat.stop.stop(StopCause::Person))
            .is_some()
    }

    /// A client that follows a running turn brings its tools to it.
    pub fn lend_tools(&self, key: &TurnKey, shelf: ToolShelf) {
        if let Some(turn) = self.live.get(key) {
            turn.toolbox.lend(shelf);
        }
    }

    /// Finds a turn again, running or ended.
    pub async fn follow(&self, key: &TurnKey, wake: Arc<Notify>) -> Result<Option<Followed>, StoreError> {
        if let Some(running) = self.follow_running(key, &wake) {
            return Ok(Some(running));
        }
        let mut stored = self.parts.store.turn(&key.owner, &key.id).await?;
        if stored
            .as_ref()
            .is_some_and(|(_, record)| record.state == TurnState::Running)
        {
            // It began between the two looks: then it is live by now, or has ended since.
            if let Some(running) = self.follow_running(key, &wake) {
                return Ok(Some(running));
            }
            stored = self.parts.store.turn(&key.owner, &key.id).await?;
        }
        Ok(stored.map(|(conversation, record)| Followed {
            conversation,
            record: self.settled(conversation, record),
            subscription: None,
        }))
    }

    fn follow_running(&self, key: &TurnKey, wake: &Arc<Notify>) -> Option<Followed> {
        let seat = self.live.get(key)?;
        let (record, subscription) = seat.feed.resume(Arc::clone(wake));
        Some(Followed {
            conversation: seat.conversation,
            record,
            subscription: Some(subscription),
        })
    }

    /// A page of a conversation, from its end backwards; what runs in it as it stands now.
    pub async fn transcript(
        &self,
        owner: &Owner,
        id: ConversationId,
        before: Option<&str>,
        byte_limit: usize,
    ) -> Result<Transcript, StoreError> {
        let mut transcript = self.parts.store.transcript(owner, id, before, byte_limit).await?;
        transcript.turns = transcript
            .turns
            .into_iter()
            .map(|turn| self.settled(id, turn))
            .collect();
        Ok(transcript)
    }

    /// What is stored as running either runs here, and then the feed is a second ahead, or could not be stored as
    /// ended, and then it has.
    fn settled(&self, conversation: ConversationId, mut record: TurnRecord) -> TurnRecord {
        if record.state != TurnState::Running {
            return record;
        }
        match self.running(conversation) {
            Some(running) if running.id == record.id => running,
            _ => {
                record.end(&TurnOutcome::Failed(TurnFailure::Disposed), &[]);
                record
            }
        }
    }

    /// Deletes a conversation, unless it is answering; it can be restored for a while.
    pub async fn delete(&self, owner: &Owner, id: ConversationId) -> Result<(), DeleteError> {
        let _nobody_begins_meanwhile = self.parts.store.claim(id)?;
        Ok(self.parts.store.delete(owner, id, now_ms()).await?)
    }

    /// Removes the turns of a conversation, unless it is answering; it goes on afresh under its id.
    pub async fn clear(&self, id: ConversationId) -> Result<(), DeleteError> {
        let _nobody_begins_meanwhile = self.parts.store.claim(id)?;
        Ok(self.parts.store.clear(id).await?)
    }

    /// Deletes everything of an owner for good, unless a turn of theirs runs.
    pub async fn delete_all(&self, owner: &Owner) -> Result<(), DeleteError> {
        if self.live.any_of(owner) {
            return Err(DeleteError::Busy);
        }
        Ok(self.parts.store.delete_all(Some(owner)).await?)
    }

    /// The running turn of a conversation, as it stands.
    #[must_use]
    pub fn running(&self, conversation: ConversationId) -> Option<TurnRecord> {
        self.live.of_conversation(conversation).map(|feed| feed.record())
    }

    /// Which other process is answering in a conversation, in words.
    pub fn holder(&self, conversation: ConversationId) -> Result<Option<String>, StoreError> {
        match self.running(conversation) {
            Some(_ours) => Ok(None),
            None => self.parts.store.holder(conversation),
        }
    }

    /// True while any turn runs.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Takes no more questions, lets running turns finish for `patience`, then ends the rest.
    pub async fn shut_down(&self, patience: Duration) {
        self.live.close();
        self.tasks.close();
        if tokio::time::timeout(patience, self.tasks.wait()).await.is_err() {
            self.live.dispose_all();
            // A turn ends at once when it is disposed; what is left is one write of its end.
            let _left = tokio::time::timeout(LAST_WRITES, self.tasks.wait()).await;
        }
    }

    /// Ends every running turn now.
    pub fn dispose_turns(&self) {
        self.tasks.close();
        self.live.dispose_all();
    }
}

fn history_bytes(setting: &Setting) -> usize {
    if setting.briefing.keeps_results() {
        LONG_HISTORY_BYTES
    } else {
        HISTORY_BYTES
    }
}

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
