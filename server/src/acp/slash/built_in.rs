//! The commands that the front runs itself: sum up, start afresh, say how things are.

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{PromptResponse, StopReason};
use sidewire_agent::commands::BuiltIn;
use sidewire_agent::session::Compact;
use tokio::sync::Notify;

use super::clear::clear;
use crate::acp::desks::{McpState, McpStatus, Sandbox};
use crate::acp::session::{RunningTurn, Session};
use crate::acp::turn::{follow, new_turn, refused, setting};
use crate::rpc::Error;

/// Runs a command; `words` follow its name.
pub(in crate::acp) async fn run(
    command: BuiltIn,
    turn: &RunningTurn,
    words: &str,
) -> Result<PromptResponse, Error> {
    match command {
        BuiltIn::Compact => compact(turn, words).await,
        BuiltIn::Clear => clear(turn).await,
        BuiltIn::Status => {
            turn.session.say(&status(&turn.session)).await;
            Ok(PromptResponse::new(StopReason::EndTurn))
        }
    }
}

async fn compact(turn: &RunningTurn, wishes: &str) -> Result<PromptResponse, Error> {
    let session = &turn.session;
    let (key, wake) = (new_turn(session), Arc::new(Notify::new()));
    let compact = Compact {
        key: key.clone(),
        conversation: session.id,
        setting: setting(turn),
        wishes: (!wishes.is_empty()).then(|| wishes.to_owned()),
    };
    let started = session.has.parts.agent.compact(compact, Arc::clone(&wake)).await;
    let started = started.map_err(|error| refused(session, error))?;
    follow(turn, key, (started, wake)).await
}

fn status(session: &Session) -> String {
    let has = &session.has;
    let axes = session.state().axes.clone();
    let mut lines = vec![
        format!("- Model: {}", axes.model),
        format!("- Effort: {}", axes.effort.as_deref().unwrap_or("auto")),
        format!("- Tool approval: {}", has.gate.posture()),
        format!("- Folders: {}", names(has.roots.all())),
        sandbox(has.kit.sandbox.as_ref()),
        format!("- Background jobs: {}", has.kit.jobs.running()),
    ];
    if !has.gate.is_trusted() {
        lines.push(
            "- This conversation began beside a web page: it asks before it changes anything.".to_owned(),
        );
    }
    let refused = has.kit.sandbox.iter().flat_map(|sandbox| &sandbox.refused);
    lines.extend(refused.map(|refused| format!("- Not as `[shell] write` says: {refused}")));
    lines.extend(session.mcp().states().iter().map(server));
    lines.join("\n")
}

fn sandbox(sandbox: Option<&Sandbox>) -> String {
    let Some(sandbox) = sandbox else {
        return "- Shell commands are confined by: none".to_owned();
    };
    let (by, write) = (&sandbox.by, names(&sandbox.write));
    format!("- Shell commands are confined by: {by}; they write below {write}")
}

fn names(folders: &[PathBuf]) -> String {
    let names = folders.iter().map(|folder| format!("`{}`", folder.display()));
    names.collect::<Vec<_>>().join(", ")
}

fn server(state: &McpState) -> String {
    let status = match state.status {
        McpStatus::Ready => "ready",
        McpStatus::Connecting => "connecting",
        McpStatus::Failed => "failed",
        McpStatus::Pending => "waits for your permission, see `sidewire mcp`",
        McpStatus::Disabled => "disabled",
        McpStatus::Standby => "on standby",
        McpStatus::Idle => "idle",
    };
    let error = state.error.as_ref().map(|error| format!(": {error}"));
    let (name, tools, error) = (&state.name, state.tools, error.unwrap_or_default());
    format!("- MCP server {name}: {status}, {tools} tools{error}")
}
