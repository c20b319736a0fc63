//! A choice made of flags alone; what is missing is named, never guessed.

use anyhow::{Context as _, bail};
use secrecy::ExposeSecret as _;
use sidewire_contract::layout::Layout;

use super::Choice;
use crate::cli::{ProviderKind, SetupArgs};
use crate::commands::trial::Trial;
use crate::config::{Api, ProviderConfig, ServerConfig, check_api_key, key_for};

/// How many models an error names at most.
const SHOWN: usize = 20;

/// Makes the choice.
pub(super) async fn choose(layout: &Layout, args: &SetupArgs) -> anyhow::Result<Choice> {
    let kind = args
        .kind
        .or_else(|| args.base_url.is_some().then_some(ProviderKind::Openai));
    match kind {
        None => bail!("nobody can be asked here: give --kind offline, or --base-url and --model"),
        Some(ProviderKind::Offline) => offline(args),
        Some(ProviderKind::Openai) => server(layout, args, Api::OpenAi).await,
        Some(ProviderKind::Anthropic) => server(layout, args, Api::Anthropic).await,
    }
}

fn offline(args: &SetupArgs) -> anyhow::Result<Choice> {
    let for_servers = args.base_url.is_some() || args.model.is_some() || args.api_key.is_some();
    if for_servers || args.window.is_some() {
        bail!("--kind offline uses no server; leave out --base-url, --model, --window and the key");
    }
    Ok(Choice {
        provider: ProviderConfig::Offline,
        key: None,
    })
}

async fn server(layout: &Layout, args: &SetupArgs, api: Api) -> anyhow::Result<Choice> {
    let base_url = args
        .base_url
        .clone()
        .or_else(|| api.usual_base_url())
        .context("--base-url is missing: where does the API of the server begin?")?;
    if let Some(key) = &args.api_key {
        check_api_key(key.expose_secret())?;
    }
    let mut server = ServerConfig {
        window: args.window,
        ..ServerConfig::new(api, base_url, "")
    };
    server.model = match &args.model {
        Some(model) => model.clone(),
        None => only_model(layout, &server, args).await?,
    };
    Ok(Choice {
        provider: ProviderConfig::Server(server),
        key: args.api_key.clone(),
    })
}

/// Without `--model` the server must leave no choice.
async fn only_model(layout: &Layout, server: &ServerConfig, args: &SetupArgs) -> anyhow::Result<String> {
    let key = key_for(layout, server, args.api_key.as_ref())?;
    let listed = Trial::new(server, key)?.models().await;
    let models = listed
        .map_err(anyhow::Error::msg)
        .context("--model is missing, and the server lists none")?;
    match models.as_slice() {
        [only] => Ok(only.clone()),
        [] => bail!("--model is missing, and the server lists no model"),
        many => {
            let shown: Vec<&str> = many.iter().take(SHOWN).map(String::as_str).collect();
            bail!("--model is missing; the server has {}", shown.join(", "))
        }
    }
}
