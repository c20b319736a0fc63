//! The parts of an editor's process: the same store as the worker's, an agent of its own, and the desks of its front.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use sidewire_agent::hooks::NoHooks;
use sidewire_agent::session::{GRACE, ProviderSlot};
use sidewire_agent::store::Store;
use sidewire_agent::{Agent, AgentParts};
use sidewire_contract::layout::Layout;

use super::catalog::Catalog;
use super::mcp_desk::McpServers;
use super::shell_places::own;
use super::tool_desk::Tools;
use super::{library, sites};
use crate::acp::Parts;
use crate::config::Config;
use crate::private_file::private_folder;
use crate::process::ourselves;
use crate::providers::offline::OfflineProvider;

/// Opens what sessions of an editor need. Blocks on the disk.
pub(crate) fn editor_parts(layout: &Layout) -> anyhow::Result<Parts> {
    let config = Config::load(layout)?;
    for useless in config.permissions.useless() {
        tracing::warn!(%useless, "a rule in config.toml does nothing");
    }
    let store = Store::open(&layout.data, "an editor").context("failed to open the conversations")?;
    let library = library(layout, config.media.quota())?;
    let agent = Agent::new(AgentParts {
        store,
        // Every turn of a session brings its own.
        provider: ProviderSlot::new(Arc::new(OfflineProvider::new())),
        hooks: Arc::new(NoHooks),
        // Tools belong to the workspace of a session.
        tools: Vec::new(),
        reference_kinds: Arc::new(sites::reference_kinds()?),
        grace: GRACE,
        steps: config.agent.steps,
    });
    let browser_folder = browser_folder(layout);
    private_folder(&browser_folder)?;
    Ok(Parts {
        agent,
        models: Arc::new(Catalog::new(layout.clone())),
        tools: Arc::new(Tools::new(layout, config.shell.clone())),
        mcp: Arc::new(McpServers::new(layout.clone(), library, ourselves())),
        rules: config.permissions.rules(),
        user_folder: layout.config.clone(),
        browser_folder,
        private: own(layout).into(),
    })
}

/// Where a conversation that began beside a page goes on when a client has no folder of its own for it (decision 35):
/// what a person pastes is kept there and can be read; nothing else is written.
pub(super) fn browser_folder(layout: &Layout) -> PathBuf {
    layout.data.join("browser")
}
