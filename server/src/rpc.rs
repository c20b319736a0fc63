//! JSON-RPC 2.0 over a pair of byte streams, one message a line: bounded, ordered, each request answered once.
//!
//! It knows no method beside `$/cancel_request`; what a request means is a [`Service`]. Editors speak to it over
//! standard input and output. Nothing here logs what a message says.

mod connection;
mod error;
mod head;
mod lines;
mod message;
mod peer;
mod service;

pub(crate) use connection::open;
pub(crate) use error::{CallError, Closed, Error};
pub(crate) use message::Params;
pub(crate) use peer::Peer;
pub(crate) use service::{Answer, Call, Handling, Reply, Service};

#[cfg(test)]
mod tests;
