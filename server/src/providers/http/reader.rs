//! The body of an answer, piece by piece, from its first bytes to its end.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use sidewire_agent::error::ProviderError;
use tokio::time::{Instant, timeout, timeout_at};

use super::sse::Decoder;
use super::{Answer, Limits};

/// How a try went that did not fail for good.
pub(crate) enum Asked {
    /// The answer begins.
    Opened(Box<Reader>),
    /// It failed, and trying again may help.
    Again {
        /// How long the server wants to be left alone.
        asked: Option<Duration>,
        /// How it failed.
        failure: ProviderError,
    },
}

/// An answer whose first bytes are there.
pub(crate) struct Reader {
    response: Response,
    /// Read but not decoded yet.
    first: Option<Bytes>,
    decoder: Decoder,
    /// The server does not stream: the body is one JSON object.
    whole: Option<Vec<u8>>,
    received: usize,
}

/// Waits for the first bytes of a good answer; a connection lost before them may be tried again.
pub(super) async fn open(
    mut response: Response,
    deadline: Instant,
    limits: &Limits,
) -> Result<Asked, ProviderError> {
    match timeout_at(deadline, response.chunk()).await {
        Err(_) => Err(ProviderError::Timeout),
        Ok(Err(_)) => Ok(Asked::Again {
            asked: None,
            failure: ProviderError::Unreachable,
        }),
        Ok(Ok(None)) => Err(ProviderError::BrokenStream),
        Ok(Ok(Some(first))) => Ok(Asked::Opened(Box::new(Reader {
            response,
            whole: is_whole(&first)?.then(Vec::new),
            first: Some(first),
            decoder: Decoder::new(limits.event_bytes),
            received: 0,
        }))),
    }
}

/// Whether a body is one JSON object rather than a stream of events; anything else is no API of ours.
fn is_whole(first: &[u8]) -> Result<bool, ProviderError> {
    let first = first
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(first)
        .trim_ascii_start();
    match first.first() {
        Some(b'{') => Ok(true),
        // `data`, `event`, `id`, `retry`, a comment, or too little to tell.
        Some(b'd' | b'e' | b'i' | b'r' | b':' | 0xEF) | None => Ok(false),
        Some(_) => Err(ProviderError::BadResponse),
    }
}

impl Reader {
    /// Reads one piece of the body into the answer; true when the answer is complete.
    pub(super) async fn step(
        &mut self,
        answer: &mut impl Answer,
        limits: &Limits,
    ) -> Result<bool, ProviderError> {
        let piece = match self.first.take() {
            Some(first) => Some(first),
            None => match self.piece(answer.is_finished(), limits).await? {
                Piece::Bytes(bytes) => Some(bytes),
                Piece::Over => None,
            },
        };
        let Some(piece) = piece else {
            return self.over(answer);
        };
        self.received = self.received.saturating_add(piece.len());
        if self.received > limits.answer_bytes {
            return Err(ProviderError::BadResponse);
        }
        if let Some(whole) = &mut self.whole {
            whole.extend_from_slice(&piece);
            return Ok(false);
        }
        self.decoder.push(&piece);
        while let Some(event) = self
            .decoder
            .next_event()
            .map_err(|_| ProviderError::BadResponse)?
        {
            if !event.is_empty() && answer.read(event)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next bytes. After the model's last word, silence or a lost connection ends the answer as well.
    async fn piece(&mut self, finished: bool, limits: &Limits) -> Result<Piece, ProviderError> {
        let patience = if finished { limits.trailer } else { limits.idle };
        match timeout(patience, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => Ok(Piece::Bytes(bytes)),
            Ok(Ok(None)) => Ok(Piece::Over),
            Ok(Err(_)) | Err(_) if finished => Ok(Piece::Over),
            Ok(Err(_)) => Err(ProviderError::BrokenStream),
            Err(_) => Err(ProviderError::Timeout),
        }
    }

    /// The body ended.
    fn over(&mut self, answer: &mut impl Answer) -> Result<bool, ProviderError> {
        if let Some(whole) = self.whole.take() {
            answer.read_whole(&whole)?;
        }
        Ok(true)
    }
}

/// What came next.
enum Piece {
    Bytes(Bytes),
    Over,
}
