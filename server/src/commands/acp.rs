//! `sidewire acp`: an agent for one editor, over standard input and output, until the editor closes them.

use std::process::ExitCode;

use anyhow::Context as _;
use sidewire_contract::layout::Layout;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::env::Env;
use super::setup;
use crate::acp::{self, Parts, Start};
use crate::app::editor_parts;
use crate::cli::{AcpArgs, AcpCommand};
use crate::config::ConfigError;
use crate::logging;
use crate::private_file::private_folder;

/// Serves an editor, or sets up a model: clients append the arguments of that to the ones they start us with.
pub(crate) async fn run(env: &Env, args: AcpArgs) -> anyhow::Result<ExitCode> {
    if let Some(AcpCommand::Setup(setup)) = args.command {
        setup::run(env, setup).await?;
        return Ok(ExitCode::SUCCESS);
    }
    serve(args, env.layout.clone()).await?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(args: AcpArgs, layout: Layout) -> anyhow::Result<()> {
    // Whatever we write below our folders is its owner's only; files in a workspace get the bits the person likes.
    for folder in [&layout.config, &layout.data, &layout.state] {
        private_folder(folder)?;
    }
    let _log = logging::init(&layout, true)?;
    let stop = stopped_by_signals()?;
    let start = Start {
        model: args.model,
        preset: args.preset.or(args.profile).unwrap_or_default(),
        ceiling: args.permission_mode,
        workspace_only: args.workspace_only,
    };
    let open = move || open(layout.clone());
    acp::serve((tokio::io::stdin(), tokio::io::stdout()), start, open, stop).await;
    Ok(())
}

/// Opens what sessions need; why that failed is for the log, the editor is told where to look.
async fn open(layout: Layout) -> Result<Parts, String> {
    let opening = tokio::task::spawn_blocking(move || editor_parts(&layout));
    let opened = opening.await.context("opening the conversations broke off");
    opened.flatten().map_err(|error| {
        tracing::error!(error = format!("{error:#}"), "sessions cannot be opened");
        for_editor(&error)
    })
}

/// Without what stands in the files, which may be a key.
fn for_editor(error: &anyhow::Error) -> String {
    let what = match error.downcast_ref() {
        Some(
            ConfigError::Invalid { path, .. }
            | ConfigError::Unreadable { path, .. }
            | ConfigError::Secret { path, .. },
        ) => path.display().to_string(),
        Some(ConfigError::Key(_) | ConfigError::File(_) | ConfigError::Changing) => {
            "the configuration".to_owned()
        }
        None => "the store of conversations".to_owned(),
    };
    format!("{what} cannot be used; `sidewire doctor` in a terminal says why")
}

/// Fires at the first signal that asks a process to end.
fn stopped_by_signals() -> anyhow::Result<CancellationToken> {
    let listen = |kind| signal(kind).context("failed to listen for signals");
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut hang_up = listen(SignalKind::hangup())?;
    let stop = CancellationToken::new();
    let fired = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        fired.cancel();
    });
    Ok(stop)
}
