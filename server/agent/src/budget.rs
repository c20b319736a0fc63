//! How the window of a model is shared between tools, page, history and answer (decision 19), and what things weigh.

use crate::message::{Message, Part, ResultContent};
use crate::provider::{ModelRequest, ToolSpec};

/// Bytes of UTF-8 counted as one token. English runs at about four; three leaves room for code and other scripts.
pub const BYTES_PER_TOKEN: usize = 3;
/// Window in tokens of a model that does not tell its own: what small local servers are started with.
pub const DEFAULT_WINDOW: u64 = 8_192;
/// Most bytes of page block, however large the window is.
pub const PAGE_BLOCK_LIMIT: usize = 64 * 1024;
/// What a picture counts as, in bytes: about a thousand tokens at most servers.
const PICTURE: usize = 3 * 1024;
/// Room for an answer, in tokens.
const ANSWER: std::ops::RangeInclusive<u64> = 256..=4_096;
/// Room for an answer in an editor, which may hold a whole file.
const LONG_ANSWER: std::ops::RangeInclusive<u64> = 256..=16_384;
/// Percent of the window that a request in an editor may take before earlier turns are summed up.
const COMPACT_AT: u64 = 85;

/// What a request may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of page block.
    pub page: usize,
    /// Bytes of page block and history together; history gets what the page leaves.
    pub context: usize,
    /// Tokens of answer.
    pub answer_tokens: u64,
}

impl Budget {
    /// Shares a window in tokens; `fixed` is the bytes of system text, tools and question, which are never cut.
    #[must_use]
    pub fn plan(window: Option<u64>, fixed: usize) -> Self {
        let answer_tokens = answer_tokens(window);
        let context = input_bytes(window).saturating_sub(fixed);
        // Three fifths: the page is what was asked about, but a conversation without its past is no conversation.
        let page = (context / 5).saturating_mul(3).min(PAGE_BLOCK_LIMIT);
        Self {
            page,
            context,
            answer_tokens,
        }
    }
}

/// Most bytes of tool declarations; what is beyond is not offered.
#[must_use]
pub fn tool_room(window: Option<u64>) -> usize {
    // Three quarters: our own page tools fit a window of 8k, and what is left still takes a question and its answer.
    (input_bytes(window) / 4).saturating_mul(3)
}

/// Most bytes of what a person and a project tell whoever works there: an eighth of the window.
pub(crate) fn instruction_room(window: Option<u64>) -> usize {
    bytes(window.unwrap_or(DEFAULT_WINDOW)) / 8
}

/// Tokens of answer in an editor: what is left when the rest has grown as far as it may.
pub(crate) fn long_answer_tokens(window: u64) -> u64 {
    window
        .saturating_sub(compaction_point(Some(window)))
        .clamp(*LONG_ANSWER.start(), *LONG_ANSWER.end())
}

/// Tokens a request in an editor may take before earlier turns are summed up.
pub(crate) fn compaction_point(window: Option<u64>) -> u64 {
    window.unwrap_or(DEFAULT_WINDOW).saturating_mul(COMPACT_AT) / 100
}

/// The window of a model: what is told of it, else what the model is known to have taken, when that is more than is
/// reckoned with where nobody knows.
pub(crate) fn window(told: Option<u64>, held: u64) -> Option<u64> {
    told.or_else(|| (held > DEFAULT_WINDOW).then_some(held))
}

/// Bytes of input beside an answer of this many tokens.
pub(crate) fn room_beside(window: Option<u64>, answer_tokens: u64) -> usize {
    bytes(window.unwrap_or(DEFAULT_WINDOW).saturating_sub(answer_tokens))
}

/// Bytes that so many tokens are at least.
pub(crate) fn bytes(tokens: u64) -> usize {
    usize::try_from(tokens)
        .unwrap_or(usize::MAX)
        .saturating_mul(BYTES_PER_TOKEN)
}

/// Tokens that so many bytes are at most.
pub(crate) fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

fn answer_tokens(window: Option<u64>) -> u64 {
    (window.unwrap_or(DEFAULT_WINDOW) / 4).clamp(*ANSWER.start(), *ANSWER.end())
}

fn input_bytes(window: Option<u64>) -> usize {
    room_beside(window, answer_tokens(window))
}

/// Bytes a message takes of the window.
#[must_use]
pub fn weight(message: &Message) -> usize {
    message.parts.iter().map(part_weight).sum()
}

fn part_weight(part: &Part) -> usize {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.len(),
        Part::ToolCall { name, arguments, .. } => name.len() + arguments.to_string().len(),
        Part::ToolResult { content, .. } => content.iter().map(ResultContent::weight).sum(),
        Part::Image { .. } => PICTURE,
        Part::Media { .. } | Part::Page { .. } | Part::Notice { .. } => 256,
    }
}

impl ResultContent {
    /// Bytes it takes of the window.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text { text } => text.len(),
            Self::Image { .. } => PICTURE,
        }
    }
}

impl ModelRequest {
    /// Tokens of the window that are kept free for the answer.
    pub(crate) fn answer_room(&self) -> u64 {
        self.max_output_tokens
            .unwrap_or_else(|| long_answer_tokens(DEFAULT_WINDOW))
    }
}

impl ToolSpec {
    /// Bytes it takes of the window.
    pub(crate) fn weight(&self) -> usize {
        self.name.len() + self.description.len() + self.parameters.to_string().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_window_counts_as_8k() {
        assert_eq!(Budget::plan(None, 0), Budget::plan(Some(8_192), 0));
        assert_eq!(Budget::plan(None, 0).answer_tokens, 2_048);
    }

    #[test]
    fn a_large_window_does_not_grow_the_page_without_end() {
        let budget = Budget::plan(Some(1_000_000), 0);
        assert_eq!(budget.page, PAGE_BLOCK_LIMIT);
        assert_eq!(budget.answer_tokens, 4_096);
        assert!(budget.context > 2_000_000);
    }

    #[test]
    fn an_editors_answer_gets_what_compaction_leaves() {
        for (window, point, answer) in [(8_192, 6_963, 1_229), (128_000, 108_800, 16_384), (0, 0, 256)] {
            assert_eq!(compaction_point(Some(window)), point);
            assert_eq!(long_answer_tokens(window), answer);
        }
    }

    #[test]
    fn a_question_that_fills_the_window_leaves_nothing_and_does_not_underflow() {
        let budget = Budget::plan(Some(1_024), 1_000_000);
        assert_eq!((budget.page, budget.context), (0, 0));
        assert_eq!(Budget::plan(Some(0), 0).context, 0);
    }
}
