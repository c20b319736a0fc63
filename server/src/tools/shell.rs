//! The shell tools.

pub(crate) mod classify;
