//! How the window of a model is shared between page, history and answer (decision 19).

/// Bytes of UTF-8 counted as one token. English runs at about four; three leaves room for code and other scripts.
pub const BYTES_PER_TOKEN: usize = 3;
/// Window in tokens of a model that does not tell its own: what small local servers are started with.
pub const DEFAULT_WINDOW: u64 = 8_192;
/// Most bytes of page block, however large the window is.
pub const PAGE_BLOCK_LIMIT: usize = 64 * 1024;
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
    /// Shares a window in tokens; `fixed` is the bytes of system text and question, which are never cut.
    #[must_use]
    pub fn plan(window: Option<u64>, fixed: usize) -> Self {
        let window = window.unwrap_or(DEFAULT_WINDOW);
        let answer_tokens = (window / 4).clamp(*ANSWER.start(), *ANSWER.end());
        let input_tokens = usize::try_from(window.saturating_sub(answer_tokens)).unwrap_or(usize::MAX);
        let context = input_tokens.saturating_mul(BYTES_PER_TOKEN).saturating_sub(fixed);
        // Three fifths: the page is what was asked about, but a conversation without its past is no conversation.
        let page = (context / 5).saturating_mul(3).min(PAGE_BLOCK_LIMIT);
        Self {
            page,
            context,
            answer_tokens,
        }
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
