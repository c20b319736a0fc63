//! What a command printed and how it ended, as a model and a person read it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sidewire_agent::event::ToolContent;
use sidewire_agent::workspace::{Reach, ShellExit};

use super::call::clip_middle;
use crate::process::Confined;

/// Most bytes of output that a model reads at once.
pub(super) const TOLD: usize = 32 * 1024;
/// Most bytes of output that a person is shown; an editor is shown 8,000 of any text.
const SHOWN: usize = 7 * 1024;

/// How a command ended, in words.
pub(super) fn ending(exit: &ShellExit, limit: Option<Duration>) -> String {
    match exit {
        ShellExit::Code(code) => format!("exit status {code}"),
        ShellExit::Signal(name) => format!("terminated by signal {name}"),
        ShellExit::TimedOut => {
            let seconds = limit.unwrap_or_default().as_secs();
            format!(
                "timed out after {seconds} s and was killed; run it in the background or raise timeout_seconds"
            )
        }
        ShellExit::Cancelled => "stopped".to_owned(),
    }
}

/// What a model is told of a confined command, when what it printed looks as if it was kept from writing. Where the
/// exit status tells of no failure (the last program of a pipe ends well), a place must be named that is out of reach.
pub(super) fn hint(confined: &Confined, failed: bool, output: &str) -> Option<&'static str> {
    let hint = match confined.reach {
        Reach::Look => {
            "[it only reads, so it was run where it can write nowhere but in folders of `[shell] write` in the person's \
             config.toml; with a variable in front of it (`TMPDIR=/tmp …`) it counts as one that writes, and bash's \
             outside_sandbox lets it write anywhere; both may need the person's consent]"
        }
        Reach::Workspace => {
            "[commands write only in the workspace, in temporary folders and in those of `[shell] write` in the person's \
             config.toml; bash's outside_sandbox lets one write anywhere, with the person's consent]"
        }
        Reach::Everything => return None,
    };
    let mut refusals = output.lines().filter_map(before_refusal);
    let is_kept = |what: &str| failed || names_place_beyond(&confined.write, what);
    refusals.any(is_kept).then_some(hint)
}

/// What programs say, in small letters, when the system refuses them a write.
const REFUSED: [&str; 9] = [
    "permission denied",
    "read-only file system",
    "operation not permitted",
    "eacces",
    "erofs",
    "eperm",
    "unable to open database file",
    "readonly database",
    "no new privileges",
];
/// What a host says to a key that it does not know.
const OF_HOST: &str = "(publickey";

/// What stands in a line before it tells of a refusal, if it does: what was refused, mostly.
fn before_refusal(line: &str) -> Option<&str> {
    let small = line.to_ascii_lowercase();
    let at = REFUSED.iter().filter_map(|words| small.find(words)).min()?;
    line.get(..at).filter(|_| !small.contains(OF_HOST))
}

fn names_place_beyond(write: &[PathBuf], what: &str) -> bool {
    let ends_name = |char: char| char.is_whitespace() || "'\"`:,;()[]".contains(char);
    let is_path = |word: &&str| {
        let below_root = word.strip_prefix('/');
        below_root.is_some_and(|name| name.starts_with(|char: char| char.is_alphanumeric() || char == '.'))
    };
    let mut places = what.split(ends_name).filter(is_path);
    places.any(|place| !write.iter().any(|folder| Path::new(place).starts_with(folder)))
}

/// Output without what only a terminal understands, clipped for a model.
pub(super) fn for_model(output: &str) -> String {
    clip_middle(&plain(output), TOLD)
}

/// Output for a person: its end.
pub(super) fn for_person(output: &str) -> ToolContent {
    let output = plain(output);
    let from = output.ceil_char_boundary(output.len().saturating_sub(SHOWN));
    ToolContent::Text(output.get(from..).unwrap_or_default().to_owned())
}

/// Without colours, cursor movements and what a progress bar wrote over.
pub(super) fn plain(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    for line in output.split_inclusive('\n') {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        let line = without_escapes(line.trim_end_matches(['\n', '\r']));
        text.push_str(line.rsplit('\r').next().unwrap_or_default());
        text.push_str(end);
    }
    text
}

