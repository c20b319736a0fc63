//! One host tool as a turn sees it, and the life of its calls: checked, sent, waited for, ended exactly once.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use sidewire_agent::event::{ToolProgress, TurnEvent};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolMeta, ToolOutput, without_secrets};
use sidewire_contract::bridge::turns::HostToolScope;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::host_tool::HostToolCall;
use sidewire_contract::ids::ChatId;
use sidewire_contract::limits;
use sidewire_contract::number::Number;
use sidewire_contract::text::NonEmpty;
use tokio::time::{Instant, sleep_until};

use super::super::translate;
use super::super::writer::{Post, ToolCall};
use super::line::{Line, Outcome, Refused, Report, Running};
use super::result::Gallery;
use super::schema::{ArgumentFault, Parameters};
use crate::media::Library;

/// No call runs longer, however often it reports.
const LONGEST: Duration = Duration::from_secs(10 * 60);

/// A tool of the client.
pub(super) struct HostTool {
    pub(super) meta: ToolMeta,
    pub(super) parameters: Parameters,
    pub(super) line: Arc<Line>,
    /// Where pictures of results go.
    pub(super) library: Library,
    /// The set it belongs to.
    pub(super) generation: u64,
}

/// Why a call gave no result. The model reads it.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error(transparent)]
    Arguments(#[from] ArgumentFault),
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("the call is larger than one message may be")]
    TooLarge,
    #[error("the turn was stopped")]
    Stopped,
    #[error("the browser or document disconnected before the tool finished; what it did so far is unknown")]
    Disconnected,
    #[error("the tool did not finish in {0} seconds and was told to stop; what it did so far is unknown")]
    TimedOut(u64),
    #[error("the tool finished, but its result is larger than 8 MiB; ask for less")]
    ResultTooLarge,
    #[error("the tool finished, but its result could not be read")]
    ResultUnreadable,
}

impl HostTool {
    /// Runs a call; `secret` is set once the client has said that its arguments hold one.
    async fn run(&self, call: &ToolCallContext, secret: &mut bool) -> Result<ToolOutput, CallError> {
        let arguments = self.parameters.check(call.arguments.clone()).await?;
        let _place = tokio::select! {
            biased;
            () = call.cancel.cancelled() => return Err(CallError::Stopped),
            place = self.line.place() => place?,
        };
        let mut running = self.line.begin(self.generation)?;
        let message = self.message(call, &running.id, arguments);
        self.send(call, message.ok_or(CallError::TooLarge)?).await?;
        running.is_out = true;
        let came = self.wait(call, &mut running).await;
        *secret = running.report.borrow().secret;
        let came = match came? {
            Outcome::Came(came) => came,
            Outcome::TooLarge => return Err(CallError::ResultTooLarge),
            Outcome::Unreadable => return Err(CallError::ResultUnreadable),
        };
        let gallery = Gallery {
            library: &self.library,
            tool: &self.meta.name,
            call,
        };
        Ok(gallery.read(came).await)
    }

    /// The call, and before it the tab it is about (decision 12); `None` when they do not fit a frame.
    fn message(&self, call: &ToolCallContext, id: &str, arguments: Map<String, Value>) -> Option<ToolCall> {
        let turn = ChatId::new(call.turn.id.0.clone()).ok()?;
        let scope = WorkerFrame::HostToolScope(HostToolScope {
            call_id: NonEmpty::new(id).ok()?,
            chat_id: turn.clone(),
            conversation: translate::conversation_id(call.conversation)?,
            tab_id: Number::from(call.tab),
        });
        let call = WorkerFrame::HostToolCall(HostToolCall {
            id: id.to_owned(),
            tool_call_id: call.call_id.clone(),
            tool_name: self.meta.name.clone(),
            arguments,
        });
        let fits = call.encode().len() <= limits::BROWSER_FRAME;
        fits.then(|| ToolCall {
            turn,
            id: id.to_owned(),
            frames: vec![scope, call],
        })
    }

    async fn send(&self, call: &ToolCallContext, message: ToolCall) -> Result<(), CallError> {
        let post = Post::Call(Box::new(message));
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(CallError::Stopped),
            sent = self.line.post(post) => sent.then_some(()).ok_or(CallError::Disconnected),
        }
    }

    /// Waits for the result; every report starts the clock anew.
    async fn wait(&self, call: &ToolCallContext, running: &mut Running) -> Result<Outcome, CallError> {
        let last = Instant::now() + LONGEST;
        let began = Instant::now();
        let mut deadline = began + self.line.patience;
        loop {
            tokio::select! {
                biased;
                outcome = &mut running.outcome => return outcome.map_err(|_closed| CallError::Disconnected),
                () = call.cancel.cancelled() => return Err(CallError::Stopped),
                () = sleep_until(deadline.min(last)) => {
                    return Err(CallError::TimedOut(began.elapsed().as_secs()));
                }
                Ok(()) = running.report.changed() => {
                    deadline = Instant::now() + self.line.patience;
                    let Report { shown, secret } = running.report.borrow_and_update().clone();
                    call.feed.push(TurnEvent::ToolProgress(ToolProgress {
                        call_id: call.call_id.clone(),
                        name: self.meta.name.clone(),
                        content: shown,
                        kept_arguments: secret.then(|| without_secrets(&call.arguments)),
                    }));
                }
            }
        }
    }
}

#[async_trait::async_trait]
impl Tool for HostTool {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        let mut secret = false;
        let ran = self.run(&call, &mut secret).await;
        let mut output = ran.unwrap_or_else(|error| ToolOutput::error(error.to_string()));
        output.secret_input |= secret;
        output
    }
}
