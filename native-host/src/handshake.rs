//! The host's side of the handshake: the worker proves itself first, then the host does.

use futures_util::{SinkExt, StreamExt};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sidewire_contract::bridge::handshake::{
    Challenge, ClientName, Handover, Hello, HelloAck, Proof, Role, Version,
};
use sidewire_contract::bridge::mac::{MacContext, MacLabel, mac_transcript};
use sidewire_contract::frames::{ClientFrame, DecodeError, WorkerFrame};
use sidewire_contract::identity::BRIDGE_PATH;
use sidewire_contract::ids::{Hex256, InstanceId, KeyId};
use sidewire_contract::limits;
use sidewire_contract::number::One;
use sidewire_contract::text::Text;
use std::io;
use std::net::Ipv4Addr;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message, protocol::WebSocketConfig};

/// A connection to the worker.
pub(crate) type Socket = WebSocketStream<TcpStream>;

/// The version of this program.
pub(crate) const OUR_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A connection whose ends know each other.
pub(crate) struct Connected {
    pub(crate) socket: Socket,
    pub(crate) worker_version: String,
}

/// Why no such connection came about.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandshakeError {
    /// Nothing listens there.
    #[error("nothing listens on the worker's port")]
    Refused(#[source] io::Error),
    /// What listens there is no worker, or it closed the connection.
    #[error("connection failed")]
    Socket(#[source] Box<SocketError>),
    /// It closed the connection.
    #[error("connection was closed")]
    Closed,
    /// It does not know the secret.
    #[error("what listens on the worker's port does not know the secret")]
    Impostor,
    /// It sent something else than the next step.
    #[error("unexpected answer")]
    Unexpected,
    /// It sent no frame.
    #[error("answer is no frame")]
    Decode(#[from] DecodeError),
    /// The system gives no random bytes.
    #[error("no random bytes")]
    Random(#[from] getrandom::Error),
}

impl From<SocketError> for HandshakeError {
    fn from(error: SocketError) -> Self {
        Self::Socket(Box::new(error))
    }
}

/// Connects to a port and performs the handshake.
pub(crate) async fn connect(port: u16, secret: &Hex256) -> Result<Connected, HandshakeError> {
    let mut socket = open(port).await?;
    let key_id = KeyId::local();
    let nonce_c = random()?;
    send(
        &mut socket,
        ClientFrame::Hello(Hello {
            bridge: One,
            key_id: key_id.clone(),
            nonce_c,
        }),
    )
    .await?;
    let WorkerFrame::Challenge(Challenge { nonce_s, mac_s }) = receive(&mut socket).await? else {
        return Err(HandshakeError::Unexpected);
    };
    let authority = format!("127.0.0.1:{port}");
    let context = MacContext {
        nonce_c: &nonce_c,
        nonce_s: &nonce_s,
        authority: &authority,
        origin: None,
        key_id: &key_id,
    };
    // Nothing more is said to what cannot prove itself. The comparison takes the same time wherever it differs.
    let expected = keyed(secret, &mac_transcript(MacLabel::Server, &context));
    expected
        .verify_slice(mac_s.bytes())
        .map_err(|_| HandshakeError::Impostor)?;
    let mac = keyed(secret, &mac_transcript(MacLabel::Client, &context)).finalize();
    send(
        &mut socket,
        ClientFrame::Proof(proof(Hex256::from_bytes(mac.into_bytes().into()))),
    )
    .await?;
    let WorkerFrame::HelloAck(ack) = receive(&mut socket).await? else {
        return Err(HandshakeError::Unexpected);
    };
    let HelloAck { worker, .. } = *ack;
    Ok(Connected {
        socket,
        worker_version: worker.version.into_string(),
    })
}

/// Asks an older worker to end; gives whether it will.
pub(crate) async fn hand_over(socket: &mut Socket) -> Result<bool, HandshakeError> {
    send(
        socket,
        ClientFrame::Handover(Handover {
            version: Text::clipped(OUR_VERSION),
        }),
    )
    .await?;
    loop {
        // Whatever else it says now is meant for the extension, which asks again once it is connected.
        if let WorkerFrame::HandoverAck(ack) = receive(socket).await? {
            return Ok(ack.accepted);
        }
    }
}

/// Waits until the worker has closed the connection.
pub(crate) async fn closed(mut socket: Socket) {
    while let Some(Ok(_)) = socket.next().await {}
}

async fn open(port: u16) -> Result<Socket, HandshakeError> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(HandshakeError::Refused)?;
    stream.set_nodelay(true).map_err(HandshakeError::Refused)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(64 * 1024)
        // What is too long for the browser is still taken, so that it can be reported instead of ending everything.
        .max_message_size(Some(limits::INBOUND_FRAME))
        .max_frame_size(Some(limits::INBOUND_FRAME));
    let address = format!("ws://127.0.0.1:{port}{BRIDGE_PATH}");
    let (socket, _) = tokio_tungstenite::client_async_with_config(address, stream, Some(config)).await?;
    Ok(socket)
}

async fn send(socket: &mut Socket, frame: ClientFrame) -> Result<(), HandshakeError> {
    Ok(socket.send(Message::text(frame.encode())).await?)
}

async fn receive(socket: &mut Socket) -> Result<WorkerFrame, HandshakeError> {
    loop {
        match socket.next().await.ok_or(HandshakeError::Closed)?? {
            Message::Text(json) => return Ok(WorkerFrame::decode(&json)?),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            Message::Close(_) => return Err(HandshakeError::Closed),
            Message::Binary(_) => return Err(HandshakeError::Unexpected),
        }
    }
}

fn proof(mac_c: Hex256) -> Proof {
    Proof {
        mac_c,
        client: ClientName {
            name: Text::clipped("sidewire-host"),
            version: Text::clipped(OUR_VERSION),
        },
        // The extension names its own installation later; this one only tells connections apart.
        instance: InstanceId::from_bytes(uuid::Uuid::new_v4().into_bytes()),
        contract_version: Version::contract(),
        role: Role::Host,
        browser_run: None,
        ephemeral: None,
    }
}

fn random() -> Result<Hex256, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(Hex256::from_bytes(bytes))
}

fn keyed(secret: &Hex256, transcript: &[u8]) -> Hmac<Sha256> {
    // A secret shorter than the block is filled up with zeros, by the definition of HMAC.
    let mut block = [0; 64];
    for (place, byte) in block.iter_mut().zip(secret.bytes()) {
        *place = *byte;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
    mac.update(transcript);
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidewire_contract::bridge::handshake::{HandoverAck, Limits, WorkerName};
    use sidewire_contract::model::ModelState;
    use tokio::net::TcpListener;
    use tokio_tungstenite::tungstenite::handshake::server::{Callback, ErrorResponse, Request, Response};

    const SECRET: Hex256 = Hex256::from_bytes([7; 32]);

    /// Keeps what a worker would look at before it lets a socket in.
    struct Seen(Option<Request>);

    impl Callback for &mut Seen {
        fn on_request(self, request: &Request, response: Response) -> Result<Response, ErrorResponse> {
            self.0 = Some(request.clone());
            Ok(response)
        }
    }

    /// A worker for one connection.
    struct Worker {
        socket: Socket,
        authority: String,
        request: Request,
    }

    async fn accept(listener: &TcpListener) -> Worker {
        let (stream, _) = listener.accept().await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let mut seen = Seen(None);
        let socket = tokio_tungstenite::accept_hdr_async(stream, &mut seen)
            .await
            .unwrap();
        Worker {
            socket,
            authority,
            request: seen.0.unwrap(),
        }
    }

    impl Worker {
        async fn next(&mut self) -> Option<ClientFrame> {
            let message = self.socket.next().await?.ok()?;
            ClientFrame::decode(message.to_text().ok()?).ok()
        }

        async fn send(&mut self, frame: WorkerFrame) {
            self.socket.send(Message::text(frame.encode())).await.unwrap();
        }

        /// Performs the handshake with a secret and gives the proof, if one came.
        async fn shake_hands(&mut self, secret: &Hex256) -> Option<Proof> {
            let Some(ClientFrame::Hello(hello)) = self.next().await else {
                panic!("a hello")
            };
            let nonce_s = Hex256::from_bytes([9; 32]);
            let authority = self.authority.clone();
            let context = MacContext {
                nonce_c: &hello.nonce_c,
                nonce_s: &nonce_s,
                authority: &authority,
                origin: None,
                key_id: &hello.key_id,
            };
            let mac = |label| {
                keyed(secret, &mac_transcript(label, &context))
                    .finalize()
                    .into_bytes()
                    .into()
            };
            let mac_s = Hex256::from_bytes(mac(MacLabel::Server));
            self.send(WorkerFrame::Challenge(Challenge { nonce_s, mac_s }))
                .await;
            let Some(ClientFrame::Proof(proof)) = self.next().await else {
                return None;
            };
            assert_eq!(proof.mac_c, Hex256::from_bytes(mac(MacLabel::Client)));
            self.send(WorkerFrame::HelloAck(Box::new(hello_ack()))).await;
            Some(proof)
        }
    }

    fn hello_ack() -> HelloAck {
        let offline = || Text::clipped("offline");
        HelloAck {
            worker: WorkerName {
                version: Text::clipped("0.0.1"),
            },
            contract_version: "2.1.0".to_owned(),
            limits: Limits::default(),
            features: Vec::new(),
            model: ModelState {
                provider: offline(),
                model: offline(),
                label: offline(),
                offline: true,
                window: None,
            },
            paired_key_id: None,
        }
    }

    async fn listen() -> (TcpListener, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[tokio::test]
    async fn both_sides_prove_themselves() {
        let (listener, port) = listen().await;
        let peer = async {
            let mut worker = accept(&listener).await;
            let proof = worker.shake_hands(&SECRET).await.unwrap();
            (worker, proof)
        };
        let (connected, (worker, proof)) = tokio::join!(connect(port, &SECRET), peer);
        assert_eq!(connected.unwrap().worker_version, "0.0.1");
        assert_eq!((proof.role, proof.browser_run), (Role::Host, None));
        assert_eq!(worker.request.uri().path(), "/bridge");
        assert!(!worker.request.headers().contains_key("origin"));
        assert_eq!(worker.request.headers()["host"], worker.authority.as_str());
    }

    #[tokio::test]
    async fn nothing_is_said_to_what_does_not_know_the_secret() {
        let (listener, port) = listen().await;
        let peer = async {
            accept(&listener)
                .await
                .shake_hands(&Hex256::from_bytes([8; 32]))
                .await
        };
        let (connected, proof) = tokio::join!(connect(port, &SECRET), peer);
        assert!(matches!(connected.map(drop), Err(HandshakeError::Impostor)));
        assert_eq!(proof, None);
    }

    #[tokio::test]
    async fn another_step_than_the_next_is_refused() {
        let (listener, port) = listen().await;
        let peer = async {
            let mut worker = accept(&listener).await;
            worker.next().await.unwrap();
            worker.send(WorkerFrame::HelloAck(Box::new(hello_ack()))).await;
        };
        let (connected, ()) = tokio::join!(connect(port, &SECRET), peer);
        assert!(matches!(connected.map(drop), Err(HandshakeError::Unexpected)));
    }

    #[tokio::test]
    async fn a_port_nobody_listens_on_is_told_apart() {
        let (listener, port) = listen().await;
        drop(listener);
        assert!(matches!(
            connect(port, &SECRET).await.map(drop),
            Err(HandshakeError::Refused(_))
        ));
    }

    #[tokio::test]
    async fn an_older_worker_can_be_asked_to_end() {
        let (listener, port) = listen().await;
        let peer = async {
            let mut worker = accept(&listener).await;
            worker.shake_hands(&SECRET).await.unwrap();
            let Some(ClientFrame::Handover(handover)) = worker.next().await else {
                panic!("a handover")
            };
            assert_eq!(handover.version.as_str(), OUR_VERSION);
            worker
                .send(WorkerFrame::HandoverAck(HandoverAck { accepted: true }))
                .await;
        };
        let client = async {
            let mut connected = connect(port, &SECRET).await.unwrap();
            assert!(hand_over(&mut connected.socket).await.unwrap());
            closed(connected.socket).await;
        };
        tokio::join!(client, peer);
    }
}
