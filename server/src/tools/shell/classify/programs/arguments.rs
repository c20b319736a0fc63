//! How programs read their arguments, where a list of options is not enough to tell whether they write.

/// Whether an argument is one of these long options (also cut short, as getopt takes it) or has one of these letters
/// among its single-letter options.
pub(super) fn is_option(argument: &str, long: &[&str], letters: &str) -> bool {
    if let Some(option) = argument.strip_prefix("--") {
        let name = option.split('=').next().unwrap_or_default();
        return !name.is_empty() && long.iter().any(|long| long.starts_with(name));
    }
    argument
        .strip_prefix('-')
        .is_some_and(|cluster| cluster.contains(|char| letters.contains(char)))
        || (letters.contains('+') && argument.starts_with('+'))
}

/// Whether an argument is one of these options of a Go program.
pub(super) fn is_flag(argument: &str, names: &[&str]) -> bool {
    argument.strip_prefix('-').is_some_and(|flag| {
        let name = flag.strip_prefix('-').unwrap_or(flag);
        names.contains(&name.split('=').next().unwrap_or_default())
    })
}

/// How many arguments are these options, or `with_value` and the value that follows it, before any other.
pub(super) fn leading(arguments: &[&str], options: &[&str], with_value: &str) -> usize {
    let mut rest = arguments;
    loop {
        rest = match rest {
            [option, _, rest @ ..] if *option == with_value => rest,
            [option, rest @ ..] if options.contains(option) => rest,
            _ => return arguments.len() - rest.len(),
        };
    }
}

fn is_operand(argument: &str) -> bool {
    argument == "-" || !argument.starts_with('-')
}

/// `cd` goes to one folder, or to the one that is home.
pub(super) fn cd_is_told_where(arguments: &[&str]) -> bool {
    match arguments {
        [] => true,
        ["-P" | "-L" | "--", rest @ ..] => cd_is_told_where(rest),
        [folder] => !folder.starts_with('-'),
        _ => false,
    }
}

/// `ps` lists processes, unless an `e` may ask for what is set for them; it is that also behind a dash, when the rest
/// cannot be understood otherwise.
pub(super) fn ps_hides_environments(arguments: &[&str]) -> bool {
    matches!(arguments, ["-e" | "-ef" | "-eF" | "-elf" | "-eLf" | "-ely"])
        || !arguments.iter().any(|argument| argument.contains('e'))
}

/// `npm` asks the registry it knows for packages by their names; an address would make it run git.
pub(super) fn npm_asks_the_registry(arguments: &[&str]) -> bool {
    let known = [
        "--json",
        "--long",
        "--all",
        "-a",
        "-l",
        "--parseable",
        "-g",
        "--global",
        "--depth",
        "--omit",
        "--prod",
    ];
    let is_package = |name: &str| {
        let (scope, bare) = name.split_once('/').unwrap_or(("@", name));
        let is_name = |part: &str| {
            part.chars()
                .all(|char| char.is_alphanumeric() || "@._-^~".contains(char))
        };
        scope.starts_with('@') && is_name(scope) && is_name(bare) && !name.starts_with('.')
    };
    arguments.iter().all(|argument| {
        if argument.starts_with('-') {
            return known.contains(&argument.split('=').next().unwrap_or_default());
        }
        is_package(argument)
    })
}

/// `printf` prints, unless it is told to set a variable (`-v`, `%n`).
pub(super) fn printf_prints(arguments: &[&str]) -> bool {
    let sets = arguments.first().is_some_and(|first| first.starts_with("-v"));
    !sets && !arguments.iter().any(|argument| counts(argument))
}

/// Whether a format has the conversion `%n`.
fn counts(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, conversion)) = rest.split_once('%') {
        let kind = conversion
            .trim_start_matches(|char: char| char.is_ascii_digit() || "-+ #'.*hljztL".contains(char));
        if kind.starts_with('n') {
            return true;
        }
        let mut after = kind.chars();
        after.next();
        rest = after.as_str();
    }
    false
}

