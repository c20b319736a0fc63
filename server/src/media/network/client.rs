//! The one client of all fetches. It looks names up itself and connects to public addresses only, so that no second
//! look-up can lead elsewhere.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::StreamExt as _;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::OnceCell;
use url::Url;

use super::super::blocking;
use super::address::is_public;
use super::{Answer, CONNECT_TIME, FetchError, HTTPS_PORT, Outside};

/// The real network.
pub(crate) struct Internet {
    may_ask: fn(IpAddr) -> bool,
    /// Made when it is first needed: that reads the certificates of the system.
    client: OnceCell<Client>,
}

/// Why a name leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("the host was not found")]
    NoHost,
    #[error("the host leads to a place that is not public")]
    NotPublic,
}

/// Looks names up for the client.
struct Names {
    may_ask: fn(IpAddr) -> bool,
}

impl Internet {
    /// A network of public addresses.
    pub(crate) fn new() -> Self {
        Self::of(is_public)
    }

    /// A network of the addresses that may be asked.
    pub(crate) fn of(may_ask: fn(IpAddr) -> bool) -> Self {
        Self {
            may_ask,
            client: OnceCell::new(),
        }
    }

    async fn client(&self) -> Result<&Client, FetchError> {
        let may_ask = self.may_ask;
        let making = || async move {
            let made = blocking(move || client(Names { may_ask })).await;
            made.and_then(Result::ok).ok_or(FetchError::Unreachable)
        };
        self.client.get_or_try_init(making).await
    }
}

fn client(names: Names) -> reqwest::Result<Client> {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT_TIME)
        .dns_resolver(Arc::new(names))
        .build()
}

#[async_trait::async_trait]
impl Outside for Internet {
    async fn get(&self, url: &Url) -> Result<Answer, FetchError> {
        let request = self.client().await?.get(url.clone());
        let response = request.send().await.map_err(|error| refusal(&error))?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response
                .bytes_stream()
                .map(|bytes| bytes.map_err(|_| FetchError::Truncated))
                .boxed(),
        })
    }
}

/// Why there is no answer; what the look-up said lies deep within what the client says.
fn refusal(error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<NameError>() {
            return (*error).into();
        }
        cause = error.source();
    }
    FetchError::Unreachable
}

impl From<NameError> for FetchError {
    fn from(error: NameError) -> Self {
        match error {
            NameError::NoHost => Self::NoHost,
            NameError::NotPublic => Self::NotPublic,
        }
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let may_ask = self.may_ask;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), HTTPS_PORT)).await;
            let found = found.map_err(|_| NameError::NoHost)?;
            let found = all_of(found.map(|address| address.ip()).collect(), may_ask)?;
            // Port 0: the one of the URL.
            let addresses = found.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

/// The addresses of a name, when there are any and every one of them may be asked.
pub(super) fn all_of(found: Vec<IpAddr>, may_ask: fn(IpAddr) -> bool) -> Result<Vec<IpAddr>, NameError> {
    if found.is_empty() {
        return Err(NameError::NoHost);
    }
    if found.iter().all(|address| may_ask(*address)) {
        Ok(found)
    } else {
        Err(NameError::NotPublic)
    }
}
