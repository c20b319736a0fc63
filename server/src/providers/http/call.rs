//! One model call as a lazy stream: ask, retry before the first byte, read, end. Dropping it cancels it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{ModelEvent, ModelRequest, ModelStream};

use super::ask::ask;
use super::reader::Reader;
use super::retry::Tries;
use super::{Answer, Api, Asked, Limits, Shared};

/// One model call.
pub(super) struct Call<A: Api> {
    shared: Arc<Shared<A>>,
    request: ModelRequest,
    effort: Option<String>,
    limits: Limits,
    phase: Phase,
    answer: A::Answer,
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

impl<A: Api> Call<A> {
    /// A call with all its tries.
    pub(super) fn new(shared: Arc<Shared<A>>, request: ModelRequest, effort: Option<String>) -> Self {
        let phase = Phase::Ask {
            tries: Tries::begin(),
            pause: Duration::ZERO,
        };
        Self {
            limits: shared.connection.limits,
            answer: shared.api.answer(),
            shared,
            request,
            effort,
            phase,
        }
    }

    /// The same with one try.
    pub(super) fn once(mut self) -> Self {
        self.limits.tries = 1;
        self
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
            if let Some(event) = self.answer.events().pop_front() {
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
        match ask(&self.shared, &self.request, self.effort.as_deref()).await? {
            Asked::Opened(reader) => {
                self.phase = Phase::Read(reader);
                // A transcript can be large, and it is not needed again.
                self.request.messages = Vec::new();
            }
            Asked::Again { asked, failure } => {
                let wait = tries.next(&self.limits, asked).ok_or(failure)?;
                *pause = wait;
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                self.answer.events().push_back(ModelEvent::Retrying {
                    attempt: tries.number,
                    wait_ms,
                });
            }
        }
        Ok(())
    }
}
