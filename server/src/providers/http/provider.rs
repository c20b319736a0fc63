//! The agent's `Provider` around any [`Api`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::SystemTime;

use futures_util::StreamExt;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::{Message, Role};
use sidewire_agent::provider::{ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};
use sidewire_contract::mode::Mode;
use tokio::time::timeout;

use super::call::Call;
use super::connection::address;
use super::{Api, Connection, Settings, SetupError, Shared, key, models};

/// How often a server is asked for its list that fails or does not answer.
const TRIES: u8 = 3;

/// A model of a server, as set-up and doctor need it.
#[async_trait::async_trait]
pub(crate) trait ModelServer: Provider {
    /// Sends one small real request and waits for the first sign of an answer.
    async fn probe(&self) -> Result<(), ProviderError>;

    /// The same model over the same connection, thinking as hard as this; `None` leaves it to the server.
    fn with_effort(&self, effort: Option<&str>) -> Arc<dyn ModelServer>;
}

/// A model of a server that speaks some [`Api`].
pub(crate) struct HttpProvider<A> {
    shared: Arc<Shared<A>>,
    effort: Option<String>,
    key_expires: Option<SystemTime>,
}

impl<A: Api> HttpProvider<A> {
    /// Prepares the client; sends nothing.
    pub(crate) fn new(settings: Settings) -> Result<Self, SetupError> {
        let base = address(&settings.base_url)
            .map(A::base)
            .ok_or(SetupError::BaseUrl)?;
        let known = settings.key.as_ref().and_then(key::expiry);
        let key_expires = [known, settings.key_expires].into_iter().flatten().min();
        let api = Arc::new(A::new(&base, &settings));
        let connection = Connection::new::<A>(base, settings)?;
        Ok(Self {
            shared: Arc::new(Shared {
                connection,
                api,
                asked: AtomicU8::new(0),
            }),
            effort: None,
            key_expires,
        })
    }

    fn call(&self, request: ModelRequest) -> Call<A> {
        Call::new(Arc::clone(&self.shared), request, self.effort.clone())
    }

    fn info(model: String, label: Option<String>, window: Option<u64>) -> ModelInfo {
        ModelInfo {
            provider: A::NAME.into(),
            label: label.unwrap_or_else(|| model.clone()),
            model,
            offline: false,
            window,
        }
    }
}

#[async_trait::async_trait]
impl<A: Api> Provider for HttpProvider<A> {
    fn describe(&self) -> ModelInfo {
        let connection = &self.shared.connection;
        Self::info(connection.model.clone(), None, connection.window())
    }

    fn check(&self) -> Result<(), ProviderError> {
        key::check(self.key_expires, SystemTime::now())
    }

    /// Asks for the list of models, in which servers tell windows. One that is not there yet, or still loads, is asked
    /// again next time; not for ever, since whoever asks waits.
    async fn learn(&self) {
        let Shared {
            connection, asked, ..
        } = &*self.shared;
        if connection.window().is_some() || asked.load(Ordering::Relaxed) >= TRIES {
            return;
        }
        let listed = timeout(connection.limits.learn, self.models()).await;
        let tries = match listed {
            Ok(Err(ProviderError::Unreachable)) => 0,
            Ok(Err(ProviderError::Server { .. })) | Err(_) => 1,
            Ok(_) => TRIES,
        };
        asked.fetch_add(tries, Ordering::Relaxed);
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        Ok(self.call(request).into_stream())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let connection = &self.shared.connection;
        let listed = models::list(connection, A::LIST_QUERY).await?;
        let own = listed
            .iter()
            .find(|entry| entry.id == connection.model)
            .and_then(|entry| entry.window);
        if let Some(window) = own.filter(|_| connection.told_window().is_none()) {
            connection.learn_window(window);
        }
        Ok(listed
            .into_iter()
            .map(|entry| Self::info(entry.id, entry.label, entry.window))
            .collect())
    }
}

#[async_trait::async_trait]
impl<A: Api> ModelServer for HttpProvider<A> {
    async fn probe(&self) -> Result<(), ProviderError> {
        self.check()?;
        let mut answer = self.call(probe_request()).once().into_stream();
        while let Some(event) = answer.next().await {
            if matches!(
                event?,
                ModelEvent::Text(_) | ModelEvent::Reasoning(_) | ModelEvent::Finished(_)
            ) {
                break;
            }
        }
        Ok(())
    }

    fn with_effort(&self, effort: Option<&str>) -> Arc<dyn ModelServer> {
        Arc::new(Self {
            shared: Arc::clone(&self.shared),
            effort: effort.map(str::to_owned),
            key_expires: self.key_expires,
        })
    }
}

impl<A> fmt::Debug for HttpProvider<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connection = &self.shared.connection;
        formatter
            .debug_struct("HttpProvider")
            .field("host", &connection.host())
            .field("model", &connection.model)
            .field("effort", &self.effort)
            .finish_non_exhaustive()
    }
}

fn probe_request() -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: vec![Message::text(Role::User, "Answer with the single word: ready")],
        question: String::new(),
        page: None,
        mode: Some(Mode::Educational),
        tools: Vec::new(),
        pictures: Vec::new(),
        input_tokens: 0,
        max_output_tokens: Some(16),
    }
}
