//! What is to be sent to one client, and in which order: posts as they come, news of turns as it is read, calls of
//! tools behind what happened before them. It knows no socket.

use std::time::Duration;
use std::vec::Drain;

use sidewire_agent::feed::Subscription;
use sidewire_contract::bridge::handshake::Ping;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::host_tool::HostToolCancel;
use sidewire_contract::ids::ChatId;
use tokio::time::Instant;

use super::super::media_read::ReadyPart;
use super::super::translate::TurnWire;

/// A running turn of which nothing was sent for so long gets a keepalive.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// So often a client is asked for a sign of life, whatever else is sent: it is judged by what it sends
/// ([`crate::browser::connection`]). Protocol pings would not do, they do not keep a service worker alive.
const PING: Duration = Duration::from_secs(20);

/// What a handler wants sent.
pub(in crate::browser) enum Post {
    /// One frame; boxed, since a channel keeps room for its largest message.
    Frame(Box<WorkerFrame>),
    /// A call of a tool of the client.
    Call(Box<ToolCall>),
    /// A first frame about a turn, and then everything that happens in it. Replaces an earlier following of it.
    Follow(Box<Follow>),
    /// A turn as it ended; nothing of it follows, even if it was being followed.
    Ended { snapshot: Box<WorkerFrame>, id: ChatId },
    /// A part of a file; it waits for everything else, and everything else for one part at most.
    Part(Box<ReadyPart>),
}

/// A call of a tool of the client. It goes out behind everything that has happened in its turn before, its frames
/// with nothing between them.
pub(in crate::browser) struct ToolCall {
    pub(in crate::browser) turn: ChatId,
    pub(in crate::browser) id: String,
    pub(in crate::browser) frames: Vec<WorkerFrame>,
}

/// A turn to follow.
pub(in crate::browser) struct Follow {
    pub(in crate::browser) first: WorkerFrame,
    pub(in crate::browser) turn: TurnWire,
    pub(in crate::browser) subscription: Subscription,
}

/// Frames that are ready, and the turns that will have more.
pub(super) struct Outbox {
    frames: Vec<WorkerFrame>,
    turns: Vec<Following>,
    /// Calls of turns whose first frame is still on its way: a turn does not wait for its client to be told of it.
    early: Vec<ToolCall>,
    next_ping: Instant,
}

struct Following {
    turn: TurnWire,
    subscription: Subscription,
    last_sent: Instant,
}

impl Outbox {
    pub(super) fn new() -> Self {
        Self {
            frames: Vec::new(),
            turns: Vec::new(),
            early: Vec::new(),
            next_ping: Instant::now() + PING,
        }
    }

