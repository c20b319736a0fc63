//! The sending half of a connection: posts from handlers and news of turns become frames, in order.
//!
//! News is taken from feeds when the socket is ready for it, so deltas merge while a client is slow and nothing is
//! queued for it. All that is ready is written with one flush.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use sidewire_agent::feed::Subscription;
use sidewire_contract::bridge::handshake::Ping;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::ChatId;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::sync::CancellationToken;

use super::fit;
use super::listener::Socket;
use super::media_read::ReadyPart;
use super::translate::TurnWire;

/// A running turn of which nothing was sent for so long gets a keepalive.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// So often a client is asked for a sign of life, whatever else is sent: it is judged by what it sends
/// ([`super::connection`]). Protocol pings would not do, they do not keep a service worker alive.
const PING: Duration = Duration::from_secs(20);
/// A client that takes nothing for so long is given up.
const STALLED: Duration = Duration::from_secs(30);

/// What a handler wants sent.
pub(super) enum Post {
    /// One frame; boxed, since a channel keeps room for its largest message.
    Frame(Box<WorkerFrame>),
    /// Frames with nothing between them, behind everything that has happened in turns before.
    Together(Vec<WorkerFrame>),
    /// A first frame about a turn, and then everything that happens in it. Replaces an earlier following of it.
    Follow(Box<Follow>),
    /// A turn as it ended; nothing of it follows, even if it was being followed.
    Ended { snapshot: Box<WorkerFrame>, id: ChatId },
    /// A part of a file; it waits for everything else, and everything else for one part at most.
    Part(Box<ReadyPart>),
}

/// A turn to follow.
pub(super) struct Follow {
    pub(super) first: WorkerFrame,
    pub(super) turn: TurnWire,
    pub(super) subscription: Subscription,
}

/// The sending half.
pub(super) struct Writer {
    sink: SplitSink<Socket, Message>,
    posts: mpsc::Receiver<Post>,
    wake: Arc<Notify>,
    turns: Vec<Following>,
    /// As many as may be read at once, at most.
    parts: VecDeque<Box<ReadyPart>>,
    next_ping: Instant,
}

struct Following {
    turn: TurnWire,
    subscription: Subscription,
    last_sent: Instant,
}

impl Writer {
    pub(super) fn new(
        sink: SplitSink<Socket, Message>,
        posts: mpsc::Receiver<Post>,
        wake: Arc<Notify>,
    ) -> Self {
        Self {
            sink,
            posts,
            wake,
            turns: Vec::new(),
            parts: VecDeque::new(),
            next_ping: Instant::now() + PING,
        }
    }

    /// Sends until the handlers are gone, the socket fails, or `closing` fires and everything was said.
    pub(super) async fn run(mut self, closing: CancellationToken) -> Result<(), Error> {
        let mut frames = Vec::new();
        loop {
            let deadline = self.next_deadline();
            tokio::select! {
                () = self.wake.notified() => {}
                post = self.posts.recv() => match post {
                    Some(post) => self.accept(post, &mut frames),
                    None => return Ok(()),
                },
                () = tokio::time::sleep_until(deadline) => self.prove_life(&mut frames),
                () = closing.cancelled() => return self.say_goodbye(frames).await,
                () = std::future::ready(()), if !self.parts.is_empty() => {}
            }
            self.gather(&mut frames);
            self.send(&mut frames).await?;
            self.send_part().await?;
        }
    }

    fn accept(&mut self, post: Post, frames: &mut Vec<WorkerFrame>) {
        match post {
            Post::Frame(frame) => frames.push(*frame),
            Post::Together(together) => {
                self.take_news(frames);
                frames.extend(together);
            }
            Post::Ended { snapshot, id } => {
                self.turns.retain(|following| following.turn.id != id);
                frames.push(*snapshot);
            }
            Post::Part(part) => self.parts.push_back(part),
            Post::Follow(follow) => {
                let Follow {
                    first,
                    turn,
                    subscription,
                } = *follow;
                frames.push(first);
                self.turns.retain(|following| following.turn.id != turn.id);
                self.turns.push(Following {
                    turn,
                    subscription,
                    last_sent: Instant::now(),
                });
            }
        }
    }

    /// Takes what else is ready.
    fn gather(&mut self, frames: &mut Vec<WorkerFrame>) {
        while let Ok(post) = self.posts.try_recv() {
            self.accept(post, frames);
        }
        self.take_news(frames);
    }

    fn take_news(&mut self, frames: &mut Vec<WorkerFrame>) {
        let now = Instant::now();
        self.turns.retain_mut(|following| {
            let before = frames.len();
            let ended = following
                .subscription
                .take()
                .into_iter()
                .any(|news| following.turn.frames(news, frames));
            if frames.len() > before {
                following.last_sent = now;
            }
            !ended
        });
    }

    fn prove_life(&mut self, frames: &mut Vec<WorkerFrame>) {
        let now = Instant::now();
        for following in &mut self.turns {
            if now >= following.last_sent + KEEPALIVE {
                following.last_sent = now;
                frames.push(following.turn.keepalive());
            }
        }
        if now >= self.next_ping {
            self.next_ping = now + PING;
            frames.push(WorkerFrame::Ping(Ping {}));
        }
    }

    fn next_deadline(&self) -> Instant {
        let keepalives = self.turns.iter().map(|following| following.last_sent + KEEPALIVE);
        keepalives.fold(self.next_ping, Instant::min)
    }

    async fn send(&mut self, frames: &mut Vec<WorkerFrame>) -> Result<(), Error> {
        if frames.is_empty() {
            return Ok(());
        }
        in_time(async {
            for text in frames.drain(..).filter_map(fit::encode) {
                self.sink.feed(Message::text(text)).await?;
            }
            self.sink.flush().await
        })
        .await
    }

    /// One part, so that what happened in turns meanwhile comes next. It was encoded where it was read.
    async fn send_part(&mut self) -> Result<(), Error> {
        match self.parts.pop_front() {
            Some(part) => in_time(self.sink.send(Message::text(part.text))).await,
            None => Ok(()),
        }
    }

    /// Turns have ended by now; their last frames still go out.
    async fn say_goodbye(mut self, mut frames: Vec<WorkerFrame>) -> Result<(), Error> {
        self.gather(&mut frames);
        self.send(&mut frames).await?;
        let close = CloseFrame {
            code: CloseCode::Away,
            reason: "the worker is shutting down".into(),
        };
        self.sink.send(Message::Close(Some(close))).await
    }
}

async fn in_time(sending: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    tokio::time::timeout(STALLED, sending)
        .await
        .unwrap_or_else(|_| Err(Error::Io(std::io::ErrorKind::TimedOut.into())))
}
