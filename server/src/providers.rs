//! What answers: adapters that implement the agent's `Provider` trait.
//!
//! `openai` speaks to any server with the chat completions API, `offline` answers from the page alone, `detect` finds
//! model servers on this machine. None of them knows a front or a conversation.

pub(crate) mod detect;
pub(crate) mod offline;
pub(crate) mod openai;
