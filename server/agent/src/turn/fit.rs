//! Keeps a request within the model's window while the results of its tools add up (decision 19).
//!
//! Given up in this order: earlier results of this turn, oldest first; earlier turns; the summary of those before them,
//! which says in the fewest words what is nowhere else; the length of the newest results.
//! A call always keeps its result, however short, because providers refuse one without the other.

use crate::budget::{self, weight};
use crate::message::{Message, Part, ResultContent, Role};
use crate::page_block::text::clip;
use crate::provider::{ModelRequest, ToolSpec};

/// What stands for a result that was given up.
const LEFT_OUT: &str = "(left out to make room; call the tool again if it is needed)";
/// What the newest results keep, however little room there is.
const LEAST: usize = 512;

/// Makes the request fit, of which the first `summary` messages are one; true when earlier turns had to go.
pub(super) fn fit(request: &mut ModelRequest, window: Option<u64>, summary: &mut usize) -> bool {
    let tools: usize = request.tools.iter().map(ToolSpec::weight).sum();
    let room =
        budget::room_beside(window, request.answer_room()).saturating_sub(request.system.len() + tools);
    give_up_old_results(&mut request.messages, room);
    let cut = give_up_old_turns(&mut request.messages, summary, room);
    shorten_newest_results(&mut request.messages, room);
    cut
}

fn excess(messages: &[Message], room: usize) -> usize {
    messages.iter().map(weight).sum::<usize>().saturating_sub(room)
}

/// Where the question of this turn stands; everything behind it belongs to the turn.
fn question(messages: &[Message]) -> usize {
    let is_question = |message: &Message| message.role == Role::User;
    messages.iter().rposition(is_question).unwrap_or(0)
}

fn give_up_old_results(messages: &mut [Message], room: usize) {
    let mut over = excess(messages, room);
    let first = question(messages);
    let last = messages.len().saturating_sub(1);
    let old = messages.iter_mut().take(last).skip(first);
    let results = old.flat_map(|message| &mut message.parts).filter_map(content_of);
    for content in results {
        if over == 0 {
            return;
        }
        let stub = vec![text(LEFT_OUT.to_owned())];
        let saved = size(content).saturating_sub(size(&stub));
        if saved > 0 {
            *content = stub;
            over = over.saturating_sub(saved);
        }
    }
}

fn give_up_old_turns(messages: &mut Vec<Message>, summary: &mut usize, room: usize) -> bool {
    let mut cut = false;
    while excess(messages, room) > 0 {
        let own = question(messages);
        if *summary >= own {
            // Nothing else is left.
            *summary = 0;
        }
        let after = *summary + 1;
        let is_question = |message: &Message| message.role == Role::User;
        let next = messages.iter().skip(after).position(is_question);
        let Some(next) = next.map(|at| at + after).filter(|next| *next <= own) else {
            break;
        };
        messages.drain(*summary..next);
        cut = true;
    }
    cut
}

fn shorten_newest_results(messages: &mut [Message], room: usize) {
    let over = excess(messages, room);
    let Some(newest) = messages.last_mut().filter(|_| over > 0) else {
        return;
    };
    let results: Vec<_> = newest.parts.iter_mut().filter_map(content_of).collect();
    let total: usize = results.iter().map(|content| size(content)).sum();
    let share = total.saturating_sub(over) / results.len().max(1);
    for content in results {
        shorten(content, share.max(LEAST));
    }
}

/// Cuts the texts of a result to `limit` bytes together.
fn shorten(content: &mut [ResultContent], limit: usize) {
    let mut left = limit;
    for block in content {
        if let ResultContent::Text { text } = block {
            let kept = clip(text, left);
            left -= kept.len();
            if kept.len() < text.len() {
                *text = format!(
                    "{kept}\n(cut here: {} more bytes did not fit)",
                    text.len() - kept.len()
                );
            }
        }
    }
}

fn content_of(part: &mut Part) -> Option<&mut Vec<ResultContent>> {
    match part {
        Part::ToolResult { content, .. } => Some(content),
        _ => None,
    }
}

fn size(content: &[ResultContent]) -> usize {
    content.iter().map(ResultContent::weight).sum()
}

