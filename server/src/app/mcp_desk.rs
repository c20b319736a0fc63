//! The MCP servers of editor sessions, as the front asks for them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sidewire_agent::tool::Tool;
use sidewire_contract::layout::Layout;
use sidewire_contract::mcp_server::McpServer;

use super::mcp_roster::{cautious_roster, expand, ledger_file};
use crate::acp::desks::{McpDesk, McpPrompt, McpSession, McpState, McpStatus};
use crate::mcp::{
    Cache, Entry, Ledger, Origin, Permit, Permitted, Project, Session, SessionParts, Status, Timing,
};
use crate::media::Library;

/// Starts the servers of sessions.
pub(crate) struct McpServers {
    layout: Layout,
    library: Library,
    family: Option<PathBuf>,
}

impl McpServers {
    /// With the person's configuration and decisions; pictures of results go to the library. `family` is ourselves, to
    /// stand between us and each process.
    pub(crate) fn new(layout: Layout, library: Library, family: Option<PathBuf>) -> Self {
        Self {
            layout,
            library,
            family,
        }
    }
}

impl McpDesk for McpServers {
    fn start(
        &self,
        folder: &Path,
        passed: Vec<McpServer>,
        changed: Arc<dyn Fn() + Send + Sync>,
    ) -> Arc<dyn McpSession> {
        let roster = cautious_roster(&self.layout, folder, passed);
        for warning in &roster.warnings {
            tracing::warn!("{warning}");
        }
        let permitted = permitted(ledger_file(&self.layout), roster.project, &roster.entries);
        Arc::new(Open(Session::start(SessionParts {
            folder: folder.into(),
            family: self.family.clone(),
            entries: roster.entries,
            permitted,
            expand,
            cache: Cache::in_folder(self.layout.mcp_tools_folder()),
            library: self.library.clone(),
            timing: Timing::default(),
            changed,
        })))
    }
}

/// Whether a server may still be used: the person may take a permission back while a session is open.
fn permitted(ledger: PathBuf, project: Project, entries: &[Entry]) -> Permitted {
    let of_project = entries
        .iter()
        .filter(|entry| entry.origin == Origin::Project && entry.permit == Permit::Given)
        .map(|entry| (entry.server.name.clone(), entry.fingerprint.clone()));
    let allowed: HashMap<_, _> = of_project.collect();
    Arc::new(move |name| {
        let still = |fingerprint: &String| {
            Ledger::load(&ledger).is_ok_and(|ledger| ledger.allows(&project, name, fingerprint))
        };
        allowed.get(name).is_none_or(still)
    })
}

/// The servers of an open session.
struct Open(Session);

#[async_trait::async_trait]
impl McpSession for Open {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.tools()
    }

    fn prompts(&self) -> Vec<McpPrompt> {
        let prompts = self.0.prompts().into_iter();
        prompts
            .map(|prompt| McpPrompt {
                name: prompt.name,
                description: prompt.description,
                arguments: prompt.arguments,
            })
            .collect()
    }

    async fn expand(&self, name: &str, arguments: &str) -> Result<String, String> {
        self.0.expand(name, arguments).await
    }

    fn states(&self) -> Vec<McpState> {
        let states = self.0.states().into_iter();
        states
            .map(|state| McpState {
                name: state.name,
                status: status(state.status),
                error: state.error,
                tools: state.tools,
            })
            .collect()
    }

    async fn settled(&self) {
        self.0.settled().await;
    }

    async fn close(&self) {
        self.0.close().await;
    }
}

