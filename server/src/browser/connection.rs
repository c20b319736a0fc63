//! One client from handshake to end: frames in, handlers beside, the writer apart.
//!
//! The reader never waits for the client (invariant 6): a handler is a future polled beside it. Up to
//! [`HANDLERS`] run at once; then reading pauses, which a client that reads its answers never sees.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, SplitStream};
use futures_util::{SinkExt, StreamExt};
use sidewire_contract::bridge::handshake::{BridgeError, BridgeErrorCode, ClientInfo, Pong};
use sidewire_contract::frames::{ClientFrame, DecodeError, WorkerFrame};
use sidewire_contract::limits;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::text::NonEmpty;
use tokio::sync::{Notify, OwnedSemaphorePermit, broadcast, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::checks::Caller;
use super::desk::{Desk, Outlet};
use super::gate::GateKey;
use super::handshake;
use super::host_tools::HostTools;
use super::listener::Socket;
use super::media_read::{self, Reads};
use super::writer::{Cancels, Writer};
use super::{Counted, Front, requests, translate};

/// Handlers of one connection at once.
const HANDLERS: usize = 64;
/// Posts that wait for the writer; a handler with one more waits itself.
const POSTS: usize = 64;
/// Frames that cannot be read before the client is given up.
const BAD_FRAMES: u32 = 64;
/// A revoked pairing ends its connection at most this late.
const RECHECK: Duration = Duration::from_secs(5);
/// A client that answers pings is heard at least every 20 s; three missed and it is gone.
const SILENCE: Duration = Duration::from_secs(65);

/// Serves one socket to its end.
pub(super) async fn serve(
    mut socket: Socket,
    key: GateKey,
    stranger: OwnedSemaphorePermit,
    caller: Caller,
    front: Arc<Front>,
) {
    // Boxed, so that its room is given back once a client is proved: connections are many and idle.
    let proving = Box::pin(handshake::authenticate(&mut socket, &caller, &front));
    let authenticated = tokio::select! {
        authenticated = proving => authenticated,
        // A stranger must not hold up a worker that ends.
        () = front.closing.cancelled() => return,
    };
    let client = match authenticated {
        Ok(client) => client,
        Err(refusal) => return turn_away(socket, &refusal).await,
    };
    drop(stranger);
    key.open();
    let counted = Counted::new(&front);
    tracing::info!(role = client.role.as_str(), "client connected");
    let (sink, stream) = socket.split();
    let (post, posts) = mpsc::channel(POSTS);
    let wake = Arc::new(Notify::new());
    let cancels = Cancels::new(Arc::clone(&wake));
    let writer = Writer::new(sink, posts, (Arc::clone(&wake), Arc::clone(&cancels)));
    let outward = (post.clone(), cancels);
    let tools = HostTools::new(outward, front.host_tool_patience, front.library.clone());
    let (reads, waiting_reads) = Reads::new();
    // Pending calls fail and tools are gone whichever way this ends.
    let _closing = tools.close_on_drop();
    let outlet = Outlet {
        post,
        wake,
        tools,
        reads,
    };
    let desk = Desk::new(Arc::clone(&front), client, outlet);
    let ended = tokio::select! {
        ended = read(stream, desk) => ended,
        ended = writer.run(front.closing.clone()) => ended.map_err(Ended::Socket),
        () = media_read::serve(waiting_reads) => Ok(()),
    };
    if let Err(reason) = ended {
        tracing::info!(%reason, "client lost");
    }
    drop(counted);
}

async fn turn_away(mut socket: Socket, refusal: &handshake::Refusal) {
    tracing::warn!(%refusal, "turned a stranger away");
    let close = CloseFrame {
        code: CloseCode::Policy,
        reason: "handshake refused".into(),
    };
    let farewell = socket.send(Message::Close(Some(close)));
    // A stranger that does not even read its farewell is left.
    let _left = tokio::time::timeout(Duration::from_secs(1), farewell).await;
}

/// Why a connection ended other than by the client's wish.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("the socket failed: {0}")]
    Socket(#[from] Error),
    #[error("the client fell silent")]
    Silent,
    #[error("the client kept sending frames that cannot be read")]
    Rubbish,
    #[error("the client's pairing was revoked")]
    Revoked,
    #[error("its introduction was refused: {0}")]
    Introduction(#[from] handshake::Refusal),
}

type Handler = BoxFuture<'static, ()>;

async fn read(mut stream: SplitStream<Socket>, desk: Desk) -> Result<(), Ended> {
    let mut desk = Arc::new(desk);
    let mut models = desk.front.model_changes.subscribe();
    let mut handlers: FuturesUnordered<Handler> = FuturesUnordered::new();
    let mut recheck = tokio::time::interval(RECHECK);
    let mut silence = Silence::new();
    let mut bad_frames = 0;
    loop {
        silence.listen(handlers.len() < HANDLERS);
        let frame = tokio::select! {
            _ = recheck.tick(), if !desk.client.key_id.is_local() => {
                if desk.is_revoked().await {
                    return Err(Ended::Revoked);
                }
                continue;
            }
            Some(()) = handlers.next(), if !handlers.is_empty() => continue,
            changed = models.recv() => {
                handlers.push(announce_model(Arc::clone(&desk), changed));
                continue;
            }
            () = silence.too_long() => return Err(Ended::Silent),
            frame = stream.next(), if silence.is_listening => frame,
        };
        silence.end();
        let text = match frame {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_))) | None => return Ok(()),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Binary(_))) => {
                handlers.push(refuse(&desk, BridgeErrorCode::BadFrame, "frames are text"));
                continue;
            }
            Some(Err(error)) => return Err(error.into()),
        };
        match decode(&text) {
            Ok(ClientFrame::ClientInfo(info)) => handlers.push(introduce(&mut desk, &info)?),
            Ok(frame) => handlers.push(dispatch(Arc::clone(&desk), frame, text.len())),
            Err(error) => {
                bad_frames += 1;
                if bad_frames > BAD_FRAMES {
                    return Err(Ended::Rubbish);
                }
                handlers.push(answer_rubbish(&desk, error));
            }
        }
    }
}

