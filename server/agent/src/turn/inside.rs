//! Files of a conversation as one call may open them: below its folders, and where its judgement said it leaves them.
//! A link that was changed after that, while a person was asked, leads nowhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::provider::Picture;
use crate::workspace::{Document, Program, Roots, ShellCommand, ShellEnd, Watch, Workspace, WorkspaceError};

/// A workspace that opens only what a call was let through for.
pub(super) struct Inside {
    pub(super) workspace: Arc<dyn Workspace>,
    /// Places outside its folders that the call was judged by.
    pub(super) beyond: Vec<PathBuf>,
}

impl Inside {
    fn admit(&self, document: Document) -> Result<Document, WorkspaceError> {
        if self.admits(&document.path) {
            return Ok(document);
        }
        Err(WorkspaceError::Outside(document.path))
    }
}

#[async_trait::async_trait]
impl Workspace for Inside {
    fn roots(&self) -> &Roots {
        self.workspace.roots()
    }

    fn admits(&self, place: &Path) -> bool {
        self.roots().cover(place) || self.beyond.iter().any(|judged| judged == place)
    }

    async fn open(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        self.admit(self.workspace.open(path, limit).await?)
    }

    async fn open_to_change(&self, path: &Path, limit: u64) -> Result<Document, WorkspaceError> {
        self.admit(self.workspace.open_to_change(path, limit).await?)
    }

    async fn picture(&self, name: &str) -> Option<Picture> {
        self.workspace.picture(name).await
    }

    async fn check_save(&self, document: &Document) -> Result<(), WorkspaceError> {
        self.workspace.check_save(document).await
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        self.workspace.save(document).await
    }

    async fn run(&self, command: ShellCommand, watch: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        self.workspace.run(command, watch).await
    }

    fn elsewhere(&self, command: &ShellCommand) -> Option<Program> {
        self.workspace.elsewhere(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Encoding, Route};

    /// Every path leads to one place, as a link does that was changed meanwhile.
    struct Leading {
        roots: Roots,
        to: PathBuf,
    }

    #[async_trait::async_trait]
    impl Workspace for Leading {
        fn roots(&self) -> &Roots {
            &self.roots
        }

        async fn open(&self, _path: &Path, _limit: u64) -> Result<Document, WorkspaceError> {
            Ok(Document {
                path: self.to.clone(),
                text: "key".into(),
                encoding: Encoding::UTF_8,
                route: Route::Disk,
                exists: true,
            })
        }

        async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
            Err(WorkspaceError::ReadOnly(document.path.clone()))
        }

        async fn run(&self, _: ShellCommand, _: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
            Err(WorkspaceError::Cancelled)
        }
    }

    #[tokio::test]
    async fn a_call_opens_what_it_was_judged_by_and_nothing_else_outside() {
        for (to, judged, opens) in [
            ("/srv/a.txt", None, true),
            ("/etc/key", None, false),
            ("/etc/key", Some("/etc/hosts"), false),
            ("/etc/hosts", Some("/etc/hosts"), true),
        ] {
            let inside = Inside {
                workspace: Arc::new(Leading {
                    roots: Roots::new("/srv".into(), []),
                    to: to.into(),
                }),
                beyond: judged.map(PathBuf::from).into_iter().collect(),
            };
            let opened = inside.open(Path::new("link"), 9).await;
            assert_eq!(opened.is_ok(), opens, "{to}");
            let opened = inside.open_to_change(Path::new("link"), 9).await;
            assert_eq!(opened.is_ok(), opens, "{to}");
        }
    }
}
