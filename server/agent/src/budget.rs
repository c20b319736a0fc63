//! How the window of a model is shared between tools, page, history and answer (decision 19), and what things weigh.

use crate::message::{Message, Part, ResultContent};
use crate::provider::ToolSpec;

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

fn answer_tokens(window: Option<u64>) -> u64 {
    (window.unwrap_or(DEFAULT_WINDOW) / 4).clamp(*ANSWER.start(), *ANSWER.end())
}

fn input_bytes(window: Option<u64>) -> usize {
    let tokens = window
        .unwrap_or(DEFAULT_WINDOW)
        .saturating_sub(answer_tokens(window));
    usize::try_from(tokens)
        .unwrap_or(usize::MAX)
        .saturating_mul(BYTES_PER_TOKEN)
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
    fn a_question_that_fills_the_window_leaves_nothing_and_does_not_underflow() {
        let budget = Budget::plan(Some(1_024), 1_000_000);
        assert_eq!((budget.page, budget.context), (0, 0));
        assert_eq!(Budget::plan(Some(0), 0).context, 0);
    }
}
