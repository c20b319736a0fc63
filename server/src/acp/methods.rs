//! Every method an editor can call, and where it is answered.

use std::sync::Arc;

use super::editor::Editor;
use super::{AGENT, controls, initialize, lifecycle, list, open, prompt};
use crate::rpc::{Call, Handling};

/// Chooses a model; no longer in the protocol, and still called by older clients.
pub(super) const SET_MODEL: &str = "session/set_model";

/// A method.
pub(super) struct Method {
    /// What it is called.
    pub(super) name: &'static str,
    /// Begins it: what is done before this returns keeps the order of the messages.
    pub(super) begin: fn(&Arc<Editor>, Call) -> Handling,
}

const fn method(name: &'static str, begin: fn(&Arc<Editor>, Call) -> Handling) -> Method {
    Method { name, begin }
}

/// All of them.
pub(super) const METHODS: &[Method] = &[
    method(AGENT.initialize, initialize::initialize),
    method(AGENT.authenticate, initialize::authenticate),
    method(AGENT.session_new, open::new),
    method(AGENT.session_load, open::load),
    method(AGENT.session_resume, open::resume),
    method(AGENT.session_list, list::list),
    method(AGENT.session_prompt, prompt::prompt),
    method(AGENT.session_close, lifecycle::close),
    method(AGENT.session_delete, lifecycle::delete),
    method(AGENT.session_set_mode, controls::set_mode),
    method(AGENT.session_set_config_option, controls::set_config_option),
    method(SET_MODEL, controls::set_model),
];
