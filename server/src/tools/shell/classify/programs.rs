//! Which programs only look, and which arguments make them do more. Whatever is not listed writes.
//!
//! Left out on purpose, because they have a language of their own: sed, awk, less, man.

mod arguments;

use super::script::Command;
use super::word::{Nature, Word};
use Loss::{Flags, Never, Only, Options, Words};

/// What makes a listed program lose its place.
enum Loss {
    /// Nothing does.
    Never,
    /// One of these long options, also cut short, or one of these letters among single-letter options.
    Options(&'static [&'static str], &'static str),
    /// An argument that begins with one of these.
    Words(&'static [&'static str]),
    /// One of these options as Go programs take them, with one or two dashes.
    Flags(&'static [&'static str]),
    /// Arguments of which this is not true.
    Only(fn(&[&str]) -> bool),
}

/// Programs that open no file their arguments name: they say something about words, the system or the session.
const SPEAKING: &[&str] = &[
    "echo", "printf", "pwd", "whoami", "id", "uname", "printenv", "true", "false", "basename", "dirname",
    "help", "type", "which", "tr",
];

/// Programs that say what files there are, and nothing of what is in them.
const NAMING: &[&str] = &[
    "cd", "pushd", "ls", "find", "locate", "du", "df", "stat", "test", "[", "realpath", "readlink",
];

/// Programs that look whatever their arguments are.
const LOOKING: &[&str] = &[
    "cat", "head", "tail", "ls", "locate", "which", "whereis", "type", "grep", "egrep", "fgrep", "echo",
    "pwd", "whoami", "id", "uname", "printenv", "wc", "cut", "tr", "stat", "du", "df", "top", "htop", "diff",
    "cmp", "comm", "help", "true", "false", "basename", "dirname", "realpath", "readlink",
];

/// What makes some of these reach files that no word names: every link is followed, or a file says which they are.
const WANDERING: &[(&str, Loss)] = &[
    ("ls", Options(&["dereference"], "L")),
    ("du", Options(&["dereference", "files0-from"], "L")),
    ("wc", Options(&["files0-from"], "")),
    ("grep", Options(&["dereference-recursive"], "R")),
    ("egrep", Options(&["dereference-recursive"], "R")),
    ("fgrep", Options(&["dereference-recursive"], "R")),
    ("diff", Options(&["recursive"], "r")),
];

/// Programs that look unless they are told otherwise.
const LISTED: &[(&str, Loss)] = &[
    ("more", Options(&["log-file", "LOG-FILE"], "oO+")),
    ("cd", Only(arguments::cd_is_told_where)),
    ("ps", Only(arguments::ps_hides_environments)),
    (
        "find",
        Words(&[
            "-exec",
            "-ok",
            "-delete",
            "-fls",
            "-fprint",
            "-L",
            "-follow",
            "-files0-from",
        ]),
    ),
    ("rg", Options(&["pre", "hostname-bin", "follow"], "L")),
    ("printf", Only(arguments::printf_prints)),
    ("hostname", Only(arguments::hostname_is_asked)),
    ("date", Only(arguments::date_is_asked)),
    ("env", Only(arguments::env_prints)),
    ("gofmt", Flags(&["w", "cpuprofile"])),
    (
        "sort",
        Options(&["output", "compress-program", "files0-from"], "o"),
    ),
    ("uniq", Only(arguments::uniq_prints)),
    ("file", Options(&["compile", "files-from"], "Cf")),
    ("test", Only(arguments::test_calculates_nothing)),
    ("[", Only(arguments::test_calculates_nothing)),
    ("node", Only(arguments::node_version)),
    ("python", Only(arguments::python_version)),
    ("python3", Only(arguments::python_version)),
    ("Select-String", Never),
];

/// Programs whose first argument says what they do: program, those of its tasks that look, and what makes them lose.
const TASKS: &[(&str, &[&str], Loss)] = &[
    (
        "git",
        &[
            "log",
            "status",
            "diff",
            "show",
            "blame",
            "ls-files",
            "ls-tree",
            "rev-parse",
            "rev-list",
            "describe",
            "shortlog",
            "whatchanged",
            "cherry",
            "cat-file",
            "for-each-ref",
            "name-rev",
        ],
        GIT,
    ),
    (
        "git",
        &["grep"],
        Options(&["output", "ext-diff", "open-files-in-pager"], "O"),
    ),
    ("git", &["tag"], Only(arguments::git_tag_lists)),
    ("git", &["reflog"], Only(arguments::git_reflog_shows)),
    ("go", &["vet", "doc", "list", "version"], Flags(GO)),
    ("go", &["env"], Only(arguments::go_env_prints)),
    (
        "npm",
        &["ls", "list", "view", "info", "outdated"],
        Only(arguments::npm_asks_the_registry),
    ),
    ("npm", &["audit"], Only(arguments::npm_audit_reports)),
    ("cargo", &["search"], Options(&["config"], "Z")),
    (
        "docker",
        &["ps", "images", "inspect", "logs", "stats", "info", "version"],
        Never,
    ),
    (
        "kubectl",
        &[
            "get",
            "describe",
            "logs",
            "explain",
            "api-resources",
            "api-versions",
        ],
        Options(
            &[
                "kubeconfig",
                "profile",
                "profile-output",
                "cache-dir",
                "server",
                "kustomize",
            ],
            "sk",
        ),
    ),
];

