//! MCP servers of a session: an adapter between the official client library (`rmcp`) and the tools of a turn.
//!
//! Reading order: which servers a session has and which of them may start ([`roster`], [`ledger`]); how one is reached
//! ([`stdio`], [`http`], [`sse`], [`connect`]); what it is told of us ([`handler`]) and what it offers ([`offer`], known
//! from last time: [`cache`]); one server over its life ([`server`], [`retry`]) and all of a session ([`session`]); what a
//! turn sees of it ([`tool`], [`names`], [`result`], [`prompt`]), and how much of what it says ([`visible`]). It knows no front, no other adapter and no configuration.
//!
//! A server is somebody else's program: all it says is bounded, it can be silent or gone at any time, and one that
//! fails costs only its own tools.

mod cache;
mod connect;
mod error;
mod guard;
mod handler;
mod http;
mod ledger;
mod live;
mod names;
mod offer;
mod prompt;
mod reports;
mod result;
mod retry;
mod roster;
mod server;
mod session;
mod sse;
mod stdio;
mod tool;
mod visible;

pub(crate) use cache::Cache;
pub(crate) use ledger::{Ledger, LedgerError, Project};
pub(crate) use roster::{Candidate, Entry, Origin, Permit, roster};
pub(crate) use session::{Permitted, Session, SessionParts, Status, Timing};

#[cfg(test)]
mod tests;
