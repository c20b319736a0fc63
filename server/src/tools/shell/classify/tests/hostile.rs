//! Input made to break the parser, and the property that what only looks has nothing in it that could write.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

#[test]
fn hostile_commands_end_soon_and_without_a_panic() {
    let many = |piece: &str| piece.repeat(20_000 / piece.len());
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}ls{}", open.repeat(depth), close.repeat(depth));
    let mut commands = vec![
        many("("),
        many(")"),
        many("(("),
        many("( ( "),
        many("$("),
        many("${"),
        many("$(("),
        many("$["),
        many("`"),
        many("\""),
        many("'"),
        many("\\"),
        many("{ "),
        many("if "),
        many("case a in a) "),
        many("! "),
        many("[[ ! "),
        many("a[("),
        many("a[$("),
        many("<<A "),
        many("<<A\n"),
        many("a && "),
        many("a | "),
        many("a;"),
        many("time "),
        many("coproc "),
        many("function f "),
        many("f() "),
        many("#"),
        many("\n"),
        many("é"),
        many("*"),
        many("{a,"),
        many("cd x;"),
        "x".repeat(10_000_000),
        "99999999999999999999<a".into(),
        "99999999999999999999>a".into(),
        "~99999999999999999999".into(),
        "~+99999999999999999999/x".into(),
        "echo {1..99999999999999999999}".into(),
        "a\0b".into(),
        "for < <<- $(( (( $HOME ".into(),
        "a <<- $((".into(),
        "a << \"$((".into(),
        "a '<<' << `".into(),
        "\u{feff}ls".into(),
        "case x in x) case x in x) case x in x) case x in x) case x in x) case x in x) ls ;; esac".into(),
        "a[((((((((((((((((((((((((((((((1=2".into(),
        "bash -c 'bash -c \"bash -c bash\\ -c\\ ls\"'".into(),
    ];
    for depth in [1, 5, 8, 31, 32, 33, 200] {
        commands.push(nested("(", ")", depth));
        commands.push(nested("{ ", "; }", depth));
        commands.push(nested("( ", " )", depth));
        commands.push(nested("echo $(", ")", depth));
        commands.push(nested("echo \"$(", ")\"", depth));
        commands.push(nested("echo \"${a:-", "}\"", depth));
        commands.push(nested("if ls; then ", "; fi", depth));
        commands.push(nested("while ls; do ", "; done", depth));
        commands.push(nested("case a in a) ", ";; esac", depth));
        commands.push(nested("case a in a) ", " esac", depth));
        commands.push(nested("f() { ", "; }", depth));
        commands.push(nested("[[ ( ", " ) ]]", depth));
    }
    let place = Place::new();
    for command in commands {
        let began = Instant::now();
        let intent = place.classify(&command);
        let shown: String = command.chars().take(60).collect();
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{shown} took {:?}",
            began.elapsed()
        );
        assert!(intent.segments.len() <= SEGMENTS, "{shown}");
    }
}

/// A command read in the plainest way: the words of each simple command, without their quotes, and whether a sign that
/// puts a command, a variable or a file in stands outside the quotes that make it text.
#[derive(Default)]
struct Plainly {
    commands: Vec<Vec<String>>,
    word: Option<String>,
    has_sign: bool,
}

impl Plainly {
    fn read(command: &str) -> Self {
        let mut read = Self::default();
        let mut quote = None;
        let mut chars = command.chars().peekable();
        read.commands.push(Vec::new());
        while let Some(char) = chars.next() {
            let expands = |next: &char| next.is_ascii_alphanumeric() || "_{([@*#?-$!".contains(*next);
            read.has_sign |= match (quote, char) {
                (None, '<' | '>' | '`') | (Some('"'), '`') => true,
                (None, '$') => chars
                    .peek()
                    .is_some_and(|next| expands(next) || "'\"".contains(*next)),
                (Some('"'), '$') => chars.peek().is_some_and(expands),
                _ => false,
            };
            match (quote, char) {
                (None | Some('"'), '\\') => match chars.next() {
                    Some('\n') | None => {}
                    Some(escaped) => read.push(escaped),
                },
                (None, '\'' | '"') => {
                    quote = Some(char);
                    read.word.get_or_insert_default();
                }
                (Some(open), close) if open == close => quote = None,
                (None, '#') if read.word.is_none() => {
                    chars.by_ref().find(|char| *char == '\n');
                    read.end_command();
                }
                (None, ' ' | '\t') => read.end_word(),
                (None, '|' | '&' | ';' | '\n' | '(' | ')') => read.end_command(),
                _ => read.push(char),
            }
        }
        read.end_word();
        read
    }

