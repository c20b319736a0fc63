//! What answers the requests of a peer.

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::{Error, Params};

/// Answers requests and hears notifications.
///
/// Both are called by the reader, in the order of the messages, and must return at once: what is done before they
/// return keeps that order, what takes time goes into the [`Handling`].
pub(crate) trait Service: Send + Sync + 'static {
    /// Begins a request.
    fn request(&self, call: Call) -> Handling;

    /// Hears a notification; unknown ones are ignored.
    fn notification(&self, method: &str, params: Params);
}

/// A request of the peer.
pub(crate) struct Call {
    /// What it asks for.
    pub(crate) method: String,
    /// With which parameters.
    pub(crate) params: Params,
    /// Fires when the peer gives it up, or is gone.
    pub(crate) cancel: CancellationToken,
    /// Fires once its answer is in the line to the peer.
    pub(crate) answered: CancellationToken,
}

/// What is sent back.
pub(crate) type Answer = Result<Reply, Error>;

/// How a request goes on.
pub(crate) enum Handling {
    /// It has its answer.
    Done(Answer),
    /// It takes time. Dropped when it is cancelled; then the answer says so.
    Running(BoxFuture<'static, Answer>),
    /// It takes time and sees to its cancellation itself.
    Careful(BoxFuture<'static, Answer>),
}

impl Handling {
    /// A request that takes time and may be dropped when it is cancelled.
    pub(crate) fn running(work: impl Future<Output = Answer> + Send + 'static) -> Self {
        Self::Running(Box::pin(work))
    }

    /// A request that takes time and sees to its cancellation itself.
    pub(crate) fn careful(work: impl Future<Output = Answer> + Send + 'static) -> Self {
        Self::Careful(Box::pin(work))
    }
}

/// A result, and what happens after it was put in the line.
pub(crate) struct Reply {
    pub(super) result: Box<RawValue>,
    pub(super) then: Option<BoxFuture<'static, ()>>,
}

impl Reply {
    /// A result.
    pub(crate) fn new(result: &impl Serialize) -> Answer {
        let result = serde_json::value::to_raw_value(result).map_err(|error| {
            tracing::error!(%error, "a result cannot be written");
            Error::internal("the result cannot be written")
        })?;
        Ok(Self { result, then: None })
    }

    /// The same, followed by `then`: what it sends stands after the result.
    #[must_use]
    pub(crate) fn then(self, then: impl Future<Output = ()> + Send + 'static) -> Self {
        Self {
            then: Some(Box::pin(then)),
            ..self
        }
    }
}
