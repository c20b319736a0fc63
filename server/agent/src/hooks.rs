//! Fourth of the five traits: what may watch and change a turn from outside. Plugins implement it.

use serde_json::Value;

use crate::ids::{ConversationId, TurnKey};
use crate::provider::ModelRequest;
use crate::tool::ToolOutput;

/// Interception points of a turn, in the order they happen. The defaults let everything pass.
#[async_trait::async_trait]
pub trait Hooks: Send + Sync {
    /// Before a model call; may change the request or end the turn.
    async fn before_model(&self, _turn: &TurnPlace, _request: &mut ModelRequest) -> Verdict {
        Verdict::Continue
    }

    /// Before a tool call; may change the arguments or refuse it.
    async fn before_tool(&self, _turn: &TurnPlace, _tool: &str, _arguments: &mut Value) -> Verdict {
        Verdict::Continue
    }

    /// After a tool call; may change what the model reads.
    async fn after_tool(&self, _turn: &TurnPlace, _tool: &str, _output: &mut ToolOutput) {}
}

/// Where in the core a hook is called.
#[derive(Clone, Debug)]
pub struct TurnPlace {
    /// The turn.
    pub turn: TurnKey,
    /// Its conversation.
    pub conversation: ConversationId,
}

/// What a hook decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Continue,
    /// Do not; the text tells the model or the person why.
    Refuse(String),
}

/// Hooks that let everything pass: a worker without plugins.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {}
