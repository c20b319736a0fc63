//! An editor: runs the real `sidewire acp` and speaks ACP to it over its standard streams.
//!
//! [`Editor`] sends requests and plays the person's side: files, terminals and permission cards ([`Desk`]). Every
//! frame that the agent sends is recorded, checked against the published schema ([`schema`]) and held to the rules
//! that hold for every test ([`rules`]); a fault fails the test, whatever it was about.
#![expect(
    clippy::indexing_slicing,
    reason = "looking into JSON never panics: what is not there is null"
)]

mod asking;
mod desk;
mod editor;
mod mcp;
mod places;
mod project;
mod rules;
mod schema;
mod sessions;
mod terminals;
mod turn;
mod wire;

pub use desk::Asked;
pub use editor::{Editor, Left, full_editor, plain_editor};
pub use mcp::{McpOverHttp, mcp_process};
pub use project::Project;
pub use sessions::{Prompting, Session, text_block, value_of};
pub use terminals::TerminalScript;
pub use turn::{Call, PromptTurn};
pub use wire::{Frame, Refusal, Waiting};
