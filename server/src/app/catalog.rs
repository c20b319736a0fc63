//! The models an editor can choose from: every configured one whose key is there.
//!
//! A look at the files tells whether they have changed, so a `sidewire setup` that ran meanwhile counts; only then they
//! are read. Connections are kept, for they have learned how their servers want to be asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::{ExposeSecret as _, SecretString};
use sidewire_agent::provider::Provider;
use sidewire_contract::layout::Layout;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::servers::{Configured, configured, key_of, open_with};
use super::stamp::Stamp;
use crate::acp::desks::{ModelDesk, ModelEntry, OpenModelError, UnreadableModels};
use crate::config::{Config, ConfigError, Keys, ProviderConfig, ServerConfig};
use crate::providers::http::{Limits, ModelServer};
use crate::providers::known;
use crate::providers::offline::OfflineProvider;

/// The id of answering without a model.
const OFFLINE: &str = "offline";

/// The editor's [`ModelDesk`].
pub(crate) struct Catalog {
    layout: Layout,
    // A std mutex: held for a comparison.
    seen: Mutex<Option<(Stamp, Arc<Look>)>>,
    // A std mutex: held while one connection is looked up.
    open: Mutex<HashMap<String, Open>>,
}

/// A connection and what it was made from.
struct Open {
    config: ServerConfig,
    key: Option<SecretString>,
    server: Arc<dyn ModelServer>,
    /// It was asked for the window of its model.
    asked: bool,
    /// Asks for it, which nobody waits for.
    learning: Option<AbortOnDropHandle<()>>,
}

/// What the files say at the moment.
struct Look {
    offline: bool,
    models: Vec<Configured>,
    keys: Keys,
}

impl Look {
    fn at(layout: &Layout) -> Result<Self, ConfigError> {
        let (config, keys) = Config::load_with_keys(layout)?;
        Ok(Self {
            offline: config.provider == Some(ProviderConfig::Offline),
            models: configured(&config),
            keys: keys?,
        })
    }
}

impl Catalog {
    /// The models that are configured in these files.
    #[must_use]
    pub(crate) fn new(layout: Layout) -> Self {
        Self {
            layout,
            seen: Mutex::default(),
            open: Mutex::default(),
        }
    }

    fn look(&self) -> Result<Arc<Look>, UnreadableModels> {
        let stamp = Stamp::of(&self.layout);
        let known = lock(&self.seen).clone();
        if let Some((_, look)) = known.filter(|(seen, _)| *seen == stamp) {
            return Ok(look);
        }
        let look = Look::at(&self.layout).map_err(|error| {
            tracing::warn!(%error, "the configured models cannot be read");
            UnreadableModels
        })?;
        let look = Arc::new(look);
        lock(&self.open).retain(|id, _| look.models.iter().any(|model| model.id == *id));
        *lock(&self.seen) = Some((stamp, Arc::clone(&look)));
        Ok(look)
    }

