//! The worker's tools for the workspaces of editors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sidewire_agent::workspace::Roots;
use sidewire_contract::layout::Layout;

use super::editor::browser_folder;
use crate::acp::desks::{Jobs, ToolDesk, ToolKit};
use crate::process::{Launcher, our_file, ourselves, sandbox};
use crate::tools::{JobTable, LocalWorkspace, Protected, workspace_tools};

/// The [`ToolDesk`] of this machine.
pub(super) struct Tools {
    protected: Protected,
}

impl Tools {
    /// Finds what must be known of this machine.
    pub(super) fn new(layout: &Layout) -> Self {
        let home = std::env::home_dir();
        let own = [&layout.config, &layout.data, &layout.state].map(Clone::clone);
        Self {
            protected: Protected::new(home.as_deref(), own)
                .but_readable([layout.config.join("skills"), browser_folder(layout)]),
        }
    }
}

impl ToolDesk for Tools {
    fn open(&self, roots: Roots) -> ToolKit {
        let launcher = Launcher {
            program: ourselves(),
            file: our_file(),
            write: writable(&roots),
            protected: self.protected.places().to_vec(),
        };
        let confined_by = sandbox().filter(|_| launcher.program.is_some());
        let jobs = Arc::new(JobTable::new(launcher.clone()));
        let workspace = LocalWorkspace::new(roots, self.protected.clone(), launcher);
        ToolKit {
            tools: workspace_tools(&workspace, &jobs),
            workspace: Arc::new(workspace),
            jobs,
            sandbox: confined_by.unwrap_or_else(|| "none".to_owned()),
        }
    }
}

/// Where shell commands may write: the roots and the folders for what does not last.
fn writable(roots: &Roots) -> Vec<PathBuf> {
    let temporary = [
        std::env::temp_dir(),
        PathBuf::from("/tmp"),
        PathBuf::from("/var/tmp"),
        PathBuf::from("/dev/shm"),
    ];
    let mut places: Vec<PathBuf> = roots.all().to_vec();
    for place in temporary
        .into_iter()
        .filter_map(|place| place.canonicalize().ok())
    {
        if !places.iter().any(|known| place.starts_with(known)) && place != Path::new("/") {
            places.push(place);
        }
    }
    places
}

#[async_trait::async_trait]
impl Jobs for JobTable {
    fn running(&self) -> usize {
        Self::running(self)
    }

    async fn end(&self) {
        Self::end(self).await;
    }
}
