//! The native messaging host: pumps frames between the browser's stdio and the worker's WebSocket.
//!
//! It never looks into a chat message and keeps no state. Its one own frame is `bridge_error`, which says why there is
//! nothing to pump. Standard output carries frames only; everything else goes to standard error.

mod browser;
mod caller;
mod connect;
mod handshake;
mod private_file;
mod relay;
mod start;

use sidewire_contract::bridge::handshake::{BridgeError, BridgeErrorCode};
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::layout::Layout;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

use crate::browser::{Browser, Inbox};
use crate::caller::Invocation;
use crate::handshake::Socket;
use crate::relay::End;

/// Why there is nothing to pump, or no longer.
#[derive(Debug, thiserror::Error)]
enum HostError {
    #[error(transparent)]
    Caller(#[from] caller::CallerError),
    #[error(transparent)]
    Layout(#[from] sidewire_contract::layout::LayoutError),
    #[error(transparent)]
    Connect(#[from] connect::ConnectError),
    #[error(transparent)]
    End(#[from] End),
}

impl HostError {
    fn code(&self) -> BridgeErrorCode {
        match self {
            Self::Caller(_) => BridgeErrorCode::OriginRefused,
            Self::Layout(_) => BridgeErrorCode::WorkerUnreachable,
            Self::Connect(error) => error.code(),
            Self::End(End::BrowserGone | End::WorkerGone | End::WorkerLost(_) | End::WriteFailed(_)) => {
                BridgeErrorCode::WorkerUnreachable
            }
            Self::End(End::Nonsense) => BridgeErrorCode::FrameTooLarge,
        }
    }
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // The message of a panic may quote a page; where it happened cannot.
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        drop(writeln!(
            std::io::stderr(),
            "sidewire-host: internal error at {place}"
        ));
    }));
    match caller::parse(std::env::args_os().skip(1)) {
        Invocation::Version => print_version(),
        Invocation::Browser(caller) => serve(&caller),
    }
}

fn print_version() -> ExitCode {
    match writeln!(std::io::stdout(), "sidewire-host {}", env!("CARGO_PKG_VERSION")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(caller: &str) -> ExitCode {
    let started = browser::stdout().and_then(|stdout| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        Ok((Browser::new(stdout), runtime))
    });
    let (browser, runtime) = match started {
        Ok(started) => started,
        Err(error) => return fail(&error),
    };
    let reason = runtime.block_on(run(caller, &browser));
    if let HostError::End(End::BrowserGone) = reason {
        return ExitCode::SUCCESS;
    }
    // A browser that has gone meanwhile needs no answer.
    drop(browser.send(&bridge_error(reason.code(), &reason)));
    fail(&reason)
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    let mut text = format!("sidewire-host: {error}");
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    drop(writeln!(std::io::stderr(), "{text}"));
    ExitCode::FAILURE
}

/// Runs until there is nothing to pump any more, and tells why.
async fn run(caller: &str, browser: &Browser<File>) -> HostError {
    match prepare(caller).await {
        Ok((mut inbox, socket)) => relay::relay(browser, &mut inbox, socket).await.into(),
        Err(error) => error,
    }
}

async fn prepare(caller: &str) -> Result<(Inbox, Socket), HostError> {
    let layout = Layout::from_env(|name| std::env::var_os(name))?;
    caller::check(caller, &layout)?;
    let mut inbox = Inbox::open();
    let socket = tokio::select! {
        biased;
        connected = connect::connect(&layout) => connected?,
        () = inbox.closed() => return Err(End::BrowserGone.into()),
    };
    Ok((inbox, socket))
}

/// The host's one own frame.
fn bridge_error(code: BridgeErrorCode, message: &dyn std::fmt::Display) -> String {
    WorkerFrame::BridgeError(BridgeError {
        code,
        message: message.to_string(),
    })
    .encode()
}
