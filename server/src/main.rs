//! `sidewire`: the worker and its command line.

mod acp;
mod app;
mod browser;
mod cli;
mod commands;
mod config;
mod http_client;
mod key_folders;
mod link;
mod logging;
mod mac;
mod mcp;
mod media;
mod private_file;
mod process;
mod providers;
mod rpc;
mod tools;
mod ui;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let cli::Command::Confined(args) = &cli.command {
        return commands::confined::run(args);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            ui::fail(&anyhow::Error::from(error).context("failed to start"));
            return ExitCode::FAILURE;
        }
    };
    let serves_an_editor = matches!(cli.command, cli::Command::Acp(_));
    let code = runtime.block_on(async {
        commands::run(cli).await.unwrap_or_else(|error| {
            ui::fail(&error);
            ExitCode::FAILURE
        })
    });
    if serves_an_editor {
        // A read of standard input that waits for an editor cannot be ended, so nothing waits for it.
        runtime.shutdown_background();
    }
    code
}
