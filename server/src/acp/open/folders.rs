//! The folders that a session is opened in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sidewire_agent::workspace::Roots;

use super::Wanted;
use crate::acp::directories::{self, Folders, Policy};
use crate::acp::editor::Editor;
use crate::rpc::Error;

/// The folder that was asked for, or `kept`, or where this process runs; and the others that were asked for.
pub(super) async fn folders(
    editor: &Arc<Editor>,
    wanted: &Wanted,
    kept: Option<&str>,
) -> Result<Folders, Error> {
    let folder = match wanted.cwd.as_deref().or(kept) {
        Some(folder) => folder.to_owned(),
        None => own_folder()?,
    };
    let method = wanted.method;
    if !Path::new(&folder).is_absolute() {
        let text = format!("{method}: cwd must be an absolute path");
        return Err(Error::invalid_params(text));
    }
    let (cwd, others) = (PathBuf::from(folder), wanted.directories.clone());
    let parts = editor.parts().await?;
    let policy = Policy {
        workspace_only: editor.start.workspace_only,
        private: parts.private.clone(),
        browser: Some(parts.browser_folder.clone()),
    };
    let vetting = tokio::task::spawn_blocking(move || directories::vet(&cwd, &others, &policy));
    vetting
        .await
        .map_err(|_| Error::internal("the folders could not be looked at"))?
}

/// Whether two sessions have the same folders, in whatever order.
pub(super) fn same_directories(one: &Roots, other: &Roots) -> bool {
    let (ones, others) = (one.all(), other.all());
    ones.iter().all(|root| others.contains(root)) && others.iter().all(|root| ones.contains(root))
}

fn own_folder() -> Result<String, Error> {
    let folder = std::env::current_dir().ok();
    let folder = folder.and_then(|folder| folder.into_os_string().into_string().ok());
    folder.ok_or_else(|| Error::invalid_params("cwd is missing"))
}
