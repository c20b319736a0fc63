//! What answers: adapters that implement the agent's `Provider` trait.
//!
//! `openai` speaks to any server with the chat completions API, `anthropic` to any with the messages API; both stand on
//! `http`. `offline` answers from the page alone. `known` tells what is known of models by their names, `detect` finds
//! model servers on this machine. None of them knows a front or a conversation.

pub(crate) mod anthropic;
pub(crate) mod detect;
pub(crate) mod http;
pub(crate) mod known;
pub(crate) mod offline;
pub(crate) mod openai;
