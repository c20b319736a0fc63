//! What the front needs of the adapters, as it needs it; `app.rs` brings them (decision 25).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sidewire_agent::provider::Provider;
use sidewire_agent::tool::Tool;
use sidewire_agent::workspace::{Roots, Workspace};
use sidewire_contract::mcp_server::McpServer;

/// The models that can be chosen.
pub(crate) trait ModelDesk: Send + Sync {
    /// Every configured model whose key is there, the default one first; empty when nothing is set up.
    fn list(&self) -> Result<Vec<ModelEntry>, UnreadableModels>;

    /// The id that a person means by this name, which may be shorter.
    fn resolve(&self, name: &str) -> String {
        name.to_owned()
    }

    /// A model, ready to answer with this effort (`None`: the provider's own). Asks nobody.
    fn open(&self, id: &str, effort: Option<&str>) -> Result<Arc<dyn Provider>, OpenModelError>;
}

/// A model that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelEntry {
    /// `provider/model`.
    pub(crate) id: String,
    /// What to call it.
    pub(crate) name: String,
    /// What its provider is called.
    pub(crate) provider: String,
    /// Efforts it can be asked for, lowest first; empty when it has none.
    pub(crate) efforts: Vec<String>,
    /// It can be shown pictures, as far as is known.
    pub(crate) vision: bool,
}

/// What is configured cannot be read, which is not the same as nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the configured models cannot be read; `sidewire doctor` in a terminal says why")]
pub(crate) struct UnreadableModels;

/// Why a model cannot be chosen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenModelError {
    /// Nothing of this name is configured.
    #[error("unknown model {0:?}")]
    Unknown(String),
    /// It needs a key that is not there.
    #[error("model {0:?} is not configured")]
    NoKey(String),
    /// It has no such effort.
    #[error("model {model:?} has no effort {effort:?}")]
    NoEffort {
        /// The model.
        model: String,
        /// What was asked for.
        effort: String,
    },
    /// The connection cannot be prepared.
    #[error("model {0:?} cannot be used")]
    Unusable(String),
    /// Nobody knows which there are.
    #[error(transparent)]
    Unreadable(#[from] UnreadableModels),
}

/// The worker's own tools for a workspace.
pub(crate) trait ToolDesk: Send + Sync {
    /// The disk and the shell of these roots, and the tools for them. Blocks on the disk.
    fn open(&self, roots: Roots) -> ToolKit;
}

/// What works in a workspace.
pub(crate) struct ToolKit {
    /// Files and shell of this machine.
    pub(crate) workspace: Arc<dyn Workspace>,
    /// The tools, in the order they are offered.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// Commands that go on in the background.
    pub(crate) jobs: Arc<dyn Jobs>,
    /// What confines shell commands here; `None` when nothing does.
    pub(crate) sandbox: Option<Sandbox>,
}

/// What confines shell commands, for a person who wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sandbox {
    /// What does it, such as `Landlock (ABI 4)`.
    pub(crate) by: String,
    /// Where they can write.
    pub(crate) write: Vec<PathBuf>,
    /// What was configured for that and cannot be used, with the reason.
    pub(crate) refused: Vec<String>,
}

/// Commands that run in the background of a session.
#[async_trait::async_trait]
pub(crate) trait Jobs: Send + Sync {
    /// How many run.
    fn running(&self) -> usize;

    /// Ends them all.
    async fn end(&self);
}

/// The MCP servers of sessions.
pub(crate) trait McpDesk: Send + Sync {
    /// Starts those of a session: the ones the editor passed, and those of the person and the project at `folder`.
    /// Returns at once; `changed` is called whenever tools, prompts or states have changed.
    fn start(
        &self,
        folder: &Path,
        passed: Vec<McpServer>,
        changed: Arc<dyn Fn() + Send + Sync>,
    ) -> Arc<dyn McpSession>;
}

/// The MCP servers of one session.
#[async_trait::async_trait]
pub(crate) trait McpSession: Send + Sync {
    /// Tools of all servers that can be called now, named `mcp__server__tool`, in a stable order.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// Prompts that servers offer as commands.
    fn prompts(&self) -> Vec<McpPrompt>;

    /// The text of a prompt with these arguments.
    async fn expand(&self, name: &str, arguments: &str) -> Result<String, String>;

    /// How each server is.
    fn states(&self) -> Vec<McpState>;

    /// Resolves once every server has connected, failed or waits for the person; bounded by the time to connect.
    async fn settled(&self);

    /// Ends them; their processes are gone when this returns.
    async fn close(&self);
}

/// A prompt of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct McpPrompt {
    /// `server:prompt`.
    pub(crate) name: String,
    /// What it does.
    pub(crate) description: String,
    /// It takes arguments.
    pub(crate) arguments: bool,
}

/// How an MCP server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct McpState {
    /// Its name.
    pub(crate) name: String,
    /// How it is.
    pub(crate) status: McpStatus,
    /// Why it failed, without secrets.
    pub(crate) error: Option<String>,
    /// How many tools it has.
    pub(crate) tools: usize,
}

/// How an MCP server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum McpStatus {
    /// Connected.
    Ready,
    /// About to be.
    Connecting,
    /// It could not be started or was lost.
    Failed,
    /// A project's server that the person has not authorised.
    Pending,
    /// Switched off by the person.
    Disabled,
    /// Its tools are known from last time; the first call connects it.
    Standby,
    /// Connected to nothing on purpose.
    Idle,
}
