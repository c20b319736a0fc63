//! What is known of models by their names alone; configuration and servers know better.

/// What a name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Context window in tokens where its maker serves it.
    pub(crate) window: Option<u64>,
    /// Most tokens of one answer; servers refuse a request for more.
    pub(crate) output: Option<u64>,
    /// Efforts it can be asked for, lowest first.
    pub(crate) efforts: &'static [&'static str],
    /// Whether it sees pictures.
    pub(crate) vision: Option<bool>,
}

const NOTHING: Known = Known {
    window: None,
    output: None,
    efforts: &[],
    vision: None,
};
const THREE: &[&str] = &["low", "medium", "high"];
const FLASH: &[&str] = &["low", "high", "max"];
const PRO: &[&str] = &["high", "max"];

/// A row: names that begin and contain like this; the first that fits counts.
type Row = (&'static str, &'static str, Known);

const fn row(begin: &'static str, part: &'static str, (window, output): (u64, u64), known: Known) -> Row {
    let known = Known {
        window: Some(window),
        output: Some(output),
        ..known
    };
    (begin, part, known)
}

const fn sees(efforts: &'static [&'static str]) -> Known {
    Known {
        efforts,
        vision: Some(true),
        ..NOTHING
    }
}

const fn reads(efforts: &'static [&'static str]) -> Known {
    Known {
        efforts,
        vision: Some(false),
        ..NOTHING
    }
}

const ROWS: &[Row] = &[
    row("claude-3-7", "", (200_000, 64_000), sees(THREE)),
    row("claude-3-5", "", (200_000, 8_192), sees(&[])),
    row("claude-3", "", (200_000, 4_096), sees(&[])),
    row("claude-2", "", (100_000, 4_096), reads(&[])),
    row("claude-instant", "", (100_000, 4_096), reads(&[])),
    row("claude-opus-4-1", "", (200_000, 32_000), sees(THREE)),
    // The first of them had a date behind its name.
    row("claude-opus-4-2", "", (200_000, 32_000), sees(THREE)),
    row("claude", "", (200_000, 64_000), sees(THREE)),
    row("deepseek", "flash", (128_000, 65_536), reads(FLASH)),
    row("deepseek", "pro", (128_000, 65_536), reads(PRO)),
    row("deepseek", "reasoner", (128_000, 65_536), reads(&[])),
    row("deepseek", "", (64_000, 8_192), reads(&[])),
    row("gpt-4.1", "", (1_000_000, 32_768), sees(&[])),
    row("gpt-4o", "", (128_000, 16_384), sees(&[])),
    row("gpt-4-turbo", "", (128_000, 4_096), sees(&[])),
    // What it takes in ends earlier than its window, the rest of which is for the answer.
    row("gpt-5", "", (272_000, 128_000), sees(THREE)),
    row("gpt-oss", "", (128_000, 65_536), reads(THREE)),
    row("o1-mini", "", (128_000, 65_536), reads(&[])),
    row("o3-mini", "", (200_000, 100_000), reads(THREE)),
    row("o1", "", (200_000, 100_000), sees(THREE)),
    row("o3", "", (200_000, 100_000), sees(THREE)),
    row("o4", "", (200_000, 100_000), sees(THREE)),
];

/// What the name of a model tells; a vendor's name before it does not matter.
pub(crate) fn by_name(model: &str) -> Known {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let fits = |(begin, part, _): &&Row| name.starts_with(begin) && name.contains(part);
    ROWS.iter().find(fits).map_or(NOTHING, |(_, _, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_name_counts() {
        for (name, output) in [
            ("claude-opus-4-20250514", 32_000),
            ("claude-opus-4-1-20250805", 32_000),
            ("claude-opus-4-6", 64_000),
            ("claude-3-haiku-20240307", 4_096),
            ("deepseek-chat", 8_192),
            ("gpt-4o-mini", 16_384),
        ] {
            assert_eq!(by_name(name).output, Some(output), "{name}");
        }
    }

    #[test]
    fn names_tell_efforts_sight_and_window() {
        let rows = [
            ("claude-opus-4-6", THREE, Some(true)),
            ("claude-3-5-sonnet-latest", &[], Some(true)),
            ("claude-3-7-sonnet-latest", THREE, Some(true)),
            ("DeepSeek-V4-Flash", FLASH, Some(false)),
            ("deepseek/deepseek-v4-pro", PRO, Some(false)),
            ("deepseek-chat", &[], Some(false)),
            ("openai/gpt-5-mini", THREE, Some(true)),
            ("o3-mini", THREE, Some(false)),
            ("qwen3:8b", &[], None),
            ("", &[], None),
        ];
        for (name, efforts, vision) in rows {
            let known = by_name(name);
            assert_eq!((known.efforts, known.vision), (efforts, vision), "{name}");
            assert_eq!(known.window.is_some(), vision.is_some(), "{name}");
        }
    }
}
