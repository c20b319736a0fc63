//! `sidewire setup`: choose what answers, try it with a real request, then keep it.
//!
//! Questions are in [`interactive`], flags in [`unattended`]; both end in the same test and the same save. A running
//! worker notices the new configuration at its next turn.

mod interactive;
mod unattended;

use std::io::{self, BufRead as _, IsTerminal as _};

use anyhow::Context as _;
use secrecy::SecretString;
use sidewire_contract::layout::Layout;

use super::env::Env;
use super::trial::Trial;
use crate::cli::SetupArgs;
use crate::config::{ProviderConfig, check_api_key, key_for, save_provider};
use crate::ui;

/// What was chosen, not yet tested.
#[derive(Clone, Debug)]
struct Choice {
    provider: ProviderConfig,
    /// A key that was given now; without one the stored key of the same server is used.
    key: Option<SecretString>,
}

/// Runs `sidewire setup`.
pub(crate) async fn run(env: &Env, mut args: SetupArgs) -> anyhow::Result<()> {
    if args.api_key_stdin {
        args.api_key = Some(key_from(io::stdin().lock())?);
    }
    let asks = !args.yes && !args.api_key_stdin && io::stdin().is_terminal();
    if asks {
        return interactive::run(&env.layout, &args).await;
    }
    let choice = unattended::choose(&env.layout, &args).await?;
    let outcome = test(&env.layout, &choice).await.context("nothing was saved")?;
    ui::say(outcome);
    save(&env.layout, &choice)
}

/// Tries the choice with a real request; says what answered.
async fn test(layout: &Layout, choice: &Choice) -> anyhow::Result<String> {
    match &choice.provider {
        ProviderConfig::Offline => Ok("the built-in answers need no test".to_owned()),
        ProviderConfig::Server(server) => {
            let key = key_for(layout, server, choice.key.as_ref())?;
            let trial = Trial::new(server, key)?;
            trial.answer().await.map_err(anyhow::Error::msg)?;
            let remark = trial.remark().await;
            Ok(format!(
                "{} answered at {}{remark}",
                server.model, server.base_url
            ))
        }
    }
}

/// Writes the choice and says where.
fn save(layout: &Layout, choice: &Choice) -> anyhow::Result<()> {
    for path in save_provider(layout, &choice.provider, choice.key.as_ref())? {
        ui::say(format_args!("wrote {}", path.display()));
    }
    ui::note("A running worker uses it from the next question on.");
    Ok(())
}

/// The first line of a stream as a key; what is too long for one is not read to its end.
fn key_from(input: impl io::BufRead) -> anyhow::Result<SecretString> {
    let mut line = String::new();
    input
        .take(8 * 1024)
        .read_line(&mut line)
        .context("failed to read the key from standard input")?;
    let key = line.trim();
    check_api_key(key).context("failed to read the key from standard input")?;
    Ok(SecretString::from(key))
}

#[cfg(test)]
mod tests;
