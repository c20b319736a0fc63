//! Which MCP servers there are in a folder: what the configuration, the project's files and the person's decisions say
//! together. Sessions start from it, `sidewire mcp` shows it.

use std::path::{Path, PathBuf};

use sidewire_contract::layout::Layout;
use sidewire_contract::mcp_server::McpServer;

use crate::config::mcp::{WrittenServer, expanded, read_project};
use crate::config::{Config, ConfigError};
use crate::mcp::{Candidate, Entry, Ledger, LedgerError, Origin, Project, roster};

/// The servers of a folder, from whomever.
pub(crate) struct Roster {
    /// The folder as a project.
    pub(crate) project: Project,
    /// The servers, by name.
    pub(crate) entries: Vec<Entry>,
    /// A line for each thing of the project's files that was skipped.
    pub(crate) warnings: Vec<String>,
}

/// Why the servers are not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RosterError {
    /// `config.toml` cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The person's decisions cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// Where the person's decisions are kept.
pub(crate) fn ledger_file(layout: &Layout) -> PathBuf {
    layout.state.join("mcp-servers.json")
}

/// Reads what there is in a folder, beside what an editor passed.
pub(crate) fn read_roster(
    layout: &Layout,
    folder: &Path,
    passed: Vec<McpServer>,
) -> Result<Roster, RosterError> {
    let own = Config::load(layout)?.mcp.servers();
    let ledger = Ledger::load(&ledger_file(layout))?;
    Ok(combine(folder, (passed, own), &ledger))
}

/// What a session begins with when something of the person's own cannot be read: only what needs none of it.
pub(crate) fn cautious_roster(layout: &Layout, folder: &Path, passed: Vec<McpServer>) -> Roster {
    read_roster(layout, folder, passed.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, "MCP servers of the person and the project are not used as they should");
        combine(folder, (passed, Vec::new()), &Ledger::default())
    })
}

fn combine(folder: &Path, (passed, own): (Vec<McpServer>, Vec<WrittenServer>), ledger: &Ledger) -> Roster {
    let project = Project::of(folder);
    let found = read_project(folder);
    let passed = passed.into_iter().map(|server| Candidate {
        server,
        origin: Origin::Editor,
        disabled: false,
        trusted: false,
    });
    let candidates = passed
        .chain(written(own, Origin::Person))
        .chain(written(found.servers, Origin::Project))
        .collect();
    Roster {
        entries: roster(candidates, &project, ledger),
        project,
        warnings: found.warnings,
    }
}

fn written(servers: Vec<WrittenServer>, origin: Origin) -> impl Iterator<Item = Candidate> {
    servers.into_iter().map(move |one| Candidate {
        server: one.server,
        origin,
        disabled: one.disabled,
        trusted: one.trusted,
    })
}

/// The definition with the variables of our own environment in it; only for one that may start.
pub(crate) fn expand(server: McpServer) -> Result<McpServer, String> {
    expanded(server, &|name| std::env::var(name).ok()).map_err(|error| error.to_string())
}