    fn push(&mut self, char: char) {
        self.word.get_or_insert_default().push(char);
    }

    fn end_word(&mut self) {
        let word = self.word.take();
        self.commands.last_mut().unwrap().extend(word);
    }

    fn end_command(&mut self) {
        self.end_word();
        self.commands.push(Vec::new());
    }

    fn programs(&self) -> impl Iterator<Item = &str> {
        let skipped = [
            "!", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "time", "{", "}",
        ];
        let first =
            move |words: &Vec<String>| words.iter().position(|word| !skipped.contains(&word.as_str()));
        self.commands
            .iter()
            .filter_map(move |words| Some(words[first(words)?].as_str()))
    }
}

/// The listed programs that a generated command can name: those of [`piece`], and those that are short enough to come
/// about by chance.
const HARMLESS: &[&str] = &[
    "ls", "cat", "echo", "pwd", "git", "true", "grep", "find", "sort", "uniq", "date", "env", "[", "cd",
    "df", "du", "go", "id", "ps", "rg", "tr", "wc",
];

fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "ls", "cat", "echo", "pwd", "git", "status", "log", "true", "grep", "find", "sort", "uniq", "date",
        "env", "rm", "touch", "a", "-delete", "-o", "--output", "--out", "-exec", "$(", ")", "`", "\"", "'",
        "\\", "$HOME", "${a}", ">", ">>", "<", "<<", "<<<", "&", "&&", "|", "||", ";", ";;", "(", "((", "))",
        "{", "}", "{a,b}", "~", "*", "!", "#", "=", "A=b", "if", "then", "else", "fi", "for", "in", "do",
        "done", "case", "esac", "while", "function", "[[", "]]", "\n", " ", "  ", "\t", "$'", "$((", "\\\n",
        "é", "1", "2>&1", "0<", "coproc", "time",
    ]);
    fixed.prop_map(str::to_owned)
}

fn command() -> impl Strategy<Value = String> {
    let spaced = prop::collection::vec(piece(), 1..12).prop_map(|pieces| pieces.join(" "));
    let tight = prop::collection::vec(piece(), 1..12).prop_map(|pieces| pieces.concat());
    let any = "\\PC{0,40}";
    prop_oneof![4 => spaced, 3 => tight, 1 => any]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn what_only_looks_redirects_and_substitutes_nothing_and_runs_listed_programs(command in command()) {
        if Place::new().classify(&command).class == Class::Read {
            // The one substitution that is let through is tested by name.
            prop_assume!(!command.contains("$("));
            let plainly = Plainly::read(&command);
            prop_assert!(!plainly.has_sign, "{command:?}");
            for program in plainly.programs() {
                prop_assert!(HARMLESS.contains(&program), "{program:?} of {command:?}");
            }
        }
    }

    /// A command that must not run, wherever it is put, is a part that rules see, or makes the whole opaque.
    #[test]
    fn a_command_cannot_be_hidden_from_rules(before in command(), after in command(), joint in joint()) {
        let whole = format!("{before}{joint}needle now{joint}{after}");
        let intent = Place::new().classify(&whole);
        let seen = intent.segments.iter().any(|part| part == "needle now" || part.starts_with("needle now "));
        let plainly = Plainly::read(&whole);
        let stands = plainly.programs().any(|program| program == "needle");
        prop_assert!(seen || intent.opaque || !stands, "{whole:?} {intent:?}");
    }
}

fn joint() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![" ; ", " && ", "\n", " | ", ";"])
}