fn text(text: String) -> ResultContent {
    ResultContent::Text { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sidewire_contract::mode::Mode;

    use super::*;

    fn result(id: &str, bytes: usize) -> Part {
        Part::ToolResult {
            call_id: id.into(),
            content: vec![text("x".repeat(bytes))],
            is_error: false,
        }
    }

    /// A step: a call of each id and the results.
    fn step(results: &[(&str, usize)]) -> [Message; 2] {
        let call = |(id, _): &(&str, usize)| Part::ToolCall {
            call_id: (*id).into(),
            name: "t".into(),
            arguments: json!({}),
        };
        [
            Message {
                role: Role::Assistant,
                parts: results.iter().map(call).collect(),
            },
            Message {
                role: Role::Tool,
                parts: results.iter().map(|(id, bytes)| result(id, *bytes)).collect(),
            },
        ]
    }

    fn request(messages: Vec<Message>) -> ModelRequest {
        ModelRequest {
            system: String::new(),
            messages,
            question: "q".into(),
            page: None,
            mode: Some(Mode::Educational),
            tools: Vec::new(),
            pictures: Vec::new(),
            input_tokens: 0,
            max_output_tokens: Some(2_048),
        }
    }

    fn sizes(request: &mut ModelRequest) -> Vec<usize> {
        let parts = request.messages.iter_mut().flat_map(|message| &mut message.parts);
        parts
            .filter_map(content_of)
            .map(|content| size(content))
            .collect()
    }

    /// 8k tokens: 18,432 bytes of input.
    const WINDOW: Option<u64> = Some(8_192);

    #[test]
    fn what_fits_is_left_alone() {
        let mut all = vec![Message::text(Role::User, "q")];
        all.extend(step(&[("1", 9_000)]));
        all.extend(step(&[("2", 9_000)]));
        let mut fitted = request(all.clone());
        assert!(!fit(&mut fitted, WINDOW, &mut 0));
        assert_eq!(fitted.messages, all);
    }

    #[test]
    fn the_oldest_result_goes_first_and_its_call_stays() {
        let mut all = vec![Message::text(Role::User, "q")];
        for id in ["1", "2", "3"] {
            all.extend(step(&[(id, 8_000)]));
        }
        let mut fitted = request(all);
        assert!(!fit(&mut fitted, WINDOW, &mut 0));
        assert_eq!(sizes(&mut fitted), [LEFT_OUT.len(), 8_000, 8_000]);
        let calls = fitted.messages.iter().flat_map(|message| &message.parts);
        assert_eq!(
            calls.filter(|part| matches!(part, Part::ToolCall { .. })).count(),
            3
        );
    }

    #[test]
    fn earlier_turns_go_before_the_newest_result_is_cut() {
        let mut all = vec![
            Message::text(Role::User, "first"),
            Message::text(Role::Assistant, "x".repeat(6_000)),
            Message::text(Role::User, "second"),
            Message::text(Role::Assistant, "x".repeat(6_000)),
            Message::text(Role::User, "now"),
        ];
        all.extend(step(&[("1", 8_000)]));
        let mut fitted = request(all);
        assert!(fit(&mut fitted, WINDOW, &mut 0));
        assert_eq!(fitted.messages.first().unwrap().plain_text(), "second");
        assert_eq!(sizes(&mut fitted), [8_000]);
    }

    #[test]
    fn a_summary_outlives_the_turns_behind_it() {
        let said = |question: &str, bytes: usize| {
            [
                Message::text(Role::User, question),
                Message::text(Role::Assistant, "x".repeat(bytes)),
            ]
        };
        let all = |own: usize| {
            let mut all: Vec<Message> = [
                said("summary", 3_000),
                said("first", 9_000),
                said("second", 9_000),
            ]
            .concat();
            all.push(Message::text(Role::User, "n".repeat(own)));
            request(all)
        };
        for (own, summary, left) in [
            (100, 2, vec!["summary", "second"]),
            (9_000, 2, vec!["summary"]),
            (17_000, 0, vec![]),
        ] {
            let mut fitted = all(own);
            let mut kept = 2;
            assert!(fit(&mut fitted, WINDOW, &mut kept));
            let questions = fitted
                .messages
                .iter()
                .filter(|message| message.role == Role::User);
            let mut texts: Vec<String> = questions.map(Message::plain_text).collect();
            texts.pop();
            assert_eq!(
                (kept, texts),
                (summary, left.iter().map(ToString::to_string).collect()),
                "{own}"
            );
        }
    }

    #[test]
    fn results_that_are_too_large_together_share_the_room() {
        let mut all = vec![Message::text(Role::User, "q")];
        all.extend(step(&[("1", 100), ("2", 100_000), ("3", 100_000)]));
        let mut fitted = request(all);
        fit(&mut fitted, WINDOW, &mut 0);
        let sizes = sizes(&mut fitted);
        assert_eq!(sizes[0], 100);
        assert!(sizes[1] > 5_000 && sizes[1] == sizes[2], "{sizes:?}");
        assert!(excess(&fitted.messages, 18_432 + 200) == 0, "{sizes:?}");
    }

    #[test]
    fn a_window_without_room_leaves_the_least() {
        let mut all = vec![Message::text(Role::User, "q".repeat(100_000))];
        all.extend(step(&[("1", 9_000)]));
        let mut fitted = request(all);
        fit(&mut fitted, WINDOW, &mut 0);
        assert!((LEAST..LEAST + 60).contains(&sizes(&mut fitted)[0]));
    }
}
