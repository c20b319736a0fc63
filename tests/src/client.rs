//! A WebSocket client: a well-behaved one, or one that sends whatever an attack needs.

use futures_util::{SinkExt, StreamExt};
use sidewire_contract::bridge::handshake::{Challenge, Hello, HelloAck};
use sidewire_contract::bridge::mac::{MacContext, MacLabel, mac_transcript, pair_secret_transcript};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::identity::BRIDGE_PATH;
use sidewire_contract::ids::Hex256;
use sidewire_contract::number::One;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::identity::{Identity, Key, mac, random};
use crate::{Peer, within};

/// A connection to a worker.
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    authority: String,
    welcome: Option<HelloAck>,
    nonces: Option<(Hex256, Hex256)>,
}

/// How a client was turned away.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// Before the WebSocket stood.
    Http(StatusCode),
    /// By closing it, with this code.
    Closed(Option<CloseCode>),
}

impl Client {
    pub(crate) async fn connect(port: u16, identity: &Identity) -> Result<Self, Refused> {
        let mut client = Self::stranger(port, identity.origin.as_deref()).await?;
        client.shake_hands(identity).await?;
        Ok(client)
    }

    /// Opens the WebSocket and says nothing.
    ///
    /// # Errors
    /// The HTTP status of a refusal.
    pub async fn stranger(port: u16, origin: Option<&str>) -> Result<Self, Refused> {
        Self::stranger_with(port, origin, &[]).await
    }

