//! What tests of the core share: a scripted provider and records to start from.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use sidewire_contract::mode::Mode;
use tokio::sync::Notify;

use crate::error::ProviderError;
use crate::ids::{Owner, TurnId, TurnKey};
use crate::message::Usage;
use crate::provider::{FinishReason, ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};
use crate::record::TurnRecord;
use crate::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput, ToolSource};

/// One step of a scripted model call.
#[derive(Clone)]
pub(crate) enum Say {
    Event(ModelEvent),
    /// Waits until the test lets it go on.
    Wait(Arc<Notify>),
    /// Ends the stream without a finish.
    BreakOff,
    /// Ends it with a failure.
    Fail(ProviderError),
    Panic,
}

impl From<&str> for Say {
    fn from(text: &str) -> Self {
        Self::Event(ModelEvent::Text(text.to_owned()))
    }
}

/// The finish of a plain answer.
pub(crate) fn stop() -> Say {
    Say::Event(ModelEvent::Finished(FinishReason::Stop))
}

/// What a model call took, in tokens.
pub(crate) fn took(input: u64) -> Say {
    Say::Event(ModelEvent::Usage(Usage {
        input,
        ..Usage::default()
    }))
}

/// A tool call.
pub(crate) fn call(id: &str, name: &str) -> Say {
    Say::Event(ModelEvent::ToolCall {
        call_id: id.into(),
        name: name.into(),
        arguments: serde_json::json!({}),
    })
}

/// Answers each call with the next script; the last one is said again when they run out.
pub(crate) struct Scripted {
    window: Mutex<Option<u64>>,
    /// The window it tells once it was asked.
    learns: Option<u64>,
    scripts: Mutex<Vec<Vec<Say>>>,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
}

impl Scripted {
    pub(crate) fn new(scripts: Vec<Vec<Say>>) -> Arc<Self> {
        Self::with_window(None, scripts)
    }

    pub(crate) fn with_window(window: Option<u64>, scripts: Vec<Vec<Say>>) -> Arc<Self> {
        Arc::new(Self::plain(window, scripts))
    }

    /// One that knows its window only after it was asked.
    pub(crate) fn that_learns(window: u64, scripts: Vec<Vec<Say>>) -> Arc<Self> {
        Arc::new(Self {
            learns: Some(window),
            ..Self::plain(None, scripts)
        })
    }

    fn plain(window: Option<u64>, mut scripts: Vec<Vec<Say>>) -> Self {
        scripts.reverse();
        Self {
            window: Mutex::new(window),
            learns: None,
            scripts: Mutex::new(scripts),
            requests: Mutex::default(),
        }
    }
}

#[async_trait::async_trait]
impl Provider for Scripted {
    fn describe(&self) -> ModelInfo {
        ModelInfo {
            provider: "test".into(),
            model: "scripted".into(),
            label: "Scripted".into(),
            offline: false,
            window: *self.window.lock().unwrap(),
        }
    }

    async fn learn(&self) {
        if self.learns.is_some() {
            *self.window.lock().unwrap() = self.learns;
        }
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        self.requests.lock().unwrap().push(request);
        let mut scripts = self.scripts.lock().unwrap();
        let script = if scripts.len() > 1 {
            scripts.pop().unwrap()
        } else {
            scripts[0].clone()
        };
        Ok(stream::iter(script).filter_map(say).boxed())
    }
}

async fn say(say: Say) -> Option<Result<ModelEvent, ProviderError>> {
    match say {
        Say::Event(event) => Some(Ok(event)),
        Say::Wait(gate) => {
            gate.notified().await;
            None
        }
        Say::BreakOff => None,
        Say::Fail(error) => Some(Err(error)),
        Say::Panic => panic!("a provider that panics"),
    }
}

pub(crate) fn key(id: &str) -> TurnKey {
    TurnKey {
        owner: Owner("me".into()),
        id: TurnId(id.into()),
    }
}

pub(crate) fn record(id: &str) -> TurnRecord {
    TurnRecord::begun(TurnId(id.into()), "What is this?", Mode::Educational, 1)
}

/// A tool that says its name and the id of the call; one named `hang` does so only when the turn ends.
pub(crate) struct Echo(pub(crate) ToolMeta);

impl Echo {
    pub(crate) fn named(name: &str) -> Arc<dyn Tool> {
        Arc::new(Self(ToolMeta {
            name: name.into(),
            label: "Echo".into(),
            description: "says it back".into(),
            parameters: serde_json::json!({}),
            kind: ToolKind::Read,
            read_only: true,
            hidden: false,
            source: ToolSource::BuiltIn,
        }))
    }
}

#[async_trait::async_trait]
impl Tool for Echo {
    fn meta(&self) -> &ToolMeta {
        &self.0
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        if self.0.name == "hang" {
            call.cancel.cancelled().await;
        }
        ToolOutput::text(format!("{} {}", self.0.name, call.call_id))
    }
}

type Work = Box<dyn Fn(ToolCallContext) -> BoxFuture<'static, ToolOutput> + Send + Sync>;

/// A tool that does what a test wants.
struct Doing(ToolMeta, Work);

/// A tool of this name that does `work`.
pub(crate) fn doing<F>(
    name: &str,
    work: impl Fn(ToolCallContext) -> F + Send + Sync + 'static,
) -> Arc<dyn Tool>
where
    F: Future<Output = ToolOutput> + Send + 'static,
{
    let meta = Echo::named(name).meta().clone();
    Arc::new(Doing(meta, Box::new(move |call| work(call).boxed())))
}

#[async_trait::async_trait]
impl Tool for Doing {
    fn meta(&self) -> &ToolMeta {
        &self.0
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        (self.1)(call).await
    }
}
