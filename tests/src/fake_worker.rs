//! Something that listens where a worker should: an impostor, a relaying impostor, or a worker of another version.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{SinkExt, StreamExt};
use sidewire_contract::bridge::handshake::{Challenge, HandoverAck, HelloAck, Limits, WorkerName};
use sidewire_contract::bridge::mac::{MacContext, MacLabel, mac_transcript};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::identity::{BRIDGE_VERSION, CONTRACT_VERSION};
use sidewire_contract::ids::Hex256;
use sidewire_contract::layout::WorkerState;
use sidewire_contract::model::ModelState;
use sidewire_contract::text::NonEmpty;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use crate::identity::{mac, random};
use crate::{Client, Home, Peer};

/// How the fake behaves.
#[derive(Clone, Debug)]
pub enum Fake {
    /// Does not know the secret and invents a proof.
    Impostor,
    /// Does not know the secret and passes the hello on to the real worker on this port.
    Relay(u16),
    /// Knows the secret and says that it has this version; ends when it is asked to hand over.
    Worker(&'static str),
}

/// A listener that wrote itself down as the worker.
pub struct FakeWorker {
    /// Where it listens.
    pub port: u16,
    // A std mutex: pushes and clones only.
    heard: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl FakeWorker {
    /// Listens and takes the worker's place in a home.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start(home: &Home, fake: Fake) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let secret = match home.layout().local_secret().exists() {
            true => home.local_secret(),
            false => Hex256::from_bytes(random()),
        };
        home.write_private("local.secret", &secret.to_string());
        write_state(home, port, &fake);
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let listening = Listening {
            port,
            secret,
            fake,
            heard: Arc::clone(&heard),
            state: home.layout().worker_file(),
        };
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if listening.clone().serve(stream).await.is_none() {
                    return;
                }
            }
        });
        Self { port, heard, serving }
    }

    /// Every text that was sent to it.
    #[must_use]
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FakeWorker {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn write_state(home: &Home, port: u16, fake: &Fake) {
    let version = match fake {
        Fake::Impostor | Fake::Relay(_) => env!("CARGO_PKG_VERSION"),
        Fake::Worker(version) => version,
    };
    let state = WorkerState {
        pid: std::process::id(),
        port,
        version: version.to_owned(),
        started_at: 0,
        bridge: BRIDGE_VERSION,
    };
    home.write_private("worker.json", &serde_json::to_string(&state).unwrap());
}

#[derive(Clone)]
struct Listening {
    port: u16,
    secret: Hex256,
    fake: Fake,
    heard: Arc<Mutex<Vec<String>>>,
    state: std::path::PathBuf,
}

impl Listening {
    /// Serves one client; none when this fake has handed over and ends.
    async fn serve(self, stream: TcpStream) -> Option<()> {
        let Ok(mut socket) = accept_async(stream).await else {
            return Some(());
        };
        while let Some(text) = next_text(&mut socket).await {
            self.heard
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(text.clone());
            let Ok(frame) = ClientFrame::decode(&text) else {
                continue;
            };
            let (answer, ends) = self.answer(frame, &text).await?;
            drop(socket.send(Message::text(answer)).await);
            if ends {
                std::fs::remove_file(&self.state).unwrap();
                return None;
            }
        }
        Some(())
    }

    async fn answer(&self, frame: ClientFrame, text: &str) -> Option<(String, bool)> {
        let frame = match frame {
            ClientFrame::Hello(hello) => return Some((self.challenge(&hello, text).await, false)),
            ClientFrame::Proof(_) => WorkerFrame::HelloAck(Box::new(self.hello_ack())),
            ClientFrame::Handover(_) => return Some((hand_over(), true)),
            _ => return Some((WorkerFrame::Pong(Default::default()).encode(), false)),
        };
        Some((frame.encode(), false))
    }

    async fn challenge(&self, hello: &sidewire_contract::bridge::handshake::Hello, text: &str) -> String {
        let nonce_s = Hex256::from_bytes(random());
        let mac_s = match self.fake {
            Fake::Relay(port) => return relayed(port, text).await,
            Fake::Impostor => Hex256::from_bytes(random()),
            Fake::Worker(_) => {
                let authority = format!("127.0.0.1:{}", self.port);
                let context = MacContext {
                    nonce_c: &hello.nonce_c,
                    nonce_s: &nonce_s,
                    authority: &authority,
                    origin: None,
                    key_id: &hello.key_id,
                };
                mac(&self.secret, &mac_transcript(MacLabel::Server, &context))
            }
        };
        WorkerFrame::Challenge(Challenge { nonce_s, mac_s }).encode()
    }

    fn hello_ack(&self) -> HelloAck {
        let Fake::Worker(version) = self.fake else {
            panic!("nobody proves anything to an impostor")
        };
        let name = |text| NonEmpty::new(text).unwrap();
        HelloAck {
            worker: WorkerName {
                version: name(version),
            },
            contract_version: CONTRACT_VERSION.to_owned(),
            limits: Limits::default(),
            features: Vec::new(),
            model: ModelState {
                provider: name("p"),
                model: name("m"),
                label: name("m"),
                offline: true,
                window: None,
            },
            paired_key_id: None,
        }
    }
}

fn hand_over() -> String {
    WorkerFrame::HandoverAck(HandoverAck { accepted: true }).encode()
}

/// What the real worker answers to somebody else's hello.
async fn relayed(port: u16, hello: &str) -> String {
    let mut client = Client::stranger(port, None)
        .await
        .expect("the real worker listens");
    client.send_text(hello).await;
    client.receive_text().await.expect("the real worker answers")
}

async fn next_text(socket: &mut WebSocketStream<TcpStream>) -> Option<String> {
    loop {
        match socket.next().await?.ok()? {
            Message::Text(text) => return Some(text.as_str().to_owned()),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}
