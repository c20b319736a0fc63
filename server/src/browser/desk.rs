//! What the handlers of one connection share and do about turns: ask, stop, resume, hand over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sidewire_agent::session::{AskError, Started};
use sidewire_contract::bridge::handshake::{HandoverAck, Role};
use sidewire_contract::bridge::turns::{TurnAccepted, TurnSnapshot, TurnUnknown};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::ChatId;
use sidewire_contract::limits;
use sidewire_contract::reason::ErrorReason;
use tokio::sync::{Notify, mpsc};

use super::Front;
use super::handshake::Client;
use super::host_tools::HostTools;
use super::media_read::Reads;
use super::translate::{self, TurnWire};
use super::writer::{Follow, Post};

/// Most bytes of a session key or history hint; both become keys of the store.
const NAME: usize = 1024;

/// What handlers of one connection share.
pub(super) struct Desk {
    pub(super) front: Arc<Front>,
    pub(super) client: Arc<Client>,
    outlet: Outlet,
    /// Questions on their way into the agent, and whether a stop came for them meanwhile.
    // A std mutex: lookups only.
    asking: Mutex<HashMap<ChatId, bool>>,
}

/// What belongs to the connection itself, whoever its client is.
#[derive(Clone)]
pub(super) struct Outlet {
    /// Where frames go.
    pub(super) post: mpsc::Sender<Post>,
    /// Wakes the writer when a turn has news.
    pub(super) wake: Arc<Notify>,
    /// What the client offers.
    pub(super) tools: Arc<HostTools>,
    /// Where reads of media wait.
    pub(super) reads: Reads,
}

impl Desk {
    /// The desk of a client.
    pub(super) fn new(front: Arc<Front>, client: Client, outlet: Outlet) -> Self {
        Self {
            front,
            client: Arc::new(client),
            outlet,
            asking: Mutex::default(),
        }
    }

    /// The same connection, now for the client that was introduced.
    pub(super) fn introduce(&self, client: Client) -> Self {
        Self::new(Arc::clone(&self.front), client, self.outlet.clone())
    }

    /// What the client offers.
    pub(super) fn tools(&self) -> &HostTools {
        &self.outlet.tools
    }

    /// Where reads of media wait.
    pub(super) fn reads(&self) -> &Reads {
        &self.outlet.reads
    }

    /// Sends a frame; waits while the writer is behind.
    pub(super) async fn send(&self, frame: WorkerFrame) {
        self.post(Post::Frame(Box::new(frame))).await;
    }

    pub(super) async fn post(&self, post: Post) {
        // The writer is gone only when the connection is, and then nobody is left to tell.
        let _nobody_left = self.outlet.post.send(post).await;
    }

    /// A key that cannot be looked up right now stands.
    pub(super) async fn is_revoked(&self) -> bool {
        matches!(
            self.front
                .agent
                .store()
                .pairing(self.client.key_id.as_str())
                .await,
            Ok(None)
        )
    }

    /// A question is on its way: a stop that overtakes it finds it here.
    pub(super) fn expect(&self, id: &ChatId) {
        self.asking().insert(id.clone(), false);
    }

    pub(super) async fn ask(&self, request: ChatRequest) {
        let id = request.id.clone();
        let hint = request.history_hint.as_deref().unwrap_or_default();
        if request.text.len() > limits::CHAT_TEXT
            || request.session_key.as_str().len() > NAME
            || hint.len() > NAME
        {
            self.asking().remove(&id);
            return self.send(translate::error(id, ErrorReason::Provider4xx)).await;
        }
        let asked = self
            .client
            .agent
            .ask(
                translate::ask(&self.client, request, self.tools().shelf()),
                Arc::clone(&self.outlet.wake),
            )
            .await;
        let stopped_meanwhile = self.asking().remove(&id) == Some(true);
        match asked {
            Ok(started) => {
                if stopped_meanwhile {
                    self.stop(&id);
                }
                self.follow_new(id, started).await;
            }
            Err(AskError::Duplicate) => self.resume(id).await,
            Err(error) => {
                tracing::warn!(turn = id.as_str(), %error, "a question was refused");
                self.send(translate::error(id, translate::refusal(&error))).await;
            }
        }
    }

