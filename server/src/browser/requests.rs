//! Requests about conversations, models and pairings: each gets one answer of its `requestId`.

use sidewire_agent::ids::{ConversationId as AgentConversationId, TurnId};
use sidewire_agent::session::{DeleteError, now_ms};
use sidewire_agent::store::{self, StoreError, Transcript};
use sidewire_contract::bridge::conversations::{
    ConversationBranch, ConversationGet, ConversationPage, ConversationTranscript, RequestDone, RequestError,
    RequestErrorCode,
};
use sidewire_contract::bridge::models::{
    ModelChanged, ModelPage, PairingItem, PairingPage, ProviderFound, ProviderKind, ProviderSet,
};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::{ConversationId, Cursor, RequestId};
use sidewire_contract::limits;
use sidewire_contract::model::ModelState;
use sidewire_contract::number::Count;
use sidewire_contract::text::Text;

use super::desk::Desk;
use super::models::{ModelError, ProviderChoice};
use super::translate;

/// Conversations of one list page.
const PAGE: usize = 50;

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("no such conversation")]
    NotFound,
    #[error("the conversation is still answering")]
    Busy,
    #[error("only the command line of this computer may do that")]
    Forbidden,
    #[error("the conversations could not be read or written")]
    Store(#[source] StoreError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::NotFound,
            other => Self::Store(other),
        }
    }
}

impl From<DeleteError> for Failure {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Busy => Self::Busy,
            DeleteError::Store(source) => source.into(),
        }
    }
}

impl Failure {
    fn code(&self) -> RequestErrorCode {
        match self {
            Self::NotFound => RequestErrorCode::NotFound,
            Self::Busy => RequestErrorCode::Conflict,
            Self::Forbidden => RequestErrorCode::Forbidden,
            Self::Store(StoreError::BadCursor | StoreError::BadTitle)
            | Self::Model(ModelError::BadRequest(_)) => RequestErrorCode::BadRequest,
            Self::Store(_) | Self::Model(ModelError::Storage) => RequestErrorCode::StorageFailed,
            Self::Model(ModelError::Provider(_)) => RequestErrorCode::ProviderFailed,
        }
    }
}

/// Answers one request; `None` for a frame that is none.
pub(super) async fn answer(desk: &Desk, frame: ClientFrame) -> Option<WorkerFrame> {
    let kind = frame.frame_type();
    let (id, answered) = route(desk, frame).await?;
    Some(answered.unwrap_or_else(|failure| {
        tracing::warn!(request = kind, %failure, "a request failed");
        error(id, failure.code(), failure.to_string())
    }))
}

type Answered = Result<WorkerFrame, Failure>;

/// The table of requests.
async fn route(desk: &Desk, frame: ClientFrame) -> Option<(RequestId, Answered)> {
    Some(match frame {
        ClientFrame::ConversationList(list) => (
            list.request_id.clone(),
            desk.conversations(list.request_id, None, list.cursor).await,
        ),
        ClientFrame::ConversationSearch(search) => {
            let query = Some(search.query.into_string());
            (
                search.request_id.clone(),
                desk.conversations(search.request_id, query, search.cursor).await,
            )
        }
        ClientFrame::ConversationGet(get) => (get.request_id.clone(), desk.transcript(get).await),
        ClientFrame::ConversationRename(rename) => {
            let renamed = desk.rename(&rename.conversation, rename.title.as_str()).await;
            (rename.request_id.clone(), done(rename.request_id, renamed))
        }
        ClientFrame::ConversationDelete(delete) => (
            delete.request_id.clone(),
            done(delete.request_id, desk.delete(&delete.conversation).await),
        ),
        ClientFrame::ConversationRestore(restore) => (
            restore.request_id.clone(),
            done(restore.request_id, desk.restore(&restore.conversation).await),
        ),
        ClientFrame::ConversationBranch(branch) => (branch.request_id.clone(), desk.branch(branch).await),
        ClientFrame::DataDelete(delete) => (
            delete.request_id.clone(),
            done(delete.request_id, desk.delete_all().await),
        ),
        ClientFrame::ModelList(list) => (list.request_id.clone(), desk.models(list.request_id).await),
        ClientFrame::ModelSelect(select) => {
            let selected = desk.front.models.select(select.model.as_str()).await;
            (
                select.request_id.clone(),
                desk.model_set(select.request_id, selected),
            )
        }
        ClientFrame::ProviderDetect(detect) => {
            let servers = desk.front.models.detect().await;
            let found = ProviderFound {
                request_id: detect.request_id.clone(),
                servers,
            };
            (detect.request_id, Ok(WorkerFrame::ProviderFound(found)))
        }
        ClientFrame::ProviderSet(set) => {
            let id = set.request_id.clone();
            let chosen = desk.front.models.set(choice(set)).await;
            (id.clone(), desk.model_set(id, chosen))
        }
        ClientFrame::PairingList(list) => (list.request_id.clone(), desk.pairings(list.request_id).await),
        ClientFrame::PairingRevoke(revoke) => {
            let revoked = desk.revoke(revoke.key_id.as_str()).await;
            (revoke.request_id.clone(), done(revoke.request_id, revoked))
        }
        _ => return None,
    })
}

impl Desk {
    async fn conversations(
        &self,
        request_id: RequestId,
        query: Option<String>,
        cursor: Option<Cursor>,
    ) -> Answered {
        let store = self.client.agent.store();
        let owner = Some(&self.client.owner);
        let cursor = cursor.as_ref().map(Cursor::as_str);
        let store::ConversationPage { conversations, next } = match query {
            None => store.list(owner, cursor, PAGE).await?,
            Some(query) => store.search(owner, &query, cursor, PAGE).await?,
        };
        let items = conversations
            .into_iter()
            .filter_map(|record| {
                let running = self.client.agent.running(record.id).is_some();
                translate::conversation(record, running)
            })
            .collect();
        Ok(WorkerFrame::ConversationPage(ConversationPage {
            request_id,
            items,
            cursor: next.map(|at| Cursor::clipped(&at)),
        }))
    }

