//! Requests of the protocol that are not about one open session.

use serde_json::{Value, json};

use super::editor::Editor;
use super::sessions::Session;
use super::wire::Refusal;

impl Editor {
    /// Introduces an editor that can do this.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn initialize(&self, capabilities: &Value) -> Result<Value, Refusal> {
        self.wire.allow(capabilities);
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": capabilities,
            "clientInfo": { "name": "sidewire-tests", "version": "1" },
        });
        self.request("initialize", params).await
    }

    /// Opens a new session in a folder.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn session(&self, cwd: &str) -> Session<'_> {
        self.session_with(json!({ "cwd": cwd, "mcpServers": [] })).await
    }

    /// Opens a new session with these parameters.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn session_with(&self, params: Value) -> Session<'_> {
        let from = self.count();
        let opened = self.new_session(params).await.expect("a new session");
        let id = opened["sessionId"]
            .as_str()
            .expect("a session has an id")
            .to_owned();
        self.opened(from, id, opened).await
    }

    /// Asks for a new session.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn new_session(&self, params: Value) -> Result<Value, Refusal> {
        self.request("session/new", params).await
    }

    /// Loads a session.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn load(&self, id: &str, cwd: &str) -> Session<'_> {
        let from = self.count();
        let opened = self.try_load(id, cwd).await.expect("a loaded session");
        self.opened(from, id.to_owned(), opened).await
    }

    /// Asks to load a session.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn try_load(&self, id: &str, cwd: &str) -> Result<Value, Refusal> {
        let params = json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] });
        self.request("session/load", params).await
    }

    /// Takes a session up again without what was said in it.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn resume_session(&self, id: &str, cwd: &str) -> Session<'_> {
        let params = json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] });
        let from = self.count();
        let opened = self
            .request("session/resume", params)
            .await
            .expect("a resumed session");
        self.opened(from, id.to_owned(), opened).await
    }

    /// A session whose opening was answered, once its commands were told as well: nobody can ask for what follows an
    /// answer, and whoever looks for something else must not meet it.
    async fn opened(&self, from: usize, id: String, opened: Value) -> Session<'_> {
        let session = Session::new(self, id, opened);
        session.update("available_commands_update", from).await;
        session
    }

    /// A page of the list of sessions.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn list(&self, params: Value) -> Result<Value, Refusal> {
        self.request("session/list", params).await
    }

    /// The ids of all sessions, page by page.
    ///
    /// # Panics
    /// When a page is refused.
    pub async fn session_ids(&self, mut params: Value) -> Vec<String> {
        let mut ids = Vec::new();
        loop {
            let page = self.list(params.clone()).await.expect("a page");
            let sessions = page["sessions"].as_array().expect("sessions").clone();
            ids.extend(
                sessions
                    .iter()
                    .filter_map(|one| one["sessionId"].as_str().map(str::to_owned)),
            );
            match page.get("nextCursor").filter(|cursor| !cursor.is_null()) {
                Some(cursor) => params["cursor"] = cursor.clone(),
                None => return ids,
            }
        }
    }

    /// Closes a session.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn close(&self, id: &str) {
        let closed = self.request("session/close", json!({ "sessionId": id })).await;
        assert_eq!(closed, Ok(json!({})));
    }

    /// Deletes a session.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn delete(&self, id: &str) {
        let deleted = self.request("session/delete", json!({ "sessionId": id })).await;
        assert_eq!(deleted, Ok(json!({})));
    }

    /// Takes a request back.
    pub async fn cancel_request(&self, id: &Value) {
        self.notify("$/cancel_request", json!({ "requestId": id })).await;
    }
}
