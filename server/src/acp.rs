//! The ACP front: an editor on standard input and output.

mod desks;
