//! Finds model servers on this machine, on the ports they usually have.
//!
//! Something that listens is not yet a model server: only a proper list of models counts. No key is ever sent.

use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::http::{Listed, list_from};

/// A server on this machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_millis(400);

/// Where a kind of server usually listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalPlace {
    /// What it is called.
    pub(crate) label: &'static str,
    /// Its port.
    pub(crate) port: u16,
}

/// The usual places.
pub(crate) const USUAL_PLACES: [LocalPlace; 4] = [
    LocalPlace {
        label: "Ollama",
        port: 11434,
    },
    LocalPlace {
        label: "LM Studio",
        port: 1234,
    },
    LocalPlace {
        label: "llama.cpp",
        port: 8080,
    },
    LocalPlace {
        label: "vLLM",
        port: 8000,
    },
];

/// A model server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundServer {
    /// What it is called.
    pub(crate) label: String,
    /// Base URL of its API.
    pub(crate) base_url: String,
    /// Models it offers.
    pub(crate) models: Vec<String>,
}

/// Asks every place at the same time; those that answer come in the order of the places.
pub(crate) async fn detect_local_servers(places: &[LocalPlace]) -> Vec<FoundServer> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .redirect(reqwest::redirect::Policy::none())
        .build();
    let Ok(client) = client else { return Vec::new() };
    let asked = places.iter().map(|place| ask(&client, *place));
    join_all(asked).await.into_iter().flatten().collect()
}

async fn ask(client: &reqwest::Client, place: LocalPlace) -> Option<FoundServer> {
    let base_url = format!("http://{}:{}/v1", Ipv4Addr::LOCALHOST, place.port);
    let listed = timeout(PATIENCE, list_from(client.get(format!("{base_url}/models"))))
        .await
        .ok()?
        .ok()?;
    let label = label(place, &listed).to_owned();
    Some(FoundServer {
        label,
        base_url,
        models: listed.into_iter().map(|model| model.id).collect(),
    })
}

/// Ports are shared by many programs; what a server says about itself counts more.
fn label(place: LocalPlace, listed: &[Listed]) -> &'static str {
    match listed.first().map(|model| model.owned_by.as_str()) {
        Some("llamacpp") => "llama.cpp",
        Some("vllm") => "vLLM",
        Some("library") => "Ollama",
        _ => place.label,
    }
}
