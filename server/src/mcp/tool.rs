//! A tool of a server, as a turn sees it.

use std::sync::Arc;

use rmcp::model::CallToolResult;
use serde_json::{Map, Value};
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput, ToolSource};
use sidewire_agent::workspace::Roots;

use super::error::CallError;
use super::live::Asked;
use super::names::tool_name;
use super::offer::OfferedTool;
use super::reports::Call;
use super::result::Gallery;
use super::server::Server;
use crate::media::Library;

/// A tool of a server.
pub(super) struct McpTool {
    meta: ToolMeta,
    /// What the server calls it.
    own_name: String,
    server: Arc<Server>,
    library: Library,
}

impl McpTool {
    /// The tool that a server offers.
    pub(super) fn new(server: Arc<Server>, offered: &OfferedTool, library: Library) -> Self {
        // Its own word is no reason to run it unasked.
        let read_only = server.trusted && offered.read_only;
        let kind = if read_only {
            ToolKind::Read
        } else {
            ToolKind::Other
        };
        let meta = ToolMeta {
            name: tool_name(&server.name, &offered.name),
            label: format!("{}: {}", server.name, offered.title),
            description: offered.description.clone(),
            parameters: offered.parameters.clone(),
            kind,
            read_only,
            hidden: false,
            source: ToolSource::Mcp(server.name.clone()),
        };
        Self {
            meta,
            own_name: offered.name.clone(),
            server,
            library,
        }
    }

    async fn run(&self, call: &ToolCallContext) -> Result<CallToolResult, CallError> {
        let arguments = object(&call.arguments)?;
        let live = tokio::select! {
            biased;
            () = call.cancel.cancelled() => return Err(CallError::Stopped),
            live = self.server.live() => live.map_err(|error| CallError::Unavailable {
                server: self.server.name.clone(),
                error,
            })?,
        };
        let asked = Asked {
            tool: &self.own_name,
            arguments,
            call: Call {
                id: call.call_id.clone(),
                tool: self.meta.name.clone(),
                feed: Arc::clone(&call.feed),
            },
            cancel: &call.cancel,
            limit: self.server.shared.timing.call,
        };
        live.call(asked).await
    }
}

#[async_trait::async_trait]
impl Tool for McpTool {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn intent(&self, _arguments: &Value, _roots: Option<&Roots>) -> Intent {
        let class = if self.meta.read_only {
            Class::Read
        } else {
            Class::Other
        };
        Intent::new(class, Some(self.meta.name.clone()))
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        let gallery = Gallery {
            library: &self.library,
            tool: &self.meta.name,
            call: &call,
        };
        match self.run(&call).await {
            Ok(result) => gallery.read(result).await,
            Err(error) => ToolOutput::error(error.to_string()),
        }
    }
}

/// What a server is given; a model that has nothing to say may say nothing.
fn object(arguments: &Value) -> Result<Map<String, Value>, CallError> {
    match arguments {
        Value::Object(members) => Ok(members.clone()),
        Value::Null => Ok(Map::new()),
        _ => Err(CallError::Arguments),
    }
}
