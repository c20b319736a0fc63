//! Which known fault of other extensions each test guards: the rows of `reference/chat-extension.md` §9 that concern
//! ours, and the attacks of `reference/browser-platform.md` C3 that only a browser shows. The tests are in TypeScript
//! and carry the row's name in their titles; a row without one, or one that moved to another file, fails here.

use std::fs;
use std::path::Path;

/// A row, its fault in a few words, and the file whose tests name it.
type Row = (&'static str, &'static str, &'static str);

/// Rows by the commit that repaired them elsewhere, or by their number.
const FAULTS: &[Row] = &[
    (
        "N1",
        "the page of another tab is sent",
        "e2e/tests/context.test.ts",
    ),
    (
        "N1",
        "a tool reads what the tab shows by now",
        "web-extension/src/page-tools/host-tools.test.ts",
    ),
    (
        "N3",
        "a delta is shown twice",
        "web-extension/src/bridge/turn.test.ts",
    ),
    (
        "N4",
        "a gap is not noticed",
        "web-extension/src/bridge/turns.test.ts",
    ),
    (
        "N5",
        "a failed turn offers no retry",
        "web-extension/src/bridge/start.test.ts",
    ),
    (
        "N6",
        "start and end of a tool are two rows",
        "web-extension/src/bridge/turn.test.ts",
    ),
    (
        "N7",
        "partial text is erased",
        "web-extension/src/bridge/turn.test.ts",
    ),
    (
        "N8",
        "a turn without its panel loses the rest",
        "web-extension/src/bridge/start.test.ts",
    ),
    (
        "N9",
        "turns of a lost worker stay active",
        "web-extension/src/bridge/turns.test.ts",
    ),
    (
        "N15",
        "a stale resource stays authoritative",
        "web-extension/src/capture/page/responses.test.ts",
    ),
    (
        "N16",
        "a wait goes blind",
        "web-extension/src/page-tools/frames-tools.test.ts",
    ),
    (
        "N17",
        "the host is compared as text",
        "web-extension/src/page-tools/patterns.test.ts",
    ),
    (
        "N17",
        "navigation is not scoped",
        "web-extension/src/page-tools/navigate.test.ts",
    ),
    (
        "N18",
        "the page can forge what is read",
        "e2e/tests/page-tools-consent.test.ts",
    ),
    (
        "N20",
        "stop does not stop a tool",
        "web-extension/src/page-tools/host-tools.test.ts",
    ),
    (
        "N21",
        "a stopped turn stays pinned",
        "web-extension/src/bridge/turns.test.ts",
    ),
    (
        "N22",
        "a missing host is not told",
        "web-extension/src/bridge/native-transport.test.ts",
    ),
    (
        "N23",
        "a frame is parsed unguarded",
        "web-extension/src/bridge/native-transport.test.ts",
    ),
    (
        "N24",
        "one opaque error for all tools",
        "web-extension/src/page-tools/host-tools.test.ts",
    ),
    (
        "N25",
        "an unknown reason is dropped",
        "web-extension/src/bridge/turn.test.ts",
    ),
    (
        "N26",
        "policy is stored and not enforced",
        "web-extension/src/page-tools/patterns.test.ts",
    ),
    (
        "N26",
        "nor asked for each time",
        "web-extension/src/page-tools/consent.test.ts",
    ),
    (
        "40a6cb2",
        "an action in the wrong tab",
        "web-extension/src/bridge/page-tools.test.ts",
    ),
    (
        "8b79892",
        "screenshots freeze the service worker",
        "web-extension/src/page-tools/screenshot.test.ts",
    ),
    (
        "0f24a91",
        "silent mis-clicks under zoom",
        "e2e/tests/page-tools.test.ts",
    ),
    ("578234e", "values are appended", "e2e/tests/page-tools.test.ts"),
    (
        "9f3a173",
        "a list closes before the pick",
        "e2e/tests/page-tools.test.ts",
    ),
    (
        "12585e8",
        "the cue is drawn after the click",
        "e2e/tests/page-tools.test.ts",
    ),
    (
        "3eb5fa4",
        "the same address is loaded again",
        "web-extension/src/page-tools/navigate.test.ts",
    ),
    (
        "6b461f7",
        "policy is passed by encoding",
        "web-extension/src/page-tools/patterns.test.ts",
    ),
];

const ATTACKS: &[Row] = &[
    (
        "S7",
        "a page on a name that leads to the worker",
        "e2e/tests/attacks.test.ts",
    ),
    (
        "S11",
        "a public page reaches the loopback",
        "e2e/tests/attacks.test.ts",
    ),
    (
        "S21",
        "media by a name that is none",
        "web-extension/src/bridge/media-reads.test.ts",
    ),
    (
        "S22",
        "a page gives or steers a consent",
        "e2e/tests/acting.test.ts",
    ),
    (
        "S22",
        "something but a panel answers a card",
        "web-extension/src/page-tools/consent.test.ts",
    ),
    (
        "S23",
        "a forged response of the page",
        "e2e/tests/attacks.test.ts",
    ),
    ("S24", "secrets of a page", "e2e/tests/attacks.test.ts"),
    ("S26", "a hostile answer", "e2e/tests/attacks.test.ts"),
    (
        "S27",
        "others speak to the extension",
        "e2e/tests/attacks.test.ts",
    ),
];

#[test]
fn every_row_is_named_by_a_test_of_its_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut missing = Vec::new();
    for (row, fault, file) in FAULTS.iter().chain(ATTACKS) {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        if !text.lines().any(|line| names(line, row)) {
            missing.push(format!("{row} ({fault}): no test of {file}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Whether a line holds a title that names the row, and no longer word.
fn names(line: &str, row: &str) -> bool {
    let line = line.trim_start();
    let is_comment = line.starts_with("//") || line.starts_with('*');
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
    !is_comment && line.contains(['"', '\'', '`']) && words.any(|word| word == row)
}
