//! What an editor is told about a session beside its turns.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    AvailableCommandsUpdate, ConfigOptionUpdate, ContentChunk, CurrentModeUpdate, Notice, NoticeSeverity,
    SessionConfigOption, SessionInfoUpdate, SessionModeState, SessionUpdate, UsageUpdate,
};
use serde_json::json;
use sidewire_agent::commands::SKILL_TOOL;
use sidewire_agent::ids::Owner;
use sidewire_agent::session::now_ms;

use super::Session;
use crate::acp::controls::{config_options, mode_id, modes};
use crate::acp::list::shown_time;
use crate::acp::translate::words;

impl Session {
    /// The modes, and which one is on.
    pub(in crate::acp) fn modes(&self) -> SessionModeState {
        modes(&self.state().axes)
    }

    /// Every control as it is shown now.
    pub(in crate::acp) fn config_options(&self) -> Vec<SessionConfigOption> {
        let axes = self.state().shown();
        // While the configuration cannot be read, the model in use is the only one that is known.
        let listed = self.has.parts.models.list().unwrap_or_default();
        config_options(&axes, &listed, &self.has.start)
    }

    /// Tells every control.
    pub(in crate::acp) async fn tell_options(&self) {
        let options = ConfigOptionUpdate::new(self.config_options());
        self.tell(SessionUpdate::ConfigOptionUpdate(options)).await;
    }

    /// Tells the mode.
    pub(in crate::acp) async fn tell_mode(&self) {
        let mode = CurrentModeUpdate::new(mode_id(self.state().axes.collaboration));
        self.tell(SessionUpdate::CurrentModeUpdate(mode)).await;
    }

    /// Tells what the conversation is called, when that is new.
    pub(in crate::acp) async fn tell_title(&self, title: &str) {
        let known = std::mem::replace(&mut self.state().title, title.to_owned());
        if known != title {
            let info = SessionInfoUpdate::new()
                .title((!title.is_empty()).then(|| title.to_owned()))
                .updated_at(shown_time(now_ms()));
            self.tell(SessionUpdate::SessionInfoUpdate(info)).await;
        }
    }

    /// Tells what the conversation is called and when it was last used, as `session/list` would; nothing while nothing
    /// was asked in it.
    pub(in crate::acp) async fn tell_info(&self) {
        let store = self.has.parts.agent.store();
        let record = store.conversation(&Owner::editor(), self.id).await;
        // One that cannot be read is told with its next change.
        let Some(record) = record.ok().filter(|record| !record.title.is_empty()) else {
            return;
        };
        self.state().title.clone_from(&record.title);
        let info = SessionInfoUpdate::new()
            .title(record.title)
            .updated_at(shown_time(record.updated_at_ms));
        self.tell(SessionUpdate::SessionInfoUpdate(info)).await;
    }

    /// Tells how full the window is, when that is known without asking anyone.
    pub(in crate::acp) async fn tell_window(&self) {
        let (used, window) = {
            let state = self.state();
            (state.context, state.provider.describe().window)
        };
        if let (Some(used), Some(size)) = (used, window.filter(|size| *size > 0)) {
            self.tell(SessionUpdate::UsageUpdate(UsageUpdate::new(used, size)))
                .await;
        }
    }

    /// Tells the slash commands.
    pub(in crate::acp) async fn tell_commands(&self) {
        let mut told = self.told_commands.lock().await;
        let commands = self.has.commands.list(&self.mcp().prompts());
        self.tell(SessionUpdate::AvailableCommandsUpdate(
            AvailableCommandsUpdate::new(commands.clone()),
        ))
        .await;
        *told = Some(commands);
    }

    /// Tells which rules are about no call, to an editor that shows notices; others have it in the log.
    pub(in crate::acp) async fn tell_useless_rules(&self) {
        if !self.has.notices {
            return;
        }
        let tools = self.has.kit.tools.iter().map(|tool| tool.meta().name.as_str());
        let tools: Vec<&str> = tools.chain([SKILL_TOOL]).collect();
        for useless in self.has.parts.rules.useless(&tools) {
            let meta = words::meta(json!({ "notice": { "code": "useless_rule" } }));
            let text = format!("In config.toml, {useless}.");
            let notice = Notice::new(NoticeSeverity::Warning, text).meta(meta);
            self.tell(SessionUpdate::Notice(notice)).await;
        }
    }

    /// The slash commands may have changed.
    pub(in crate::acp) fn commands_changed(&self) {
        self.commands_changed.notify_one();
    }

    /// Tells the slash commands whenever they have changed, until the session ends.
    pub(in crate::acp) fn follow_commands(self: &Arc<Self>) {
        let session = Arc::clone(self);
        self.tasks.spawn(async move {
            let changes = async {
                loop {
                    session.commands_changed.notified().await;
                    session.tell_new_commands().await;
                }
            };
            session.over.run_until_cancelled(changes).await
        });
    }

    async fn tell_new_commands(&self) {
        let now = self.has.commands.list(&self.mcp().prompts());
        let told = self.told_commands.lock().await.clone();
        if told != Some(now) {
            self.tell_commands().await;
        }
    }

    /// Says something outside any model's answer.
    pub(in crate::acp) async fn say(&self, text: &str) {
        self.tell(SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into())))
            .await;
    }

    /// Sends an update. An editor that is gone needs none.
    pub(in crate::acp) async fn tell(&self, update: SessionUpdate) {
        let _gone = self.has.line.send(&update).await;
    }
}
