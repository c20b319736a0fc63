//! The model of a turn that was stopped before it began. The turn is kept, as the editor shows its prompt; nothing
//! leaves this machine for it.

use std::sync::Arc;

use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::{ModelInfo, ModelRequest, ModelStream, Provider};
use sidewire_agent::setting::Setting;

/// The same setting, with a model that is not asked.
pub(super) fn setting(setting: Setting) -> Setting {
    let provider = setting
        .provider
        .map(|provider| Arc::new(Unasked(provider)) as Arc<dyn Provider>);
    Setting { provider, ..setting }
}

/// Looks like a model, and says nothing until its turn is over.
struct Unasked(Arc<dyn Provider>);

#[async_trait::async_trait]
impl Provider for Unasked {
    fn describe(&self) -> ModelInfo {
        self.0.describe()
    }

    async fn stream(&self, _request: ModelRequest) -> Result<ModelStream, ProviderError> {
        std::future::pending().await
    }
}
