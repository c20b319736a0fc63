//! What confines the shell commands of an editor session on this machine.

use super::finding::Finding;
use crate::process::sandbox;

/// Says what the kernel can do.
pub(super) fn check() -> Finding {
    match sandbox() {
        Some(found) => Finding::ok(format_args!(
            "shell commands in an editor write only below its folders and temporary ones: {found}"
        )),
        None => Finding::warn(
            "shell commands in an editor can write wherever you can: nothing confines them here",
        )
        .fix("use Linux 5.13 or newer with Landlock, or approve commands one by one"),
    }
}
