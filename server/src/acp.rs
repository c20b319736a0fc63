//! The ACP front: an editor on standard input and output.
//!
//! It turns messages into calls of the agent and news of turns into messages. Modules stand in reading order: the
//! connection and its methods, how sessions are opened and what they are set to, a prompt and its turn, and what a
//! turn reaches through the editor.

mod connection;
mod editor;
mod initialize;
mod methods;
mod params;
mod refusals;

mod directories;
mod lifecycle;
mod list;
mod mcp_servers;
mod open;
mod order;
mod replay;
mod session;
mod sessions;
mod spelling;

mod controls;
mod queued;

mod content;
mod follow;
mod mcp_wait;
mod outcome;
mod own_command;
mod prompt;
mod slash;
mod translate;
mod turn;
mod unasked;

mod cards;
mod client_person;
mod client_workspace;
mod line;
mod told_calls;

pub(crate) mod desks;

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::v1::AGENT_METHOD_NAMES as AGENT;
use sidewire_agent::Agent;
use sidewire_agent::permission::Rules;

pub(crate) use connection::serve;
pub(crate) use controls::Start;

/// What sessions are made of; `app.rs` brings it.
pub(crate) struct Parts {
    /// The core, of this process.
    pub(crate) agent: Arc<Agent>,
    /// Models that can be chosen.
    pub(crate) models: Arc<dyn desks::ModelDesk>,
    /// Files, shell and tools of this machine.
    pub(crate) tools: Arc<dyn desks::ToolDesk>,
    /// MCP servers.
    pub(crate) mcp: Arc<dyn desks::McpDesk>,
    /// What the person allows and forbids.
    pub(crate) rules: Rules,
    /// Where the person keeps commands and skills.
    pub(crate) user_folder: PathBuf,
    /// What a conversation that began beside a page shows as its folder (decision 35).
    pub(crate) browser_folder: PathBuf,
    /// Folders of ours that hold keys and conversations; no session may use them.
    pub(crate) private: Vec<PathBuf>,
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
