//! The introduction: what each side can do, and how a person sets the agent up.

use std::sync::Arc;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, AuthMethod, AuthMethodTerminal, AuthenticateRequest, ClientCapabilities,
    Implementation, InitializeResponse, McpCapabilities, PromptCapabilities,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionListCapabilities, SessionResumeCapabilities,
};
use serde_json::Value;

use super::client_workspace::ClientIo;
use super::editor::Editor;
use crate::rpc::{Call, Error, Handling, Params, Reply};

/// The one way to set the agent up; clients know it by this name.
const SETUP: &str = "reasonix-setup";

/// What an editor said about itself.
#[derive(Clone, Copy, Default)]
pub(super) struct Client {
    /// What it does for its agent.
    pub(super) io: ClientIo,
    /// It shows notices beside the conversation.
    pub(super) notices: bool,
}

/// `initialize`. What is missing or broken in the parameters is a capability that the client lacks.
pub(super) fn initialize(editor: &Arc<Editor>, call: Call) -> Handling {
    let params = call.params;
    let capabilities = capabilities(&params);
    editor.introduce(Client {
        io: ClientIo {
            read: capabilities.fs.read_text_file,
            write: capabilities.fs.write_text_file,
            terminal: capabilities.terminal,
        },
        notices: capabilities
            .session
            .as_ref()
            .is_some_and(|session| session.notices.is_some()),
    });
    // Whatever was asked for: there is one version that we speak.
    let response = InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(ours())
        .auth_methods(auth_methods(&capabilities))
        .agent_info(Implementation::new("sidewire", env!("CARGO_PKG_VERSION")).title("Sidewire".to_owned()));
    Handling::Done(Reply::new(&response))
}

fn capabilities(params: &Params) -> ClientCapabilities {
    let params: Value = params.read().unwrap_or_default();
    let capabilities = params.get("clientCapabilities").cloned().unwrap_or_default();
    serde_json::from_value(capabilities).unwrap_or_default()
}

/// Nothing that does not work (decision 32). The legacy event stream transport is accepted but not advertised.
fn ours() -> AgentCapabilities {
    AgentCapabilities::new()
        .load_session(true)
        .session_capabilities(
            SessionCapabilities::new()
                .list(SessionListCapabilities::new())
                .resume(SessionResumeCapabilities::new())
                .close(SessionCloseCapabilities::new())
                .delete(SessionDeleteCapabilities::new())
                .additional_directories(SessionAdditionalDirectoriesCapabilities::new()),
        )
        .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
        .mcp_capabilities(McpCapabilities::new().http(true))
}

/// Only for clients that can run one in a terminal (decision 30).
fn auth_methods(client: &ClientCapabilities) -> Vec<AuthMethod> {
    if !client.auth.terminal {
        return Vec::new();
    }
    let setup = AuthMethodTerminal::new(SETUP, "Sidewire setup")
        .description("Configure Sidewire's providers and credentials in a terminal".to_owned())
        .args(vec!["setup".to_owned()]);
    vec![AuthMethod::Terminal(setup)]
}

/// `authenticate`. The only method runs in a terminal, so there is nothing to do here.
pub(super) fn authenticate(_editor: &Arc<Editor>, call: Call) -> Handling {
    let params = call.params;
    Handling::Done(params.read::<AuthenticateRequest>().and_then(|request| {
        Err(Error::invalid_params(if &*request.method_id.0 == SETUP {
            "authenticate: this method runs in a terminal; reconnect once it has ended"
        } else {
            "authenticate: unknown methodId"
        }))
    }))
}
