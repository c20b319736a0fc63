//! One permission rule as a person writes it: `Tool`, `Tool(glob)`, `Tool(prefix:*)` or `Tool=literal`.

use std::fmt;

use serde::Deserialize;

use super::wildcard;

/// Bytes of a rule.
const LENGTH: usize = 4 * 1024;
/// What `Edit` in a rule stands for.
const EDITS: [&str; 7] = [
    "write_file",
    "edit_file",
    "multi_edit",
    "move_file",
    "notebook_edit",
    "delete_range",
    "delete_symbol",
];

/// One permission rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Rule {
    tool: String,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// Every call.
    Any,
    /// The subject is like this.
    Glob(String),
    /// The subject begins with these words.
    Prefix(String),
    /// The subject is this.
    Exact(String),
}

/// What a rule says of the files below a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nothing.
    None,
    /// It may be about some of them.
    Possible,
    /// It names the folder, or something in it.
    Named,
}

/// Why a rule cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It begins with no name of a tool.
    #[error("a rule begins with the name of a tool, like Bash(git status:*)")]
    NoTool,
    /// A bracket is missing, or text follows it.
    #[error("a rule is written Tool, Tool(glob), Tool(prefix:*) or Tool=literal")]
    Form,
    /// It says nothing between its brackets or after its sign.
    #[error("a rule that names nothing allows nothing; write only the name of the tool to mean every call")]
    Empty,
    /// It is longer than any subject.
    #[error("a rule has at most 4096 bytes")]
    TooLong,
}

impl Rule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.len() > LENGTH {
            return Err(RuleError::TooLong);
        }
        let end = text.find(['(', '=']).unwrap_or(text.len());
        let (tool, rest) = text.split_at_checked(end).ok_or(RuleError::Form)?;
        if tool.is_empty() || tool.contains(|char: char| char.is_whitespace() || char == ')') {
            return Err(RuleError::NoTool);
        }
        let form = match rest.split_at_checked(1) {
            None => Form::Any,
            Some(("=", literal)) => Form::Exact(filled(literal)?),
            Some((_, rest)) => bracketed(rest.strip_suffix(')').ok_or(RuleError::Form)?)?,
        };
        Ok(Self {
            tool: tool.to_owned(),
            form,
        })
    }

    /// Every call of a tool.
    pub(super) fn any(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            form: Form::Any,
        }
    }

    /// This subject and no other.
    pub(super) fn exact(tool: &str, subject: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            form: Form::Exact(subject.to_owned()),
        }
    }

    /// Subjects that begin with these words.
    pub(super) fn prefix(tool: &str, words: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            form: Form::Prefix(words.to_owned()),
        }
    }

    /// Subjects like this.
    pub(super) fn glob(tool: &str, pattern: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            form: Form::Glob(pattern.to_owned()),
        }
    }

    /// The name of its tool, as it was written.
    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether it is about calls of this tool.
    pub(super) fn names(&self, tool: &str) -> bool {
        let edits = self.tool.eq_ignore_ascii_case("edit") && EDITS.contains(&tool);
        edits || self.tool.eq_ignore_ascii_case(tool)
    }

    /// Whether it is about every call of its tool.
    pub(super) fn is_general(&self) -> bool {
        self.form == Form::Any
    }

    /// Whether it is about this subject alone.
    pub(super) fn is_exactly(&self, subject: &str) -> bool {
        matches!(&self.form, Form::Exact(literal) if literal == subject)
    }

    /// Whether a subject is what it says.
    pub(super) fn fits(&self, subject: &str) -> bool {
        match &self.form {
            Form::Any => true,
            Form::Glob(pattern) => wildcard::matches(pattern, subject),
            Form::Exact(literal) => literal == subject,
            Form::Prefix(words) => subject
                .strip_prefix(words.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)),
        }
    }

    /// What it says of the files below a folder; a form that is for commands says nothing.
    pub(super) fn reach_into(&self, folder: &str) -> Reach {
        // How the names of files in it begin; in the root of the workspace they are relative, and begin with anything.
        let inside = match folder.trim_end_matches('/') {
            "" if folder.starts_with('/') => "/".to_owned(),
            "" | "." => String::new(),
            folder => format!("{folder}/"),
        };
        let (head, is_open) = match &self.form {
            Form::Any => return Reach::Named,
            Form::Prefix(_) => return Reach::None,
            Form::Exact(literal) => (literal.as_str(), false),
            Form::Glob(pattern) => match pattern.split_once('*') {
                Some((head, _)) => (head, true),
                None => (pattern.as_str(), false),
            },
        };
        let is_relative = !head.is_empty() && !head.starts_with('/');
        let is_below = head.starts_with(&inside) && (is_relative || !inside.is_empty());
        if is_below || self.fits(&inside) {
            Reach::Named
        } else if is_open && inside.starts_with(head) {
            Reach::Possible
        } else {
            Reach::None
        }
    }

    /// Whether a folder that it fits is meant with all that it holds.
    pub(super) fn fits_with_all_below(&self) -> bool {
        match &self.form {
            Form::Glob(pattern) => pattern.ends_with('*'),
            Form::Any | Form::Exact(_) => true,
            Form::Prefix(_) => false,
        }
    }
}

