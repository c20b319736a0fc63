//! From a configured model server to one that can be asked.

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context as _;
use secrecy::SecretString;

use crate::config::{Api, Config, KeySource, Keys, ProviderConfig, ServerConfig};
use crate::providers::anthropic::AnthropicProvider;
use crate::providers::http::{Limits, ModelServer, Settings};
use crate::providers::known::{self, Known};
use crate::providers::openai::OpenAiProvider;

/// A configured model server; sends nothing yet.
pub(crate) fn open_server(
    config: &ServerConfig,
    key: Option<SecretString>,
) -> anyhow::Result<Arc<dyn ModelServer>> {
    open_with(config, key, Limits::default())
}

/// The same with other limits.
pub(super) fn open_with(
    config: &ServerConfig,
    key: Option<SecretString>,
    limits: Limits,
) -> anyhow::Result<Arc<dyn ModelServer>> {
    let Known {
        window,
        output,
        vision,
        ..
    } = known::by_name(&config.model);
    let headers = config.headers.iter();
    // The same model on one's own machine is often started with a smaller window.
    let is_usual = config.base_url.scheme() == "https";
    let settings = Settings {
        key_expires: config
            .expires_at
            .map(SystemTime::try_from)
            .transpose()
            .context("expires_at is out of range")?,
        window: config.window,
        usual_window: window.filter(|_| is_usual),
        most_output: config.max_output_tokens.or(output.filter(|_| is_usual)),
        blind: config.vision.or(vision) == Some(false),
        headers: headers
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        limits: limits.for_server(&config.base_url),
        ..Settings::new(config.base_url.as_str(), &config.model, key)
    };
    let opened: Result<Arc<dyn ModelServer>, _> = match config.api {
        Api::OpenAi => OpenAiProvider::new(settings).map(|server| Arc::new(server) as _),
        Api::Anthropic => AnthropicProvider::new(settings).map(|server| Arc::new(server) as _),
    };
    opened.context("failed to prepare the connection to the model server")
}

/// A model that is configured, whether it can be used or not.
pub(super) struct Configured {
    /// `provider/model`.
    pub(super) id: String,
    /// What its provider is called.
    pub(super) provider: String,
    /// How to reach it.
    pub(super) server: ServerConfig,
}

/// Name of the provider that `sidewire setup` chose.
const DEFAULT: &str = "default";

/// Every configured model, in the order they are preferred.
pub(super) fn configured(config: &Config) -> Vec<Configured> {
    let default = match &config.provider {
        Some(ProviderConfig::Server(server)) => Some(Configured {
            id: format!("{DEFAULT}/{}", server.model),
            provider: server.base_url.host_str().unwrap_or(DEFAULT).to_owned(),
            server: server.clone(),
        }),
        Some(ProviderConfig::Offline) | None => None,
    };
    let named = config.providers.iter().flat_map(|provider| {
        let entry = |model: &String| Configured {
            id: format!("{}/{model}", provider.name),
            provider: provider.name.clone(),
            server: provider.server(model),
        };
        provider.models.iter().map(entry)
    });
    default.into_iter().chain(named).collect()
}

/// The key of a server. `Err(())` when it needs one that is not there, or that cannot be read.
pub(super) fn key_of(keys: &Keys, server: &ServerConfig) -> Result<Option<SecretString>, ()> {
    match keys.get(&server.key) {
        Ok(None) if server.needs_key() => Err(()),
        Ok(key) => Ok(key),
        Err(error) => {
            let named = matches!(server.key, KeySource::Named(_));
            tracing::warn!(%error, named, "a key cannot be used");
            Err(())
        }
    }
}