fn without_escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{7}' | '\u{0}' => {}
            '\u{8}' => _ = plain.pop(),
            other => plain.push(other),
        }
    }
    plain
}

/// Goes past an escape sequence, whose escape was read (ECMA-48: `[` up to a letter, `]` up to a bell or `ESC \`).
fn skip_sequence(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        Some('[') => _ = rest.find(|character| ('@'..='~').contains(character)),
        Some(']' | 'P' | '_' | '^') => {
            let mut escaped = false;
            for character in rest {
                if character == '\u{7}' || escaped && character == '\\' {
                    return;
                }
                escaped = character == '\u{1b}';
            }
        }
        Some('(' | ')' | '#' | '%') => _ = rest.next(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_needed_to_read_it() {
        let rows = [
            ("plain\r\nlines\n", "plain\nlines\n"),
            ("\u{1b}[1;32mgreen\u{1b}[0m", "green"),
            (
                "\u{1b}]0;title\u{7}text \u{1b}]8;;x\u{1b}\\link\u{1b}]8;;\u{1b}\\",
                "text link",
            ),
            ("10%\r50%\r100%\ndone", "100%\ndone"),
            ("ab\u{8}c", "ac"),
            ("broken \u{1b}[", "broken "),
            ("\u{1b}(Bx\u{7}", "x"),
        ];
        for (output, wanted) in rows {
            assert_eq!(plain(output), wanted, "{output:?}");
        }
    }

    #[test]
    fn ends_are_told_as_shells_tell_them() {
        assert_eq!(ending(&ShellExit::Code(2), None), "exit status 2");
        assert_eq!(
            ending(&ShellExit::Signal("SIGKILL".into()), None),
            "terminated by signal SIGKILL"
        );
        assert!(
            ending(&ShellExit::TimedOut, Some(Duration::from_secs(5))).starts_with("timed out after 5 s")
        );
    }

    fn confined(reach: Reach) -> Confined {
        let write = vec!["/home/ann/project".into(), "/tmp".into()];
        Confined { reach, write }
    }

    #[test]
    fn a_command_that_was_kept_from_writing_is_told_what_it_can_do() {
        for denied in [
            "touch: cannot touch '/etc/x': Permission denied",
            "npm error code EACCES",
            "open /home/ann/.cache/go-build/00: permission denied",
            "OSError: [Errno 30] Read-only file system: 'x'",
            "Error: unable to open database file",
        ] {
            let said = hint(&confined(Reach::Workspace), true, denied).unwrap();
            assert!(said.contains("outside_sandbox") && !said.contains('\n'), "{said}");
            let said = hint(&confined(Reach::Look), true, denied).unwrap();
            assert!(said.contains("only reads") && !said.contains('\n'), "{said}");
            assert_eq!(hint(&confined(Reach::Everything), true, denied), None);
        }
        for other in [
            "error: 3 tests failed",
            "git@example.org: Permission denied (publickey).",
        ] {
            assert_eq!(hint(&confined(Reach::Workspace), true, other), None, "{other}");
        }
    }

    /// As `go test ./... 2>&1 | tail` does.
    #[test]
    fn a_pipe_that_ends_well_hides_no_refusal_of_a_place_out_of_reach() {
        let told = |output| hint(&confined(Reach::Workspace), false, output).is_some();
        assert!(told(
            "ok\nopen /home/ann/.cache/go-build/00: permission denied\nFAIL"
        ));
        assert!(told("touch: cannot touch '/etc/x': Permission denied"));
        for other in [
            "a test says: permission denied",
            "cat: /tmp/locked: Permission denied",
            "see /etc/x\nand: permission denied",
            "12:    // says: permission denied",
            "/home/ann/project/src/main.rs:12: \"permission denied\" => /etc/x",
        ] {
            assert!(!told(other), "{other}");
        }
    }

    #[test]
    fn both_readers_get_no_more_than_they_may() {
        let long = "line\n".repeat(100_000);
        assert!(for_model(&long).len() < TOLD + 100);
        let ToolContent::Text(shown) = for_person(&long) else {
            panic!("no text")
        };
        assert_eq!(shown.len(), SHOWN);
    }
}
