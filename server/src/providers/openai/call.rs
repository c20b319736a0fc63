//! One model call as a lazy stream: ask, retry before the first byte, read, end. Dropping it cancels it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream;
use reqwest::Response;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{ModelEvent, ModelRequest, ModelStream};
use tokio::time::{Instant, timeout, timeout_at};

use super::answer::Answer;
use super::pictures::Pictures;
use super::request::{self, Form};
use super::retry::{Tries, retry_after};
use super::sse::Decoder;
use super::{Limits, Shared, wire};

/// One model call.
pub(super) struct Call {
    shared: Arc<Shared>,
    request: ModelRequest,
    limits: Limits,
    phase: Phase,
    answer: Answer,
}

/// How far a call is.
enum Phase {
    /// To be asked, after a pause.
    Ask { tries: Tries, pause: Duration },
    /// The answer arrives.
    Read(Box<Reader>),
    /// Everything was read or something failed; told after the remaining events.
    End(Option<ProviderError>),
}

/// How a try went that did not fail for good.
enum Asked {
    Opened(Box<Reader>),
    Again {
        asked: Option<Duration>,
        failure: ProviderError,
    },
}

/// An answer whose first bytes are there.
struct Reader {
    response: Response,
    /// Read but not decoded yet.
    first: Option<Bytes>,
    decoder: Decoder,
    /// The server does not stream: the body is one JSON object.
    whole: Option<Vec<u8>>,
    received: usize,
}

impl Call {
    /// A call with all its tries.
    pub(super) fn new(shared: Arc<Shared>, request: ModelRequest) -> Self {
        let limits = shared.limits;
        let phase = Phase::Ask {
            tries: Tries::begin(),
            pause: Duration::ZERO,
        };
        Self {
            shared,
            request,
            limits,
            phase,
            answer: Answer::default(),
        }
    }

    /// A call with one try.
    pub(super) fn once(shared: Arc<Shared>, request: ModelRequest) -> Self {
        let mut call = Self::new(shared, request);
        call.limits.tries = 1;
        call
    }

    /// Its events.
    pub(super) fn into_stream(self) -> ModelStream {
        // Boxed, because the state moves with every event.
        Box::pin(stream::unfold(Box::new(self), |mut call| async move {
            let event = call.next().await?;
            Some((event, call))
        }))
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        loop {
            if let Some(event) = self.answer.events.pop_front() {
                return Some(Ok(event));
            }
            let stepped = match &mut self.phase {
                Phase::End(failure) => return failure.take().map(Err),
                Phase::Read(reader) => reader.step(&mut self.answer, &self.limits).await,
                Phase::Ask { .. } => self.ask().await.map(|()| false),
            };
            match stepped {
                Ok(false) => {}
                Ok(true) => self.phase = Phase::End(self.answer.end().err()),
                Err(failure) => self.phase = Phase::End(Some(failure)),
            }
        }
    }

    /// One try; leads to reading, to a further try, or to a failure.
    async fn ask(&mut self) -> Result<(), ProviderError> {
        let Phase::Ask { tries, pause } = &mut self.phase else {
            return Ok(());
        };
        if !pause.is_zero() {
            tokio::time::sleep(std::mem::take(pause)).await;
        }
        match open(&self.shared, &self.request, &self.limits).await? {
            Asked::Opened(reader) => {
                self.phase = Phase::Read(reader);
                // A transcript can be large, and it is not needed again.
                self.request.messages = Vec::new();
            }
            Asked::Again { asked, failure } => {
                let wait = tries.next(&self.limits, asked).ok_or(failure)?;
                *pause = wait;
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                self.answer.events.push_back(ModelEvent::Retrying {
                    attempt: tries.number,
                    wait_ms,
                });
            }
        }
        Ok(())
    }
}

