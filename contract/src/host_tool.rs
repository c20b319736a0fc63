//! The messages about tools that a client offers.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::tool::{HostTool, ToolOutput};
use crate::wire::present;

/// Offers tools; replaces those offered before (`set_host_tools`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct SetHostTools {
    /// The tools.
    pub tools: Vec<HostTool>,
}

/// The offered tools were taken (`set_host_tools_ack`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct SetHostToolsAck {
    /// Their names.
    pub tool_names: Vec<String>,
}

/// The offered tools were refused (`set_host_tools_error`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct SetHostToolsError {
    /// The one reason there is.
    pub reason: HostToolsRejected,
}

/// The constant `host-tools-rejected`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostToolsRejected;

const REJECTED: &str = "host-tools-rejected";

impl<'de> Deserialize<'de> for HostToolsRejected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::read_text(deserializer, |text| {
            if text == REJECTED {
                Ok(Self)
            } else {
                Err("expected host-tools-rejected")
            }
        })
    }
}

impl Serialize for HostToolsRejected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REJECTED)
    }
}

/// Uses a tool of the client (`host_tool_call`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct HostToolCall {
    /// Names this use.
    pub id: String,
    /// The model's name for it.
    pub tool_call_id: String,
    /// Name of the tool.
    pub tool_name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// What a tool gave so far (`host_tool_update`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct HostToolUpdate {
    /// Names the use.
    pub id: String,
    /// Replaces what came before.
    pub partial_result: ToolOutput,
}

/// What a tool gave (`host_tool_result`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct HostToolResult {
    /// Names the use.
    pub id: String,
    /// The result.
    pub result: ToolOutput,
    /// Whether it failed.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub is_error: Option<bool>,
}

/// Ends the use of a tool early (`host_tool_cancel`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct HostToolCancel {
    /// Names this message.
    pub id: String,
    /// Names the use to end.
    pub target_id: String,
}

objects!(
    SetHostTools,
    SetHostToolsAck,
    SetHostToolsError,
    HostToolCall,
    HostToolUpdate,
    HostToolResult,
    HostToolCancel,
);
