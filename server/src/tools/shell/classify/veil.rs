//! Commands that run something their words do not show: another program, code in an argument or on standard input.
//! No rule can allow them, since a rule sees only words.

use super::script::Command;
use super::word::{Nature, Word};

/// Programs that run another one, named by their arguments or their input.
const RUNNERS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "runuser",
    "chroot",
    "unshare",
    "nsenter",
    "setpriv",
    "env",
    "command",
    "builtin",
    "exec",
    "nohup",
    "setsid",
    "nice",
    "ionice",
    "chrt",
    "taskset",
    "stdbuf",
    "time",
    "timeout",
    "watch",
    "flock",
    "script",
    "strace",
    "ltrace",
    "gdb",
    "busybox",
    "toybox",
    "xargs",
    "parallel",
    "entr",
    "systemd-run",
    "at",
    "batch",
    "eval",
    "source",
    ".",
    "trap",
    "enable",
    "alias",
    "coproc",
];
/// Shells, and interpreters with the options that bring code along: single letters, and long ones.
const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh",
];
const INTERPRETERS: &[(&str, &str, &[&str])] = &[
    ("python", "c", &[]),
    ("pypy", "c", &[]),
    ("node", "ep", &["eval", "print"]),
    ("bun", "ep", &["eval", "print"]),
    ("deno", "", &["eval"]),
    ("perl", "eE", &[]),
    ("ruby", "e", &[]),
    ("php", "rBRE", &["run", "process-code"]),
    ("lua", "e", &[]),
    ("osascript", "e", &[]),
    ("Rscript", "e", &[]),
    ("pwsh", "ce", &["command", "encodedcommand"]),
    ("powershell", "ce", &["command", "encodedcommand"]),
];

/// Programs with arguments that bring a command along.
const CARRIERS: &[(&str, &[&str])] = &[
    ("find", &["-exec", "-execdir", "-ok", "-okdir"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("sort", &["--compress-program"]),
    (
        "tar",
        &[
            "-I",
            "--use-compress-program",
            "--to-command",
            "--checkpoint-action",
            "--rsh-command",
        ],
    ),
    ("rsync", &["-e", "--rsh"]),
    (
        "go",
        &[
            "-exec",
            "--exec",
            "-toolexec",
            "--toolexec",
            "-vettool",
            "--vettool",
        ],
    ),
    ("cargo", &["--config"]),
    ("make", &["--eval"]),
];

/// Whether a command runs what its words do not show.
pub(super) fn hides(command: &Command) -> bool {
    let Some((program, arguments)) = command.words.split_first() else {
        return false;
    };
    if program.nature != Nature::Plain || program.text.is_empty() {
        return true;
    }
    let arguments: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    match base(program) {
        "env" => !arguments
            .iter()
            .all(|argument| argument.contains('=') && !argument.starts_with('-')),
        "command" => !matches!(arguments.first(), Some(&("-v" | "-V"))),
        "git" => git_hides(&arguments),
        name if SHELLS.contains(&name) => shell_hides(&arguments),
        name => {
            let carrier = CARRIERS.iter().find(|(carrier, _)| *carrier == name);
            let brought =
                carrier.is_some_and(|(_, words)| arguments.iter().any(|argument| carries(argument, words)));
            brought || RUNNERS.contains(&name) || interpreter_hides(name, &arguments)
        }
    }
}

/// Whether one of a command's words may be a program that it runs.
pub(super) fn runs_another(command: &Command) -> bool {
    command
        .words
        .first()
        .is_some_and(|program| RUNNERS.contains(&base(program)))
}

/// The commands that a command hands to a shell in so many words.
pub(super) fn code(command: &Command) -> Option<String> {
    let (program, arguments) = command.words.split_first()?;
    match base(program) {
        "eval" => {
            let words: Option<Vec<&str>> = arguments.iter().map(Word::plain).collect();
            Some(words?.join(" "))
        }
        name if SHELLS.contains(&name) => {
            let flag = arguments.iter().position(|word| brings(&word.text, "c", &[]))?;
            let code = arguments
                .get(flag + 1..)?
                .iter()
                .find(|word| !word.text.starts_with('-'))?;
            code.plain().map(str::to_owned)
        }
        _ => None,
    }
}

fn base(program: &Word) -> &str {
    program.text.rsplit('/').next().unwrap_or_default()
}

/// Code on the command line, or commands on standard input.
fn shell_hides(arguments: &[&str]) -> bool {
    let is_told = |argument: &&str| !matches!(*argument, "--version" | "--help");
    arguments.iter().any(|argument| brings(argument, "cs", &[]))
        || (arguments.iter().all(|argument| argument.starts_with(['-', '+']))
            && arguments.iter().all(is_told))
}

fn interpreter_hides(name: &str, arguments: &[&str]) -> bool {
    // python3.12 is python.
    let name = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let Some((_, letters, long)) = INTERPRETERS.iter().find(|(known, ..)| *known == name) else {
        return false;
    };
    let asks = |argument: &&str| matches!(*argument, "--version" | "--help" | "-V" | "-v" | "-h");
    let reads_input = !arguments
        .iter()
        .any(|argument| asks(argument) || !argument.starts_with('-'));
    reads_input || arguments.iter().any(|argument| brings(argument, letters, long))
}

/// Whether an argument is one of these options, also among other letters, or one of these words.
fn brings(argument: &str, letters: &str, long: &[&str]) -> bool {
    let bare = argument.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    let named = long
        .iter()
        .any(|long| *long == lower || (argument.starts_with('-') && long.starts_with(&lower)));
    match argument.strip_prefix('-') {
        Some(cluster) if !cluster.starts_with('-') => {
            named || cluster.contains(|char| letters.contains(char))
        }
        Some(_) => named && !name.is_empty(),
        None => named,
    }
}

/// `git -c alias.x=!command x` runs any command, and so do these tasks.
fn git_hides(mut arguments: &[&str]) -> bool {
    let task = loop {
        arguments = match arguments {
            [] => return false,
            [option, ..]
                if ["-c", "--config", "--exec"]
                    .iter()
                    .any(|begin| option.starts_with(begin)) =>
            {
                return true;
            }
            ["-C" | "--git-dir" | "--work-tree" | "--namespace", _, rest @ ..] => rest,
            [option, rest @ ..] if option.starts_with('-') => rest,
            [task, rest @ ..] => break (*task, rest),
        };
    };
    let has = |words: &[&str]| task.1.iter().any(|argument| carries(argument, words));
    match task.0 {
        "filter-branch" | "difftool" | "mergetool" => true,
        "rebase" => has(&["-x", "--exec"]),
        "submodule" => has(&["foreach"]),
        "bisect" => has(&["run"]),
        _ => false,
    }
}

/// Whether an argument is one of these, perhaps with its value.
fn carries(argument: &str, words: &[&str]) -> bool {
    words.contains(&argument.split('=').next().unwrap_or_default())
}