fn status(status: Status) -> McpStatus {
    match status {
        Status::Ready => McpStatus::Ready,
        Status::Connecting => McpStatus::Connecting,
        Status::Failed => McpStatus::Failed,
        Status::Pending => McpStatus::Pending,
        Status::Disabled => McpStatus::Disabled,
        Status::Standby => McpStatus::Standby,
        Status::Idle => McpStatus::Idle,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::mcp_roster::read_roster;
    use super::*;
    use crate::media::LibraryConfig;

    const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/mcp-server.mjs");

    struct Place {
        folder: tempfile::TempDir,
        desk: McpServers,
    }

    impl Place {
        /// A project with one server, whose definition has a variable of our environment in it.
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let layout = Layout::in_folder(folder.path().join("home"));
            let library = LibraryConfig {
                folder: folder.path().join("media"),
                quota: 0,
                search_path: None,
            };
            let desk = McpServers::new(layout, Library::open(library).unwrap(), None);
            let place = Self { folder, desk };
            place.write("", "stdio");
            place
        }

        fn write(&self, variable: &str, mode: &str) {
            let server = serde_json::json!({
                "command": "node", "args": [FIXTURE, mode],
                "env": { "SEEN": variable, "MCP_NOTES": self.folder.path().join("notes") },
            });
            let file = serde_json::json!({ "mcpServers": { "s": server } });
            fs::write(self.folder.path().join(".mcp.json"), file.to_string()).unwrap();
        }

        async fn session(&self) -> Arc<dyn McpSession> {
            let session = self.desk.start(self.folder.path(), Vec::new(), Arc::new(|| {}));
            session.settled().await;
            session
        }

        fn decide(&self, decision: impl FnOnce(&mut Ledger, &Project, &str)) {
            let roster = read_roster(&self.desk.layout, self.folder.path(), Vec::new()).unwrap();
            let file = ledger_file(&self.desk.layout);
            let mut ledger = Ledger::load(&file).unwrap();
            decision(&mut ledger, &roster.project, &roster.entries[0].fingerprint);
            ledger.save(&file).unwrap();
        }
    }

    fn only(session: &Arc<dyn McpSession>) -> McpState {
        session.states().remove(0)
    }

    #[tokio::test]
    async fn a_project_server_starts_once_the_person_has_allowed_it() {
        let place = Place::new();
        place.write("${PATH}", "stdio");
        let session = place.session().await;
        assert_eq!(
            (only(&session).status, session.tools().len()),
            (McpStatus::Pending, 0)
        );
        assert!(!place.folder.path().join("notes").exists(), "it was started");
        place.decide(|ledger, project, hash| ledger.allow(project, "s", hash));
        assert_eq!(
            only(&session).status,
            McpStatus::Pending,
            "from the next session on"
        );
        session.close().await;

        let session = place.session().await;
        assert_eq!(
            (only(&session).status, only(&session).tools),
            (McpStatus::Ready, 17)
        );
        assert_eq!(session.prompts()[1].name, "s:greet");
        assert_eq!(
            session.expand("s:greet", "Ann").await.unwrap(),
            "Greet Ann kindly."
        );
        place.decide(|ledger, project, _| assert!(ledger.revoke(project, "s")));
        assert_eq!((session.tools().len(), session.prompts().len()), (0, 0));
        assert!(session.expand("s:greet", "Ann").await.is_err());
        let state = only(&session);
        assert_eq!(
            (state.status, state.tools, state.error),
            (McpStatus::Pending, 0, None)
        );
        place.decide(|ledger, project, hash| ledger.allow(project, "s", hash));
        assert!(
            session.tools().is_empty(),
            "allowed again from the next session on"
        );
        place.decide(|ledger, project, _| assert!(ledger.revoke(project, "s")));
        session.close().await;
        assert_eq!(only(&place.session().await).status, McpStatus::Pending);
    }

    #[tokio::test]
    async fn a_changed_definition_is_pending_again() {
        let place = Place::new();
        place.write("", "silent");
        place.decide(|ledger, project, hash| ledger.allow(project, "s", hash));
        place.write("", "stdio");
        assert_eq!(only(&place.session().await).status, McpStatus::Pending);
        place.decide(|ledger, project, _| {
            ledger.set_disabled(Some(project), "s", true);
        });
        assert_eq!(only(&place.session().await).status, McpStatus::Disabled);
    }

    #[tokio::test]
    async fn a_variable_that_is_not_set_is_named() {
        let place = Place::new();
        place.write("${SIDEWIRE_TEST_NEVER_SET}", "stdio");
        place.decide(|ledger, project, hash| ledger.allow(project, "s", hash));
        let state = only(&place.session().await);
        assert_eq!(state.status, McpStatus::Failed);
        let error = state.error.unwrap();
        assert_eq!(
            error,
            "the environment variable SIDEWIRE_TEST_NEVER_SET is not set"
        );
    }

    #[tokio::test]
    async fn what_cannot_be_read_allows_nothing_and_breaks_nothing() {
        let place = Place::new();
        place.decide(|ledger, project, hash| ledger.allow(project, "s", hash));
        fs::write(ledger_file(&place.desk.layout), "{").unwrap();
        fs::write(place.desk.layout.config_file(), "[mcp").unwrap();
        assert_eq!(only(&place.session().await).status, McpStatus::Pending);
    }
}
