//! Pumps frames both ways, unread. Each direction takes its next frame when the previous one has been written, so a
//! slow end slows the other one down instead of filling memory.

use futures_util::{Sink, SinkExt, Stream, StreamExt};
use serde_json::value::RawValue;
use sidewire_contract::bridge::handshake::BridgeErrorCode;
use sidewire_contract::native_frame::WriteError;
use std::convert::Infallible;
use std::io::{self, Write};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use crate::bridge_error;
use crate::browser::{Browser, Inbound, Inbox};

/// How long a goodbye to the worker may take.
const GOODBYE: Duration = Duration::from_millis(200);

/// Why the pumping ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum End {
    /// The browser closed its end; the usual one.
    #[error("browser closed its end")]
    BrowserGone,
    /// The worker closed the connection.
    #[error("worker closed the connection")]
    WorkerGone,
    /// The connection to the worker broke.
    #[error("connection to the worker was lost")]
    WorkerLost(#[source] Box<SocketError>),
    /// What comes from the browser makes no sense any more.
    #[error("frame from the browser exceeds every limit")]
    Nonsense,
    /// The browser's end failed without having been closed.
    #[error("failed to write to the browser")]
    WriteFailed(#[source] io::Error),
}

impl From<SocketError> for End {
    fn from(error: SocketError) -> Self {
        Self::WorkerLost(Box::new(error))
    }
}

/// Pumps until one of the ends is gone.
pub(crate) async fn relay<W: Write, S: AsyncRead + AsyncWrite + Unpin>(
    browser: &Browser<W>,
    inbox: &mut Inbox,
    socket: WebSocketStream<S>,
) -> End {
    let (mut to_worker, mut from_worker) = socket.split();
    let Err(end) = tokio::select! {
        // The worker's end first: when both are gone, it knows the better reason.
        biased;
        end = pump_down(&mut from_worker, browser) => end,
        end = pump_up(inbox, &mut to_worker, browser) => end,
    };
    if let End::BrowserGone = end {
        // Without it the worker may lose what was sent last. The worker being gone too is no concern any more.
        tokio::time::timeout(GOODBYE, to_worker.close()).await.ok();
    }
    end
}

async fn pump_down<W: Write>(
    from_worker: &mut (impl Stream<Item = Result<Message, SocketError>> + Unpin),
    browser: &Browser<W>,
) -> Result<Infallible, End> {
    loop {
        match from_worker.next().await {
            Some(Ok(Message::Text(json))) => deliver(browser, &json)?,
            Some(Ok(Message::Binary(_))) => report(browser, BridgeErrorCode::BadFrame)?,
            // The library answers pings itself.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Ok(Message::Close(_))) | None => return Err(End::WorkerGone),
            Some(Err(error)) => return Err(error.into()),
        }
    }
}

async fn pump_up<W: Write>(
    inbox: &mut Inbox,
    to_worker: &mut (impl Sink<Message, Error = SocketError> + Unpin),
    browser: &Browser<W>,
) -> Result<Infallible, End> {
    loop {
        match inbox.next().await {
            Some(Inbound::Frame(json)) => to_worker.send(Message::text(json)).await?,
            Some(Inbound::Dropped(code)) => report(browser, code)?,
            Some(Inbound::Nonsense) => return Err(End::Nonsense),
            None => return Err(End::BrowserGone),
        }
    }
}

/// Hands a frame to the browser, which would drop silently what is not JSON and close the port over what is too long.
fn deliver<W: Write>(browser: &Browser<W>, json: &str) -> Result<(), End> {
    if serde_json::from_str::<&RawValue>(json).is_err() {
        return report(browser, BridgeErrorCode::BadFrame);
    }
    match browser.send(json) {
        Ok(()) => Ok(()),
        Err(WriteError::TooLarge(_)) => report(browser, BridgeErrorCode::FrameTooLarge),
        Err(WriteError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(End::BrowserGone),
        Err(WriteError::Io(error)) => Err(End::WriteFailed(error)),
    }
}

fn report<W: Write>(browser: &Browser<W>, code: BridgeErrorCode) -> Result<(), End> {
    let message = if code == BridgeErrorCode::FrameTooLarge {
        "frame exceeds the limit and was dropped"
    } else {
        "frame is not JSON text and was dropped"
    };
    deliver(browser, &bridge_error(code, &message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use sidewire_contract::{limits, native_frame};
    use std::io::{Cursor, Read};
    use tokio::io::DuplexStream;
    use tokio_tungstenite::tungstenite::protocol::Role;

    /// A standard input that stays open until the test ends it.
    fn open_stdin(frames: &[&str]) -> (impl Read + Send + use<>, io::PipeWriter) {
        let (reader, mut writer) = io::pipe().unwrap();
        for frame in frames {
            native_frame::write_frame(&mut writer, frame.as_bytes(), limits::NATIVE_IN).unwrap();
        }
        (reader, writer)
    }

    async fn sockets() -> (WebSocketStream<DuplexStream>, WebSocketStream<DuplexStream>) {
        let (host, worker) = tokio::io::duplex(64 * 1024);
        let host = WebSocketStream::from_raw_socket(host, Role::Client, None);
        (
            host.await,
            WebSocketStream::from_raw_socket(worker, Role::Server, None).await,
        )
    }

    fn written(browser: Browser<Vec<u8>>) -> Vec<Value> {
        let output = browser.into_output();
        let mut reader = output.as_slice();
        let frames =
            std::iter::from_fn(|| native_frame::read_frame(&mut reader, limits::NATIVE_OUT).unwrap());
        frames
            .map(|frame| serde_json::from_slice(&frame).unwrap())
            .collect()
    }

    fn code(frame: &Value) -> &str {
        frame["code"].as_str().unwrap_or_default()
    }

    #[tokio::test]
    async fn frames_pass_both_ways_until_the_browser_closes_its_end() {
        let browser = Browser::new(Vec::new());
        let (stdin, stdin_end) = open_stdin(&[r#"{"up":1}"#, r#"{"up":2}"#]);
        let (host, mut worker) = sockets().await;
        let mut inbox = Inbox::reading(stdin);
        let peer = async {
            for up in [r#"{"up":1}"#, r#"{"up":2}"#] {
                assert_eq!(worker.next().await.unwrap().unwrap(), Message::text(up));
            }
            worker.send(Message::text(r#"{"down":1}"#)).await.unwrap();
            worker.send(Message::Ping(vec![7].into())).await.unwrap();
            assert_eq!(
                worker.next().await.unwrap().unwrap(),
                Message::Pong(vec![7].into())
            );
            drop(stdin_end);
            assert_eq!(worker.next().await.unwrap().unwrap(), Message::Close(None));
        };
        let (end, ()) = tokio::join!(relay(&browser, &mut inbox, host), peer);
        assert!(matches!(end, End::BrowserGone), "{end}");
        assert_eq!(written(browser), [json!({"down": 1})]);
    }

    #[tokio::test]
    async fn what_the_browser_could_not_take_is_reported_instead() {
        let browser = Browser::new(Vec::new());
        let (stdin, _stdin_end) = open_stdin(&[]);
        let (host, mut worker) = sockets().await;
        let mut inbox = Inbox::reading(stdin);
        let longest = format!("\"{}\"", "x".repeat(limits::NATIVE_OUT - 2));
        let peer = async {
            for down in [
                longest.clone(),
                longest.replace('x', "xx"),
                "no json".into(),
                String::new(),
                "7".into(),
            ] {
                worker.send(Message::text(down)).await.unwrap();
            }
            worker.send(Message::binary(vec![0])).await.unwrap();
            worker.close(None).await.unwrap();
        };
        let (end, ()) = tokio::join!(relay(&browser, &mut inbox, host), peer);
        assert!(matches!(end, End::WorkerGone), "{end}");
        let frames = written(browser);
        let codes: Vec<&str> = frames.iter().map(code).collect();
        assert_eq!(
            codes,
            ["", "frame-too-large", "bad-frame", "bad-frame", "", "bad-frame"]
        );
        assert_eq!(frames.get(4), Some(&json!(7)));
    }

    #[tokio::test]
    async fn a_dropped_frame_leaves_the_port_usable() {
        let browser = Browser::new(Vec::new());
        let too_long = "x".repeat(limits::INBOUND_FRAME + 1);
        let (host, mut worker) = sockets().await;
        let mut stream = native_frame::encode(too_long.as_bytes(), limits::NATIVE_IN).unwrap();
        stream.extend(native_frame::encode(b"\xff", limits::NATIVE_IN).unwrap());
        stream.extend(native_frame::encode(b"{}", limits::NATIVE_IN).unwrap());
        let mut inbox = Inbox::reading(Cursor::new(stream));
        let peer = async { assert_eq!(worker.next().await.unwrap().unwrap(), Message::text("{}")) };
        let (end, ()) = tokio::join!(relay(&browser, &mut inbox, host), peer);
        assert!(matches!(end, End::BrowserGone), "{end}");
        let frames = written(browser);
        assert_eq!(
            frames.iter().map(code).collect::<Vec<_>>(),
            ["frame-too-large", "bad-frame"]
        );
    }

    #[tokio::test]
    async fn a_worker_that_vanishes_is_the_reason_even_when_the_browser_goes_too() {
        let browser = Browser::new(Vec::new());
        let (host, worker) = sockets().await;
        drop(worker);
        let mut inbox = Inbox::reading(Cursor::new(Vec::new()));
        let end = relay(&browser, &mut inbox, host).await;
        assert!(matches!(end, End::WorkerLost(_) | End::WorkerGone), "{end}");
    }

    #[tokio::test]
    async fn a_browser_that_vanishes_is_a_quiet_end() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let browser = Browser::new(writer);
        let (stdin, _stdin_end) = open_stdin(&[]);
        let (host, mut worker) = sockets().await;
        let mut inbox = Inbox::reading(stdin);
        let peer = async { worker.send(Message::text("{}")).await.unwrap() };
        let (end, ()) = tokio::join!(relay(&browser, &mut inbox, host), peer);
        assert!(matches!(end, End::BrowserGone), "{end}");
    }
}
