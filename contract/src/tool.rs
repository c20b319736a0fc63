//! Tools that a connected client offers, and what their use gives.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value};

use crate::wire::present;

/// A tool that a client offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct HostTool {
    /// Name of the tool.
    pub name: String,
    /// What to call it in front of a person.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub label: Option<String>,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: Map<String, Value>,
    /// Whether it is offered only when a request needs it; its use is shown like any other's.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub hidden: Option<bool>,
}

/// What the use of a tool gave, or gave so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ToolOutput {
    /// For the model.
    pub content: Vec<ToolContent>,
    /// For the client that shows it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub details: Option<Map<String, Value>>,
}

objects!(HostTool, ToolOutput);

/// One piece of content: an object with a string `type`, everything else open.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ToolContent(Map<String, Value>);

impl ToolContent {
    /// A piece of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self(Map::from_iter([
            ("type".to_owned(), Value::String("text".to_owned())),
            ("text".to_owned(), Value::String(text.into())),
        ]))
    }

    /// Kind of content, such as `text` or `image`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// All its members.
    #[must_use]
    pub const fn members(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl<'de> Deserialize<'de> for ToolContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        match members.get("type") {
            Some(Value::String(_)) => Ok(Self(members)),
            _ => Err(D::Error::custom("expected an object with a string type")),
        }
    }
}
