//! The MCP servers of a session: the ones its editor passed, which it may replace, and those of the person and the
//! project.

use std::path::Path;
use std::sync::{Arc, Weak};

use sidewire_contract::mcp_server::McpServer;

use super::Session;
use crate::acp::Parts;
use crate::acp::desks::McpSession;

/// Servers that are there, or about to be.
pub(in crate::acp) struct Servers {
    passed: Vec<McpServer>,
    open: Arc<dyn McpSession>,
}

/// A turn runs, which uses the servers there are.
pub(in crate::acp) struct InUse;

impl Servers {
    /// Starts those of a session in this folder; it is told when something about them has changed.
    pub(in crate::acp) fn start(
        parts: &Parts,
        folder: &Path,
        passed: Vec<McpServer>,
        session: Weak<Session>,
    ) -> Self {
        let changed = move || {
            if let Some(session) = session.upgrade() {
                session.commands_changed();
            }
        };
        let open = parts.mcp.start(folder, passed.clone(), Arc::new(changed));
        Self { passed, open }
    }
}

impl Session {
    /// Its MCP servers.
    pub(in crate::acp) fn mcp(&self) -> Arc<dyn McpSession> {
        Arc::clone(&self.state().servers.open)
    }

    /// Has these servers passed by its editor from now on; those it had are ended, unless they are the same.
    pub(in crate::acp) async fn replace_servers(
        self: &Arc<Self>,
        passed: Vec<McpServer>,
    ) -> Result<(), InUse> {
        {
            let state = self.state();
            if state.servers.passed == passed {
                return Ok(());
            }
            if !state.admits() {
                return Err(InUse);
            }
        }
        self.until_idle().await;
        // First, since one may hold something that its successor needs, such as a port.
        self.mcp().close().await;
        let (parts, folder) = (&self.has.parts, self.has.roots.folder());
        let new = Servers::start(parts, folder, passed, Arc::downgrade(self));
        self.state().servers = new;
        Ok(())
    }
}
