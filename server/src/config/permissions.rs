//! What may be done unasked: the `[permissions]` of `config.toml`.
//!
//! Read from the person's own file only: a project cannot loosen what its owner is asked about.

use serde::Deserialize;
use sidewire_agent::permission::{Rule, Rules, UselessRule};

/// The tools of an editor's session that are no MCP server's.
const TOOLS: [&str; 16] = [
    "read_file",
    "ls",
    "glob",
    "grep",
    "edit_file",
    "multi_edit",
    "write_file",
    "move_file",
    "bash",
    "bash_output",
    "wait",
    "kill_shell",
    "todo_write",
    "web_fetch",
    "ask",
    "skill",
];

/// Rules for tool calls; deny counts before ask, and ask before allow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PermissionsConfig {
    /// Calls that run unasked.
    pub(crate) allow: Vec<Rule>,
    /// Calls that are asked about.
    pub(crate) ask: Vec<Rule>,
    /// Calls that never run.
    pub(crate) deny: Vec<Rule>,
}

impl PermissionsConfig {
    /// The rules as the gate takes them.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            allow: self.allow.clone(),
            ask: self.ask.clone(),
            deny: self.deny.clone(),
        }
    }

    /// Rules that no call can be about.
    pub(crate) fn useless(&self) -> Vec<UselessRule> {
        self.rules().useless(&TOOLS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PermissionsConfig, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn every_form_of_a_rule_can_be_written() {
        let text = "allow = [\"Bash(cargo test:*)\", \"Edit(src/*)\"]\nask = [\"web_fetch\"]\ndeny = [\"Bash=git push\"]\n";
        let rules = read(text).unwrap().rules();
        let shown = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&rules.allow), ["Bash(cargo test:*)", "Edit(src/*)"]);
        assert_eq!(shown(&rules.ask), ["web_fetch"]);
        assert_eq!(shown(&rules.deny), ["Bash=git push"]);
        assert_eq!(read("").unwrap(), PermissionsConfig::default());
    }

    #[test]
    fn what_is_no_rule_is_refused_with_the_reason() {
        for (text, reason) in [
            ("allow = [\"Bash(\"]", "a rule is written"),
            ("deny = [\"\"]", "a rule begins with the name of a tool"),
            ("allow = [\"Bash()\"]", "write only the name of the tool"),
            ("allowed = []", "unknown field"),
            ("allow = \"Bash\"", "invalid type"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