    async fn transcript(&self, get: ConversationGet) -> Answered {
        let before = get.before.as_ref().map(Cursor::as_str);
        self.transcript_of(get.request_id, agent_id(&get.conversation)?, before)
            .await
    }

    async fn transcript_of(
        &self,
        request_id: RequestId,
        id: AgentConversationId,
        before: Option<&str>,
    ) -> Answered {
        let agent = &self.client.agent;
        let Transcript {
            conversation,
            turns,
            before,
        } = agent
            .transcript(&self.client.owner, id, before, limits::LIST_FRAME)
            .await?;
        let running = agent.running(id);
        Ok(WorkerFrame::ConversationTranscript(Box::new(
            ConversationTranscript {
                request_id,
                conversation: translate::conversation(conversation, running.is_some())
                    .ok_or(Failure::NotFound)?,
                turns: turns.into_iter().filter_map(translate::record).collect(),
                before: before.map(|at| Cursor::clipped(&at)),
            },
        )))
    }

    async fn rename(&self, id: &ConversationId, title: &str) -> Result<(), Failure> {
        self.client
            .agent
            .store()
            .rename(&self.client.owner, agent_id(id)?, title)
            .await?;
        Ok(())
    }

    async fn delete(&self, id: &ConversationId) -> Result<(), Failure> {
        let id = agent_id(id)?;
        let store = self.client.agent.store();
        // First: whether somebody else's conversation is answering is not this client's business (S20).
        store.conversation(&self.client.owner, id).await?;
        Ok(self.client.agent.delete(&self.client.owner, id).await?)
    }

    async fn restore(&self, id: &ConversationId) -> Result<(), Failure> {
        self.client
            .agent
            .store()
            .restore(&self.client.owner, agent_id(id)?)
            .await?;
        Ok(())
    }

    async fn branch(&self, branch: ConversationBranch) -> Answered {
        let before = TurnId(branch.before.as_str().to_owned());
        let store = self.client.agent.store();
        let copy = store
            .branch(
                &self.client.owner,
                agent_id(&branch.conversation)?,
                &before,
                now_ms(),
            )
            .await?;
        self.transcript_of(branch.request_id, copy.id, None).await
    }

    async fn delete_all(&self) -> Result<(), Failure> {
        self.client.agent.delete_all(&self.client.owner).await?;
        self.front.library.collect(self.client.agent.store()).await;
        Ok(())
    }

    async fn models(&self, request_id: RequestId) -> Answered {
        let models = self.front.models.list().await?;
        Ok(WorkerFrame::ModelPage(ModelPage {
            request_id,
            current: self.front.models.current(),
            models,
        }))
    }

    /// A new model is told to every client, this one included.
    fn model_set(&self, request_id: RequestId, set: Result<ModelState, ModelError>) -> Answered {
        // Nobody listening is no fault: every connection reads the current model when it begins.
        let _listeners = self.front.model_changes.send(set?);
        done(request_id, Ok(()))
    }

    async fn pairings(&self, request_id: RequestId) -> Answered {
        let pairings = self.front.agent.store().pairings().await?;
        let items = pairings
            .into_iter()
            .filter_map(|pairing| {
                Some(PairingItem {
                    current: Some(pairing.key_id == self.client.key_id.as_str()),
                    key_id: pairing.key_id.parse().ok()?,
                    label: pairing.label,
                    created_at: millis(pairing.created_at_ms),
                    last_seen_at: Some(millis(pairing.last_seen_at_ms)),
                })
            })
            .collect();
        Ok(WorkerFrame::PairingPage(PairingPage { request_id, items }))
    }

    /// An extension may forget its own pairing; others are the command line's and the native host's to revoke.
    async fn revoke(&self, key_id: &str) -> Result<(), Failure> {
        if !self.client.key_id.is_local() && self.client.key_id.as_str() != key_id {
            return Err(Failure::Forbidden);
        }
        if self.front.agent.store().pairing_revoke(key_id).await? {
            Ok(())
        } else {
            Err(Failure::NotFound)
        }
    }
}

fn choice(set: ProviderSet) -> ProviderChoice {
    ProviderChoice {
        offline: set.kind == ProviderKind::Offline,
        base_url: set.base_url.map(Text::into_string),
        model: set.model.map(Text::into_string),
        api_key: set.api_key.map(|key| key.expose().to_owned().into()),
    }
}

fn agent_id(id: &ConversationId) -> Result<AgentConversationId, Failure> {
    AgentConversationId::parse(id.as_str()).ok_or(Failure::NotFound)
}

fn millis(ms: i64) -> Count {
    Count::from(u64::try_from(ms).unwrap_or(0))
}

fn done(request_id: RequestId, result: Result<(), Failure>) -> Answered {
    result.map(|()| WorkerFrame::RequestDone(RequestDone { request_id }))
}

/// A request that could not be read.
pub(super) fn bad_request(request_id: RequestId, why: String) -> WorkerFrame {
    error(request_id, RequestErrorCode::BadRequest, why)
}

/// The model in use has changed.
pub(super) fn model_changed(model: ModelState) -> WorkerFrame {
    WorkerFrame::ModelChanged(ModelChanged { model })
}

fn error(request_id: RequestId, code: RequestErrorCode, message: String) -> WorkerFrame {
    WorkerFrame::RequestError(RequestError {
        request_id,
        code,
        message,
    })
}
