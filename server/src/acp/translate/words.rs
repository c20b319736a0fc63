//! Texts of updates: cut to size, and what a person is told beside the answer.

use agent_client_protocol_schema::v1::Meta;
use serde_json::Value;
use sidewire_agent::message::Notice;
use sidewire_agent::page_block::text::{clip, clip_with_remark};

/// The key of everything in `_meta` that is ours.
pub(in crate::acp) const VENDOR: &str = "reasonix.io";
/// Most bytes of one chunk of a message; a client never has to read a longer line for text.
const CHUNK: usize = 64 * 1024;
/// Most bytes that are shown of one text of a tool call.
const OUTPUT: usize = 8_000;

/// Something a person is told beside the answer.
pub(in crate::acp) struct Told {
    /// Names it for programs.
    pub(super) code: &'static str,
    /// For people.
    pub(super) text: String,
    /// Something is missing or went wrong.
    pub(super) is_warning: bool,
}

impl Told {
    fn warning(code: &'static str, text: &str) -> Self {
        Self {
            code,
            text: text.to_owned(),
            is_warning: true,
        }
    }

    /// It as a part of the conversation, apart from the answer around it.
    pub(super) fn in_text(&self) -> String {
        let Self { text, is_warning, .. } = self;
        if *is_warning {
            format!("\n\n[warning] {text}\n\n")
        } else {
            format!("\n\n[{text}]\n\n")
        }
    }
}

/// What a notice says.
pub(super) fn notice(notice: Notice) -> Told {
    match notice {
        Notice::HistoryTrimmed => Told::warning(
            "history_trimmed",
            "Earlier turns did not fit the model's window and were left out.",
        ),
        Notice::PageTrimmed => Told::warning(
            "page_trimmed",
            "The page did not fit its share of the model's window and was cut.",
        ),
        Notice::AnswerClipped => Told::warning(
            "answer_clipped",
            "The answer reached its size limit and ends here.",
        ),
        Notice::StepLimit => Told::warning(
            "step_limit",
            "The turn reached its limit of steps and ends here; ask again to go on.",
        ),
        Notice::Withheld => Told::warning("withheld", "The provider withheld the rest of the answer."),
        Notice::GuessedWindow => Told::warning(
            "guessed_window",
            "The model's server does not tell the size of its window, so a small one is assumed; `window` in \
             config.toml says better.",
        ),
        Notice::Compacted { messages } => Told {
            code: "compacted",
            text: format!("compacted {messages} earlier messages to save context"),
            is_warning: false,
        },
    }
}

/// What is said while the provider is waited for.
pub(super) fn retrying(attempt: u32, wait_ms: u64) -> Told {
    let seconds = wait_ms.div_ceil(1000);
    let text = format!("The provider failed; asking again in {seconds} s (try {attempt}).");
    Told::warning("retrying", &text)
}

/// What is said while MCP servers are waited for.
pub(in crate::acp) fn waiting_for(servers: &[String]) -> Told {
    Told {
        code: "waiting_for_servers",
        text: format!("Waiting for MCP servers to start: {}", servers.join(", ")),
        is_warning: false,
    }
}

/// `_meta` with these members of ours.
pub(in crate::acp) fn meta(ours: Value) -> Meta {
    Meta::from_iter([(VENDOR.to_owned(), ours)])
}

/// A text in pieces of bounded size, cut between characters; none of an empty one.
pub(in crate::acp) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let piece = clip(rest, CHUNK);
        rest = rest.get(piece.len()..)?;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The beginning of a text, with a remark about what is missing.
pub(in crate::acp) fn first_of(text: &str) -> String {
    clip_with_remark(text, OUTPUT)
}

/// The end of a text, with a remark about what is missing: of output that still comes, the newest says most.
pub(in crate::acp) fn last_of(text: &str) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(OUTPUT));
    let (missing, kept) = text.split_at(from);
    if missing.is_empty() {
        return text.to_owned();
    }
    format!("…({} earlier chars left out)\n{kept}", missing.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        for len in [OUTPUT - 1, OUTPUT] {
            let text = "x".repeat(len);
            assert_eq!((first_of(&text), last_of(&text)), (text.clone(), text.clone()));
        }
        let text = format!("{}éyz", "x".repeat(OUTPUT - 1));
        let (kept, remark) = (&text[..OUTPUT - 1], "…(3 more chars truncated)");
        assert_eq!(first_of(&text), format!("{kept}\n{remark}"));
        let text = format!("abé{}", "x".repeat(OUTPUT - 1));
        assert_eq!(
            last_of(&text),
            format!("…(3 earlier chars left out)\n{}", "x".repeat(OUTPUT - 1))
        );
    }

    #[test]
    fn pieces_are_the_text() {
        assert_eq!(pieces("").count(), 0);
        for (text, count) in [
            ("x".repeat(CHUNK), 1),
            ("x".repeat(CHUNK + 1), 2),
            ("é".repeat(CHUNK), 2),
            (format!("x{}", "é".repeat(CHUNK)), 3),
        ] {
            let pieces: Vec<&str> = pieces(&text).collect();
            assert_eq!((pieces.concat(), pieces.len()), (text.clone(), count));
            assert!(pieces.iter().all(|piece| piece.len() <= CHUNK));
        }
    }
}
