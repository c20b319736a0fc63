//! The browser's end: native messages on standard input and output.

use sidewire_contract::bridge::handshake::BridgeErrorCode;
use sidewire_contract::limits;
use sidewire_contract::native_frame::{self, ReadError, WriteError};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use tokio::sync::{mpsc, oneshot};

/// Where frames towards the browser go. Writing blocks: while the browser does not read there is nothing else to do for
/// it, and not reading on is what slows the worker down.
pub(crate) struct Browser<W>(RefCell<W>);

impl<W: Write> Browser<W> {
    pub(crate) const fn new(output: W) -> Self {
        Self(RefCell::new(output))
    }

    /// Writes one frame with one write.
    pub(crate) fn send(&self, json: &str) -> Result<(), WriteError> {
        native_frame::write_frame(&mut *self.0.borrow_mut(), json.as_bytes(), limits::NATIVE_OUT)
    }
}

#[cfg(test)]
impl<W> Browser<W> {
    pub(crate) fn into_output(self) -> W {
        self.0.into_inner()
    }
}

/// Standard output without the line buffer of the standard library.
pub(crate) fn stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// What came from the browser.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inbound {
    /// A frame for the worker.
    Frame(String),
    /// A frame that was dropped.
    Dropped(BridgeErrorCode),
    /// A length that no browser sends; what follows makes no sense.
    Nonsense,
}

/// Frames from the browser, one at a time: the next is read when this one has been taken.
pub(crate) struct Inbox {
    frames: mpsc::Receiver<Inbound>,
    ended: oneshot::Receiver<()>,
}

impl Inbox {
    /// Reads standard input in a thread of its own, because it cannot be read in any other way everywhere.
    pub(crate) fn open() -> Self {
        Self::reading(io::stdin())
    }

    /// Reads any stream instead.
    pub(crate) fn reading(input: impl Read + Send + 'static) -> Self {
        let (frame_sender, frames) = mpsc::channel(1);
        let (ended_sender, ended) = oneshot::channel();
        std::thread::spawn(move || {
            read_all(input, &frame_sender);
            // Only fails when nobody waits any more.
            ended_sender.send(()).ok();
        });
        Self { frames, ended }
    }

    /// The next frame; none when the browser has closed its end.
    pub(crate) async fn next(&mut self) -> Option<Inbound> {
        self.frames.recv().await
    }

    /// Waits until the browser has closed its end, whatever frames are still waiting.
    pub(crate) async fn closed(&mut self) {
        // An error means that the thread is gone, which is the same.
        (&mut self.ended).await.ok();
    }
}

/// Hands frames over until the stream ends; an end within a frame is an end too.
fn read_all(mut input: impl Read, frames: &mpsc::Sender<Inbound>) {
    while let Ok(Some(inbound)) = read_one(&mut input) {
        let nonsense = inbound == Inbound::Nonsense;
        if frames.blocking_send(inbound).is_err() || nonsense {
            return;
        }
    }
}

fn read_one(input: &mut impl Read) -> Result<Option<Inbound>, ReadError> {
    let len = match native_frame::read_header(input, limits::NATIVE_IN) {
        Ok(Some(len)) => len,
        Ok(None) => return Ok(None),
        Err(ReadError::TooLarge(_)) => return Ok(Some(Inbound::Nonsense)),
        Err(error @ (ReadError::Truncated | ReadError::Io(_))) => return Err(error),
    };
    if len > limits::INBOUND_FRAME {
        native_frame::skip_payload(input, len)?;
        return Ok(Some(Inbound::Dropped(BridgeErrorCode::FrameTooLarge)));
    }
    let payload = native_frame::read_payload(input, len)?;
    Ok(Some(String::from_utf8(payload).map_or(
        Inbound::Dropped(BridgeErrorCode::BadFrame),
        Inbound::Frame,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(payload: &[u8]) -> Vec<u8> {
        native_frame::encode(payload, usize::MAX).unwrap()
    }

    fn read_stream(stream: Vec<u8>) -> Vec<Inbound> {
        let mut inbox = Inbox::reading(io::Cursor::new(stream));
        std::iter::from_fn(|| inbox.frames.blocking_recv()).collect()
    }

    #[test]
    fn frames_pass_as_they_are() {
        let long = vec![b'x'; 65_537];
        let stream = [frame(b"{}"), frame(&long), frame(b"")].concat();
        let expected = ["{}".to_owned(), String::from_utf8(long).unwrap(), String::new()].map(Inbound::Frame);
        assert_eq!(read_stream(stream), expected);
    }

    #[test]
    fn a_frame_above_the_workers_limit_is_dropped_and_the_next_passes() {
        let limit = limits::INBOUND_FRAME;
        let stream = [
            frame(&vec![b'x'; limit]),
            frame(&vec![b'x'; limit + 1]),
            frame(b"{}"),
        ]
        .concat();
        let inbound = read_stream(stream);
        assert!(matches!(inbound.first(), Some(Inbound::Frame(text)) if text.len() == limit));
        let rest = [
            Inbound::Dropped(BridgeErrorCode::FrameTooLarge),
            Inbound::Frame("{}".to_owned()),
        ];
        assert_eq!(inbound.get(1..), Some(rest.as_slice()));
    }

    #[test]
    fn text_that_is_not_utf_8_is_dropped_and_the_next_passes() {
        let stream = [frame(b"\"\xff\""), frame(b"{}")].concat();
        let expected = [
            Inbound::Dropped(BridgeErrorCode::BadFrame),
            Inbound::Frame("{}".to_owned()),
        ];
        assert_eq!(read_stream(stream), expected);
    }

    #[test]
    fn a_length_no_browser_sends_ends_the_reading() {
        let length = u32::try_from(limits::NATIVE_IN + 1).unwrap();
        let stream = [length.to_ne_bytes().to_vec(), frame(b"{}")].concat();
        assert_eq!(read_stream(stream), [Inbound::Nonsense]);
    }

    #[test]
    fn an_end_within_a_frame_is_an_end() {
        let mut stream = [frame(b"{}"), frame(b"{}")].concat();
        stream.pop();
        assert_eq!(read_stream(stream), [Inbound::Frame("{}".to_owned())]);
    }

    #[test]
    fn nothing_above_the_browsers_limit_is_written() {
        let browser = Browser::new(Vec::new());
        let limit = limits::NATIVE_OUT;
        assert!(browser.send(&"x".repeat(limit)).is_ok());
        assert!(matches!(
            browser.send(&"x".repeat(limit + 1)),
            Err(WriteError::TooLarge(_))
        ));
        assert_eq!(browser.into_output().len(), 4 + limit);
    }
}
