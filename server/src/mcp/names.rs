//! What the tools of servers are called in a turn: `mcp__server__tool`, in the letters that model servers accept.
//!
//! The name of a tool depends on its server and itself alone, never on who else is there: so it is the same in every
//! turn, whoever connects first.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Most characters of a name.
const LENGTH: usize = 64;
/// Characters of the hash that keeps changed names apart, with what is before it.
const TAIL: usize = 9;

/// The name of a tool in a turn.
pub(super) fn tool_name(server: &str, tool: &str) -> String {
    let plain = format!("mcp__{}__{}", cleaned(server), cleaned(tool));
    // A server with two underscores, or one at its end, could be read as another server with another tool.
    let unclear = server.contains("__") || server.ends_with('_');
    if plain.len() <= LENGTH && !unclear && cleaned(server) == server && cleaned(tool) == tool {
        return plain;
    }
    let mut name: String = plain.chars().take(LENGTH - TAIL).collect();
    name.push('_');
    let hash = Sha256::new()
        .chain_update(server)
        .chain_update([0])
        .chain_update(tool)
        .finalize();
    for byte in hash.iter().take((TAIL - 1) / 2) {
        // Writing to a string cannot fail.
        let _written = write!(name, "{byte:02x}");
    }
    name
}

/// Every other letter becomes an underscore; what is left is ASCII.
fn cleaned(name: &str) -> String {
    let fits = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    name.chars()
        .map(|char| if fits(char) { char } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn plain_names_stay_as_they_are() {
        assert_eq!(tool_name("github", "get-issue_2"), "mcp__github__get-issue_2");
        assert_eq!(tool_name("a", "b__c"), "mcp__a__b__c");
        let longest = "x".repeat(LENGTH - "mcp__a__".len());
        assert_eq!(tool_name("a", &longest), format!("mcp__a__{longest}"));
    }

    #[test]
    fn no_two_tools_share_a_name() {
        let long = "x".repeat(100);
        let longer = "x".repeat(101);
        let tools = [
            ("a", "b__c"),
            ("a__b", "c"),
            ("a_", "b"),
            ("a", "_b"),
            ("a.b", "c"),
            ("a b", "c"),
            ("a-b", "c"),
            ("é", "ü"),
            ("ü", "é"),
            ("a", ""),
            ("a", long.as_str()),
            ("a", longer.as_str()),
            ("a", "x y"),
            ("a", "x_y"),
        ];
        let names: HashSet<String> = tools
            .iter()
            .map(|(server, tool)| tool_name(server, tool))
            .collect();
        assert_eq!(names.len(), tools.len(), "{names:?}");
        for name in &names {
            assert!(
                (1..=LENGTH).contains(&name.len()) && *name == cleaned(name),
                "{name}"
            );
        }
    }
}
