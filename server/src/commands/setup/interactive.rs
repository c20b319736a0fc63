//! The conversation with a person at a terminal. Flags that were given answer their questions.

use std::fmt;

use dialoguer::{Confirm, Input, Password, Select};
use secrecy::SecretString;
use sidewire_contract::layout::Layout;
use url::Url;

use super::{Choice, save, test};
use crate::cli::{ProviderKind, SetupArgs};
use crate::commands::trial::Trial;
use crate::config::{Api, ProviderConfig, ServerConfig, check_api_key, key_for, parse_base_url};
use crate::providers::detect::{FoundServer, USUAL_PLACES, detect_local_servers};
use crate::ui;

/// Asks, tests and saves; after a failed test it asks again.
pub(super) async fn run(layout: &Layout, args: &SetupArgs) -> anyhow::Result<()> {
    loop {
        let choice = choose(layout, args).await?;
        ui::note("Testing with a real request…");
        match test(layout, &choice).await {
            Ok(outcome) => {
                ui::say(outcome);
                return save(layout, &choice);
            }
            Err(error) => ui::fail(&error),
        }
        if !Confirm::new()
            .with_prompt("Nothing was saved. Try again?")
            .default(true)
            .interact()?
        {
            anyhow::bail!("nothing was saved");
        }
    }
}

/// One line of the first question.
enum Source {
    Found(FoundServer),
    Other,
    Anthropic,
    Offline,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(server) => write!(
                f,
                "{} at {} ({} models)",
                server.label,
                server.base_url,
                server.models.len()
            ),
            Self::Other => f.write_str("Another server: its address, perhaps a key"),
            Self::Anthropic => f.write_str("Anthropic, or a server with its API: needs a key"),
            Self::Offline => f.write_str("No model: answers are looked up in the page"),
        }
    }
}

async fn choose(layout: &Layout, args: &SetupArgs) -> anyhow::Result<Choice> {
    let server = match source(args).await? {
        Source::Offline => {
            return Ok(Choice {
                provider: ProviderConfig::Offline,
                key: None,
            });
        }
        Source::Found(server) => return found(&server, args),
        Source::Other => unnamed(Api::OpenAi, args)?,
        Source::Anthropic => unnamed(Api::Anthropic, args)?,
    };
    let key = key(layout, &server, args)?;
    let stored = key_for(layout, &server, key.as_ref())?;
    let models = Trial::new(&server, stored)?.models().await.unwrap_or_default();
    let provider = ProviderConfig::Server(ServerConfig {
        model: model(&models, args)?,
        ..server
    });
    Ok(Choice { provider, key })
}

async fn source(args: &SetupArgs) -> anyhow::Result<Source> {
    match args.kind {
        Some(ProviderKind::Offline) => return Ok(Source::Offline),
        Some(ProviderKind::Anthropic) => return Ok(Source::Anthropic),
        Some(ProviderKind::Openai) | None => {}
    }
    if args.base_url.is_some() {
        return Ok(Source::Other);
    }
    ui::note("Looking for model servers on this machine…");
    let mut sources: Vec<Source> = detect_local_servers(&USUAL_PLACES)
        .await
        .into_iter()
        .map(Source::Found)
        .collect();
    sources.push(Source::Other);
    if args.kind.is_none() {
        sources.extend([Source::Anthropic, Source::Offline]);
    }
    let chosen = Select::new()
        .with_prompt("Answers come from")
        .items(&sources)
        .default(0)
        .interact()?;
    Ok(sources.swap_remove(chosen))
}

fn found(server: &FoundServer, args: &SetupArgs) -> anyhow::Result<Choice> {
    let base_url = parse_base_url(&server.base_url).map_err(anyhow::Error::msg)?;
    let provider = ProviderConfig::Server(ServerConfig {
        window: args.window,
        ..ServerConfig::new(Api::OpenAi, base_url, model(&server.models, args)?)
    });
    Ok(Choice {
        provider,
        key: args.api_key.clone(),
    })
}

/// A server whose model is still to be chosen.
fn unnamed(api: Api, args: &SetupArgs) -> anyhow::Result<ServerConfig> {
    Ok(ServerConfig {
        window: args.window,
        ..ServerConfig::new(api, base_url(api, args)?, "")
    })
}

fn base_url(api: Api, args: &SetupArgs) -> anyhow::Result<Url> {
    if let Some(url) = &args.base_url {
        return Ok(url.clone());
    }
    let mut input = Input::new().with_prompt("Address of its API (like https://api.example.com/v1)");
    if let Some(usual) = api.usual_base_url() {
        input = input.default(usual.as_str().trim_end_matches('/').to_owned());
    }
    let text: String = input
        .validate_with(|text: &String| parse_base_url(text).map(drop))
        .interact_text()?;
    parse_base_url(&text).map_err(anyhow::Error::msg)
}

fn key(layout: &Layout, server: &ServerConfig, args: &SetupArgs) -> anyhow::Result<Option<SecretString>> {
    if args.api_key.is_some() {
        return Ok(args.api_key.clone());
    }
    let prompt = match key_for(layout, server, None)? {
        Some(_) => "Key (empty keeps the stored one)",
        None => "Key (empty if it needs none)",
    };
    let key = Password::new()
        .with_prompt(prompt)
        .allow_empty_password(true)
        .validate_with(|key: &String| {
            if key.is_empty() {
                Ok(())
            } else {
                check_api_key(key)
            }
        })
        .interact()?;
    Ok((!key.is_empty()).then(|| SecretString::from(key)))
}

fn model(models: &[String], args: &SetupArgs) -> anyhow::Result<String> {
    if let Some(model) = &args.model {
        return Ok(model.clone());
    }
    if models.is_empty() {
        return Ok(Input::new().with_prompt("Model").interact_text()?);
    }
    let chosen = Select::new()
        .with_prompt("Model")
        .items(models)
        .default(0)
        .max_length(15)
        .interact()?;
    models
        .get(chosen)
        .cloned()
        .ok_or_else(|| anyhow::anyhow!("no model was chosen"))
}
