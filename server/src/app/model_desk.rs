//! Choosing a model: from the configuration, from a client, and back into the configuration.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{ModelInfo, Provider};
use sidewire_agent::session::ProviderSlot;
use sidewire_contract::layout::Layout;
use sidewire_contract::model::{ModelItem, ModelState, ServerFound};
use sidewire_contract::number::Count;
use sidewire_contract::text::NonEmpty;
use tokio::time::timeout;

use super::servers::{Configured, configured, key_of, open_server};
use super::stamp::Stamp;
use crate::browser::{ModelDesk, ModelError, ProviderChoice, model_state};
use crate::config::{
    Api, Config, ProviderConfig, ServerConfig, check_api_key, key_for, parse_base_url, save_provider,
};
use crate::providers::detect::{USUAL_PLACES, detect_local_servers};
use crate::providers::offline::OfflineProvider;

/// The name under which answering without a model can be chosen.
const OFFLINE: &str = "offline";
/// A model that is to be chosen answers in this time; a panel waits for a minute.
const PATIENCE: Duration = Duration::from_secs(50);

/// The provider that the configuration names, or the first further one when that lacks its key; without any, the
/// built-in.
pub(super) fn provider(layout: &Layout) -> anyhow::Result<Arc<dyn Provider>> {
    let (config, keys) = Config::load_with_keys(layout)?;
    if config.provider == Some(ProviderConfig::Offline) {
        return Ok(Arc::new(OfflineProvider::new()));
    }
    let models = configured(&config);
    if models.is_empty() {
        return Ok(Arc::new(OfflineProvider::new()));
    }
    let keys = keys?;
    if let Some(ProviderConfig::Server(chosen)) = &config.provider {
        // What is wrong with this key is worth a word; others are only passed over.
        keys.get(&chosen.key)?;
    }
    let usable = |model: &Configured| Some((model.server.clone(), key_of(&keys, &model.server).ok()?));
    match (models.iter().find_map(usable), &config.provider) {
        (Some((server, key)), _) => Ok(open_server(&server, key)?),
        // It says itself that it wants a key; answering without it would hide that.
        (None, Some(ProviderConfig::Server(chosen))) => Ok(open_server(chosen, None)?),
        (None, _) => Ok(Arc::new(OfflineProvider::new())),
    }
}

/// The worker's [`ModelDesk`].
pub(super) struct Models {
    layout: Layout,
    slot: ProviderSlot,
    // A std mutex: held for a comparison.
    seen: Mutex<Stamp>,
    /// Held while a choice is saved and put in use, so that the watch does not take it for somebody else's.
    saving: tokio::sync::Mutex<()>,
}

impl Models {
    pub(super) fn new(layout: Layout, slot: ProviderSlot) -> Self {
        let seen = Mutex::new(Stamp::of(&layout));
        Self {
            layout,
            slot,
            seen,
            saving: tokio::sync::Mutex::default(),
        }
    }

    /// Whether somebody else changed the configuration since the last call.
    pub(super) async fn configuration_changed(&self) -> bool {
        let _while_nothing_is_saved = self.saving.lock().await;
        self.look()
    }

    fn look(&self) -> bool {
        let now = Stamp::of(&self.layout);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *seen, now) != now
    }

    /// Puts the configured model in use; the model, when it can be used.
    pub(super) fn reload(&self) -> Option<ModelState> {
        match provider(&self.layout) {
            Ok(provider) => {
                self.slot.replace(provider);
                Some(self.current())
            }
            Err(error) => {
                // A half-edited file must not take the running model away; doctor tells what is wrong with it.
                tracing::warn!(%error, "the changed configuration cannot be used");
                None
            }
        }
    }

    /// Asks the server for the window of its model (decision 19), which the provider then knows; a server that does
    /// not tell is no fault.
    pub(super) async fn learn_window(&self) {
        let provider = self.slot.current();
        if !provider.describe().offline
            && let Err(error) = provider.models().await
        {
            tracing::info!(%error, "the model server lists no models");
        }
    }

    fn configured(&self) -> Option<ServerConfig> {
        match Config::load(&self.layout).ok()?.provider? {
            ProviderConfig::Server(server) => Some(server),
            ProviderConfig::Offline => None,
        }
    }

    async fn put_in_use(
        &self,
        config: ProviderConfig,
        key: Option<SecretString>,
    ) -> Result<ModelState, ModelError> {
        let model = self.save(config, key).await?;
        // A server that is slow to tell holds nobody up: neither the watch nor another choice.
        self.learn_window().await;
        Ok(if model.offline { model } else { self.current() })
    }

    async fn save(
        &self,
        config: ProviderConfig,
        key: Option<SecretString>,
    ) -> Result<ModelState, ModelError> {
        let _alone = self.saving.lock().await;
        let (layout, saved) = (self.layout.clone(), config);
        let saving = tokio::task::spawn_blocking(move || save_provider(&layout, &saved, key.as_ref()));
        saving.await.map_err(|_| ModelError::Storage)?.map_err(|error| {
            tracing::error!(%error, "failed to save the model");
            ModelError::Storage
        })?;
        self.look();
        self.reload().ok_or(ModelError::Storage)
    }
}

