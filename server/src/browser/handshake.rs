//! How a stranger on the loopback becomes a client: the mutual challenge of decision 2.
//!
//! `hello` names a key, `challenge` proves that we hold it, `proof` proves that the client does. Nothing of a client's
//! is read before, and a client tells nothing before we have proved ourselves. Nonces make a recorded proof useless
//! (S19); the authority in every MAC makes a relayed one useless (S18).

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use sidewire_agent::Agent;
use sidewire_agent::ids::Owner;
use sidewire_agent::session::now_ms;
use sidewire_agent::store::{self, PairingRecord, Store};
use sidewire_contract::bridge::handshake::{
    Challenge, ClientInfo, Hello, HelloAck, Limits, Proof, Role, Version, WorkerName,
};
use sidewire_contract::bridge::mac::{MacContext, MacLabel, mac_transcript, pair_secret_transcript};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::{Hex256, InstanceId, KeyId};
use sidewire_contract::text::NonEmpty;
use sidewire_contract::{identity, limits};
use tokio_tungstenite::tungstenite::Message;

use super::Front;
use super::checks::Caller;
use super::listener::Socket;
use super::private::Stay;
use crate::mac::{self, Secret};

/// A handshake must be over by then.
const DEADLINE: Duration = Duration::from_secs(5);
/// What this worker can do beyond the chat contract.
const FEATURES: &[&str] = &["resume", "conversations", "branches", "models", "pairings"];

/// Who is at the other end, once proved.
pub(super) struct Client {
    pub(super) owner: Owner,
    pub(super) role: Role,
    /// A host's browser has not said yet who it is.
    pub(super) is_anonymous: bool,
    pub(super) browser_run: Option<String>,
    /// The key it proved, for lists of pairings.
    pub(super) key_id: KeyId,
    /// Where its conversations are: the agent of everyone, or a private window's own.
    pub(super) agent: Arc<Agent>,
    /// Keeps a private window's conversation while the client is here.
    _stay: Option<Stay>,
}

/// Why a stranger was turned away. Told to the log only: a stranger learns nothing but the close code.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it said nothing in time")]
    Late,
    #[error("it went away")]
    Gone,
    #[error("it sent something else than the handshake asks for")]
    Unexpected,
    #[error("it named an unknown, expired or used key")]
    UnknownKey,
    #[error("its key does not go with its origin")]
    WrongOrigin,
    #[error("it could not prove its key")]
    WrongProof,
    #[error("its key belongs to another instance")]
    WrongInstance,
    #[error("it speaks chat contract {0}")]
    Version(String),
    #[error("the key could not be looked up or kept")]
    Storage,
}

/// Runs the handshake; the client is ready for frames afterwards.
pub(super) async fn authenticate(
    socket: &mut Socket,
    caller: &Caller,
    front: &Front,
) -> Result<Client, Refusal> {
    tokio::time::timeout(DEADLINE, exchange(socket, caller, front))
        .await
        .map_err(|_| Refusal::Late)?
}

async fn exchange(socket: &mut Socket, caller: &Caller, front: &Front) -> Result<Client, Refusal> {
    let ClientFrame::Hello(hello) = receive(socket).await? else {
        return Err(Refusal::Unexpected);
    };
    let secret = secret_of(&hello.key_id, caller, front).await?;
    let shared = Shared {
        hello,
        nonce_s: nonce()?,
        caller,
        front,
        secret,
    };
    let challenge = Challenge {
        nonce_s: shared.nonce_s,
        mac_s: Hex256::from_bytes(shared.mac(MacLabel::Server)),
    };
    send(socket, &WorkerFrame::Challenge(challenge)).await?;

    let ClientFrame::Proof(proof) = receive(socket).await? else {
        return Err(Refusal::Unexpected);
    };
    if let Err(refusal) = shared.verify(&proof) {
        shared.count_wrong_try().await;
        return Err(refusal);
    }
    // Whoever has a pairing is the extension it was made for; only the local secret may speak for others.
    if !shared.hello.key_id.is_local() && proof.role != Role::Browser {
        return Err(Refusal::Unexpected);
    }
    check_version(&proof.contract_version)?;
    let key_id = shared.settle_key(&proof).await?;
    let paired = shared.hello.key_id.is_pairing().then(|| key_id.clone());
    let client = Client::enter(front, key_id, &proof)?;
    send(socket, &WorkerFrame::HelloAck(Box::new(hello_ack(front, paired)))).await?;
    Ok(client)
}