/// `hostname` says the name, unless a new one follows.
pub(super) fn hostname_is_asked(arguments: &[&str]) -> bool {
    let asking = [
        "-f", "-s", "-i", "-I", "-d", "-A", "-a", "-y", "--fqdn", "--short", "--long",
    ];
    arguments.iter().all(|argument| asking.contains(argument))
}

/// `date` says the time, unless a new one follows.
pub(super) fn date_is_asked(arguments: &[&str]) -> bool {
    let asks = |argument: &str| {
        let begins = ["+", "-I", "--iso-8601", "--rfc-3339=", "--date=", "--reference="];
        ["-u", "--utc", "-R", "--rfc-email"].contains(&argument)
            || begins.iter().any(|begin| argument.starts_with(begin))
    };
    match arguments {
        [] => true,
        ["-d" | "--date" | "-r" | "--reference", _, rest @ ..] => date_is_asked(rest),
        [first, rest @ ..] => asks(first) && date_is_asked(rest),
    }
}

/// `env` prints, unless a program follows.
pub(super) fn env_prints(arguments: &[&str]) -> bool {
    let sets = |argument: &&str| !argument.starts_with('-') && argument.contains('=');
    arguments.iter().all(sets)
}

/// `uniq` prints, unless a file to write follows the one it reads.
pub(super) fn uniq_prints(arguments: &[&str]) -> bool {
    !arguments.contains(&"--") && arguments.iter().filter(|argument| is_operand(argument)).count() < 2
}

/// `test` only compares, unless it looks up a variable by a name that it calculates.
pub(super) fn test_calculates_nothing(arguments: &[&str]) -> bool {
    !arguments.iter().any(|argument| matches!(*argument, "-v" | "-R"))
}

/// `node` is asked for its version.
pub(super) fn node_version(arguments: &[&str]) -> bool {
    matches!(arguments, ["--version" | "-v"])
}

/// `python` is asked for its version.
pub(super) fn python_version(arguments: &[&str]) -> bool {
    matches!(arguments, ["--version" | "-V"])
}

/// `git tag` lists, unless a tag is named without a sign that it is a pattern.
pub(super) fn git_tag_lists(arguments: &[&str]) -> bool {
    let filters = [
        "--contains",
        "--no-contains",
        "--points-at",
        "--merged",
        "--no-merged",
    ];
    let is_named =
        |argument: &str, options: &[&str]| options.contains(&argument.split('=').next().unwrap_or_default());
    let is_count = |argument: &str| {
        argument
            .strip_prefix("-n")
            .is_some_and(|count| count.chars().all(|char| char.is_ascii_digit()))
    };
    let lists = |argument: &str| {
        ["-l", "--list"].contains(&argument) || is_count(argument) || is_named(argument, &filters)
    };
    let shapes = [
        "--sort",
        "--format",
        "--column",
        "--no-column",
        "--color",
        "--ignore-case",
        "-i",
    ];
    let is_known = |argument: &str| lists(argument) || is_named(argument, &shapes);
    let options_known = arguments
        .iter()
        .all(|argument| is_operand(argument) || is_known(argument));
    let names_none = !arguments.iter().any(|argument| is_operand(argument));
    options_known && (names_none || arguments.iter().any(|argument| lists(argument)))
}

/// `git reflog` shows, unless it is told to forget.
pub(super) fn git_reflog_shows(arguments: &[&str]) -> bool {
    let writes = ["expire", "delete", "drop", "write"];
    let shows = |first: &&str| first.starts_with('-') || ["show", "list", "exists"].contains(first);
    arguments.first().is_none_or(shows)
        && !arguments
            .iter()
            .any(|argument| writes.contains(argument) || is_option(argument, &["output", "ext-diff"], ""))
}

/// `go env` prints, unless it is told to write.
pub(super) fn go_env_prints(arguments: &[&str]) -> bool {
    !arguments
        .iter()
        .any(|argument| is_flag(argument, super::GO) || is_flag(argument, &["w", "u"]))
}

/// `npm audit` reports, unless it is told to mend.
pub(super) fn npm_audit_reports(arguments: &[&str]) -> bool {
    !arguments
        .iter()
        .any(|argument| argument.trim_start_matches('-').starts_with("fix"))
}
