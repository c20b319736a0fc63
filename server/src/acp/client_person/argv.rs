//! A shell command as the program and the arguments it starts, where that is beyond doubt.

use serde_json::Value;
use sidewire_agent::event::ToolStart;

/// The tool that runs commands.
const TOOL: &str = "bash";
/// Characters that stand for themselves outside quotes, beside letters and digits.
const PLAIN: &str = "_@%+=:,./-";
/// Words that begin something else than a command.
const KEYWORDS: [&str; 16] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in",
    "select", "function", "time",
];

/// What a call starts, when it is one plain command that is waited for.
pub(super) fn of_call(call: &ToolStart) -> Option<Vec<String>> {
    let argument = |name| call.arguments.get(name);
    let in_background = argument("run_in_background").and_then(Value::as_bool);
    let command = argument("command")?.as_str()?;
    (call.name == TOOL && in_background != Some(true)).then(|| read(command))?
}

/// The words of a command; `None` for one in which a shell would do anything but find its words.
fn read(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word): (Vec<String>, Option<String>) = Default::default();
    let mut rest = command.trim_matches([' ', '\t']).chars();
    while let Some(char) = rest.next() {
        match char {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => word.get_or_insert_default().push_str(&quoted(&mut rest, char)?),
            char if char.is_alphanumeric() || PLAIN.contains(char) => word.get_or_insert_default().push(char),
            _ => return None,
        }
    }
    words.extend(word);
    let program = words.first()?;
    let is_program = !program.is_empty() && !program.contains('=') && !KEYWORDS.contains(&program.as_str());
    is_program.then_some(words)
}

/// Up to the closing quote.
fn quoted(rest: &mut std::str::Chars<'_>, quote: char) -> Option<String> {
    let (text, after) = rest.as_str().split_once(quote)?;
    if quote == '"' && text.contains(['$', '`', '\\', '!']) {
        return None;
    }
    *rest = after.chars();
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_commands_are_taken_apart() {
        for (command, expected) in [
            ("cargo test --workspace", &["cargo", "test", "--workspace"][..]),
            ("  ls\t-la ", &["ls", "-la"]),
            (
                r#"git commit -m 'it"s $HOME' "a b"c ''"#,
                &["git", "commit", "-m", "it\"s $HOME", "a bc", ""],
            ),
            ("make CC=gcc", &["make", "CC=gcc"]),
        ] {
            assert_eq!(read(command).unwrap(), expected, "{command}");
        }
    }

    #[test]
    fn whatever_a_shell_does_more_is_not() {
        for command in [
            "",
            "a; b",
            "a && b",
            "a | b",
            "a > b",
            "a &",
            "a\nb",
            "echo $A",
            "echo `a`",
            "ls *",
            "ls ~",
            "ls {a,b}",
            "A=1 b",
            "echo a\\ b",
            "echo \"$A\"",
            "echo 'a",
            "! a",
            "if a",
            "echo #b",
            "''",
        ] {
            assert_eq!(read(command), None, "{command}");
        }
    }
}
