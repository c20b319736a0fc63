//! Second of the five traits: what a model can call.

pub(crate) mod offer;
mod secret;
mod shelf;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidewire_contract::media::Media;
use tokio_util::sync::CancellationToken;

use crate::event::ToolContent;
use crate::feed::TurnFeed;
use crate::ids::{ConversationId, TurnKey};
use crate::message::ResultContent;
use crate::permission::{Class, Intent};
use crate::person::Person;
use crate::provider::Picture;
use crate::store::Store;
use crate::workspace::{Roots, Workspace};

pub use secret::without_secrets;
pub use shelf::{ToolShelf, Toolbox};

/// A tool. Host tools, built-in tools, MCP tools and plugin tools all look like this to a turn.
#[async_trait::async_trait]
pub trait Tool: Send + Sync {
    /// What it is.
    fn meta(&self) -> &ToolMeta;

    /// What a call with these arguments does, for a person.
    fn title(&self, _arguments: &Value) -> String {
        self.meta().label.clone()
    }

    /// What a call with these arguments would do; `roots` are those of the conversation, when it has any.
    fn intent(&self, _arguments: &Value, _roots: Option<&Roots>) -> Intent {
        let class = if self.meta().read_only {
            Class::Read
        } else {
            Class::Other
        };
        Intent::new(class, None)
    }

    /// Places a call with these arguments touches, as far as they say it.
    fn locations(&self, _arguments: &Value, _roots: Option<&Roots>) -> Vec<Location> {
        Vec::new()
    }

    /// What a call would do, for the person who is asked whether it may: it changes nothing. An error ends the call
    /// before anyone is asked.
    async fn preview(&self, _call: &ToolCallContext) -> Result<Vec<ToolContent>, ToolOutput> {
        Ok(Vec::new())
    }

    /// Runs a call. Must return soon after `call.cancel` fires.
    async fn call(&self, call: ToolCallContext) -> ToolOutput;
}

/// What a tool is.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolMeta {
    /// Its name, unique within a turn.
    pub name: String,
    /// A short name for people.
    pub label: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// What kind of thing it does.
    pub kind: ToolKind,
    /// It changes nothing.
    pub read_only: bool,
    /// Callable, but not offered.
    pub hidden: bool,
    /// Where it comes from.
    pub source: ToolSource,
}

/// What kind of thing a tool does; the kinds of ACP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Reads files or data.
    Read,
    /// Changes files or content.
    Edit,
    /// Removes.
    Delete,
    /// Moves or renames.
    Move,
    /// Looks for something.
    Search,
    /// Runs a command or acts on a page.
    Execute,
    /// Thinks.
    Think,
    /// Fetches from outside.
    Fetch,
    /// Anything else.
    Other,
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolSource {
    /// Built into the worker.
    BuiltIn,
    /// Offered by the connected client.
    Host,
    /// An MCP server, by name.
    Mcp(String),
    /// A plugin, by name.
    Plugin(String),
}

/// A place a tool touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Absolute path.
    pub path: String,
    /// Line, from 1.
    pub line: Option<u32>,
}

/// One call as a tool gets it.
pub struct ToolCallContext {
    /// The model's id of the call.
    pub call_id: String,
    /// Arguments as the model wrote them.
    pub arguments: Value,
    /// The turn it belongs to.
    pub turn: TurnKey,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// Where that conversation is kept; in memory for private windows.
    pub store: Store,
    /// The tab the question came from; 0 for a document or an editor.
    pub tab: i64,
    /// Files and shell of the conversation, when it has any.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// What a person saw of it ([`Tool::preview`]) before they let it through.
    pub allowed: Vec<ToolContent>,
    /// Whom to ask.
    pub person: Arc<dyn Person>,
    /// Where progress goes.
    pub feed: Arc<TurnFeed>,
    /// Fires when the turn ends.
    pub cancel: CancellationToken,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub content: Vec<ResultContent>,
    /// What a person may see.
    pub shown: Vec<ToolContent>,
    /// Places it touched.
    pub locations: Vec<Location>,
    /// Media to show.
    pub media: Vec<Media>,
    /// Bytes of the pictures in `content` that the model may see.
    pub pictures: Vec<Picture>,
    /// It failed; the model reads why and the turn goes on.
    pub is_error: bool,
    /// Its arguments hold a secret, which is neither kept nor shown ([`without_secrets`]).
    pub secret_input: bool,
}

impl ToolCallContext {
    /// Takes a place for one more piece of media in the answer; false when it shows as many as it may.
    #[must_use]
    pub fn may_show_media(&self) -> bool {
        self.feed.take_media_place()
    }
}

impl ToolOutput {
    /// A failure the model can read.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            content: vec![ResultContent::Text { text: text.into() }],
            is_error: true,
            ..Self::default()
        }
    }

    /// Plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![ResultContent::Text { text: text.into() }],
            ..Self::default()
        }
    }
}
