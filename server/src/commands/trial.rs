//! Tries a model server with real requests and says in plain words what went wrong; used by `setup` and `doctor`.

use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use sidewire_agent::budget::DEFAULT_WINDOW;
use sidewire_agent::error::ProviderError;
use tokio::time::timeout;

use crate::app::open_server;
use crate::config::{Api, ServerConfig};
use crate::providers::http::ModelServer;

/// A local server may have to load its model first.
const PATIENCE: Duration = Duration::from_secs(120);
/// A list is read from memory.
const LIST_PATIENCE: Duration = Duration::from_secs(10);

/// A server to try, with the key that would be sent.
pub(crate) struct Trial<'a> {
    config: &'a ServerConfig,
    has_key: bool,
    server: Arc<dyn ModelServer>,
}

impl<'a> Trial<'a> {
    /// Prepares it; sends nothing.
    pub(crate) fn new(config: &'a ServerConfig, key: Option<SecretString>) -> anyhow::Result<Self> {
        Ok(Self {
            config,
            has_key: key.is_some(),
            server: open_server(config, key)?,
        })
    }

    /// Lets the model answer a tiny question; what fails is said in one sentence.
    pub(crate) async fn answer(&self) -> Result<(), String> {
        let probed = timeout(PATIENCE, self.server.probe())
            .await
            .unwrap_or(Err(ProviderError::Timeout));
        probed.map_err(|error| explain(&error, self.config, self.has_key))
    }

    /// What else to say of a model that answered: whether anybody tells the size of its window.
    pub(crate) async fn remark(&self) -> String {
        self.server.learn().await;
        match self.server.describe().window {
            Some(_told) => String::new(),
            None => format!(
                "; nobody tells the size of its window, so {DEFAULT_WINDOW} tokens are assumed: `window` in config.toml says better"
            ),
        }
    }

    /// Names of the models the server lists.
    pub(crate) async fn models(&self) -> Result<Vec<String>, String> {
        let listed = timeout(LIST_PATIENCE, self.server.models())
            .await
            .unwrap_or(Err(ProviderError::Timeout));
        let names = listed.map(|models| models.into_iter().map(|model| model.model).collect());
        names.map_err(|error| explain(&error, self.config, self.has_key))
    }
}