/// What both sides know of one handshake.
struct Shared<'a> {
    hello: Hello,
    nonce_s: Hex256,
    caller: &'a Caller,
    front: &'a Front,
    secret: Secret,
}

impl Shared<'_> {
    fn transcript(&self, label: MacLabel) -> Vec<u8> {
        let origin = match self.caller {
            Caller::NoOrigin => None,
            Caller::Origin(origin) => Some(origin.as_str()),
        };
        let context = MacContext {
            nonce_c: &self.hello.nonce_c,
            nonce_s: &self.nonce_s,
            authority: &self.front.authority,
            origin,
            key_id: &self.hello.key_id,
        };
        mac_transcript(label, &context)
    }

    fn mac(&self, label: MacLabel) -> [u8; 32] {
        mac::sign(&self.secret, &self.transcript(label))
    }

    /// Constant-time.
    fn verify(&self, proof: &Proof) -> Result<(), Refusal> {
        let proved = mac::verify(
            &self.secret,
            &self.transcript(MacLabel::Client),
            proof.mac_c.bytes(),
        );
        if proved { Ok(()) } else { Err(Refusal::WrongProof) }
    }

    async fn count_wrong_try(&self) {
        if self.hello.key_id.is_pairing() {
            // Failing to count must not tell the stranger anything either.
            let _logged_there = self.store().pairing_offer_wrong(self.hello.key_id.as_str()).await;
        }
    }

    /// The key the client has from now on: a pairing offer is swapped for a key of its own, which never crosses the
    /// wire (both sides derive it).
    async fn settle_key(&self, proof: &Proof) -> Result<KeyId, Refusal> {
        if self.hello.key_id.is_local() {
            return Ok(self.hello.key_id.clone());
        }
        if self.hello.key_id.is_pairing() {
            return self.accept_pairing(proof).await;
        }
        let pairing = self
            .store()
            .pairing(self.hello.key_id.as_str())
            .await
            .map_err(|_| Refusal::Storage)?;
        if pairing.is_none_or(|pairing| pairing.instance != proof.instance.as_str()) {
            return Err(Refusal::WrongInstance);
        }
        self.store()
            .pairing_seen(self.hello.key_id.as_str(), now_ms())
            .await
            .map_err(|_| Refusal::Storage)?;
        Ok(self.hello.key_id.clone())
    }

    async fn accept_pairing(&self, proof: &Proof) -> Result<KeyId, Refusal> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| Refusal::Storage)?;
        let key_id = KeyId::client(random);
        let transcript = pair_secret_transcript(&self.hello.nonce_c, &self.nonce_s, &proof.instance);
        let record = PairingRecord {
            key_id: key_id.as_str().to_owned(),
            secret: store::Secret(mac::sign(&self.secret, &transcript)),
            label: format!("{} {}", proof.client.name.as_str(), proof.client.version.as_str()),
            instance: proof.instance.as_str().to_owned(),
            created_at_ms: now_ms(),
            last_seen_at_ms: now_ms(),
        };
        let accepted = self
            .store()
            .pairing_accept(self.hello.key_id.as_str(), record)
            .await;
        if accepted.map_err(|_| Refusal::Storage)? {
            Ok(key_id)
        } else {
            Err(Refusal::UnknownKey)
        }
    }

    fn store(&self) -> &Store {
        self.front.agent.store()
    }
}

