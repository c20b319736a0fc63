//! The attacks of `reference/browser-platform.md` C3, each test named after its row.
//!
//! S20 is with the conversations, S22 with the prompt, S28 with the provider's faults.

mod files;
mod handshake;
mod http;
mod impostor;
mod json;
mod pairing;
mod strangers;
mod websocket;
