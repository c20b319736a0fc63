//! What confines the shell commands of an editor session on this machine.

use sidewire_contract::layout::Layout;

use super::finding::Finding;
use crate::app::ShellPlaces;
use crate::config::Config;
use crate::process::sandbox;

/// Says what the kernel can do, and where commands may write.
pub(super) fn check(layout: &Layout, config: Option<&Config>) -> Vec<Finding> {
    let Some(found) = sandbox() else {
        let open = "shell commands in an editor can write wherever you can: nothing confines them here";
        return vec![
            Finding::warn(open).fix("use Linux 5.13 or newer with Landlock, or approve commands one by one"),
        ];
    };
    let shell = config.map(|config| config.shell.clone()).unwrap_or_default();
    let places = ShellPlaces::find(&shell, layout);
    let beside: Vec<String> = places.write().map(|place| place.display().to_string()).collect();
    let mut findings = vec![Finding::ok(format_args!(
        "shell commands in an editor write only below its folders and {}, and do not read Sidewire's own: {found}",
        beside.join(", ")
    ))];
    let refused = places.refused.iter();
    findings.extend(refused.map(|refused| {
        Finding::warn(format_args!(
            "shell commands cannot write where [shell] write says: {refused}"
        ))
        .fix("take it out of config.toml, or name a folder that is there and holds no keys")
    }));
    findings
}
