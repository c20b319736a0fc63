//! One model call as a lazy stream: ask, read, end, and ask again while nothing was told yet. Dropping it cancels it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{ModelEvent, ModelRequest, ModelStream};

use super::ask::ask;
use super::reader::Reader;
use super::retry::Tries;
use super::status::may_pass;
use super::{Answer, Api, Asked, Limits, Shared};

/// One model call.
pub(super) struct Call<A: Api> {
    shared: Arc<Shared<A>>,
    request: ModelRequest,
    effort: Option<String>,
    limits: Limits,
    tries: Tries,
    phase: Phase,
    answer: A::Answer,
    /// Something of the answer was told and cannot be taken back.
    told: bool,
}

/// How far a call is.
enum Phase {
    /// To be asked, after a pause.
    Ask { pause: Duration },
    /// The answer arrives.
    Read(Box<Reader>),
    /// Everything was read or something failed; told after the remaining events.
    End(Option<ProviderError>),
}

impl<A: Api> Call<A> {
    /// A call with all its tries.
    pub(super) fn new(shared: Arc<Shared<A>>, request: ModelRequest, effort: Option<String>) -> Self {
        Self {
            limits: shared.connection.limits,
            answer: shared.api.answer(),
            shared,
            request,
            effort,
            tries: Tries::begin(),
            phase: Phase::Ask {
                pause: Duration::ZERO,
            },
            told: false,
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
                if tells(&event) && !self.told {
                    self.told = true;
                    // A transcript can be large, and it is not needed again.
                    self.request.messages = Vec::new();
                }
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
                Err(failure) => self.failed(failure),
            }
        }
    }

    /// One try; leads to reading, to a further try, or to a failure.
    async fn ask(&mut self) -> Result<(), ProviderError> {
        if let Phase::Ask { pause } = &mut self.phase
            && !pause.is_zero()
        {
            tokio::time::sleep(std::mem::take(pause)).await;
        }
        match ask(&self.shared, &self.request, self.effort.as_deref()).await? {
            Asked::Opened(reader) => {
                self.tries.answered();
                self.phase = Phase::Read(reader);
            }
            Asked::Again { asked, failure } => {
                let wait = self.tries.next(&self.limits, asked).ok_or(failure)?;
                self.ask_again(wait);
            }
        }
        Ok(())
    }

    /// Some servers accept a request and say only then that they are busy.
    fn failed(&mut self, failure: ProviderError) {
        let told = self.told || self.answer.events().iter().any(tells);
        let again = matches!(self.phase, Phase::Read(_)) && !told && may_pass(&failure);
        match again.then(|| self.tries.next(&self.limits, None)).flatten() {
            Some(wait) => {
                self.answer = self.shared.api.answer();
                self.ask_again(wait);
            }
            None => self.phase = Phase::End(Some(failure)),
        }
    }

    fn ask_again(&mut self, wait: Duration) {
        self.phase = Phase::Ask { pause: wait };
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.answer.events().push_back(ModelEvent::Retrying {
            attempt: self.tries.number,
            wait_ms,
        });
    }
}

/// Whether an event is part of an answer, which is not told twice.
fn tells(event: &ModelEvent) -> bool {
    !matches!(event, ModelEvent::Alive | ModelEvent::Retrying { .. })
}
