//! A connection that stands: what a session asks a server for, each within its bounds.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, JsonObject, PaginatedRequestParams, ServerResult, SubscriptionFilter,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError, Subscription};
use sidewire_agent::page_block::text::clip;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::connect::Connection;
use super::error::{CallError, ConnectError};
use super::guard::Fault;
use super::handler::Handler;
use super::offer::{Offer, OfferedPrompt, OfferedTool, ToolSieve, add_prompts};
use super::reports::Call;
use super::visible::visible;

/// Pages of one list; some servers send one item each.
const PAGES: usize = 256;
/// Bytes of what a server says when it refuses a call.
const REFUSAL: usize = 1024;
/// How long a cancellation may wait for room in the pipe of a server that does not read.
const CANCELLING: Duration = Duration::from_millis(200);

/// A connection that stands. Clones are the same.
#[derive(Clone)]
pub(super) struct Live {
    server: String,
    peer: Peer<RoleClient>,
    /// Our side of it.
    pub(super) handler: Handler,
    /// Why it ended, when we know better than the library.
    fault: Fault,
    /// Takes the connection down.
    pub(super) stop: CancellationToken,
    /// It is down.
    pub(super) lost: CancellationToken,
}

impl Live {
    /// The connection of a server.
    pub(super) fn new(server: &str, connection: &Connection, stop: CancellationToken) -> Self {
        Self {
            server: server.to_owned(),
            peer: connection.running.peer().clone(),
            handler: connection.running.service().clone(),
            fault: connection.fault.clone(),
            stop,
            lost: CancellationToken::new(),
        }
    }

    /// Whether the next call needs another one.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_cancelled() || self.stop.is_cancelled()
    }

    /// What the server offers now.
    pub(super) async fn list(&self) -> Result<Offer, ConnectError> {
        let info = self.peer.peer_info().ok_or(ConnectError::Unreadable)?;
        let tools = if info.capabilities.tools.is_some() {
            self.tools().await?
        } else {
            Vec::new()
        };
        let prompts = if info.capabilities.prompts.is_some() {
            // A server without usable prompts is still good for its tools.
            self.prompts().await.unwrap_or_default()
        } else {
            Vec::new()
        };
        Ok(Offer { tools, prompts })
    }

    async fn tools(&self) -> Result<Vec<OfferedTool>, ServiceError> {
        let (mut tools, mut cursor) = (ToolSieve::new(&self.server), None);
        for _ in 0..PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.peer.list_tools(Some(params)).await?;
            cursor = page.next_cursor;
            if !tools.take(page.tools) || cursor.is_none() {
                break;
            }
        }
        Ok(tools.finish())
    }

    async fn prompts(&self) -> Result<Vec<OfferedPrompt>, ServiceError> {
        let (mut prompts, mut cursor) = (Vec::new(), None);
        for _ in 0..PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.peer.list_prompts(Some(params)).await?;
            cursor = page.next_cursor;
            if !add_prompts(&mut prompts, page.prompts) || cursor.is_none() {
                break;
            }
        }
        Ok(prompts)
    }

    /// Where a server without a handshake sends its changes; others send them by themselves.
    pub(super) async fn subscribe(&self) -> Option<Subscription> {
        let info = self.peer.peer_info()?;
        if info.protocol_version.has_initialize() {
            return None;
        }
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = info.capabilities.tools.is_some().then_some(true);
        filter.prompts_list_changed = info.capabilities.prompts.is_some().then_some(true);
        self.peer.listen(filter).await.ok()
    }

    /// Calls a tool; the server is told when nobody waits any more.
    pub(super) async fn call(&self, asked: Asked<'_>) -> Result<CallToolResult, CallError> {
        let params = CallToolRequestParams::new(asked.tool.to_owned()).with_arguments(asked.arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_request_with_option(request, options).await;
        let mut handle = sent.map_err(|error| self.refusal(error))?;
        let _watching = self
            .handler
            .reports
            .watch(handle.progress_token.clone(), asked.call);
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                let answer = answer.unwrap_or(Err(ServiceError::TransportClosed));
                self.result(answer.map_err(|error| self.refusal(error))?)
            }
            () = asked.cancel.cancelled() => {
                cancel(handle, "the turn was stopped").await;
                Err(CallError::Stopped)
            }
            () = self.lost.cancelled() => Err(self.was_lost(ConnectError::Ended)),
            () = sleep(asked.limit) => {
                cancel(handle, "the call took too long").await;
                Err(CallError::TooSlow {
                    server: self.server.clone(),
                    seconds: asked.limit.as_secs(),
                })
            }
        }
    }

    fn result(&self, answer: ServerResult) -> Result<CallToolResult, CallError> {
        match answer {
            ServerResult::CallToolResult(result) => Ok(result),
            ServerResult::InputRequiredResult(_) => Err(CallError::WantsInput(self.server.clone())),
            // A result without any content, as some servers send it.
            ServerResult::EmptyResult(_) => Ok(CallToolResult::default()),
            _ => Err(CallError::Unreadable(self.server.clone())),
        }
    }

    /// The text of a prompt, as the server sends it.
    pub(super) async fn prompt(
        &self,
        name: &str,
        arguments: JsonObject,
        limit: Duration,
    ) -> Result<GetPromptResult, CallError> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let asking = self.peer.get_prompt_once(params);
        let too_slow = |_| CallError::TooSlow {
            server: self.server.clone(),
            seconds: limit.as_secs(),
        };
        let answer = timeout(limit, asking).await.map_err(too_slow)?;
        match answer.map_err(|error| self.refusal(error))? {
            GetPromptResponse::Complete(result) => Ok(result),
            _ => Err(CallError::WantsInput(self.server.clone())),
        }
    }

    /// Why a request failed; a broken connection is taken down, so that the next one begins anew.
    fn refusal(&self, error: ServiceError) -> CallError {
        match error {
            ServiceError::McpError(error) => {
                let server = self.server.clone();
                let message = clip(&visible(&error.message), REFUSAL).to_owned();
                CallError::Refused { server, message }
            }
            ServiceError::TransportSend(_) | ServiceError::TransportClosed => {
                self.stop.cancel();
                self.was_lost(error.into())
            }
            _ => CallError::Unreadable(self.server.clone()),
        }
    }

    fn was_lost(&self, seen: ConnectError) -> CallError {
        CallError::Lost {
            server: self.server.clone(),
            error: self.fault.known().unwrap_or(seen),
        }
    }
}

/// A call of a tool.
pub(super) struct Asked<'a> {
    /// The server's own name of it.
    pub(super) tool: &'a str,
    pub(super) arguments: JsonObject,
    /// Who is shown its progress.
    pub(super) call: Call,
    pub(super) cancel: &'a CancellationToken,
    /// How long it may take.
    pub(super) limit: Duration,
}

/// Tells the server that nobody waits any more.
async fn cancel(handle: RequestHandle<RoleClient>, why: &str) {
    let _it_may_not_read = timeout(CANCELLING, handle.cancel(Some(why.to_owned()))).await;
}
