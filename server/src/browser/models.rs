//! What a client may ask about models; `app.rs` answers, since fronts know no provider.

use sidewire_contract::model::{ModelItem, ModelState, ServerFound};

/// A model set-up a client asks for.
pub(crate) struct ProviderChoice {
    /// Use no model at all.
    pub(crate) offline: bool,
    /// Where the server is.
    pub(crate) base_url: Option<String>,
    /// Which of its models.
    pub(crate) model: Option<String>,
    /// The key, which goes straight to where keys are kept.
    pub(crate) api_key: Option<secrecy::SecretString>,
}

/// Why a request about models failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(&'static str),
    /// The server refused or could not be reached.
    #[error("{0}")]
    Provider(String),
    /// The choice could not be written.
    #[error("the choice could not be saved")]
    Storage,
}

/// Choice and set-up of the model.
#[async_trait::async_trait]
pub(crate) trait ModelDesk: Send + Sync {
    /// The model in use.
    fn current(&self) -> ModelState;
    /// Models that can be chosen.
    async fn list(&self) -> Result<Vec<ModelItem>, ModelError>;
    /// Chooses one of them and keeps the choice.
    async fn select(&self, model: &str) -> Result<ModelState, ModelError>;
    /// Model servers on this machine.
    async fn detect(&self) -> Vec<ServerFound>;
    /// Tries a set-up with a real request, then keeps it.
    async fn set(&self, choice: ProviderChoice) -> Result<ModelState, ModelError>;
}