    /// Nothing is ready.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// What is ready, in order.
    pub(super) fn drain(&mut self) -> Drain<'_, WorkerFrame> {
        self.frames.drain(..)
    }

    /// Puts a post in its place; parts of files are the writer's.
    pub(super) fn accept(&mut self, post: Post) {
        match post {
            Post::Frame(frame) => self.frames.push(*frame),
            Post::Call(call) => self.call(*call),
            Post::Follow(follow) => self.follow(*follow),
            Post::Ended { snapshot, id } => {
                self.turns.retain(|following| following.turn.id != id);
                self.early.retain(|call| call.turn != id);
                self.frames.push(*snapshot);
            }
            Post::Part(_) => {}
        }
    }

    fn follow(&mut self, follow: Follow) {
        let id = follow.turn.id.clone();
        self.frames.push(follow.first);
        self.turns.retain(|following| following.turn.id != id);
        self.turns.push(Following {
            turn: follow.turn,
            subscription: follow.subscription,
            last_sent: Instant::now(),
        });
        let early: Vec<ToolCall> = self.early.extract_if(.., |call| call.turn == id).collect();
        for call in early {
            self.call(call);
        }
    }

    fn call(&mut self, call: ToolCall) {
        if !self.follows(&call.turn) {
            self.early.push(call);
            return;
        }
        self.take_news();
        // It may have ended meanwhile, and then nothing may follow.
        if self.follows(&call.turn) {
            self.frames.extend(call.frames);
        }
    }

    /// Ends a call early; one that has not left never does.
    pub(super) fn cancel(&mut self, cancel: HostToolCancel) {
        match self.early.iter().position(|call| call.id == cancel.target_id) {
            Some(at) => drop(self.early.swap_remove(at)),
            None => self.frames.push(WorkerFrame::HostToolCancel(cancel)),
        }
    }

    fn follows(&self, turn: &ChatId) -> bool {
        self.turns.iter().any(|following| following.turn.id == *turn)
    }

    /// Takes what happened in turns since.
    pub(super) fn take_news(&mut self) {
        let now = Instant::now();
        let frames = &mut self.frames;
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

    /// Adds what is due: keepalives of silent turns, a ping.
    pub(super) fn prove_life(&mut self) {
        let now = Instant::now();
        for following in &mut self.turns {
            if now >= following.last_sent + KEEPALIVE {
                following.last_sent = now;
                self.frames.push(following.turn.keepalive());
            }
        }
        if now >= self.next_ping {
            self.next_ping = now + PING;
            self.frames.push(WorkerFrame::Ping(Ping {}));
        }
    }

    /// When [`Self::prove_life`] has something to say.
    pub(super) fn next_deadline(&self) -> Instant {
        let keepalives = self.turns.iter().map(|following| following.last_sent + KEEPALIVE);
        keepalives.fold(self.next_ping, Instant::min)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sidewire_agent::event::{StopCause, TurnEvent, TurnOutcome};
    use sidewire_agent::feed::TurnFeed;
    use sidewire_agent::ids::TurnId;
    use sidewire_agent::record::TurnRecord;
    use sidewire_contract::bridge::handshake::Pong;
    use sidewire_contract::chat::ChatKeepalive;
    use sidewire_contract::mode::Mode;

    use super::*;

    fn id() -> ChatId {
        "c-1".parse().unwrap()
    }

    fn feed() -> Arc<TurnFeed> {
        let id = TurnId("c-1".into());
        Arc::new(TurnFeed::new(TurnRecord::begun(id, "q", Mode::Educational, 1)))
    }

    /// Stands for `turn_accepted`.
    fn follow(feed: &Arc<TurnFeed>) -> Post {
        Post::Follow(Box::new(Follow {
            first: WorkerFrame::ChatKeepalive(ChatKeepalive { id: id() }),
            turn: TurnWire::new(id(), "m".into()),
            subscription: feed.subscribe(Arc::default()),
        }))
    }

    /// Stands for a scope and a call.
    fn call(name: &str) -> Post {
        Post::Call(Box::new(ToolCall {
            turn: id(),
            id: name.into(),
            frames: vec![WorkerFrame::Ping(Ping {}), WorkerFrame::Pong(Pong {})],
        }))
    }

    fn cancel(name: &str) -> HostToolCancel {
        HostToolCancel {
            id: "x".into(),
            target_id: name.into(),
        }
    }

    fn sent(outbox: &mut Outbox) -> Vec<&'static str> {
        outbox.take_news();
        outbox.drain().map(|frame| frame.frame_type()).collect()
    }

    #[tokio::test]
    async fn a_call_comes_behind_what_happened_before_it() {
        let (mut outbox, feed) = (Outbox::new(), feed());
        outbox.accept(follow(&feed));
        feed.push(TurnEvent::Text("Let me see.".into()));
        outbox.accept(call("1"));
        assert_eq!(
            sent(&mut outbox),
            ["chat_keepalive", "chat_delta", "ping", "pong"]
        );
    }

    #[tokio::test]
    async fn a_call_that_is_quicker_than_the_first_frame_of_its_turn_waits_for_it() {
        let (mut outbox, feed) = (Outbox::new(), feed());
        feed.push(TurnEvent::Text("Let me see.".into()));
        outbox.accept(call("1"));
        outbox.accept(call("2"));
        assert_eq!(sent(&mut outbox), [""; 0]);
        // One of them is over before its client has heard of it.
        outbox.cancel(cancel("1"));
        outbox.accept(follow(&feed));
        assert_eq!(
            sent(&mut outbox),
            ["chat_keepalive", "chat_delta", "ping", "pong"]
        );
        outbox.cancel(cancel("2"));
        assert_eq!(sent(&mut outbox), ["host_tool_cancel"]);
    }

    #[tokio::test]
    async fn no_call_comes_behind_the_end_of_its_turn() {
        let (mut outbox, feed) = (Outbox::new(), feed());
        outbox.accept(follow(&feed));
        feed.finish(TurnOutcome::Stopped(StopCause::Person), Vec::new());
        outbox.accept(call("1"));
        assert_eq!(sent(&mut outbox), ["chat_keepalive", "turn_report", "chat_done"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_turn_is_kept_alive() {
        let (mut outbox, feed) = (Outbox::new(), feed());
        outbox.accept(follow(&feed));
        assert_eq!(sent(&mut outbox), ["chat_keepalive"]);
        tokio::time::sleep_until(outbox.next_deadline()).await;
        outbox.prove_life();
        assert_eq!(sent(&mut outbox), ["chat_keepalive"]);
        tokio::time::sleep_until(outbox.next_deadline()).await;
        outbox.prove_life();
        assert_eq!(sent(&mut outbox), ["chat_keepalive", "ping"]);
    }
}
