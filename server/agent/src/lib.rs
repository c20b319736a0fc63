//! The core of Sidewire: conversations and turns, for every front.
//!
//! It knows neither browser, nor ACP, nor HTTP. A front turns wire messages into calls of [`Agent`] and reads the
//! [`feed`] of a turn; adapters implement the five traits ([`provider::Provider`], [`tool::Tool`],
//! [`workspace::Workspace`], [`hooks::Hooks`], [`person::Person`]). Modules stand in reading order: what a turn is
//! made of, what it talks to, how it runs, where it is kept.

pub mod error;
pub mod event;
pub mod ids;
pub mod message;

pub mod hooks;
pub mod permission;
pub mod person;
pub mod provider;
pub mod tool;
pub mod workspace;

pub mod briefing;
pub mod budget;
mod call_names;
pub mod commands;
pub mod feed;
pub mod modes;
pub mod page_block;
pub mod prompt;
pub mod references;
pub mod session;
pub mod setting;
mod summary;
pub mod turn;

pub mod record;
pub mod store;

pub use session::{Agent, AgentParts};

#[cfg(test)]
mod testing;
