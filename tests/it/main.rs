//! Black-box tests of Sidewire: the real binaries over real sockets and pipes, a scripted model behind them.
//!
//! One binary, so that it links once. [`faults`] says which known fault each test guards, [`tidy`] that no file is
//! forgotten.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod acp_cancel;
mod acp_commands;
mod acp_content;
mod acp_controls;
mod acp_crash;
mod acp_directories;
mod acp_faults;
mod acp_files;
mod acp_leaving;
mod acp_lifecycle;
mod acp_mcp;
mod acp_ordering;
mod acp_panel;
mod acp_permissions;
mod acp_postures;
mod acp_protocol;
mod acp_races;
mod acp_rules;
mod acp_sandbox;
mod acp_setup;
mod acp_terminal;
mod acp_turns;
mod ask_command;
mod attacks;
mod commands;
mod confined;
mod conversations;
mod extension_faults;
mod faults;
mod fuzz;
mod handover;
mod host_tool_faults;
mod host_tool_sets;
mod host_tools;
mod limits;
mod logs;
mod main_path;
mod media;
mod media_reads;
mod modes;
mod native_frames;
mod native_host;
mod ownership;
mod prompt;
mod provider_faults;
mod resume;
mod serve;
mod setup_command;
mod shutdown;
mod slow_clients;
mod stop;
mod tidy;
mod tool_rows;
mod two_questions;
