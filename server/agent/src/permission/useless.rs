//! Rules that no call can be about: a person who wrote one believes in something that does not hold.

use super::{Rule, Rules};

/// How the names of the tools of MCP servers begin.
const MCP: &str = "mcp__";

/// A rule that no call can be about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rule {rule} is about no call: {why}")]
pub struct UselessRule {
    rule: Rule,
    why: Why,
}

/// Why no call can be what a rule is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Why {
    #[error("there is no tool {0}")]
    NoTool(String),
    #[error("there is no tool {0}; write {1}")]
    OtherName(String, String),
    #[error("tools of MCP servers are called mcp__server__tool, and a rule names one of them whole")]
    NotWhole,
    #[error("a rule about a tool of an MCP server is its name and nothing else")]
    NoSubject,
}

impl Rules {
    /// Those that no call can be about, where there are these tools and those of MCP servers.
    #[must_use]
    pub fn useless(&self, tools: &[&str]) -> Vec<UselessRule> {
        let all = self.deny.iter().chain(&self.ask).chain(&self.allow);
        let useless = |rule: &Rule| {
            let why = why(rule, tools)?;
            let rule = rule.clone();
            Some(UselessRule { rule, why })
        };
        all.filter_map(useless).collect()
    }
}

fn why(rule: &Rule, tools: &[&str]) -> Option<Why> {
    let name = rule.tool();
    if let Some(rest) = name.strip_prefix(MCP) {
        let is_whole = rest
            .split_once("__")
            .is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty());
        return if !is_whole || name.contains('*') {
            Some(Why::NotWhole)
        } else {
            // What is compared with a rule is the name itself.
            (!rule.fits(name)).then_some(Why::NoSubject)
        };
    }
    if tools.iter().any(|tool| rule.names(tool)) {
        return None;
    }
    let name = name.to_owned();
    Some(match meant(&name, tools) {
        Some(tool) => Why::OtherName(name, tool.to_owned()),
        None => Why::NoTool(name),
    })
}

/// The tool of another spelling, as other programs name theirs: `Read`, `WebFetch`.
fn meant<'a>(name: &str, tools: &[&'a str]) -> Option<&'a str> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let name = plain(name);
    let is_meant = |tool: &&&str| [name.clone(), format!("{name}file")].contains(&plain(tool));
    tools.iter().find(is_meant).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 6] = ["read_file", "edit_file", "bash", "web_fetch", "grep", "skill"];

    #[test]
    fn a_rule_about_nothing_says_why() {
        // The rule, and what is said of it; nothing of one that a call can be about.
        let cases = [
            ("read_file", ""),
            ("Bash(make:*)", ""),
            ("BASH=make", ""),
            ("Edit(src/*)", ""),
            ("Grep(*.env)", ""),
            ("web_fetch(https://docs.rs/*)", ""),
            ("skill", ""),
            ("mcp__files__read", ""),
            ("mcp__a__b__c", ""),
            ("mcp__files__read(*)", ""),
            ("Reed(src/*)", "there is no tool Reed"),
            ("Read(src/*)", "there is no tool Read; write read_file"),
            ("WebFetch", "there is no tool WebFetch; write web_fetch"),
            ("notebook_edit", "there is no tool notebook_edit"),
            ("*", "there is no tool *"),
            ("mcp__files", "a rule names one of them whole"),
            ("mcp__files__", "a rule names one of them whole"),
            ("mcp__files__*", "a rule names one of them whole"),
            ("mcp__files__read(/etc/*)", "its name and nothing else"),
        ];
        for (text, expected) in cases {
            let rules = Rules {
                ask: vec![Rule::parse(text).unwrap()],
                ..Rules::default()
            };
            let said: Vec<String> = rules.useless(&TOOLS).iter().map(ToString::to_string).collect();
            match said.as_slice() {
                [] => assert_eq!(expected, "", "{text}"),
                [one] => {
                    let start = format!("the rule {text} is about no call: ");
                    let is_said = !expected.is_empty() && one.starts_with(&start) && one.ends_with(expected);
                    assert!(is_said, "{text}: {one}");
                }
                more => panic!("{text}: {more:?}"),
            }
        }
    }

    #[test]
    fn every_list_is_looked_at_and_what_forbids_comes_first() {
        let rule = |text: &str| vec![Rule::parse(text).unwrap()];
        let rules = Rules {
            allow: rule("A"),
            ask: rule("B"),
            deny: rule("C"),
        };
        let useless = rules.useless(&TOOLS);
        let names: Vec<&str> = useless.iter().map(|useless| useless.rule.tool()).collect();
        assert_eq!(names, ["C", "B", "A"]);
    }
}
