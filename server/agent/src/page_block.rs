//! The page as a model reads it: compact indented lines within a byte budget (decision 47).
//!
//! Pure: a snapshot in, text out. When it does not fit, lines go by importance (what is in view, dialogs, headings,
//! controls, statuses and label/value pairs stay longest) and the block says with numbers what was left out. Page
//! text cannot start a line of its own making: every string is flattened first. Fencing is `prompt.rs`'s job.

pub mod node;
pub mod pair;
pub mod table;
pub mod text;

mod api;
mod lines;
mod select;
mod tree;

use sidewire_contract::page::PageContext;

use lines::{Detail, Lines};
use text::{clip, flat};

/// Longest title, URL and selection in the header.
const HEADER_VALUE: usize = 512;
/// Longest selection in the header.
const SELECTION: usize = 2000;

/// A rendered page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageBlock {
    /// The lines; never longer than the budget.
    pub text: String,
    /// Something of the snapshot is missing because of the budget.
    pub trimmed: bool,
}

/// Renders a snapshot into at most `budget_bytes` of UTF-8.
#[must_use]
pub fn render(page: &PageContext, budget_bytes: usize) -> PageBlock {
    let header = header(page, budget_bytes);
    let room = budget_bytes.saturating_sub(header.len());
    let full = collect(page, Detail::Full);
    if full.cost() <= room && full.clipped == 0 {
        return PageBlock {
            text: header + &full.whole(),
            trimmed: false,
        };
    }
    let lean = collect(page, Detail::Lean);
    if lean.cost() <= room {
        return PageBlock {
            text: header + &lean.whole(),
            trimmed: lean.clipped > 0,
        };
    }
    let body = select::best(&lean, room);
    let text = clip(&(header + &body), budget_bytes).to_owned();
    PageBlock { text, trimmed: true }
}

/// The page and its API response as lines, not yet trimmed.
fn collect(page: &PageContext, detail: Detail) -> Lines {
    let mut lines = Lines::new(detail);
    if let Some(root) = &page.tree {
        tree::add(&mut lines, root);
    }
    if let Some(resource) = &page.api {
        api::add(&mut lines, resource);
    }
    lines
}

/// Address, title, time and selection; at most half of the budget.
fn header(page: &PageContext, budget: usize) -> String {
    let mut header = format!(
        "url: {}\ntitle: {}\ncaptured: {}\n",
        flat(&page.url, HEADER_VALUE),
        flat(&page.title, HEADER_VALUE),
        text::iso_time(page.captured_at_ms)
    );
    if let Some(selection) = page.tree.as_ref().and_then(|root| root.selection.as_deref()) {
        let selection = flat(selection, SELECTION.min(budget / 4));
        if !selection.is_empty() {
            header.push_str(&format!("selected text: \"{selection}\"\n"));
        }
    }
    if page.truncated {
        header.push_str("note: the browser had to cut this snapshot before sending it\n");
    }
    clip(&header, budget).to_owned()
}

#[cfg(test)]
mod tests;
