//! What is known of models by their names alone; configuration and servers know better.

/// What a name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Context window in tokens where its maker serves it.
    pub(crate) window: Option<u64>,
    /// Efforts it can be asked for, lowest first.
    pub(crate) efforts: &'static [&'static str],
    /// Whether it sees pictures.
    pub(crate) vision: Option<bool>,
}

const NOTHING: Known = Known {
    window: None,
    efforts: &[],
    vision: None,
};
const THREE: &[&str] = &["low", "medium", "high"];
const FLASH: &[&str] = &["low", "high", "max"];
const PRO: &[&str] = &["high", "max"];

/// A row: names that begin and contain like this; the first that fits counts.
type Row = (&'static str, &'static str, Known);

const fn row(begin: &'static str, part: &'static str, window: u64, known: Known) -> Row {
    let known = Known {
        window: Some(window),
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
    row("claude-3-7", "", 200_000, sees(THREE)),
    row("claude-3", "", 200_000, sees(&[])),
    row("claude-2", "", 100_000, reads(&[])),
    row("claude-instant", "", 100_000, reads(&[])),
    row("claude", "", 200_000, sees(THREE)),
    row("deepseek", "flash", 128_000, reads(FLASH)),
    row("deepseek", "pro", 128_000, reads(PRO)),
    row("deepseek", "", 64_000, reads(&[])),
    row("gpt-4.1", "", 1_000_000, sees(&[])),
    row("gpt-4o", "", 128_000, sees(&[])),
    row("gpt-4-turbo", "", 128_000, sees(&[])),
    row("gpt-5", "", 400_000, sees(THREE)),
    row("gpt-oss", "", 128_000, reads(THREE)),
    row("o1-mini", "", 128_000, reads(&[])),
    row("o3-mini", "", 200_000, reads(THREE)),
    row("o1", "", 200_000, sees(THREE)),
    row("o3", "", 200_000, sees(THREE)),
    row("o4", "", 200_000, sees(THREE)),
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