/// How long a client has said nothing. Time in which nobody listens to it does not count.
struct Silence {
    since: Instant,
    is_listening: bool,
}

impl Silence {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            is_listening: true,
        }
    }

    /// The client was heard.
    fn end(&mut self) {
        self.since = Instant::now();
    }

    /// Whether somebody listens from now on.
    fn listen(&mut self, is_listening: bool) {
        if is_listening && !self.is_listening {
            self.end();
        }
        self.is_listening = is_listening;
    }

    /// Resolves when the client is gone.
    async fn too_long(&self) {
        if self.is_listening {
            sleep_until(self.since + SILENCE).await;
        } else {
            std::future::pending::<()>().await;
        }
    }
}

/// What cannot be read is still answered when it says whose it is.
fn answer_rubbish(desk: &Arc<Desk>, rubbish: DecodeError) -> Handler {
    tracing::warn!(%rubbish, "a frame could not be read");
    match rubbish {
        DecodeError::InvalidFrame {
            chat_id: Some(id),
            frame_type: "chat_request",
            ..
        } => post_later(desk, translate::error(id, ErrorReason::Provider4xx)),
        DecodeError::InvalidFrame {
            frame_type: "set_host_tools",
            ..
        } => {
            desk.tools().queue_unreadable();
            register(desk)
        }
        DecodeError::InvalidFrame {
            call_id: Some(id),
            frame_type,
            ..
        } => {
            desk.tools().unreadable(frame_type, &id);
            done()
        }
        // A client that waits for a chunk knows no other answer.
        DecodeError::InvalidFrame {
            request_id: Some(id),
            frame_type: "media_asset_read",
            ..
        } => post_later(desk, media_read::unavailable(NonEmpty::clipped(id.as_str()))),
        DecodeError::InvalidFrame {
            request_id: Some(id),
            why,
            ..
        } => post_later(desk, requests::bad_request(id, why)),
        error => refuse(desk, BridgeErrorCode::BadFrame, &error.to_string()),
    }
}

fn decode(text: &str) -> Result<ClientFrame, DecodeError> {
    if limits::check_depth(text.as_bytes(), limits::DEPTH).is_err() {
        return Err(ClientFrame::refused(text, "nested too deep"));
    }
    ClientFrame::decode(text)
}

fn refuse(desk: &Arc<Desk>, code: BridgeErrorCode, message: &str) -> Handler {
    post_later(
        desk,
        WorkerFrame::BridgeError(BridgeError {
            code,
            message: message.to_owned(),
        }),
    )
}