/// The secret a key id stands for. The local one is for processes without an origin, the others for extensions.
async fn secret_of(key_id: &KeyId, caller: &Caller, front: &Front) -> Result<Secret, Refusal> {
    if key_id.is_local() != (*caller == Caller::NoOrigin) {
        return Err(Refusal::WrongOrigin);
    }
    if key_id.is_local() {
        return Ok(front.local_secret);
    }
    let store = front.agent.store();
    let secret = if key_id.is_pairing() {
        store
            .pairing_offer(key_id.as_str(), now_ms())
            .await
            .map_err(|_| Refusal::Storage)?
    } else {
        store
            .pairing(key_id.as_str())
            .await
            .map_err(|_| Refusal::Storage)?
            .map(|pairing| pairing.secret)
    };
    secret.map(|secret| secret.0).ok_or(Refusal::UnknownKey)
}

impl Client {
    fn enter(front: &Front, key_id: KeyId, proof: &Proof) -> Result<Self, Refusal> {
        let mut client = Self {
            owner: owner(&proof.instance),
            role: proof.role,
            is_anonymous: proof.role == Role::Host,
            browser_run: proof.browser_run.as_ref().map(|run| run.as_str().to_owned()),
            key_id,
            agent: Arc::clone(&front.agent),
            _stay: None,
        };
        client.keep_private(front, proof.ephemeral == Some(true))?;
        Ok(client)
    }

    /// Takes the browser's own word about itself over a native host that proved the local key: the browser has
    /// checked who may talk to that host.
    pub(super) fn introduced(
        &self,
        info: &ClientInfo,
        front: &Front,
    ) -> Result<(Self, WorkerFrame), Refusal> {
        if self.role != Role::Host || !self.key_id.is_local() {
            return Err(Refusal::Unexpected);
        }
        check_version(&info.contract_version)?;
        let mut client = Self {
            owner: owner(&info.instance),
            role: Role::Host,
            is_anonymous: false,
            browser_run: Some(info.browser_run.as_str().to_owned()),
            key_id: self.key_id.clone(),
            agent: Arc::clone(&front.agent),
            _stay: None,
        };
        client.keep_private(front, info.ephemeral == Some(true))?;
        Ok((client, WorkerFrame::HelloAck(Box::new(hello_ack(front, None)))))
    }

    fn keep_private(&mut self, front: &Front, ephemeral: bool) -> Result<(), Refusal> {
        if ephemeral {
            let key = (self.owner.0.clone(), self.browser_run.clone().unwrap_or_default());
            let (agent, stay) = front.private.enter(key).map_err(|_| Refusal::Storage)?;
            self.agent = agent;
            self._stay = Some(stay);
        }
        Ok(())
    }
}

fn owner(instance: &InstanceId) -> Owner {
    Owner(instance.as_str().to_owned())
}

fn hello_ack(front: &Front, paired_key_id: Option<KeyId>) -> HelloAck {
    HelloAck {
        worker: WorkerName {
            version: NonEmpty::clipped(env!("CARGO_PKG_VERSION")),
        },
        contract_version: identity::CONTRACT_VERSION.to_owned(),
        limits: Limits::default(),
        features: FEATURES
            .iter()
            .map(|feature| NonEmpty::clipped(feature))
            .collect(),
        model: front.models.current(),
        paired_key_id,
    }
}

/// Same major or nothing.
fn check_version(theirs: &Version) -> Result<(), Refusal> {
    let [major, ..] = theirs.parts();
    let [ours, ..] = Version::contract().parts();
    if major == ours {
        Ok(())
    } else {
        Err(Refusal::Version(theirs.as_str().to_owned()))
    }
}

fn nonce() -> Result<Hex256, Refusal> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| Refusal::Storage)?;
    Ok(Hex256::from_bytes(bytes))
}

async fn receive(socket: &mut Socket) -> Result<ClientFrame, Refusal> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                if text.len() > limits::HANDSHAKE_FRAME
                    || limits::check_depth(text.as_bytes(), limits::DEPTH).is_err()
                {
                    return Err(Refusal::Unexpected);
                }
                return ClientFrame::decode(&text).map_err(|_| Refusal::Unexpected);
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_) | Message::Frame(_))) => return Err(Refusal::Unexpected),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Refusal::Gone),
        }
    }
}

async fn send(socket: &mut Socket, frame: &WorkerFrame) -> Result<(), Refusal> {
    socket
        .send(Message::text(frame.encode()))
        .await
        .map_err(|_| Refusal::Gone)
}
