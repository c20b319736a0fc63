//! The rules of a person, and what they say about a case: deny before ask before allow.

use super::rule::Reach;
use super::{Case, Rule};

/// What a person allows, wants to be asked about, and forbids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Runs unasked.
    pub allow: Vec<Rule>,
    /// Is asked about.
    pub ask: Vec<Rule>,
    /// Never runs.
    pub deny: Vec<Rule>,
}

/// The first rule that is about any part of a case: what is forbidden in one part is forbidden in the whole, and what
/// is forbidden in a folder is forbidden with the folder.
pub(super) fn touching<'a>(rules: &'a [Rule], case: &Case) -> Option<&'a Rule> {
    rules
        .iter()
        .filter(|rule| rule.names(case.tool()))
        .find(|rule| rule.is_general() || case.parts().any(|part| touches(rule, part, case)))
}

fn touches(rule: &Rule, part: &str, case: &Case) -> bool {
    rule.fits(part) || (case.goes_deep() && rule.reach_into(part) == Reach::Named)
}

/// Whether some rule might be about a part of a case that is not known: what a command hides, or a folder holds.
pub(super) fn might_touch(rules: &[Rule], case: &Case) -> bool {
    let in_folder = |rule: &Rule| case.parts().any(|part| rule.reach_into(part) != Reach::None);
    rules
        .iter()
        .filter(|rule| rule.names(case.tool()))
        .any(|rule| case.intent().opaque || (case.goes_deep() && in_folder(rule)))
}

/// Whether rules cover every part of a case, or its whole subject by name.
pub(super) fn covering<'a>(rules: impl Iterator<Item = &'a Rule> + Clone, case: &Case) -> bool {
    let rules = rules.filter(|rule| rule.names(case.tool()));
    let whole = case.intent().subject.as_deref().filter(|_| case.is_command());
    let named = |rule: &Rule| whole.is_some_and(|whole| rule.is_exactly(whole));
    if rules.clone().any(|rule| rule.is_general() || named(rule)) {
        return true;
    }
    let covers =
        |rule: &Rule, name: &str| rule.fits(name) && (!case.goes_deep() || rule.fits_with_all_below());
    let covered = |names: &Vec<&str>| {
        names
            .iter()
            .any(|name| rules.clone().any(|rule| covers(rule, name)))
    };
    let needed = case.needed();
    !needed.is_empty() && needed.iter().all(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{Class, Intent};

    fn rules(texts: &[&str]) -> Vec<Rule> {
        texts.iter().map(|text| Rule::parse(text).unwrap()).collect()
    }

    fn command(segments: &[&str]) -> Case {
        let intent = Intent {
            segments: segments.iter().map(|&segment| segment.to_owned()).collect(),
            ..Intent::new(Class::Execute, Some(segments.join(" && ")))
        };
        Case::new("bash", intent, None)
    }

    #[test]
    fn a_compound_command_is_judged_part_by_part() {
        // Rules, the parts, whether they are about any part, whether they cover every part.
        let cases: [(&[&str], &[&str], bool, bool); 9] = [
            (&["Bash(git:*)"], &["git status"], true, true),
            (&["Bash(git:*)"], &["git status", "rm -rf x"], true, false),
            (
                &["Bash(git:*)", "Bash(rm:*)"],
                &["git status", "rm -rf x"],
                true,
                true,
            ),
            (&["Bash(git:*)"], &["rm git"], false, false),
            (&["Bash"], &["git status", "rm -rf x"], true, true),
            (&["Edit"], &["git status"], false, false),
            (&["Bash=ls && cat x"], &["ls", "cat x"], true, true),
            (&["Bash=ls"], &["ls", "cat x"], true, false),
            (&["Bash(*)"], &["ls", "cat x"], true, true),
        ];
        for (texts, parts, touches, covers) in cases {
            let (rules, case) = (rules(texts), command(parts));
            assert_eq!(touching(&rules, &case).is_some(), touches, "{texts:?} {parts:?}");
            assert_eq!(covering(rules.iter(), &case), covers, "{texts:?} {parts:?}");
        }
    }

    #[test]
    fn every_path_of_a_call_counts() {
        let intent = Intent {
            segments: vec!["b/x".to_owned()],
            ..Intent::new(Class::Edit, Some("a/x".to_owned()))
        };
        let case = Case::new("move_file", intent, None);
        assert!(touching(&rules(&["Edit(b/*)"]), &case).is_some());
        assert!(!covering(rules(&["Edit(a/*)"]).iter(), &case));
        assert!(!covering(rules(&["move_file=a/x"]).iter(), &case));
        assert!(covering(rules(&["Edit(a/*)", "Edit(b/*)"]).iter(), &case));
    }

    #[test]
    fn a_call_without_a_subject_is_covered_by_its_name_only() {
        let case = Case::new("mcp__a__b", Intent::new(Class::Other, None), None);
        assert!(covering(rules(&["mcp__a__b"]).iter(), &case));
        assert!(!covering(rules(&["mcp__a__b(*)"]).iter(), &case));
        assert_eq!(touching(&rules(&["mcp__a__b(*)"]), &case), None);
    }
}