/// Options of git that write a file or run a program.
const GIT: Loss = Options(&["output", "ext-diff"], "");
/// Options of go that run a program or write a file.
const GO: &[&str] = &[
    "toolexec",
    "exec",
    "vettool",
    "gcflags",
    "asmflags",
    "ldflags",
    "gccgoflags",
    "mod",
    "modfile",
    "modcacherw",
    "overlay",
    "pkgdir",
    "fix",
    "http",
    "o",
    "C",
    "cpuprofile",
    "memprofile",
    "trace",
];
/// Options of git that say where and how, not what; before the task.
const GIT_GLOBAL: &[&str] = &["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"];

/// Whether a command only looks.
pub(super) fn only_looks(command: &Command) -> bool {
    let Some((program, arguments)) = command.words.split_first() else {
        return false;
    };
    let Some(name) = program.plain() else { return false };
    if !command.assignments.is_empty() || !command.targets.is_empty() {
        return false;
    }
    if LOOKING.contains(&name) {
        return arguments.iter().all(|argument| is_harmless(name, argument)) && !wanders(name, arguments);
    }
    let Some(arguments) = Arguments::read(arguments) else {
        return false;
    };
    let looks = |loss: &Loss| !loses(loss, &arguments);
    LISTED.iter().any(|(listed, loss)| *listed == name && looks(loss))
        || (is_get_command(name) && arguments.are_certain())
        || task_looks(name, &arguments)
}

/// Arguments of a program that they can make write.
struct Arguments<'a> {
    texts: Vec<&'a str>,
    /// How many are the text they are, before the first pattern, which stands for any number of files but for no
    /// option.
    certain: usize,
}

impl<'a> Arguments<'a> {
    fn read(words: &'a [Word]) -> Option<Self> {
        let begins_as_file = |word: &Word| {
            word.raw
                .starts_with(|char: char| char.is_alphanumeric() || "./_".contains(char))
        };
        let is_known = |word: &Word| match word.nature {
            Nature::Plain => true,
            Nature::Pattern => begins_as_file(word),
            Nature::Filled | Nature::Open => false,
        };
        words.iter().all(is_known).then(|| Self {
            texts: words.iter().map(|word| word.text.as_str()).collect(),
            certain: words
                .iter()
                .take_while(|word| word.nature == Nature::Plain)
                .count(),
        })
    }

    fn are_certain(&self) -> bool {
        self.certain == self.texts.len()
    }
}

/// Whether a program opens none of the files that its arguments might name.
pub(super) fn only_speaks(program: &str) -> bool {
    SPEAKING.contains(&program)
}

/// Whether a program says only what files there are, and not what is in them.
pub(super) fn only_names(program: &str) -> bool {
    NAMING.contains(&program)
}

/// Whether a program may read everything below the folder it runs in, without that being named.
pub(super) fn reads_where_it_is(program: &str, arguments: &[Word]) -> bool {
    let is_told = |long: &[&str], letters| {
        arguments
            .iter()
            .any(|word| arguments::is_option(&word.text, long, letters))
    };
    match program {
        "rg" => true,
        "grep" | "egrep" | "fgrep" => is_told(&["recursive", "dereference-recursive", "directories"], "rRd"),
        "git" => is_told(&["no-index"], ""),
        _ => false,
    }
}

fn wanders(program: &str, arguments: &[Word]) -> bool {
    let arguments = Arguments {
        texts: arguments.iter().map(|word| word.text.as_str()).collect(),
        certain: 0,
    };
    WANDERING
        .iter()
        .any(|(listed, loss)| *listed == program && loses(loss, &arguments))
}

/// Whether a program that looks at anything looks at this: files by pattern, but no file that is named by what another
/// command prints, since that may be any.
fn is_harmless(program: &str, argument: &Word) -> bool {
    match argument.nature {
        Nature::Plain | Nature::Pattern => true,
        Nature::Filled => only_speaks(program),
        Nature::Open => false,
    }
}

/// PowerShell names what only looks so.
fn is_get_command(name: &str) -> bool {
    name.strip_prefix("Get-")
        .is_some_and(|what| !what.is_empty() && what.chars().all(|char| char.is_ascii_alphabetic()))
}

fn task_looks(program: &str, arguments: &Arguments<'_>) -> bool {
    let texts = &arguments.texts;
    let before = if program == "git" {
        arguments::leading(texts, GIT_GLOBAL, "-C")
    } else {
        0
    };
    let Some(task) = texts.get(before).filter(|_| before < arguments.certain) else {
        return false;
    };
    let rest = Arguments {
        texts: texts.iter().skip(before + 1).copied().collect(),
        certain: arguments.certain - before - 1,
    };
    TASKS
        .iter()
        .any(|(listed, tasks, loss)| *listed == program && tasks.contains(task) && !loses(loss, &rest))
}

fn loses(loss: &Loss, arguments: &Arguments<'_>) -> bool {
    let mut texts = arguments.texts.iter();
    match loss {
        Never => false,
        Only(holds) => !arguments.are_certain() || !holds(&arguments.texts),
        Options(long, letters) => texts.any(|text| arguments::is_option(text, long, letters)),
        Words(begins) => texts.any(|text| begins.iter().any(|begin| text.starts_with(begin))),
        Flags(names) => texts.any(|text| arguments::is_flag(text, names)),
    }
}