fn post_later(desk: &Arc<Desk>, frame: WorkerFrame) -> Handler {
    let desk = Arc::clone(desk);
    Box::pin(async move { desk.send(frame).await })
}

/// A browser tells who it is behind its native host: a new desk from now on.
fn introduce(desk: &mut Arc<Desk>, info: &ClientInfo) -> Result<Handler, Ended> {
    let (client, ack) = desk.client.introduced(info, &desk.front)?;
    *desk = Arc::new(desk.introduce(client));
    Ok(post_later(desk, ack))
}

fn announce_model(
    desk: Arc<Desk>,
    changed: Result<sidewire_contract::model::ModelState, broadcast::error::RecvError>,
) -> Handler {
    Box::pin(async move {
        // Missed changes do not matter: the newest one is what is announced.
        let model = changed.unwrap_or_else(|_| desk.front.models.current());
        desk.send(requests::model_changed(model)).await;
    })
}

/// Answers the oldest set of tools that waits.
fn register(desk: &Arc<Desk>) -> Handler {
    let desk = Arc::clone(desk);
    Box::pin(async move { desk.tools().register(desk.front.agent.tools()).await })
}

/// Everything was done where the frame was read.
fn done() -> Handler {
    Box::pin(std::future::ready(()))
}

/// What a native host may say before its browser has introduced itself: nothing that is anybody's.
fn is_nobodys(frame: &ClientFrame) -> bool {
    matches!(
        frame,
        ClientFrame::Ping(_) | ClientFrame::Pong(_) | ClientFrame::Handover(_)
    )
}

/// One handler per frame, grouped by what they concern; `bytes` is how long it was.
fn dispatch(desk: Arc<Desk>, frame: ClientFrame, bytes: usize) -> Handler {
    if desk.client.is_anonymous && !is_nobodys(&frame) {
        return refuse(&desk, BridgeErrorCode::BadFrame, "client_info comes first");
    }
    match frame {
        ClientFrame::ChatRequest(request) => {
            desk.expect(&request.id);
            Box::pin(async move { desk.ask(*request).await })
        }
        ClientFrame::ChatStop(stop) => {
            desk.stop(&stop.id);
            done()
        }
        ClientFrame::Resume(resume) => Box::pin(async move {
            for id in resume.turns.as_slice() {
                desk.resume(id.clone()).await;
            }
        }),
        ClientFrame::Ping(_) => post_later(&desk, WorkerFrame::Pong(Pong {})),
        ClientFrame::Handover(handover) => {
            Box::pin(async move { desk.hand_over(handover.version.as_str()).await })
        }
        // Nothing to do: hearing it was the point.
        ClientFrame::Pong(_) => done(),
        ClientFrame::Hello(_) | ClientFrame::Proof(_) | ClientFrame::ClientInfo(_) => {
            refuse(&desk, BridgeErrorCode::BadFrame, "the handshake is over")
        }
        ClientFrame::SetHostTools(set) => {
            desk.tools().queue(set, bytes);
            register(&desk)
        }
        ClientFrame::HostToolUpdate(update) => {
            desk.tools().update(&update);
            done()
        }
        ClientFrame::HostToolResult(result) => {
            desk.tools().result(result, bytes);
            done()
        }
        ClientFrame::MediaAssetRead(read) => match desk.queue_read(read) {
            Some(answer) => post_later(&desk, answer),
            None => done(),
        },
        request => Box::pin(async move {
            if let Some(answer) = requests::answer(&desk, request).await {
                desk.send(answer).await;
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_in_which_nobody_listens_is_no_silence() {
        let mut silence = Silence::new();
        let is_over = |silence: &Silence| silence.too_long().now_or_never().is_some();
        tokio::time::advance(SILENCE / 2).await;
        silence.listen(false);
        tokio::time::advance(SILENCE * 10).await;
        assert!(!is_over(&silence));
        silence.listen(true);
        tokio::time::advance(SILENCE / 2).await;
        silence.listen(true);
        assert!(!is_over(&silence));
        tokio::time::advance(SILENCE).await;
        assert!(is_over(&silence));
        silence.end();
        assert!(!is_over(&silence));
    }
}
