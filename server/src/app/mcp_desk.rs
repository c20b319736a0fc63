//! The MCP servers of editor sessions, as the front asks for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sidewire_agent::tool::Tool;
use sidewire_contract::layout::Layout;
use sidewire_contract::mcp_server::McpServer;

use super::mcp_roster::{cautious_roster, expand, ledger_file};
use crate::acp::desks::{McpDesk, McpPrompt, McpSession, McpState, McpStatus};
use crate::mcp::{Cache, Entry, Ledger, Origin, Permit, Project, Session, SessionParts, Status, Timing};
use crate::media::Library;

/// Starts the servers of sessions.
pub(crate) struct McpServers {
    layout: Layout,
    library: Library,
}

impl McpServers {
    /// With the person's configuration and decisions; pictures of results go to the library.
    pub(crate) fn new(layout: Layout, library: Library) -> Self {
        Self { layout, library }
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
        let ledger = ledger_file(&self.layout);
        let allowed = roster
            .entries
            .iter()
            .filter(|entry| entry.origin == Origin::Project && entry.permit == Permit::Given);
        let allowed = allowed.cloned().collect();
        let session = Session::start(SessionParts {
            folder: folder.into(),
            entries: roster.entries,
            expand,
            cache: Cache::in_folder(self.layout.data.join("mcp-tools")),
            library: self.library.clone(),
            timing: Timing::default(),
            changed,
        });
        Arc::new(Open {
            session,
            ledger,
            project: roster.project,
            allowed,
        })
    }
}

/// The servers of an open session.
struct Open {
    session: Session,
    /// Where a permission may be taken back while the session is open.
    ledger: PathBuf,
    project: Project,
    /// The project's servers that were allowed when the session began.
    allowed: Vec<Entry>,
}

impl Open {
    /// Whether the person has taken a permission back. It is shown at once and holds from the next session on.
    fn is_revoked(&self, ledger: Option<&Ledger>, name: &str) -> bool {
        let entry = self.allowed.iter().find(|entry| entry.server.name == name);
        entry.is_some_and(|entry| {
            !ledger.is_some_and(|ledger| ledger.allows(&self.project, name, &entry.fingerprint))
        })
    }
}

#[async_trait::async_trait]
impl McpSession for Open {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.session.tools()
    }

    fn prompts(&self) -> Vec<McpPrompt> {
        let prompts = self.session.prompts().into_iter();
        prompts
            .map(|prompt| McpPrompt {
                name: prompt.name,
                description: prompt.description,
                arguments: prompt.arguments,
            })
            .collect()
    }

    async fn expand(&self, name: &str, arguments: &str) -> Result<String, String> {
        self.session.expand(name, arguments).await
    }

    fn states(&self) -> Vec<McpState> {
        let ledger = if self.allowed.is_empty() {
            None
        } else {
            Ledger::load(&self.ledger).ok()
        };
        let states = self.session.states().into_iter();
        states
            .map(|state| {
                let is_revoked = self.is_revoked(ledger.as_ref(), &state.name);
                McpState {
                    status: if is_revoked {
                        McpStatus::Pending
                    } else {
                        status(state.status)
                    },
                    error: state.error.filter(|_| !is_revoked),
                    name: state.name,
                    tools: state.tools,
                }
            })
            .collect()
    }

    async fn settled(&self) {
        self.session.settled().await;
    }

    async fn close(&self) {
        self.session.close().await;
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
            let desk = McpServers::new(layout, Library::open(library).unwrap());
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
        assert_eq!(only(&session).status, McpStatus::Pending, "shown at once");
        assert_eq!(
            session.tools().len(),
            17,
            "but it takes effect at the next session"
        );
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
