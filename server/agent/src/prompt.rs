//! Makes a model request from transcript, page and job. Pure: the same input gives the same request.
//!
//! Page text is data (invariant 10): it stands in the user message between markers that hold a random word of this
//! turn, so no page can end the fence, and the system text says what that means.

mod editor;
mod history;
mod system;

use std::sync::Arc;

use sidewire_contract::page::PageContext;

use crate::briefing::Briefing;
use crate::budget::{self, Budget};
use crate::message::{Message, Notice, Part, Role};
use crate::page_block;
use crate::provider::{ModelRequest, ToolSpec};
use history::{Reading, Recalled};

pub use history::EarlierTurn;
pub(crate) use history::{Past, opening};
pub(crate) use system::system_text;

/// What a prompt is made of.
pub struct PromptInput<'a> {
    /// What the model is told about its job.
    pub briefing: &'a Briefing,
    /// The question.
    pub question: &'a str,
    /// What belongs to the question beside its text.
    pub parts: &'a [Part],
    /// The page it is about.
    pub page: Option<Arc<PageContext>>,
    /// What stands for the turns before the history, when they were summed up.
    pub summary: Option<&'a Message>,
    /// Earlier turns, oldest first.
    pub history: &'a [EarlierTurn],
    /// The store held more than it gave.
    pub history_cut: bool,
    /// Window of the model in tokens, when known.
    pub window: Option<u64>,
    /// Tools that are offered.
    pub tools: Vec<ToolSpec>,
    /// A word no page can know.
    pub marker: &'a str,
}

/// A request and what the person should know about it.
pub struct Prompt {
    /// For the provider.
    pub request: ModelRequest,
    /// What of the request are earlier turns.
    pub(crate) past: Past,
    /// For the person.
    pub notices: Vec<Notice>,
}

/// Makes the request.
#[must_use]
pub fn build(input: PromptInput<'_>) -> Prompt {
    let system = system_text(input.briefing, !input.tools.is_empty(), input.window);
    let tools: usize = input.tools.iter().map(ToolSpec::weight).sum();
    let budget = Budget::plan(input.window, system.len() + tools + input.question.len());
    let mut notices = Vec::new();

    let block = input
        .page
        .as_deref()
        .map(|page| page_block::render(page, budget.page));
    if block.as_ref().is_some_and(|block| block.trimmed) {
        notices.push(Notice::PageTrimmed);
    }
    let fenced = block.map(|block| fence(&block.text, input.marker));
    let page_bytes = fenced.as_ref().map_or(0, String::len);
    let recalled = recall(&input, &budget, page_bytes);
    if recalled.cut || input.history_cut {
        notices.push(Notice::HistoryTrimmed);
    }
    let mut question = question_message(fenced, input.question);
    question.parts.extend_from_slice(input.parts);
    let mut messages = recalled.messages;
    messages.push(question);

    let request = ModelRequest {
        system,
        messages,
        question: input.question.to_owned(),
        page: input.page,
        mode: input.briefing.beside_page(),
        tools: input.tools,
        pictures: Vec::new(),
        input_tokens: 0,
        max_output_tokens: match input.briefing {
            Briefing::Panel(_) => Some(budget.answer_tokens),
            Briefing::Editor(_) => input.window.map(budget::long_answer_tokens),
        },
    };
    Prompt {
        request,
        past: recalled.past,
        notices,
    }
}

/// Earlier turns as the job wants them: beside a page the newest ones that fit; in an editor all of them, since a turn
/// makes room by summing up.
fn recall(input: &PromptInput<'_>, budget: &Budget, page_bytes: usize) -> Recalled {
    let whole = input.briefing.keeps_results();
    // With tools at hand, a fifth is kept for what they will give.
    let context = if input.tools.is_empty() {
        budget.context
    } else {
        budget.context / 5 * 4
    };
    let room = if whole {
        usize::MAX
    } else {
        context.saturating_sub(page_bytes)
    };
    let reading = Reading {
        marker: input.marker,
        whole,
    };
    reading.recall(input.summary, input.history, room)
}

/// Puts page text between markers. The marker is random, but a page that held it would still not get out.
fn fence(text: &str, marker: &str) -> String {
    let inert = text.replace(marker, "");
    format!(
        "<page-data {marker}>\n{}\n</page-data {marker}>",
        inert.trim_end()
    )
}

fn question_message(fenced: Option<String>, question: &str) -> Message {
    let text = match fenced {
        Some(block) => format!("{block}\n\n{question}"),
        None => question.to_owned(),
    };
    Message::text(Role::User, text)
}

#[cfg(test)]
mod tests;
