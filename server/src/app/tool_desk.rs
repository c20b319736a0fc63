//! The worker's tools for the workspaces of editors.

use std::path::PathBuf;
use std::sync::Arc;

use sidewire_agent::workspace::Roots;
use sidewire_contract::layout::Layout;

use super::git_folder;
use super::shell_places::{self, ShellPlaces};
use crate::acp::desks::{Jobs, Sandbox, ToolDesk, ToolKit};
use crate::config::shell::ShellConfig;
use crate::process::{Bounds, Launcher, our_file, ourselves, real, sandbox};
use crate::tools::{JobTable, LocalWorkspace, Protected, workspace_tools};

/// The [`ToolDesk`] of this machine.
pub(super) struct Tools {
    home: Option<PathBuf>,
    layout: Layout,
    protected: Protected,
    shell: ShellConfig,
}

impl Tools {
    /// Finds what must be known of this machine.
    pub(super) fn new(layout: &Layout, shell: ShellConfig) -> Self {
        let home = std::env::home_dir();
        Self {
            layout: layout.clone(),
            protected: shell_places::protected(home.as_deref(), layout),
            home: home.map(|home| real(&home)),
            shell,
        }
    }

    /// What shell commands may do: write in the roots, what git keeps for them and these places, and read all but what
    /// is ours.
    fn bounds(&self, roots: &Roots, places: &ShellPlaces) -> Bounds {
        let roots = roots.all();
        let mut write = roots.to_vec();
        let git = roots
            .iter()
            .filter_map(|root| git_folder::elsewhere(root, self.home.as_deref()))
            .filter(|git| !shell_places::keeps_keys(git, &self.protected));
        for place in git.chain(places.write().cloned()) {
            shell_places::add(&mut write, place);
        }
        // Where they lead now: a link on the way to them may be one that a command can turn.
        let found = |place: PathBuf| real(&place);
        let readable = shell_places::readable(&self.layout).map(found);
        Bounds {
            write,
            hide: shell_places::own(&self.layout).map(found).into(),
            show: roots.iter().cloned().chain(readable).collect(),
        }
    }
}

impl ToolDesk for Tools {
    fn open(&self, roots: Roots) -> ToolKit {
        let places = ShellPlaces::find(&self.shell, &self.layout);
        for refused in &places.refused {
            tracing::warn!(%refused, "shell commands cannot write in a folder that is configured for it");
        }
        let launcher = Launcher {
            program: ourselves(),
            file: our_file(),
            bounds: self.bounds(&roots, &places),
            caches: places.configured.clone(),
            protected: self.protected.places().to_vec(),
        };
        let sandbox = told(&launcher, &places);
        let jobs = Arc::new(JobTable::new(launcher.clone()));
        let workspace = LocalWorkspace::new(roots, self.protected.clone(), launcher);
        ToolKit {
            tools: workspace_tools(&workspace, &jobs),
            workspace: Arc::new(workspace),
            jobs,
            sandbox,
        }
    }
}

/// What confines commands, as a person is told it.
fn told(launcher: &Launcher, places: &ShellPlaces) -> Option<Sandbox> {
    let by = sandbox().filter(|_| launcher.confines())?;
    let refused = places.refused.iter().map(ToString::to_string);
    Some(Sandbox {
        by,
        write: launcher.bounds.write.clone(),
        refused: refused.collect(),
    })
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A link on the way to our folders may be one that a command can turn.
    #[test]
    fn what_is_ours_is_hidden_where_it_was_when_the_session_began() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        fs::create_dir_all(real.join("home/lists")).unwrap();
        symlink(real.join("home"), real.join("link")).unwrap();
        symlink("lists", real.join("home/skills")).unwrap();
        let tools = Tools::new(&Layout::in_folder(real.join("link")), ShellConfig::default());
        let roots = Roots::new(real.join("work"), []);
        let bounds = tools.bounds(&roots, &ShellPlaces::default());
        assert!(bounds.hide.contains(&real.join("home")), "{bounds:?}");
        let shown = [
            real.join("work"),
            real.join("home/lists"),
            real.join("home/browser"),
        ];
        assert_eq!(bounds.show, shown);
    }
}
