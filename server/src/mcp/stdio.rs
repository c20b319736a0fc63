//! A server as a child process: its streams as a transport; its complaints are read and not kept.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::{ChildStdin, ChildStdout};

use super::error::ConnectError;
use super::guard::Fault;
use crate::process::{Piped, PipedChild};

/// Bytes of one message of a server.
pub(super) const LINE_BYTES: usize = 8 * 1024 * 1024;

/// The transport of a child's streams.
pub(super) type StdioTransport = AsyncRwTransport<RoleClient, BoundedLines<ChildStdout>, ChildStdin>;

/// A started server.
pub(super) struct Started {
    pub(super) child: PipedChild,
    pub(super) transport: StdioTransport,
    /// Told when a line was too long.
    pub(super) fault: Fault,
}

/// Starts a server; `name` is what it is called in the log.
pub(super) fn start(name: &str, program: &Piped<'_>) -> io::Result<Started> {
    let (child, streams) = program.start()?;
    // Ends with the child's stream.
    tokio::spawn(count_complaints(name.to_owned(), streams.stderr));
    let fault = Fault::default();
    let lines = BoundedLines::new(streams.stdout, fault.clone());
    let transport = AsyncRwTransport::new_client(lines, streams.stdin).with_max_line_length(LINE_BYTES);
    Ok(Started {
        child,
        transport,
        fault,
    })
}

/// Reads all of it, so that the child never waits for us. What it says may hold keys or the text of a page: the log is
/// told how much it was.
async fn count_complaints(server: String, mut stderr: impl AsyncRead + Unpin) {
    let bytes = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    if let Ok(bytes @ 1..) = bytes {
        tracing::debug!(server, bytes, "an MCP server wrote to its error stream");
    }
}

/// A stream that ends where a line becomes too long: to go on reading could only mean to wait for nothing.
pub(super) struct BoundedLines<R> {
    inner: R,
    /// Bytes since the last line began.
    line: usize,
    fault: Fault,
}

impl<R> BoundedLines<R> {
    fn new(inner: R, fault: Fault) -> Self {
        Self {
            inner,
            line: 0,
            fault,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            if self.line > LINE_BYTES {
                self.fault.set(ConnectError::TooMuch);
                buffer.set_filled(before);
                return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
            }
            if piece.ends_with(b"\n") {
                self.line = 0;
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(bytes: Vec<u8>) -> (io::Result<usize>, bool) {
        let fault = Fault::default();
        let mut lines = BoundedLines::new(bytes.as_slice(), fault.clone());
        let read = lines.read_to_end(&mut Vec::new()).await;
        (read, fault.known().is_some())
    }

    #[tokio::test]
    async fn a_line_may_be_as_long_as_the_limit() {
        for (length, fits) in [
            (LINE_BYTES - 1, true),
            (LINE_BYTES, true),
            (LINE_BYTES + 1, false),
        ] {
            let mut bytes = b"{}\n".to_vec();
            bytes.extend(vec![b'x'; length - 1]);
            bytes.extend(b"\n{}\n");
            let (read, overran) = read(bytes).await;
            assert_eq!((read.is_ok(), overran), (fits, !fits), "{length}");
        }
    }
}