/// What went wrong and what to look at, in one sentence without anything the server said.
fn explain(error: &ProviderError, config: &ServerConfig, has_key: bool) -> String {
    let (server, model) = (&config.base_url, &config.model);
    match error {
        ProviderError::Auth { status } if has_key => format!("{server} refused the key (HTTP {status})"),
        ProviderError::Auth { status } => format!("{server} wants a key (HTTP {status})"),
        ProviderError::Refused { status: 404 } => {
            format!("{server} has no model {model:?}, or its API does not begin there (HTTP 404)")
        }
        ProviderError::Refused { status: 429 } => {
            format!("{server} lets this key do no more for now (HTTP 429): quota or rate limit")
        }
        ProviderError::Refused { status } => {
            format!("{server} refused the request (HTTP {status}): is {model:?} one of its chat models?")
        }
        ProviderError::Server { status: 529 } => {
            format!("{server} is overloaded (HTTP 529): try again later")
        }
        ProviderError::Server { status } => format!("{server} failed (HTTP {status}): is {model:?} loaded?"),
        ProviderError::Unreachable => {
            format!("{server} cannot be reached: is it running, is the address right?")
        }
        ProviderError::Timeout => format!("{server} did not answer in time"),
        ProviderError::BrokenStream => format!("{server} broke off its answer"),
        ProviderError::BadResponse => match config.api {
            Api::OpenAi => format!("{server} does not speak the OpenAI API: its address usually ends in /v1"),
            Api::Anthropic => format!("{server} does not speak the Anthropic API"),
        },
        ProviderError::KeyExpired => "the key has expired".to_owned(),
        ProviderError::KeyExpiring => "the key is about to expire".to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::extract::{Request, State};
    use axum::http::{StatusCode, header};
    use axum::response::{IntoResponse, Response};
    use axum::routing::{get, post};
    use serde_json::{Value, json};
    use url::Url;

    use super::*;
    use crate::config::parse_base_url;

    /// A server of either API with one model, "small", and one key, "sk-good".
    pub(crate) struct Scripted {
        port: u16,
        keys: Arc<Mutex<Vec<String>>>,
        serving: tokio::task::JoinHandle<()>,
    }

    impl Scripted {
        pub(crate) async fn start() -> Self {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let keys = Arc::new(Mutex::new(Vec::new()));
            let router = Router::new()
                .route("/v1/models", get(list))
                .route("/v1/chat/completions", post(complete))
                .route("/v1/messages", post(complete))
                .with_state(Arc::clone(&keys));
            let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
            Self { port, keys, serving }
        }

        pub(crate) fn base_url(&self) -> Url {
            parse_base_url(&format!("http://127.0.0.1:{}/v1", self.port)).unwrap()
        }

        /// Whether it was ever sent this key.
        pub(crate) fn saw(&self, key: &str) -> bool {
            self.keys.lock().unwrap().iter().any(|seen| seen.contains(key))
        }
    }

    impl Drop for Scripted {
        fn drop(&mut self) {
            self.serving.abort();
        }
    }

    pub(crate) fn config(server: &Scripted, model: &str) -> ServerConfig {
        ServerConfig::new(Api::OpenAi, server.base_url(), model)
    }

    type Keys = State<Arc<Mutex<Vec<String>>>>;

    fn authorise(keys: &Keys, request: &Request) -> Result<(), StatusCode> {
        let header = |name: &str| request.headers().get(name)?.to_str().ok();
        let sent = header("authorization")
            .or(header("x-api-key"))
            .unwrap_or_default();
        keys.lock().unwrap().push(sent.to_owned());
        if matches!(sent, "Bearer sk-good" | "sk-good") {
            Ok(())
        } else {
            Err(StatusCode::UNAUTHORIZED)
        }
    }

    async fn list(keys: Keys, request: Request) -> Response {
        match authorise(&keys, &request) {
            Ok(()) => axum::Json(json!({ "object": "list", "data": [{ "id": "small" }] })).into_response(),
            Err(status) => status.into_response(),
        }
    }

    async fn complete(keys: Keys, request: Request) -> Response {
        if let Err(status) = authorise(&keys, &request) {
            return (status, "sk-canary: what a server says never reaches the terminal").into_response();
        }
        let is_messages = request.uri().path().ends_with("/messages");
        let body = axum::body::to_bytes(request.into_body(), 1024 * 1024)
            .await
            .unwrap();
        let asked: Value = serde_json::from_slice(&body).unwrap();
        if asked["model"] != "small" {
            return StatusCode::NOT_FOUND.into_response();
        }
        if is_messages {
            let whole = json!({ "type": "message", "content": [{ "type": "text", "text": "ok" }], "stop_reason": "end_turn" });
            return axum::Json(whole).into_response();
        }
        stream()
    }

    fn stream() -> Response {
        let text = json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "ok" } }] });
        let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        let body = format!("data: {text}\n\ndata: {end}\n\ndata: [DONE]\n\n");
        ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
    }

    #[tokio::test]
    async fn a_good_server_answers_and_lists() {
        let server = Scripted::start().await;
        for api in [Api::OpenAi, Api::Anthropic] {
            let config = ServerConfig::new(api, server.base_url(), "small");
            let trial = Trial::new(&config, Some(SecretString::from("sk-good"))).unwrap();
            trial.answer().await.unwrap();
            assert_eq!(trial.models().await.unwrap(), ["small"], "{api:?}");
        }
    }

    #[tokio::test]
    async fn what_a_server_says_is_not_repeated() {
        let server = Scripted::start().await;
        let config = config(&server, "small");
        for (key, part) in [
            (None, "wants a key"),
            (Some(SecretString::from("sk-bad")), "refused the key"),
        ] {
            let text = Trial::new(&config, key).unwrap().answer().await.unwrap_err();
            assert!(text.contains(part) && !text.contains("sk-"), "{text}");
        }
    }
}