    /// Opens the WebSocket with further headers and says nothing.
    ///
    /// # Errors
    /// The HTTP status of a refusal.
    ///
    /// # Panics
    /// When nothing listens there.
    pub async fn stranger_with(
        port: u16,
        origin: Option<&str>,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Refused> {
        let authority = format!("127.0.0.1:{port}");
        let stream = within("a connection", TcpStream::connect(&authority))
            .await
            .expect("the worker listens");
        let origin = origin.map(|origin| ("origin", origin));
        let request = upgrade(&authority, headers.iter().copied().chain(origin));
        match within("the upgrade", client_async(request, stream)).await {
            Ok((socket, _)) => Ok(Self {
                socket,
                authority,
                welcome: None,
                nonces: None,
            }),
            Err(Error::Http(response)) => Err(Refused::Http(response.status())),
            Err(error) => panic!("the WebSocket was not opened: {error}"),
        }
    }

    /// Proves a key, after the worker has.
    ///
    /// # Errors
    /// How the worker refused.
    ///
    /// # Panics
    /// When the worker does not prove itself.
    pub async fn shake_hands(&mut self, identity: &Identity) -> Result<(), Refused> {
        let nonce_c = self.hello(&identity.key).await;
        let challenge = self.challenge().await?;
        let context = self.context(identity, &nonce_c, &challenge.nonce_s);
        let expected = mac(&identity.key.secret, &mac_transcript(MacLabel::Server, &context));
        assert_eq!(challenge.mac_s, expected, "the worker knows the secret");
        let mac_c = mac(&identity.key.secret, &mac_transcript(MacLabel::Client, &context));
        self.nonces = Some((nonce_c, challenge.nonce_s));
        self.send(ClientFrame::Proof(identity.proof(mac_c))).await;
        match self.next_or_close().await? {
            WorkerFrame::HelloAck(welcome) => self.welcome = Some(*welcome),
            other => panic!("expected hello_ack, got {other:?}"),
        }
        Ok(())
    }

    /// Names a key; gives the nonce that went with it.
    pub async fn hello(&mut self, key: &Key) -> Hex256 {
        let nonce_c = Hex256::from_bytes(random());
        self.send(ClientFrame::Hello(Hello {
            bridge: One,
            key_id: key.id.clone(),
            nonce_c,
        }))
        .await;
        nonce_c
    }

    /// The worker's challenge.
    ///
    /// # Errors
    /// How the worker refused.
    ///
    /// # Panics
    /// When it sends something else.
    pub async fn challenge(&mut self) -> Result<Challenge, Refused> {
        match self.next_or_close().await? {
            WorkerFrame::Challenge(challenge) => Ok(challenge),
            other => panic!("expected a challenge, got {other:?}"),
        }
    }

    /// What both sides sign.
    #[must_use]
    pub fn context<'a>(
        &'a self,
        identity: &'a Identity,
        nonce_c: &'a Hex256,
        nonce_s: &'a Hex256,
    ) -> MacContext<'a> {
        let origin = identity.origin.as_deref();
        MacContext {
            nonce_c,
            nonce_s,
            authority: &self.authority,
            origin,
            key_id: &identity.key.id,
        }
    }

    /// What a client signs to prove its key.
    #[must_use]
    pub fn client_mac(identity: &Identity, context: &MacContext<'_>) -> Hex256 {
        mac(&identity.key.secret, &mac_transcript(MacLabel::Client, context))
    }

    /// What the worker said of itself.
    ///
    /// # Panics
    /// Before the handshake.
    #[must_use]
    pub fn welcome(&self) -> &HelloAck {
        self.welcome.as_ref().expect("the handshake is done")
    }

    /// Who this client is from now on, after its pairing offer was taken.
    ///
    /// # Panics
    /// When it was not paired.
    #[must_use]
    pub fn paired_identity(&self, newcomer: &Identity) -> Identity {
        let (nonce_c, nonce_s) = self.nonces.as_ref().expect("the handshake is done");
        let transcript = pair_secret_transcript(nonce_c, nonce_s, &newcomer.instance);
        let id = self
            .welcome()
            .paired_key_id
            .clone()
            .expect("the worker gave a key of its own");
        let key = Key {
            id,
            secret: mac(&newcomer.key.secret, &transcript),
        };
        Identity {
            key,
            ..newcomer.clone()
        }
    }

    /// Sends any message, whatever its sense.
    ///
    /// # Panics
    /// When the connection is gone.
    pub async fn send_message(&mut self, message: Message) {
        within("sending", self.socket.send(message))
            .await
            .expect("the connection stands");
    }

    /// Sends a message that the worker may not wait for.
    pub async fn try_send(&mut self, message: Message) -> bool {
        within("sending", self.socket.send(message)).await.is_ok()
    }

    /// The bytes below the WebSocket, for what no library sends.
    pub fn stream(&mut self) -> &mut TcpStream {
        self.socket.get_mut()
    }

    /// The next frame, or how the worker closed.
    ///
    /// # Errors
    /// How the worker closed.
    ///
    /// # Panics
    /// When it sends what is no frame.
    pub async fn next_or_close(&mut self) -> Result<WorkerFrame, Refused> {
        loop {
            match within("a message", self.socket.next()).await {
                Some(Ok(Message::Text(text))) => {
                    return Ok(WorkerFrame::decode(&text).expect("the worker sends frames"));
                }
                Some(Ok(Message::Close(close))) => {
                    return Err(Refused::Closed(close.map(|close| close.code)));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(Refused::Closed(None)),
            }
        }
    }

    /// Sends a ping of the protocol and waits for its pong.
    ///
    /// # Errors
    /// The code with which the worker closed instead.
    pub async fn protocol_ping(&mut self) -> Result<(), Option<CloseCode>> {
        if !self.try_send(Message::Ping(vec![0; 8].into())).await {
            return Err(None);
        }
        loop {
            match within("a message", self.socket.next()).await {
                Some(Ok(Message::Pong(_))) => return Ok(()),
                Some(Ok(Message::Close(close))) => return Err(close.map(|close| close.code)),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    /// How the worker closed, when it sends nothing before.
    ///
    /// # Panics
    /// When it sends a frame.
    pub async fn closed(&mut self) -> Option<CloseCode> {
        match self.next_or_close().await {
            Err(Refused::Closed(code)) => code,
            other => panic!("expected a close, got {other:?}"),
        }
    }

    /// Leaves without a word.
    pub fn vanish(self) {
        drop(self);
    }
}

impl Peer for Client {
    async fn send_text(&mut self, text: &str) {
        self.send_message(Message::text(text)).await;
    }

    async fn receive_text(&mut self) -> Option<String> {
        loop {
            match within("a message", self.socket.next()).await? {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }
}

fn upgrade<'a>(authority: &str, headers: impl Iterator<Item = (&'static str, &'a str)>) -> Request {
    let mut request = format!("ws://{authority}{BRIDGE_PATH}")
        .into_client_request()
        .unwrap();
    for (name, value) in headers {
        request.headers_mut().append(name, value.parse().unwrap());
    }
    request
}
