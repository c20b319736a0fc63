//! Finds the running worker: its state file tells the port, the secret beside it opens the door.

use sidewire_contract::ids::Hex256;
use sidewire_contract::layout::{Layout, WorkerState};

use crate::mac::Secret;
use crate::private_file::{PrivateFileError, read_private};

/// Why the files of a worker could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiscoverError {
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error("{0} does not hold what a worker writes; remove it and start the worker again")]
    Damaged(String),
}

/// Where the worker says it is, and the secret; `None` when none has written its files. It may still be gone.
pub(crate) fn running_worker(layout: &Layout) -> Result<Option<(WorkerState, Secret)>, DiscoverError> {
    let Some(state) = read_private(&layout.worker_file())? else {
        return Ok(None);
    };
    let Some(secret) = local_secret(layout)? else {
        return Ok(None);
    };
    let state = serde_json::from_slice(&state).map_err(|_| damaged(&layout.worker_file()))?;
    Ok(Some((state, secret)))
}

/// The secret of this user's processes, when there is one.
pub(crate) fn local_secret(layout: &Layout) -> Result<Option<Secret>, DiscoverError> {
    let Some(bytes) = read_private(&layout.local_secret())? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged(&layout.local_secret()))?;
    let secret: Hex256 = text.trim().parse().map_err(|_| damaged(&layout.local_secret()))?;
    Ok(Some(*secret.bytes()))
}

fn damaged(path: &std::path::Path) -> DiscoverError {
    DiscoverError::Damaged(path.display().to_string())
}
