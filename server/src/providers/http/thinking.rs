//! How much room an answer gets for thinking, which counts as output everywhere.

/// Efforts above the middle think longest.
const MOST: u64 = 32_768;
/// What most servers do when they are not told.
const USUAL: u64 = 16_384;
/// Where little thinking was asked for.
const LEAST: u64 = 4_096;
/// The window of a server that does not tell its own is likely small.
const UNKNOWN_WINDOW: u64 = 16_384;

/// Tokens for thinking beside the answer; a quarter of the window at most, for the question needs room too.
pub(crate) fn room_to_think(effort: Option<&str>, window: Option<u64>) -> u64 {
    let wanted = match effort {
        Some("none" | "off") => 0,
        Some("minimal" | "low") => LEAST,
        Some("high" | "xhigh" | "max") => MOST,
        Some(_) | None => USUAL,
    };
    wanted.min(window.unwrap_or(UNKNOWN_WINDOW) / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_effort_gets_more_room_within_a_quarter_of_the_window() {
        let rows = [
            (Some("none"), Some(200_000), 0),
            (Some("low"), Some(200_000), 4_096),
            (Some("medium"), Some(200_000), 16_384),
            (None, Some(200_000), 16_384),
            (Some("max"), Some(200_000), 32_768),
            (Some("max"), Some(8_000), 2_000),
            (Some("max"), None, 4_096),
        ];
        for (effort, window, expected) in rows {
            assert_eq!(room_to_think(effort, window), expected, "{effort:?} {window:?}");
        }
    }
}
