//! The five modes in one table: what the model is told, which tools it is offered, and how fast it shows things.
//!
//! The table knows the names of page tools and of the worker's own; a tool it does not know (a document add-in's, an
//! MCP server's) is offered in every mode. Whether a person allows an action is decided in the browser, not here.

use std::time::Duration;

use sidewire_contract::mode::Mode;

/// Tools that only read the page.
const READ: &[&str] = &[
    "page_snapshot",
    "page_text",
    "page_find",
    "page_screenshot",
    "page_api",
    "wait_for",
];
/// Tools that act on the page, each with the person's consent.
const ACT: &[&str] = &[
    "page_click",
    "page_fill",
    "page_select",
    "page_press",
    "page_scroll",
    "page_navigate",
];
/// Moves the view and nothing else; asks for consent all the same.
const SCROLL: &[&str] = &["page_scroll"];
/// Outlines something on the page.
const HIGHLIGHT: &[&str] = &["highlight"];
/// Draws words over the page.
const ANNOTATE: &[&str] = &["annotate"];
/// Shows a picture or film in the conversation.
const MEDIA: &[&str] = &["display_media"];

/// Every tool that has a place in the table.
const KNOWN: &[&[&str]] = &[READ, ACT, HIGHLIGHT, ANNOTATE, MEDIA];
/// Tools that show something to the person, one after the other where a mode has a pace.
const SHOWING: &[&[&str]] = &[HIGHLIGHT, ANNOTATE, SCROLL];

/// One row of the table.
struct Rules {
    line: &'static str,
    offers: &'static [&'static [&'static str]],
    /// Between the end of one showing call and the beginning of the next.
    pace: Duration,
}

/// The table.
const fn rules(mode: Mode) -> Rules {
    match mode {
        Mode::Educational => Rules {
            line: "Mode: educational. Explain what the person sees and why it is set so; teach the concepts behind it.",
            offers: &[READ, HIGHLIGHT],
            pace: Duration::ZERO,
        },
        Mode::Presentation => Rules {
            line: "Mode: presentation. Walk an audience through the page in a few numbered steps, at a human pace. Say \
                   in full what each step shows and why it matters before you show it; point at one thing at a time.",
            offers: &[READ, HIGHLIGHT, ANNOTATE, SCROLL, MEDIA],
            pace: Duration::from_millis(2_200),
        },
        Mode::Configuration => Rules {
            line: "Mode: configuration. Help to build and change settings: name the exact controls and values, in order, and \
                   warn before what cannot be undone.",
            offers: &[READ, ACT, HIGHLIGHT],
            pace: Duration::ZERO,
        },
        Mode::Screenshot => Rules {
            line: "Mode: screenshot. Help to document this page: say what a picture should show and give it a caption.",
            offers: &[READ, SCROLL, MEDIA],
            pace: Duration::ZERO,
        },
        Mode::Annotation => Rules {
            line: "Mode: annotation. Point at what matters on this page: name each element and say in one line what to \
                   note there; keep the rest short.",
            offers: &[READ, HIGHLIGHT, ANNOTATE],
            pace: Duration::from_millis(1_500),
        },
    }
}

/// What the model is told about a mode.
#[must_use]
pub fn line(mode: Mode) -> &'static str {
    rules(mode).line
}

/// Whether a mode has this tool.
#[must_use]
pub fn offers(mode: Mode, tool: &str) -> bool {
    has(rules(mode).offers, tool) || !has(KNOWN, tool)
}

/// How long after a showing call the next one of this tool may begin; zero where nothing waits.
#[must_use]
pub fn pace(mode: Mode, tool: &str) -> Duration {
    if has(SHOWING, tool) {
        rules(mode).pace
    } else {
        Duration::ZERO
    }
}

/// Whether this is a page tool that changes nothing.
#[must_use]
pub fn only_reads(tool: &str) -> bool {
    READ.contains(&tool)
}

/// Whether this is a page tool that acts.
#[must_use]
pub fn acts(tool: &str) -> bool {
    ACT.contains(&tool)
}

fn has(groups: &[&[&str]], tool: &str) -> bool {
    groups.iter().any(|group| group.contains(&tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(mode: Mode) -> Vec<&'static str> {
        KNOWN
            .iter()
            .flat_map(|group| group.iter().copied())
            .filter(|tool| offers(mode, tool))
            .collect()
    }

    #[test]
    fn every_mode_says_something_of_its_own() {
        let lines: std::collections::HashSet<_> = Mode::ALL.iter().map(|mode| line(*mode)).collect();
        assert_eq!(lines.len(), Mode::ALL.len());
    }

    #[test]
    fn every_mode_has_the_tools_of_its_row() {
        let rows: [(Mode, &[&[&str]]); 5] = [
            (Mode::Educational, &[READ, &["highlight"]]),
            (
                Mode::Presentation,
                &[
                    READ,
                    &["page_scroll"],
                    &["highlight", "annotate"],
                    &["display_media"],
                ],
            ),
            (Mode::Configuration, &[READ, ACT, &["highlight"]]),
            (Mode::Screenshot, &[READ, &["page_scroll"], &["display_media"]]),
            (Mode::Annotation, &[READ, &["highlight", "annotate"]]),
        ];
        for (mode, expected) in rows {
            assert_eq!(offered(mode), expected.concat(), "{mode}");
        }
    }

    #[test]
    fn only_configuration_offers_what_changes_the_page() {
        for mode in Mode::ALL {
            let changing: Vec<_> = offered(*mode)
                .into_iter()
                .filter(|tool| acts(tool) && *tool != "page_scroll")
                .collect();
            assert_eq!(
                changing.is_empty(),
                *mode != Mode::Configuration,
                "{mode}: {changing:?}"
            );
        }
    }

    #[test]
    fn a_tool_the_table_does_not_know_is_offered_everywhere() {
        assert!(Mode::ALL.iter().all(|mode| offers(*mode, "office_read_range")));
    }

    #[test]
    fn only_showing_tools_are_paced() {
        let pace = |mode, tool| pace(mode, tool).as_millis();
        assert_eq!(pace(Mode::Presentation, "annotate"), 2_200);
        assert_eq!(pace(Mode::Presentation, "page_scroll"), 2_200);
        assert_eq!(pace(Mode::Annotation, "highlight"), 1_500);
        assert_eq!(pace(Mode::Presentation, "page_snapshot"), 0);
        assert_eq!(pace(Mode::Educational, "highlight"), 0);
    }
}
