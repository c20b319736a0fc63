//! A plain TCP connection that says exactly what a test wants.

use sidewire_contract::identity::BRIDGE_PATH;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::within;

/// A connection without any protocol.
pub struct RawSocket {
    stream: TcpStream,
    port: u16,
}

/// An answer as it came.
#[derive(Debug)]
pub struct HttpAnswer {
    /// Its status; 0 when the connection was closed without an answer.
    pub status: u16,
    /// Everything, headers and body.
    pub text: String,
}

impl HttpAnswer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        Self { status, text }
    }

    /// Whether a header of this name is there, whatever its value.
    #[must_use]
    pub fn has_header(&self, name: &str) -> bool {
        let head = self
            .text
            .split("\r\n\r\n")
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        head.lines().any(|line| line.starts_with(&format!("{name}:")))
    }

    /// What follows the headers.
    #[must_use]
    pub fn body(&self) -> &str {
        self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}

impl RawSocket {
    pub(crate) async fn connect(port: u16) -> Self {
        let stream = within("a connection", TcpStream::connect(("127.0.0.1", port))).await;
        Self {
            stream: stream.expect("something listens there"),
            port,
        }
    }

    /// Sends bytes; whether the other side still takes them is not of interest.
    pub async fn send(&mut self, bytes: &[u8]) {
        drop(within("sending", self.stream.write_all(bytes)).await);
    }

    /// Everything until the other side closes.
    pub async fn until_closed(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A reset is an end as well.
        drop(within("the end of a connection", self.stream.read_to_end(&mut bytes)).await);
        bytes
    }

    /// Sends a request of these lines and gives the answer.
    pub async fn request(&mut self, lines: &[&str]) -> HttpAnswer {
        self.send(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes())
            .await;
        HttpAnswer::of(&self.until_answered().await)
    }

    /// Asks for a WebSocket with these lines after the usual ones, without the usual `Host`.
    pub async fn upgrade(&mut self, lines: &[&str]) -> HttpAnswer {
        let first = format!("GET {BRIDGE_PATH} HTTP/1.1");
        let usual = [
            first.as_str(),
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ];
        self.request(&[&usual, lines].concat()).await
    }

    /// `Host: 127.0.0.1:PORT`, the right one.
    #[must_use]
    pub fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    /// One whole answer; the connection may stay open after it.
    async fn until_answered(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        while !is_whole(&bytes) {
            match within("an answer", self.stream.read(&mut piece)).await {
                Ok(len @ 1..) => bytes.extend_from_slice(piece.get(..len).unwrap_or_default()),
                Ok(0) | Err(_) => break,
            }
        }
        bytes
    }
}

/// Whether the headers and as many bytes as they announce are there.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)
}
