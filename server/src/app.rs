//! Where everything is wired: the only module that knows every part (design.md, fifth sentence).

mod catalog;
mod editor;
mod git_folder;
mod mcp_desk;
mod mcp_roster;
mod model_desk;
mod servers;
mod shell_places;
mod sites;
mod stamp;
mod tool_desk;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use sidewire_agent::hooks::NoHooks;
use sidewire_agent::session::{GRACE, ProviderSlot, now_ms};
use sidewire_agent::store::Store;
use sidewire_agent::{Agent, AgentParts};
use sidewire_contract::identity;
use sidewire_contract::layout::Layout;
use tokio::task::JoinHandle;

use crate::browser::{Front, FrontParts, ModelDesk};
use crate::commands::load_extra_ids;
use crate::config::{Config, ExtensionId};
use crate::mac::Secret;
use crate::media::{Library, LibraryConfig};
use crate::tools::DisplayMedia;
pub(crate) use editor::editor_parts;
pub(crate) use mcp_roster::{Roster, ledger_file, read_roster};
use model_desk::Models;
pub(crate) use servers::open_server;
pub(crate) use shell_places::ShellPlaces;

/// How often conversations that were deleted for good are removed.
const PURGE: Duration = Duration::from_secs(60 * 60);
/// How often the configuration is looked at, so that `sidewire setup` reaches a running worker.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The parts of a worker.
pub(crate) struct App {
    config: Config,
    agent: Arc<Agent>,
    library: Library,
    models: Arc<Models>,
    watch: Option<JoinHandle<()>>,
}

impl App {
    /// Opens what a worker needs.
    pub(crate) fn open(layout: &Layout) -> anyhow::Result<Self> {
        let config = Config::load(layout)?;
        let store = Store::open(&layout.data, "the worker").context("failed to open the conversations")?;
        let library = library(layout, config.media.quota())?;
        let provider = ProviderSlot::new(model_desk::provider(layout)?);
        let agent = Agent::new(AgentParts {
            store,
            provider: provider.clone(),
            hooks: Arc::new(NoHooks),
            tools: vec![Arc::new(DisplayMedia::new(library.clone()))],
            reference_kinds: Arc::new(sites::reference_kinds()?),
            grace: GRACE,
            steps: config.agent.steps,
        });
        let models = Arc::new(Models::new(layout.clone(), provider));
        Ok(Self {
            config,
            agent,
            library,
            models,
            watch: None,
        })
    }

    /// What the person configured.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The browser front on a port; from now on a changed configuration reaches its clients.
    pub(crate) fn front(
        &mut self,
        layout: &Layout,
        local_secret: Secret,
        port: u16,
    ) -> anyhow::Result<Arc<Front>> {
        let front = Front::new(FrontParts {
            agent: Arc::clone(&self.agent),
            library: self.library.clone(),
            models: Arc::clone(&self.models) as Arc<_>,
            origins: origins(&self.config, layout)?,
            local_secret,
            host_tool_patience: self.config.browser.host_tool_patience(),
            port,
        });
        self.watch = Some(tokio::spawn(watch(
            Arc::clone(&self.models),
            Arc::clone(&front),
            layout.clone(),
        )));
        Ok(front)
    }

    /// Ends what runs beside connections and turns.
    pub(crate) fn close(self) {
        if let Some(watch) = self.watch {
            watch.abort();
        }
    }
}

/// The media of all conversations.
pub(crate) fn library(layout: &Layout, quota: u64) -> anyhow::Result<Library> {
    Library::open(LibraryConfig {
        folder: layout.media_folder(),
        quota,
        search_path: std::env::var_os("PATH"),
    })
    .context("failed to open the media folder")
}

/// Extensions that may connect over the loopback: ours, configured ones, and those that were installed.
fn origins(config: &Config, layout: &Layout) -> anyhow::Result<HashSet<String>> {
    let installed = load_extra_ids(layout)?.allowed_extensions;
    let configured = config.browser.extension_ids.iter().map(ExtensionId::as_str);
    let known = configured.chain(installed.iter().map(String::as_str));
    Ok(known
        .chain([identity::EXTENSION_ID])
        .map(|id| format!("chrome-extension://{id}"))
        .collect())
}

/// Puts a changed configuration in use and tells the clients; clears away what was deleted.
async fn watch(models: Arc<Models>, front: Arc<Front>, layout: Layout) {
    let mut purge = tokio::time::interval(PURGE);
    models.learn_window().await;
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_AGAIN) => {}
            _ = purge.tick() => clear_away(&front).await,
        }
        if models.configuration_changed().await {
            apply(&models, &front, &layout).await;
        }
    }
}

/// Removes for good what was deleted, and the media that nobody shows any more.
pub(crate) async fn clear_away(front: &Front) {
    let private = front.private_stores();
    for store in [front.agent.store()].into_iter().chain(&private) {
        if let Err(error) = store.purge(now_ms()).await {
            tracing::warn!(%error, "failed to remove deleted conversations");
        }
        front.library.collect(store).await;
    }
}

async fn apply(models: &Models, front: &Front, layout: &Layout) {
    match Config::load(layout)
        .map_err(Into::into)
        .and_then(|config| origins(&config, layout))
    {
        Ok(origins) => front.allow_origins(origins),
        Err(error) => tracing::warn!(%error, "the changed list of extensions cannot be used"),
    }
    if models.reload().is_some() {
        models.learn_window().await;
        // Nobody listening is no fault: every connection reads the current model when it begins.
        let _listeners = front.model_changes.send(models.current());
    }
}
