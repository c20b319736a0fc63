//! The sending half of a connection: what is ready in the [`outbox`] goes to the socket, in order.
//!
//! News is taken from feeds when the socket is ready for it, so deltas merge while a client is slow and nothing is
//! queued for it. All that is ready is written with one flush.

mod cancels;
mod outbox;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use tokio::sync::{Notify, mpsc};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::sync::CancellationToken;

use super::fit;
use super::listener::Socket;
use super::media_read::ReadyPart;
pub(super) use cancels::Cancels;
use outbox::Outbox;
pub(super) use outbox::{Follow, Post, ToolCall};

/// A client that takes nothing for so long is given up.
const STALLED: Duration = Duration::from_secs(30);

/// The sending half.
pub(super) struct Writer {
    sink: SplitSink<Socket, Message>,
    posts: mpsc::Receiver<Post>,
    wake: Arc<Notify>,
    cancels: Arc<Cancels>,
    outbox: Outbox,
    /// As many as may be read at once, at most.
    parts: VecDeque<Box<ReadyPart>>,
}

impl Writer {
    pub(super) fn new(
        sink: SplitSink<Socket, Message>,
        posts: mpsc::Receiver<Post>,
        (wake, cancels): (Arc<Notify>, Arc<Cancels>),
    ) -> Self {
        Self {
            sink,
            posts,
            wake,
            cancels,
            outbox: Outbox::new(),
            parts: VecDeque::new(),
        }
    }

    /// Sends until the handlers are gone, the socket fails, or `closing` fires and everything was said.
    pub(super) async fn run(mut self, closing: CancellationToken) -> Result<(), Error> {
        loop {
            let deadline = self.outbox.next_deadline();
            tokio::select! {
                () = self.wake.notified() => {}
                post = self.posts.recv() => match post {
                    Some(post) => self.accept(post),
                    None => return Ok(()),
                },
                () = tokio::time::sleep_until(deadline) => self.outbox.prove_life(),
                () = closing.cancelled() => return self.say_goodbye().await,
                () = std::future::ready(()), if !self.parts.is_empty() => {}
            }
            self.gather();
            self.send().await?;
            self.send_part().await?;
        }
    }

    fn accept(&mut self, post: Post) {
        match post {
            Post::Part(part) => self.parts.push_back(part),
            post => self.outbox.accept(post),
        }
    }

    /// Takes what else is ready.
    fn gather(&mut self) {
        // Taken before the posts, among which are the calls they end, and put behind them.
        let cancels = self.cancels.take();
        while let Ok(post) = self.posts.try_recv() {
            self.accept(post);
        }
        for cancel in cancels {
            self.outbox.cancel(cancel);
        }
        self.outbox.take_news();
    }

    async fn send(&mut self) -> Result<(), Error> {
        let Self { outbox, sink, .. } = self;
        if outbox.is_empty() {
            return Ok(());
        }
        in_time(async {
            for text in outbox.drain().filter_map(fit::encode) {
                sink.feed(Message::text(text)).await?;
            }
            sink.flush().await
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
    async fn say_goodbye(mut self) -> Result<(), Error> {
        self.gather();
        self.send().await?;
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