    /// The connection to a server, kept as long as its configuration and its key stay what they are.
    fn server(
        &self,
        model: &Configured,
        key: Option<SecretString>,
    ) -> Result<Arc<dyn ModelServer>, OpenModelError> {
        let fits = |kept: &&mut Open| kept.fits(&model.server, key.as_ref());
        if let Some(kept) = lock(&self.open).get_mut(&model.id).filter(fits) {
            kept.learn_window();
            return Ok(Arc::clone(&kept.server));
        }
        // Outside the lock, since it may read the platform's certificates. Of two that come here at the same time the
        // later connection is kept; both are good.
        let server = open_with(&model.server, key.clone(), Limits::patient()).map_err(|error| {
            tracing::warn!(error = format!("{error:#}"), "a configured model cannot be used");
            OpenModelError::Unusable(model.id.clone())
        })?;
        let mut kept = Open {
            config: model.server.clone(),
            key,
            server: Arc::clone(&server),
            asked: false,
            learning: None,
        };
        kept.learn_window();
        lock(&self.open).insert(model.id.clone(), kept);
        Ok(server)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Open {
    /// Asks the server for the window of its model (decision 19), until that is known. A server that does not tell is
    /// no fault, and one that is not there yet may be later.
    fn learn_window(&mut self) {
        let running = self
            .learning
            .as_ref()
            .is_some_and(|learning| !learning.is_finished());
        let known = self.config.window.is_some() || self.asked && self.server.describe().window.is_some();
        if running || known {
            return;
        }
        self.asked = true;
        let server = Arc::clone(&self.server);
        self.learning = Handle::try_current().ok().map(|runtime| {
            AbortOnDropHandle::new(runtime.spawn(async move {
                if let Err(error) = server.models().await {
                    tracing::info!(%error, "the model server lists no models");
                }
            }))
        });
    }

    fn fits(&self, config: &ServerConfig, key: Option<&SecretString>) -> bool {
        let text = SecretString::expose_secret;
        self.config == *config && self.key.as_ref().map(text) == key.map(text)
    }
}

impl ModelDesk for Catalog {
    fn list(&self) -> Result<Vec<ModelEntry>, UnreadableModels> {
        let look = self.look()?;
        let models = look.models.iter();
        let usable = models.filter(|model| key_of(&look.keys, &model.server).is_ok());
        let offline = look.offline.then(offline);
        Ok(offline.into_iter().chain(usable.map(entry)).collect())
    }

    fn resolve(&self, name: &str) -> String {
        let look = self.look().ok();
        let found = look.as_ref().and_then(|look| find(&look.models, name));
        found.map_or_else(|| name.to_owned(), |model| model.id.clone())
    }

    fn open(&self, id: &str, effort: Option<&str>) -> Result<Arc<dyn Provider>, OpenModelError> {
        let no_effort = |effort: &str| OpenModelError::NoEffort {
            model: id.to_owned(),
            effort: effort.to_owned(),
        };
        if id == OFFLINE {
            return match effort {
                Some(effort) => Err(no_effort(effort)),
                None => Ok(Arc::new(OfflineProvider::new())),
            };
        }
        let look = self.look()?;
        let model = find(&look.models, id).ok_or_else(|| OpenModelError::Unknown(id.to_owned()))?;
        let key = key_of(&look.keys, &model.server).map_err(|()| OpenModelError::NoKey(id.to_owned()))?;
        if let Some(effort) =
            effort.filter(|effort| !efforts(&model.server).iter().any(|known| known == effort))
        {
            return Err(no_effort(effort));
        }
        Ok(self.server(model, key)?.with_effort(effort))
    }
}

/// The model of this id. A person may also name the provider alone, or a model that only one provider has.
fn find<'a>(models: &'a [Configured], id: &str) -> Option<&'a Configured> {
    let exact = models.iter().find(|model| model.id == id);
    let of_provider = || {
        models
            .iter()
            .find(|model| model.id.split_once('/').is_some_and(|(name, _)| name == id))
    };
    let only = || {
        let mut of_name = models.iter().filter(|model| model.server.model == id);
        of_name.next().filter(|_| of_name.next().is_none())
    };
    exact.or_else(of_provider).or_else(only)
}

fn entry(model: &Configured) -> ModelEntry {
    let server = &model.server;
    ModelEntry {
        id: model.id.clone(),
        name: server.model.clone(),
        provider: model.provider.clone(),
        efforts: efforts(server),
        // A model that is shown a picture and does not see is found out; one that is shown none is not.
        vision: server
            .vision
            .or(known::by_name(&server.model).vision)
            .unwrap_or(true),
    }
}

fn efforts(server: &ServerConfig) -> Vec<String> {
    let known = || {
        known::by_name(&server.model)
            .efforts
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    server.efforts.clone().unwrap_or_else(known)
}

fn offline() -> ModelEntry {
    ModelEntry {
        id: OFFLINE.to_owned(),
        name: "Offline".to_owned(),
        provider: OFFLINE.to_owned(),
        efforts: Vec::new(),
        vision: false,
    }
}

#[cfg(test)]
mod tests;
