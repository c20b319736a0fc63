//! A process of this user as an authenticated client of the running worker: what `sidewire ask` uses, and what an
//! editor's process will.

mod client;
mod discover;

pub(crate) use client::{Link, LinkError};
pub(crate) use discover::{local_secret, running_worker};
