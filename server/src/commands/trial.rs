//! Tries a model server with real requests and says in plain words what went wrong; used by `setup` and `doctor`.

use std::time::Duration;

use secrecy::SecretString;
use sidewire_agent::error::ProviderError;
use sidewire_agent::provider::Provider as _;
use tokio::time::timeout;

use crate::app::open_ai;
use crate::config::OpenAiConfig;
use crate::providers::openai::OpenAiProvider;

/// A local server may have to load its model first.
const PATIENCE: Duration = Duration::from_secs(120);
/// A list is read from memory.
const LIST_PATIENCE: Duration = Duration::from_secs(10);

/// A server to try, with the key that would be sent.
pub(crate) struct Trial<'a> {
    openai: &'a OpenAiConfig,
    has_key: bool,
    provider: OpenAiProvider,
}

impl<'a> Trial<'a> {
    /// Prepares it; sends nothing.
    pub(crate) fn new(openai: &'a OpenAiConfig, key: Option<SecretString>) -> anyhow::Result<Self> {
        let has_key = key.is_some();
        let provider = open_ai(openai, key)?;
        Ok(Self {
            openai,
            has_key,
            provider,
        })
    }

    /// Lets the model answer a tiny question; what fails is said in one sentence.
    pub(crate) async fn answer(&self) -> Result<(), String> {
        let probed = timeout(PATIENCE, self.provider.probe())
            .await
            .unwrap_or(Err(ProviderError::Timeout));
        probed
            .map(drop)
            .map_err(|error| explain(&error, self.openai, self.has_key))
    }

    /// Names of the models the server lists.
    pub(crate) async fn models(&self) -> Result<Vec<String>, String> {
        let listed = timeout(LIST_PATIENCE, self.provider.models())
            .await
            .unwrap_or(Err(ProviderError::Timeout));
        let names = listed.map(|models| models.into_iter().map(|model| model.model).collect());
        names.map_err(|error| explain(&error, self.openai, self.has_key))
    }
}

/// What went wrong and what to look at, in one sentence without anything the server said.
fn explain(error: &ProviderError, openai: &OpenAiConfig, has_key: bool) -> String {
    let (server, model) = (&openai.base_url, &openai.model);
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
        ProviderError::Server { status } => format!("{server} failed (HTTP {status}): is {model:?} loaded?"),
        ProviderError::Unreachable => {
            format!("{server} cannot be reached: is it running, is the address right?")
        }
        ProviderError::Timeout => format!("{server} did not answer in time"),
        ProviderError::BrokenStream => format!("{server} broke off its answer"),
        ProviderError::BadResponse => {
            format!("{server} does not speak the OpenAI API: its address usually ends in /v1")
        }
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

    /// A model server with one model, "small", and one key, "sk-good".
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

    pub(crate) fn config(server: &Scripted, model: &str) -> OpenAiConfig {
        OpenAiConfig {
            base_url: server.base_url(),
            model: model.to_owned(),
            window: None,
            expires_at: None,
        }
    }

    type Keys = State<Arc<Mutex<Vec<String>>>>;

    fn authorise(keys: &Keys, request: &Request) -> Result<(), StatusCode> {
        let sent = request
            .headers()
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let sent = sent.unwrap_or_default().to_owned();
        keys.lock().unwrap().push(sent.clone());
        if sent == "Bearer sk-good" {
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
        let body = axum::body::to_bytes(request.into_body(), 1024 * 1024)
            .await
            .unwrap();
        let asked: Value = serde_json::from_slice(&body).unwrap();
        if asked["model"] != "small" {
            return StatusCode::NOT_FOUND.into_response();
        }
        if asked["stream"] == true {
            stream()
        } else {
            axum::Json(whole()).into_response()
        }
    }

    fn whole() -> Value {
        json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": "ok" }, "finish_reason": "stop" }] })
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
        let openai = config(&server, "small");
        let key = SecretString::from("sk-good");
        let trial = Trial::new(&openai, Some(key)).unwrap();
        trial.answer().await.unwrap();
        assert_eq!(trial.models().await.unwrap(), ["small"]);
    }

    #[tokio::test]
    async fn what_a_server_says_is_not_repeated() {
        let server = Scripted::start().await;
        let openai = config(&server, "small");
        for (key, part) in [
            (None, "wants a key"),
            (Some(SecretString::from("sk-bad")), "refused the key"),
        ] {
            let text = Trial::new(&openai, key).unwrap().answer().await.unwrap_err();
            assert!(text.contains(part) && !text.contains("sk-"), "{text}");
        }
    }
}
