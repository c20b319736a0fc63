//! The head of a Markdown file: what stands between two lines of `---`, as YAML. What it does not know is left alone.

use std::collections::BTreeMap;

use serde_json::Value;

/// Most characters of a text that is shown in a list.
const SHOWN: usize = 300;
/// The one value that is taken as it is written: `[file] [line]` is what people write, and no YAML.
const HINT: &str = "argument-hint";

/// What a file says about itself, and the rest of it.
#[derive(Debug, Default)]
pub(super) struct Head {
    members: BTreeMap<String, Value>,
    hint: Option<String>,
}

/// A head that is no YAML.
#[derive(Debug)]
pub(super) struct BadHead;

impl Head {
    /// A text on one line, when there is one.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.members.get(name)? {
            Value::String(text) => one_line(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Whether a member says so.
    pub(super) fn is(&self, name: &str, wanted: bool) -> bool {
        self.members.get(name).and_then(Value::as_bool) == Some(wanted)
    }

    /// What can be written behind the command.
    pub(super) fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

/// Takes a file apart.
pub(super) fn read(file: &str) -> Result<(Head, &str), BadHead> {
    let Some((yaml, body)) = parts(file) else {
        return Ok((Head::default(), file));
    };
    let (mut hint, mut rest) = (None, String::new());
    for line in yaml.lines() {
        match line
            .strip_prefix(HINT)
            .and_then(|after| after.trim_start().strip_prefix(':'))
        {
            Some(value) => hint = one_line(unquoted(value.trim())),
            None => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
    }
    let members = if rest.trim().is_empty() {
        BTreeMap::new()
    } else {
        serde_saphyr::from_str(&rest).map_err(|_error| BadHead)?
    };
    Ok((Head { members, hint }, body))
}

/// The YAML and what follows it; `None` for a file without a head.
fn parts(file: &str) -> Option<(&str, &str)> {
    let (first, after) = file.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in after.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((after.get(..at)?, after.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// `None` for a text that says nothing.
pub(super) fn one_line(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line: String = words.join(" ").chars().take(SHOWN).collect();
    (!line.is_empty()).then_some(line)
}