    async fn follow_new(&self, id: ChatId, started: Started) {
        let Some(conversation) = translate::conversation_id(started.conversation) else {
            return;
        };
        let accepted = TurnAccepted {
            id: id.clone(),
            conversation,
            title: started.title,
            model: started.model.clone(),
        };
        self.post(Post::Follow(Box::new(Follow {
            first: WorkerFrame::TurnAccepted(accepted),
            turn: TurnWire::new(id, started.model),
            subscription: started.subscription,
        })))
        .await;
    }

    pub(super) fn stop(&self, id: &ChatId) {
        if let Some(stop_requested) = self.asking().get_mut(id) {
            *stop_requested = true;
        }
        let known = self
            .client
            .agent
            .stop(&translate::turn_key(&self.client.owner, id));
        tracing::info!(turn = id.as_str(), known, "stop");
    }

    /// Gives the client the turn as it stands and what follows, or says that there is none.
    pub(super) async fn resume(&self, id: ChatId) {
        let key = translate::turn_key(&self.client.owner, &id);
        let followed = self
            .client
            .agent
            .follow(&key, Arc::clone(&self.outlet.wake))
            .await
            .unwrap_or_else(|error| {
                tracing::error!(turn = id.as_str(), %error, "a turn could not be looked up");
                None
            });
        let found = followed.and_then(|followed| {
            let model = followed.record.model.clone().unwrap_or_default();
            let turn = TurnWire::new(id.clone(), model);
            let snapshot = WorkerFrame::TurnSnapshot(Box::new(TurnSnapshot {
                conversation: translate::conversation_id(followed.conversation)?,
                next_seq: turn.next_seq(),
                turn: translate::record(followed.record)?,
            }));
            Some((snapshot, turn, followed.subscription))
        });
        match found {
            None => self.send(WorkerFrame::TurnUnknown(TurnUnknown { id })).await,
            Some((snapshot, turn, None)) => {
                self.post(Post::Ended {
                    snapshot: Box::new(snapshot),
                    id: turn.id,
                })
                .await;
            }
            Some((first, turn, Some(subscription))) => {
                self.client.agent.lend_tools(&key, self.tools().shelf());
                self.post(Post::Follow(Box::new(Follow {
                    first,
                    turn,
                    subscription,
                })))
                .await;
            }
        }
    }

    /// A newer host or command line asks us to make room for its worker (decision 6).
    pub(super) async fn hand_over(&self, version: &str) {
        let ours = self.client.key_id.is_local() && self.client.role != Role::Browser;
        let accepted = ours && is_newer(version, env!("CARGO_PKG_VERSION"));
        self.send(WorkerFrame::HandoverAck(HandoverAck { accepted }))
            .await;
        if accepted {
            tracing::info!(version, "a newer worker takes over");
            self.front.hand_over.cancel();
        }
    }

    fn asking(&self) -> MutexGuard<'_, HashMap<ChatId, bool>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Plain `major.minor.patch` only; anything else is not newer.
fn is_newer(theirs: &str, ours: &str) -> bool {
    let parse = |version: &str| -> Option<[u64; 3]> {
        let numbers: Option<Vec<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
        numbers?.try_into().ok()
    };
    parse(theirs)
        .zip(parse(ours))
        .is_some_and(|(theirs, ours)| theirs > ours)
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn only_a_plain_higher_version_is_newer() {
        assert!(is_newer("0.2.0", "0.1.9") && is_newer("0.10.0", "0.9.9"));
        for theirs in ["0.1.0", "0.0.9", "1.0", "1.0.0-beta", "", "x.y.z", "1.0.0.0"] {
            assert!(!is_newer(theirs, "0.1.0"), "{theirs}");
        }
    }
}
