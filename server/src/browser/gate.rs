//! A byte stream that lets a stranger send only so much (invariant 7): the frame limit of a WebSocket is fixed when
//! it is made, and sixteen strangers must not be able to fill sixteen large frames.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const OPEN: usize = usize::MAX;

/// A stream behind a gate.
pub(super) struct Gated<S> {
    stream: S,
    allowance: Arc<AtomicUsize>,
}

/// Opens the gate.
pub(super) struct GateKey(Arc<AtomicUsize>);

impl GateKey {
    /// From now on the peer may send without end.
    pub(super) fn open(self) {
        self.0.store(OPEN, Ordering::Release);
    }
}

impl<S> Gated<S> {
    /// Lets `allowance` bytes in until the key is used.
    pub(super) fn new(stream: S, allowance: usize) -> (Self, GateKey) {
        let allowance = Arc::new(AtomicUsize::new(allowance));
        (
            Self {
                stream,
                allowance: Arc::clone(&allowance),
            },
            GateKey(allowance),
        )
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gated<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let allowance = self.allowance.load(Ordering::Acquire);
        if allowance == OPEN {
            return Pin::new(&mut self.stream).poll_read(cx, buf);
        }
        if allowance == 0 {
            return Poll::Ready(Err(io::Error::other(
                "the peer sent too much before it proved itself",
            )));
        }
        // A copy of a few hundred handshake bytes keeps this free of buffer arithmetic; once open, there is none.
        let mut few = [0; 1024];
        let room = few.len().min(allowance).min(buf.remaining());
        let mut part = ReadBuf::new(few.get_mut(..room).unwrap_or_default());
        let polled = Pin::new(&mut self.stream).poll_read(cx, &mut part);
        buf.put_slice(part.filled());
        // Fails only when the key was used meanwhile, and then there is nothing to count.
        let left = allowance - part.filled().len();
        let _opened = self
            .allowance
            .compare_exchange(allowance, left, Ordering::AcqRel, Ordering::Acquire);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gated<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_stranger_is_cut_off_at_the_allowance_and_a_friend_is_not() {
        let (mut peer, stream) = tokio::io::duplex(64);
        let (mut gated, key) = Gated::new(stream, 4);
        let mut got = [0; 4];
        peer.write_all(b"123456").await.unwrap();
        gated.read_exact(&mut got).await.unwrap();
        assert!(gated.read_u8().await.is_err());
        key.open();
        gated.read_exact(&mut got[..2]).await.unwrap();
        assert_eq!(&got[..2], b"56");
    }
}
