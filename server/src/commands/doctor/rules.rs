//! The rules of `[permissions]`: is each about something?

use super::finding::Finding;
use crate::config::permissions::PermissionsConfig;

/// Names every rule that no call can be about; says nothing where there is none.
pub(super) fn check(permissions: &PermissionsConfig) -> Vec<Finding> {
    let useless = permissions.useless().into_iter();
    useless
        .map(|useless| {
            Finding::warn(useless).fix("correct it in config.toml, below [permissions], or take it out")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    #[test]
    fn a_rule_about_nothing_is_named_and_a_good_one_is_not() {
        let permissions = toml::from_str("allow = [\"Bash(make:*)\"]\ndeny = [\"Reed(*.env)\"]\n").unwrap();
        let findings = check(&permissions);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].level, Level::Warn);
        let text = findings[0].to_string();
        assert!(text.contains("the rule Reed(*.env) is about no call"), "{text}");
        assert_eq!(check(&PermissionsConfig::default()), []);
    }
}
