//! Our own frames: everything that a panel, the native host or a tool of ours needs and the chat contract lacks.
//!
//! `schema/bridge-1.json` is their law, as the seed is for the contract's messages, which are never changed here.

pub mod conversations;
pub mod handshake;
pub mod mac;
pub mod models;
pub mod turns;
