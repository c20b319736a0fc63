//! One word of a command, read by the few rules that all shells agree on.
//!
//! What needs more than these rules (nested quotes, `$'…'`, arithmetic, anything inside `${…}` beyond plain text) is not
//! read at all: shells and parsers differ there, and a difference is a hiding place.

use std::iter::Peekable;
use std::str::Chars;

/// A word that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As it is written.
    pub(super) raw: String,
    /// Its literal text, without quotes and without what is put in as it runs.
    pub(super) text: String,
    /// What becomes of it.
    pub(super) nature: Nature,
    /// Commands that are put into it.
    pub(super) inner: Vec<String>,
    /// It names the home folder.
    pub(super) home: bool,
}

/// What becomes of a word when it is used; a later one is less certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nature {
    /// Its text, always.
    Plain,
    /// Names of files that its text is a pattern of.
    Pattern,
    /// One word, with the output of commands in it: only `"$(…)"`.
    Filled,
    /// Anything, also several words or none.
    Open,
}

/// Characters that end a word when they stand outside quotes.
const ENDS_A_WORD: &[char] = &[';', '|', '&', '<', '>', '(', ')', ' ', '\t', '\n'];

impl Word {
    /// Reads a word as the tokenizer found it; `None` when these rules are not enough.
    pub(super) fn read(raw: &str) -> Option<Self> {
        let mut reader = Reader {
            rest: raw.chars().peekable(),
            braces: raw.contains(',') || raw.contains(".."),
            before: None,
            word: Self {
                raw: raw.to_owned(),
                text: String::new(),
                nature: Nature::Plain,
                inner: Vec::new(),
                home: false,
            },
        };
        while let Some(char) = reader.rest.next() {
            reader.take(char)?;
            reader.before = Some(char);
        }
        Some(reader.word)
    }

    /// A word of which nothing is known but how it is written.
    pub(super) fn unread(raw: &str) -> Self {
        Self {
            raw: raw.to_owned(),
            text: String::new(),
            nature: Nature::Open,
            inner: Vec::new(),
            home: false,
        }
    }

    /// How rules see it: without quotes that change nothing, else as it is written.
    pub(super) fn spelling(&self) -> &str {
        let bare = |char: char| char.is_alphanumeric() || "_@%+=:,./-".contains(char);
        if self.nature == Nature::Plain && !self.text.is_empty() && self.text.chars().all(bare) {
            return &self.text;
        }
        &self.raw
    }

    /// Its text, when that is all there is to it.
    pub(super) fn plain(&self) -> Option<&str> {
        (self.nature == Nature::Plain).then_some(self.text.as_str())
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// The word has what makes `{…}` several words.
    braces: bool,
    /// The character before, as it is written.
    before: Option<char>,
    word: Word,
}

impl Reader<'_> {
    /// Takes a character outside quotes, and what belongs to it.
    fn take(&mut self, char: char) -> Option<()> {
        match char {
            '\'' => return self.take_single_quoted(),
            '"' => return self.take_double_quoted(),
            '$' => return self.take_dollar(false),
            '`' => return self.take_backquoted(),
            '\\' => {
                let escaped = self.rest.next().filter(|char| !char.is_control())?;
                self.word.text.push(escaped);
                return Some(());
            }
            '~' if matches!(self.before, None | Some('=' | ':')) => {
                self.word.home = true;
                self.becomes(Nature::Open);
            }
            '*' | '?' => self.becomes(Nature::Pattern),
            '[' if self.word.raw.contains(']') => self.becomes(Nature::Pattern),
            '{' if self.braces => self.becomes(Nature::Open),
            char if char.is_control() || ENDS_A_WORD.contains(&char) => return None,
            _ => {}
        }
        self.word.text.push(char);
        Some(())
    }

    fn take_single_quoted(&mut self) -> Option<()> {
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                '\0' => return None,
                char => self.word.text.push(char),
            }
        }
    }

    fn take_double_quoted(&mut self) -> Option<()> {
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '$' => self.take_dollar(true)?,
                '`' => self.take_backquoted()?,
                '\0' => return None,
                '\\' => match self.rest.peek()? {
                    '\n' => return None,
                    '$' | '`' | '"' | '\\' => self.word.text.extend(self.rest.next()),
                    _ => self.word.text.push('\\'),
                },
                char => self.word.text.push(char),
            }
        }
    }

    fn take_dollar(&mut self, quoted: bool) -> Option<()> {
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                self.take_command(')', if quoted { Nature::Filled } else { Nature::Open })
            }
            Some('{') => {
                self.rest.next();
                self.take_parameter()
            }
            Some('[') => None,
            Some('\'' | '"') if !quoted => None,
            Some(first) if first == '_' || first.is_ascii_alphabetic() => {
                let name = self.take_name();
                self.put_in(&name);
                Some(())
            }
            Some('0'..='9' | '@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                self.rest.next();
                self.becomes(Nature::Open);
                Some(())
            }
            _ => {
                self.word.text.push('$');
                Some(())
            }
        }
    }

    fn take_backquoted(&mut self) -> Option<()> {
        self.take_command('`', Nature::Open)
    }

    /// A command that is put in, up to `end`; only one of bare words, which no shell can read in another way.
    fn take_command(&mut self, end: char, nature: Nature) -> Option<()> {
        let mut command = String::new();
        loop {
            match self.rest.next()? {
                char if char == end => break,
                char if char.is_ascii_alphanumeric() || " _./:=,@%+-".contains(char) => command.push(char),
                _ => return None,
            }
        }
        if command.trim().is_empty() {
            return None;
        }
        self.word.inner.push(command);
        self.becomes(nature);
        Some(())
    }

    /// `${NAME}`, `${#NAME}`, or `${NAME` with a default or something to cut off, in bare text.
    fn take_parameter(&mut self) -> Option<()> {
        self.rest.next_if_eq(&'#');
        let name = self.take_name();
        if name.is_empty() {
            return None;
        }
        let after_colon = self.rest.next_if_eq(&':').is_some();
        match self.rest.next()? {
            '}' if !after_colon => {}
            '-' | '=' | '+' | '?' => self.skip_bare_text()?,
            '#' | '%' if !after_colon => self.skip_bare_text()?,
            _ => return None,
        }
        self.put_in(&name);
        Some(())
    }

    fn skip_bare_text(&mut self) -> Option<()> {
        loop {
            match self.rest.next()? {
                '}' => return Some(()),
                char if char.is_ascii_alphanumeric() || "_./*#%-".contains(char) => {}
                _ => return None,
            }
        }
    }

    fn take_name(&mut self) -> String {
        let mut name = String::new();
        let is_part = |char: &char| *char == '_' || char.is_ascii_alphanumeric();
        while let Some(char) = self.rest.next_if(is_part) {
            name.push(char);
        }
        name
    }

    /// The value of a variable is put in.
    fn put_in(&mut self, name: &str) {
        self.word.home |= matches!(name, "HOME" | "OLDPWD");
        self.becomes(Nature::Open);
    }

    fn becomes(&mut self, nature: Nature) {
        self.word.nature = self.word.nature.max(nature);
    }
}