fn bracketed(inner: &str) -> Result<Form, RuleError> {
    match inner.strip_suffix(":*") {
        Some(words) => Ok(Form::Prefix(filled(words)?)),
        None => Ok(Form::Glob(filled(inner)?)),
    }
}

fn filled(text: &str) -> Result<String, RuleError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(RuleError::Empty);
    }
    Ok(text.to_owned())
}

impl TryFrom<String> for Rule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        Self::parse(&text)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = &self.tool;
        match &self.form {
            Form::Any => f.write_str(tool),
            Form::Glob(pattern) => write!(f, "{tool}({pattern})"),
            Form::Prefix(words) => write!(f, "{tool}({words}:*)"),
            Form::Exact(literal) => write!(f, "{tool}={literal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_say_what_they_are_about() {
        // The rule, subjects it is about, subjects it is not about.
        let cases: [(&str, &[&str], &[&str]); 8] = [
            ("Bash", &["", "anything at all"], &[]),
            (
                "Bash(npm run *)",
                &["npm run test", "npm run a/b"],
                &["npm run", "npm install"],
            ),
            (
                "Bash(git diff:*)",
                &["git diff", "git diff HEAD~1"],
                &["git difftool", "git", "xgit diff"],
            ),
            ("Bash=ls -l", &["ls -l"], &["ls -l .", "ls"]),
            ("write_file(src/*)", &["src/a/b.rs"], &["srcs/a"]),
            ("write_file(*/.env)", &["a/b/.env"], &[".env"]),
            (
                "web_fetch(https://docs.rs/*)",
                &["https://docs.rs/x/y"],
                &["https://docs.rs.evil/"],
            ),
            ("Bash=a=(b)", &["a=(b)"], &["a"]),
        ];
        for (text, fits, misses) in cases {
            let rule = Rule::parse(text).unwrap();
            assert_eq!(rule.to_string(), text);
            for subject in fits {
                assert!(rule.fits(subject), "{text} {subject}");
            }
            for subject in misses {
                assert!(!rule.fits(subject), "{text} {subject}");
            }
        }
    }

    #[test]
    fn what_a_rule_says_of_the_files_in_a_folder() {
        use Reach::{Named, None, Possible};
        // The rule, and what it says of: `secrets`, `src`, the root, `/w/secrets`.
        let cases = [
            ("Edit", [Named, Named, Named, Named]),
            ("Edit(secrets/*)", [Named, None, Named, None]),
            ("Edit(secrets/deep/key)", [Named, None, Named, None]),
            ("Edit=secrets/key", [Named, None, Named, None]),
            ("Edit(secretsauce/*)", [None, None, Named, None]),
            ("Edit(/w/secrets/k*)", [None, None, None, Named]),
            ("Edit(*/secrets/*)", [Possible, Possible, Possible, Named]),
            ("Edit(*ts/*)", [Named, Possible, Possible, Named]),
            ("Edit(*.env)", [Possible, Possible, Possible, Possible]),
            ("Edit(s*/key)", [Possible, Possible, Named, None]),
            ("Edit(secrets:*)", [None, None, None, None]),
        ];
        for (text, expected) in cases {
            let rule = Rule::parse(text).unwrap();
            let said = ["secrets", "src", ".", "/w/secrets"].map(|folder| rule.reach_into(folder));
            assert_eq!(said, expected, "{text}");
        }
        assert_eq!(Rule::parse("Edit(/etc/*)").unwrap().reach_into("/"), Named);
        assert_eq!(Rule::parse("Edit(secrets/*)").unwrap().reach_into(""), Named);
    }

    #[test]
    fn edit_is_every_tool_that_changes_files() {
        let rule = Rule::parse("Edit").unwrap();
        for tool in EDITS {
            assert!(rule.names(tool), "{tool}");
        }
        assert!(rule.names("edit") && !rule.names("bash") && !rule.names("read_file"));
        assert!(Rule::parse("Bash").unwrap().names("bash"));
        assert!(Rule::parse("mcp__a__b").unwrap().names("mcp__a__b"));
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        let cases = [
            ("", RuleError::NoTool),
            ("  ", RuleError::NoTool),
            ("(x)", RuleError::NoTool),
            ("=x", RuleError::NoTool),
            ("two words", RuleError::NoTool),
            ("Bash)", RuleError::NoTool),
            ("Bash(x", RuleError::Form),
            ("Bash(x) y", RuleError::Form),
            ("Bash()", RuleError::Empty),
            ("Bash(:*)", RuleError::Empty),
            ("Bash=", RuleError::Empty),
        ];
        for (text, error) in cases {
            assert_eq!(Rule::parse(text), Err(error), "{text}");
        }
        assert_eq!(Rule::parse(&"x".repeat(5_000)), Err(RuleError::TooLong));
    }
}
