//! Anything that frames can be sent to and received from: a WebSocket client or a native host.

use std::future::Future;

use sidewire_contract::bridge::handshake::Ping;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};

/// One end of a connection to a worker.
pub trait Peer {
    /// Sends a text as one frame.
    fn send_text(&mut self, text: &str) -> impl Future<Output = ()>;

    /// The next frame as text; none when the connection has ended.
    fn receive_text(&mut self) -> impl Future<Output = Option<String>>;

    /// Sends a frame.
    fn send(&mut self, frame: ClientFrame) -> impl Future<Output = ()> {
        async move { self.send_text(&frame.encode()).await }
    }

    /// The next frame; a worker's own pings are not of interest.
    fn receive(&mut self) -> impl Future<Output = WorkerFrame> {
        async {
            loop {
                let text = self.receive_text().await.expect("the connection ended");
                match WorkerFrame::decode(&text) {
                    Ok(WorkerFrame::Ping(_)) => {}
                    Ok(frame) => return frame,
                    Err(error) => panic!("the worker sent what is no frame ({error}): {text:.300}"),
                }
            }
        }
    }

    /// The next frames, of which there must be no more than so many.
    fn receive_only(&mut self, count: usize) -> impl Future<Output = Vec<WorkerFrame>>
    where
        Self: Sized,
    {
        async move {
            let mut frames = Vec::new();
            while frames.len() < count {
                frames.push(self.receive().await);
            }
            let more = until_quiet(self).await;
            assert!(
                more.is_empty(),
                "only {count} frames were to come, then came {more:?}"
            );
            frames
        }
    }

    /// Sends a frame and gives the next one.
    fn call(&mut self, frame: ClientFrame) -> impl Future<Output = WorkerFrame> {
        async move {
            self.send(frame).await;
            self.receive().await
        }
    }
}

/// A ping, which is answered after everything that is on its way to the client already.
#[must_use]
pub fn ping() -> ClientFrame {
    ClientFrame::Ping(Ping {})
}

/// Everything that was on its way: what arrives before the answer to a ping. A request that takes the worker longer
/// than a ping is not waited for; its answer is received by name.
pub async fn until_quiet(peer: &mut impl Peer) -> Vec<WorkerFrame> {
    peer.send(ping()).await;
    let mut frames = Vec::new();
    loop {
        match peer.receive().await {
            WorkerFrame::Pong(_) => return frames,
            frame => frames.push(frame),
        }
    }
}