/// Asks with pictures, and without when the server refuses those.
async fn open(shared: &Shared, request: &ModelRequest, limits: &Limits) -> Result<Asked, ProviderError> {
    let ask = Ask {
        shared,
        request,
        limits,
    };
    let pictures = Pictures::of(request);
    if pictures.is_empty() || shared.sight.is_blind() {
        return ask.in_some_form(&Pictures::none()).await;
    }
    let seeing = ask.in_some_form(&pictures).await;
    if matches!(seeing, Ok(Asked::Opened(_))) {
        shared.sight.saw();
    }
    if !may_be_about_pictures(&seeing) {
        return seeing;
    }
    let blind = ask.in_some_form(&Pictures::none()).await;
    if !matches!(blind, Ok(Asked::Opened(_))) {
        return seeing;
    }
    // A server that fails, or finds the whole too large, says nothing about the model's sight.
    if matches!(seeing, Err(ProviderError::Refused { status }) if status != 413) {
        shared.sight.refused(&pictures);
    }
    blind
}

/// Servers differ in how they refuse pictures; some answer as if they had failed themselves.
fn may_be_about_pictures(asked: &Result<Asked, ProviderError>) -> bool {
    let failure = match asked {
        Ok(Asked::Opened(_)) => return false,
        Ok(Asked::Again { failure, .. }) | Err(failure) => failure,
    };
    matches!(
        failure,
        ProviderError::Refused {
            status: 400 | 404 | 413 | 415 | 422
        } | ProviderError::Server { status: 500 | 501 }
    )
}

/// One way to ask.
struct Ask<'a> {
    shared: &'a Shared,
    request: &'a ModelRequest,
    limits: &'a Limits,
}

impl Ask<'_> {
    /// Asks in the form this server accepts, or finds out which that is.
    async fn in_some_form(&self, pictures: &Pictures<'_>) -> Result<Asked, ProviderError> {
        if let Some(form) = Form::proven(self.shared.form.load(Ordering::Relaxed)) {
            return self.send(form, pictures).await;
        }
        let mut last = Err(ProviderError::BadResponse);
        for form in Form::ALL {
            last = self.send(form, pictures).await;
            if matches!(last, Ok(Asked::Opened(_))) {
                self.shared.form.store(form.code(), Ordering::Relaxed);
            }
            if !matches!(last, Err(ProviderError::Refused { status: 400 })) {
                break;
            }
        }
        last
    }

    async fn send(&self, form: Form, pictures: &Pictures<'_>) -> Result<Asked, ProviderError> {
        let Self {
            shared,
            request,
            limits,
        } = *self;
        let deadline = Instant::now() + limits.first_byte;
        let mut asked = shared
            .client
            .post(shared.endpoint("chat/completions"))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .body(request::body(&shared.model, request, form, pictures));
        if let Some(authorization) = &shared.authorization {
            asked = asked.header(AUTHORIZATION, authorization.clone());
        }
        let response = match timeout_at(deadline, asked.send()).await {
            Err(_) => return Err(ProviderError::Timeout),
            Ok(Err(_)) => {
                return Ok(Asked::Again {
                    asked: None,
                    failure: ProviderError::Unreachable,
                });
            }
            Ok(Ok(response)) => response,
        };
        let status = response.status().as_u16();
        if status == 429 || status >= 500 {
            let asked = retry_after(response.headers(), SystemTime::now());
            return Ok(Asked::Again {
                asked,
                failure: wire::failure(status),
            });
        }
        if !response.status().is_success() {
            return Err(wire::failure(status));
        }
        first_bytes(response, deadline, limits).await
    }
}

/// Waits for the first bytes of a good answer; a connection lost before them may be tried again.
async fn first_bytes(
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

/// Whether a body is one JSON object rather than a stream of events; anything else is not this API.
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
    async fn step(&mut self, answer: &mut Answer, limits: &Limits) -> Result<bool, ProviderError> {
        let piece = match self.first.take() {
            Some(first) => Some(first),
            None => match self.piece(answer, limits).await? {
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
            if event == b"[DONE]" {
                answer.done();
                return Ok(true);
            }
            if !event.is_empty() {
                answer.read(event)?;
            }
        }
        Ok(false)
    }

    /// The next bytes. After the model's last word, silence or a lost connection ends the answer as well.
    async fn piece(&mut self, answer: &Answer, limits: &Limits) -> Result<Piece, ProviderError> {
        let finished = answer.is_finished();
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
    fn over(&mut self, answer: &mut Answer) -> Result<bool, ProviderError> {
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
