//! The HTTP client of one server: its address, its headers, and one request after another.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sidewire_agent::error::ProviderError;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::pictures::Sight;
use super::reader::{self, Asked};
use super::retry::retry_after;
use super::status::{failure, is_passing};
use super::{Api, Limits, Settings, SetupError};
use crate::http_client;

/// Tokens that a server may put around messages, which nobody else can count.
const FRAME: u64 = 512;

/// A server and the model that is used of it.
pub(crate) struct Connection {
    client: reqwest::Client,
    base: Url,
    headers: HeaderMap,
    /// The model's id.
    pub(crate) model: String,
    /// Waiting and retrying.
    pub(super) limits: Limits,
    /// What is known of the model's sight.
    pub(super) sight: Sight,
    /// Window in tokens that was configured or told, 0 when unknown.
    window: AtomicU64,
    usual_window: Option<u64>,
    most_output: Option<u64>,
}

impl Connection {
    /// Prepares the client; sends nothing.
    pub(super) fn new<A: Api>(base: Url, settings: Settings) -> Result<Self, SetupError> {
        Ok(Self {
            client: client(&base, &settings.limits).map_err(SetupError::Client)?,
            headers: headers::<A>(&settings)?,
            base,
            model: settings.model,
            limits: settings.limits,
            sight: if settings.blind {
                Sight::blind()
            } else {
                Sight::default()
            },
            window: AtomicU64::new(settings.window.unwrap_or(0)),
            usual_window: settings.usual_window,
            most_output: settings.most_output,
        })
    }

    /// Who is asked, as it may be shown.
    pub(super) fn host(&self) -> Option<&str> {
        self.base.host_str()
    }

    /// Context window in tokens, when known.
    pub(crate) fn window(&self) -> Option<u64> {
        self.told_window().or(self.usual_window)
    }

    /// The window that was configured or that the server told.
    pub(super) fn told_window(&self) -> Option<u64> {
        Some(self.window.load(Ordering::Relaxed)).filter(|window| *window > 0)
    }

    /// The server told the window.
    pub(super) fn learn_window(&self, window: u64) {
        self.window.store(window, Ordering::Relaxed);
    }

    /// Most tokens of one answer the model can give, when that is known.
    pub(crate) fn most_output(&self) -> Option<u64> {
        self.most_output
    }

    /// Tokens of an answer with thinking before it: as much as the model can give, and thinking only as far as the
    /// window has room beside `sent` and the answer, for servers refuse what could grow beyond it.
    pub(crate) fn output(&self, answer: u64, thinking: u64, sent: u64) -> u64 {
        let left = self.window().map_or(u64::MAX, |window| {
            window.saturating_sub(sent.saturating_add(FRAME))
        });
        answer
            .saturating_add(thinking)
            .min(left.max(answer))
            .min(self.most_output.unwrap_or(u64::MAX))
    }

    /// A request for what lies below the base.
    pub(super) fn get(&self, path: &str, query: Option<&str>) -> reqwest::RequestBuilder {
        let mut url = self.endpoint(path);
        url.set_query(query);
        self.client.get(url).headers(self.headers.clone())
    }

    /// Posts a body and waits for the first bytes of the answer.
    pub(crate) async fn post(&self, path: &str, body: Vec<u8>) -> Result<Asked, ProviderError> {
        let deadline = Instant::now() + self.limits.first_byte;
        let asked = self
            .client
            .post(self.endpoint(path))
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .body(body);
        let response = match timeout_at(deadline, asked.send()).await {
            Err(_) => return Err(ProviderError::Timeout),
            Ok(Err(_)) => {
                return Ok(Asked::Again {
                    asked: None,
                    failure: ProviderError::Unreachable,
                });
            }
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        if is_passing(status.as_u16()) {
            return Ok(Asked::Again {
                asked: retry_after(response.headers(), SystemTime::now()),
                failure: failure(status.as_u16()),
            });
        }
        if !status.is_success() {
            return Err(failure(status.as_u16()));
        }
        reader::open(response, deadline, &self.limits).await
    }

    /// Posts one form of a request after the other until the server takes one, and tells which. Servers refuse a field
    /// they do not know with HTTP 400; some with 422, which leads only to a form that has fewer such fields.
    pub(crate) async fn post_until_taken(
        &self,
        path: &str,
        forms: impl Iterator<Item = Tried> + Send,
    ) -> Result<(Asked, usize), ProviderError> {
        let mut last = ProviderError::BadResponse;
        let mut most_extras = usize::MAX;
        for (number, form) in forms.enumerate() {
            if form.extras > most_extras {
                continue;
            }
            match self.post(path, form.body).await {
                Ok(asked) => return Ok((asked, number)),
                Err(refused @ ProviderError::Refused { status: 400 }) => last = refused,
                Err(refused @ ProviderError::Refused { status: 422 }) if form.extras > 0 => {
                    most_extras = form.extras - 1;
                    last = refused;
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(last)
    }

    fn endpoint(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }
}

/// One form of a request.
pub(crate) struct Tried {
    /// How many wishes it holds that a server may not know.
    pub(crate) extras: usize,
    /// What is sent.
    pub(crate) body: Vec<u8>,
}

/// Reads an address as people paste it.
pub(super) fn address(text: &str) -> Option<Url> {
    let mut url = Url::parse(text.trim()).ok()?;
    let plain = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || !plain {
        return None;
    }
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

fn headers<A: Api>(settings: &Settings) -> Result<HeaderMap, SetupError> {
    let mut headers: HeaderMap = A::headers().into_iter().collect();
    for (name, value) in &settings.headers {
        let unusable = || SetupError::Header(name.clone());
        let value = HeaderValue::try_from(value).map_err(|_| unusable())?;
        headers.insert(HeaderName::try_from(name).map_err(|_| unusable())?, value);
    }
    if let Some((name, value)) = settings.key.as_ref().map(A::credentials).transpose()? {
        headers.insert(name, value);
    }
    Ok(headers)
}

fn client(base: &Url, limits: &Limits) -> Result<reqwest::Client, reqwest::Error> {
    http_client::builder(base)
        .connect_timeout(limits.connect)
        // A redirect could carry the key and the page to another host.
        .redirect(reqwest::redirect::Policy::none())
        .build()
}