#[async_trait::async_trait]
impl ModelDesk for Models {
    fn current(&self) -> ModelState {
        model_state(self.slot.current().describe())
    }

    async fn list(&self) -> Result<Vec<ModelItem>, ModelError> {
        let listed = self
            .slot
            .current()
            .models()
            .await
            .map_err(|error| ModelError::Provider(error.to_string()))?;
        let mut items: Vec<_> = listed.into_iter().filter_map(item).collect();
        if !items.iter().any(|item| item.offline) {
            items.extend(item(OfflineProvider::new().describe()));
        }
        Ok(items)
    }

    async fn select(&self, model: &str) -> Result<ModelState, ModelError> {
        if model == OFFLINE {
            return self.put_in_use(ProviderConfig::Offline, None).await;
        }
        let configured = self
            .configured()
            .ok_or(ModelError::BadRequest("no model server is set up"))?;
        let config = configured.with_model(model);
        self.put_in_use(ProviderConfig::Server(config), None).await
    }

    async fn detect(&self) -> Vec<ServerFound> {
        let found = detect_local_servers(&USUAL_PLACES).await;
        found
            .into_iter()
            .map(|server| ServerFound {
                label: server.label,
                base_url: server.base_url,
                models: server.models,
            })
            .collect()
    }

    async fn set(&self, choice: ProviderChoice) -> Result<ModelState, ModelError> {
        if choice.offline {
            return self.put_in_use(ProviderConfig::Offline, None).await;
        }
        let base_url = choice.base_url.ok_or(ModelError::BadRequest(
            "the address of the model server is missing",
        ))?;
        let model = choice
            .model
            .ok_or(ModelError::BadRequest("the name of the model is missing"))?;
        let base_url = parse_base_url(&base_url).map_err(ModelError::BadRequest)?;
        let config = match self.configured() {
            Some(same) if same.base_url == base_url && same.api == Api::OpenAi => ServerConfig {
                // A new key has another date.
                expires_at: same.expires_at.filter(|_| choice.api_key.is_none()),
                ..same.with_model(&model)
            },
            _ => ServerConfig::new(Api::OpenAi, base_url, model),
        };
        if let Some(key) = &choice.api_key {
            check_api_key(secrecy::ExposeSecret::expose_secret(key))
                .map_err(|_| ModelError::BadRequest("the key holds characters that no key has"))?;
        }
        let key = key_for(&self.layout, &config, choice.api_key.as_ref()).map_err(|_| ModelError::Storage)?;
        let tried = open_server(&config, key).map_err(|error| ModelError::Provider(error.to_string()))?;
        timeout(PATIENCE, tried.probe())
            .await
            .unwrap_or(Err(ProviderError::Timeout))
            .map_err(|error| ModelError::Provider(error.to_string()))?;
        self.put_in_use(ProviderConfig::Server(config), choice.api_key)
            .await
    }
}

fn item(info: ModelInfo) -> Option<ModelItem> {
    Some(ModelItem {
        id: NonEmpty::new(info.model).ok()?,
        label: info.label,
        provider: info.provider,
        offline: info.offline,
        window: info.window.map(Count::from),
    })
}

#[cfg(test)]
mod tests;
