//! The client's half of the handshake with the local secret, and frames afterwards.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use sidewire_contract::bridge::handshake::{ClientName, Hello, HelloAck, Pong, Proof, Role, Version};
use sidewire_contract::bridge::mac::{MacContext, MacLabel, mac_transcript};
use sidewire_contract::frames::{ClientFrame, DecodeError, WorkerFrame};
use sidewire_contract::ids::{Hex256, InstanceId, KeyId};
use sidewire_contract::number::One;
use sidewire_contract::text::Text;
use sidewire_contract::{identity, limits};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::mac::{self, Secret};

/// A worker that lives has answered by then.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to the worker that both sides have proved.
pub(crate) struct Link {
    socket: WebSocketStream<TcpStream>,
}

/// What the worker said of itself.
pub(crate) type Welcome = HelloAck;

/// Why there is no connection, or no longer one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    #[error("no worker answers on 127.0.0.1:{port}")]
    Unreachable { port: u16, source: std::io::Error },
    #[error("the connection to the worker failed")]
    Socket(#[from] tungstenite::Error),
    #[error("the worker closed the connection")]
    Closed,
    #[error("what answers on that port could not prove that it is the worker")]
    Impostor,
    #[error("the worker sent a frame that cannot be read")]
    Frame(#[from] DecodeError),
    #[error("what listens on that port does not answer")]
    Silent,
    #[error("the system gave no random numbers")]
    Random,
}

impl Link {
    /// Connects as the command line; nothing the connection asks is kept.
    pub(crate) async fn open(port: u16, secret: &Secret) -> Result<(Self, Welcome), LinkError> {
        timeout(PATIENCE, Self::connect(port, secret))
            .await
            .map_err(|_| LinkError::Silent)?
    }

    async fn connect(port: u16, secret: &Secret) -> Result<(Self, Welcome), LinkError> {
        let stream = TcpStream::connect((std::net::Ipv4Addr::LOCALHOST, port))
            .await
            .map_err(|source| LinkError::Unreachable { port, source })?;
        stream.set_nodelay(true).map_err(tungstenite::Error::Io)?;
        let authority = format!("127.0.0.1:{port}");
        let config = WebSocketConfig::default().max_message_size(Some(limits::INBOUND_FRAME));
        let url = format!("ws://{authority}{}", identity::BRIDGE_PATH);
        let (socket, _) = client_async_with_config(url, stream, Some(config)).await?;
        let mut link = Self { socket };
        let welcome = link.prove(&authority, secret).await?;
        Ok((link, welcome))
    }

    async fn prove(&mut self, authority: &str, secret: &Secret) -> Result<Welcome, LinkError> {
        let (nonce_c, key_id) = (Hex256::from_bytes(random()?), KeyId::local());
        self.send(&ClientFrame::Hello(Hello {
            bridge: One,
            key_id: key_id.clone(),
            nonce_c,
        }))
        .await?;
        let WorkerFrame::Challenge(challenge) = self.receive().await? else {
            return Err(LinkError::Impostor);
        };
        let context = MacContext {
            nonce_c: &nonce_c,
            nonce_s: &challenge.nonce_s,
            authority,
            origin: None,
            key_id: &key_id,
        };
        if !mac::verify(
            secret,
            &mac_transcript(MacLabel::Server, &context),
            challenge.mac_s.bytes(),
        ) {
            return Err(LinkError::Impostor);
        }
        let mac_c = mac::sign(secret, &mac_transcript(MacLabel::Client, &context));
        self.send(&ClientFrame::Proof(introduction(Hex256::from_bytes(mac_c))?))
            .await?;
        match self.receive().await? {
            WorkerFrame::HelloAck(welcome) => Ok(*welcome),
            _ => Err(LinkError::Impostor),
        }
    }

    /// Sends a frame.
    pub(crate) async fn send(&mut self, frame: &ClientFrame) -> Result<(), LinkError> {
        Ok(self.socket.send(Message::text(frame.encode())).await?)
    }

    /// The next frame; a worker's question whether we are still here is answered on the way.
    pub(crate) async fn receive(&mut self) -> Result<WorkerFrame, LinkError> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => match WorkerFrame::decode(&text)? {
                    WorkerFrame::Ping(_) => self.send(&ClientFrame::Pong(Pong {})).await?,
                    frame => return Ok(frame),
                },
                Some(Ok(Message::Close(_))) | None => return Err(LinkError::Closed),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }

    /// Says goodbye; the worker need not answer.
    pub(crate) async fn close(mut self) {
        let _gone_either_way = self.socket.close(None).await;
    }
}

fn introduction(mac_c: Hex256) -> Result<Proof, LinkError> {
    Ok(Proof {
        mac_c,
        client: ClientName {
            name: Text::clipped("sidewire"),
            version: Text::clipped(env!("CARGO_PKG_VERSION")),
        },
        instance: InstanceId::from_bytes(random()?),
        contract_version: Version::contract(),
        role: Role::Cli,
        browser_run: None,
        ephemeral: Some(true),
    })
}

fn random<const N: usize>() -> Result<[u8; N], LinkError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| LinkError::Random)?;
    Ok(bytes)
}
