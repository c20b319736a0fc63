//! What may cross a process boundary of Sidewire.
//!
//! This crate holds data: the messages of the chat contract 2.1.0, our own bridge frames, the values both carry, the
//! limits of each boundary and the places of the files that two processes share. It does nothing: no I/O of its own,
//! no clock, no cryptography, no async.
//!
//! The modules stand in reading order: rules, values, messages, boundary.

#[macro_use]
mod wire;

// Values: what messages are made of. The agent may use these.
pub mod ax_tree;
pub mod conversation;
pub mod ids;
pub mod mcp_server;
pub mod media;
pub mod mode;
pub mod model;
pub mod number;
pub mod page;
pub mod reason;
pub mod text;
pub mod tool;
pub mod turn;

// Messages: only the fronts, the native host and clients use these.
pub mod bridge;
pub mod chat;
pub mod frames;
pub mod host_tool;
pub mod media_asset;

// Boundary: limits, framing, places.
pub mod identity;
pub mod layout;
pub mod limits;
pub mod native_frame;
