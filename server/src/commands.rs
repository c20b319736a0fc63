//! What the command line does, one module per command.
//!
//! Commands read their [`Env`](env::Env), do their work and print through [`ui`](crate::ui). Nothing here is used by
//! fronts or adapters.

pub(crate) mod browsers;
pub(crate) mod env;
mod manifest;
mod trial;

mod acp;
mod ask;
pub(crate) mod confined;
mod data;
mod doctor;
mod install;
mod mcp;
mod pair;
mod serve;
mod setup;

pub(crate) use install::load_extra_ids;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use env::Env;

/// Runs the command that was asked for.
pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let env = Env::of_process()?;
    match cli.command {
        Command::Serve(args) => serve::run(args, env.layout).await?,
        Command::Acp(args) => return acp::run(&env, args).await,
        Command::Ask(args) => ask::run(args, env.layout).await?,
        Command::Setup(args) => setup::run(&env, args).await?,
        Command::Install(args) => install::install(&env, &args)?,
        Command::Uninstall(args) => install::uninstall(&env, &args)?,
        Command::Doctor(args) => return doctor::run(&env, &args).await,
        Command::Pair(args) => pair::run(&env, &args).await?,
        Command::Data(command) => data::run(&env, command).await?,
        Command::Mcp(args) => mcp::run(&env, &args)?,
        // `main` runs it before there is anything else in the process.
        Command::Confined(args) => return Ok(confined::run(&args)),
    }
    Ok(ExitCode::SUCCESS)
}
