//! The harness of the black-box tests: the real binaries, real sockets and pipes, and a model that does as it is told.
//!
//! A [`Home`] is one machine: its own folder, its own processes, gone when it is dropped. A [`Worker`] is a real
//! `sidewire serve`, a [`NativeHost`] a real `sidewire-host`; a [`Client`] speaks to a worker as an extension or a
//! local program does, an [`Editor`] runs a real `sidewire acp`. [`ScriptedModel`] is the only part that is not real. Nothing here waits for time to pass:
//! everything waits for what a process says, with [`within`] as the guard against a hang; of what nobody says anything,
//! [`eventually`] looks.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a harness fails its test by panicking"
)]

mod acp;
mod client;
mod fake_worker;
mod guard;
mod home;
mod host_tools;
mod identity;
mod media;
mod model;
mod model_script;
mod native;
mod needs;
mod page;
mod peer;
mod process;
mod raw;
pub mod requests;
mod turn;
mod worker;

pub use acp::{
    Asked, Call, Editor, Frame, Left, McpOverHttp, Project, PromptTurn, Prompting, Refusal, Session,
    TerminalScript, Waiting, full_editor, mcp_process, plain_editor, text_block, value_of,
};
pub use client::{Client, Refused};
pub use fake_worker::{Fake, FakeWorker};
pub use guard::{eventually, next_millisecond, within};
pub use home::{Home, Ran};
pub use host_tools::{Called, Hosted, offer, offered, report, result, settle};
pub use identity::{Identity, Key, Offer};
pub use media::{media_read, part, picture_result, png, read_media, reference};
pub use model::{Recorded, ScriptedModel};
pub use model_script::{Gate, Script};
pub use native::{NativeHost, ORIGIN};
pub use needs::{is_built_apart, is_confined, is_root, skipped};
pub use page::{canary_page, page, question};
pub use peer::{Peer, ping, until_quiet};
pub use process::{Process, copy_program, descendants, is_alive, program};
pub use raw::{HttpAnswer, RawSocket};
pub use turn::{Turn, play, play_all};
pub use worker::Worker;
