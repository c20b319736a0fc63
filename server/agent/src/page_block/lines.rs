//! Lines of a page block before the budget: text, place in the outline, and how much each one matters.

/// How much is said about each thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Addresses and descriptions, long texts.
    Full,
    /// Names, values and states; long texts are shortened.
    Lean,
}

impl Detail {
    /// Longest name, value or text.
    pub(super) fn text_limit(self) -> usize {
        match self {
            Self::Full => 2000,
            Self::Lean => 240,
        }
    }
}

/// What a line shows, for the account of what was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A container; shown when something inside is.
    Outline,
    /// A row of a table, or one drawn with boxes.
    Row,
    /// An entry of a list.
    Item,
    /// Something that can be acted on.
    Control,
    /// A heading, text, status or label with its value.
    Text,
    /// A field of the API response.
    Field,
}

impl Kind {
    /// What several of them are called; nothing for containers, which are not counted.
    pub(super) fn plural(self) -> Option<&'static str> {
        match self {
            Self::Outline => None,
            Self::Row => Some("table rows"),
            Self::Item => Some("list items"),
            Self::Control => Some("controls"),
            Self::Text => Some("texts"),
            Self::Field => Some("API fields"),
        }
    }

    /// What a gap in a series of them is called; nothing for what comes in no series.
    pub(super) fn gap(self) -> Option<&'static str> {
        match self {
            Self::Row => Some("rows"),
            Self::Item => Some("items"),
            Self::Outline | Self::Control | Self::Text | Self::Field => None,
        }
    }
}

/// One line.
#[derive(Debug)]
pub(super) struct Line {
    /// The container it stands in.
    pub(super) parent: Option<usize>,
    /// Indentation.
    pub(super) depth: usize,
    /// What it says, without indentation and line end.
    pub(super) text: String,
    /// What it shows.
    pub(super) kind: Kind,
    /// The higher, the longer it stays.
    pub(super) score: i32,
    /// Scrolled out of view.
    pub(super) offscreen: bool,
}

impl Line {
    /// Bytes in the block.
    pub(super) fn cost(&self) -> usize {
        self.depth + self.text.len() + 1
    }
}

/// More lines than any budget holds; what comes after is only counted.
const MOST_LINES: usize = 20_000;
/// Deeper nesting is drawn at this indentation.
const MOST_INDENT: usize = 10;

/// All lines of a page, in document order.
#[derive(Debug)]
pub(super) struct Lines {
    /// The lines.
    pub(super) all: Vec<Line>,
    /// How much to say.
    pub(super) detail: Detail,
    /// Texts that were shortened.
    pub(super) clipped: usize,
    /// Nodes that never became a line.
    pub(super) unread: u64,
}

impl Lines {
    /// No lines yet.
    pub(super) fn new(detail: Detail) -> Self {
        Self {
            all: Vec::new(),
            detail,
            clipped: 0,
            unread: 0,
        }
    }

    /// Adds a line and returns its number, which may become a parent.
    pub(super) fn push(&mut self, mut line: Line) -> Option<usize> {
        if self.all.len() >= MOST_LINES {
            self.unread += 1;
            return line.parent;
        }
        let above = line.parent.and_then(|parent| self.all.get(parent));
        line.depth = above.map_or(0, |parent| parent.depth + 1).min(MOST_INDENT);
        self.all.push(line);
        Some(self.all.len() - 1)
    }

    /// A string of the page, flattened and shortened to this detail's limit.
    pub(super) fn text(&mut self, raw: &str) -> String {
        let limit = self.detail.text_limit();
        if raw.len() > limit {
            self.clipped += 1;
        }
        super::text::flat(raw, limit)
    }

    /// Bytes of all lines, and of the note about what never became one.
    pub(super) fn cost(&self) -> usize {
        let note = self.unread_note().map_or(0, |note| note.len());
        self.all.iter().map(Line::cost).sum::<usize>() + note
    }

    /// Every line.
    pub(super) fn whole(&self) -> String {
        let mut text = String::with_capacity(self.cost());
        for line in &self.all {
            write_line(&mut text, line.depth, &line.text);
        }
        text.extend(self.unread_note());
        text
    }

    /// Says what the snapshot itself lacks.
    pub(super) fn unread_note(&self) -> Option<String> {
        (self.unread > 0).then(|| format!("… {} more elements are not in this snapshot\n", self.unread))
    }
}

/// Appends one indented line.
pub(super) fn write_line(out: &mut String, depth: usize, text: &str) {
    out.extend(std::iter::repeat_n(' ', depth));
    out.push_str(text);
    out.push('\n');
}
