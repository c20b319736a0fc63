//! Finds the running worker, starts one when there is none, and has an older one replaced.

use sidewire_contract::bridge::handshake::{BridgeErrorCode, Version};
use sidewire_contract::ids::Hex256;
use sidewire_contract::layout::{Layout, WorkerState};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::handshake::{self, Connected, HandshakeError, OUR_VERSION, Socket};
use crate::private_file::{self, PrivateFileError};
use crate::start::{StartError, Starter};

/// How long a worker may take from nothing to a finished handshake.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long one handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// How long an older worker that makes room may take: 10 s for its turns, and its goodbyes.
const HANDOVER: Duration = Duration::from_secs(13);

/// How often to look for a worker that is starting.
const POLL: Duration = Duration::from_millis(10);

/// Why there is no connection to a worker.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// Its files cannot be trusted or read.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// It could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It has not written itself down.
    #[error("no worker is running")]
    Absent,
    /// It cannot be talked to.
    #[error("failed to reach the worker")]
    Handshake(#[from] HandshakeError),
    /// It does not answer.
    #[error("worker does not answer")]
    Late,
}

impl ConnectError {
    /// Whether something is there that is not what it should be: asking it again would change nothing.
    const fn is_final(&self) -> bool {
        !matches!(self, Self::Handshake(HandshakeError::Refused(_)))
    }

    pub(crate) const fn code(&self) -> BridgeErrorCode {
        match self {
            Self::File(_) | Self::Handshake(HandshakeError::Refused(_)) => BridgeErrorCode::WorkerUnreachable,
            Self::Start(StartError::NotInstalled) => BridgeErrorCode::WorkerNotInstalled,
            Self::Start(StartError::Refused(_) | StartError::Failed) | Self::Absent => {
                BridgeErrorCode::WorkerNotStarted
            }
            Self::Handshake(
                HandshakeError::Socket(_)
                | HandshakeError::Closed
                | HandshakeError::Impostor
                | HandshakeError::Unexpected
                | HandshakeError::Decode(_)
                | HandshakeError::Random(_),
            )
            | Self::Late => BridgeErrorCode::HandshakeFailed,
        }
    }
}

/// Connects to the worker.
pub(crate) async fn connect(layout: &Layout) -> Result<Socket, ConnectError> {
    let mut connected = find_or_start(layout).await?;
    if is_older(&connected.worker_version) {
        // Once only: where no newer worker can be had, the older one is better than none.
        let accepted = timeout(HANDSHAKE, handshake::hand_over(&mut connected.socket)).await;
        if !matches!(accepted, Ok(Ok(false))) {
            timeout(HANDOVER, handshake::closed(connected.socket)).await.ok();
            connected = find_or_start(layout).await?;
        }
    }
    Ok(connected.socket)
}

/// Whether a worker is older than this host; an unusual version is not.
fn is_older(worker: &str) -> bool {
    match (Version::new(worker), Version::new(OUR_VERSION)) {
        (Ok(worker), Ok(ours)) => worker.parts() < ours.parts(),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

async fn find_or_start(layout: &Layout) -> Result<Connected, ConnectError> {
    let deadline = Instant::now() + PATIENCE;
    let mut starter = Starter::default();
    let mut failed: Option<(WorkerState, ConnectError)> = None;
    loop {
        // A worker that has failed once is not asked again; the next one writes something else down.
        let running =
            find(layout)?.filter(|(worker, _)| failed.as_ref().is_none_or(|(other, _)| other != worker));
        if let Some((worker, secret)) = running {
            match shake_hands(worker.port, &secret, deadline).await {
                Ok(connected) => return Ok(connected),
                Err(error) => failed = Some((worker, error)),
            }
        }
        let hopeless =
            failed.as_ref().is_some_and(|(_, error)| error.is_final()) && starter.was_superfluous();
        if hopeless || Instant::now() >= deadline {
            return Err(failed.map_or(ConnectError::Absent, |(_, error)| error));
        }
        starter.ensure()?;
        sleep(POLL).await;
    }
}

async fn shake_hands(port: u16, secret: &Hex256, deadline: Instant) -> Result<Connected, ConnectError> {
    let deadline = deadline.min(Instant::now() + HANDSHAKE);
    Ok(timeout_at(deadline, handshake::connect(port, secret))
        .await
        .map_err(|_| ConnectError::Late)??)
}

/// The worker that has written itself down, and the secret it shares with us.
fn find(layout: &Layout) -> Result<Option<(WorkerState, Hex256)>, ConnectError> {
    let Some(worker) = private_file::read_json(&layout.worker_file())? else {
        return Ok(None);
    };
    let Some(secret) = private_file::read(&layout.local_secret())? else {
        return Ok(None);
    };
    let secret = secret
        .trim()
        .parse()
        .map_err(|_| PrivateFileError::damaged(&layout.local_secret()))?;
    Ok(Some((worker, secret)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lower_version_is_older() {
        assert!(is_older("0.0.9"));
        for version in [OUR_VERSION, "0.1.1", "0.10.0", "1.0.0", "dev", "0.0", ""] {
            assert!(!is_older(version), "{version}");
        }
    }
}
