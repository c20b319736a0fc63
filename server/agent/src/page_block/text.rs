//! Strings of a page, made harmless: one line, no invisible or direction-changing characters, bounded.

use std::fmt::Write as _;

/// Makes text a single line of at most `max` bytes; what was cut is told as `…(+N)`.
#[must_use]
pub fn flat(text: &str, max: usize) -> String {
    // Enough input to fill `max` even when much of it is white space, and never more.
    let window = clip(text, max.saturating_mul(4).saturating_add(64));
    let mut line = String::with_capacity(window.len().min(max));
    let mut gap = false;
    for char in window.chars() {
        if char.is_whitespace() || char.is_control() {
            gap = true;
        } else if !is_invisible(char) {
            if gap && !line.is_empty() {
                line.push(' ');
            }
            gap = false;
            line.push(char);
        }
    }
    if line.len() <= max && window.len() == text.len() {
        return line;
    }
    shorten(&line, text.len(), max)
}

/// Cuts a flat line and says how many bytes are missing, in at most `max` bytes.
fn shorten(line: &str, whole: usize, max: usize) -> String {
    let note_room = 16;
    let kept = clip(line, max.saturating_sub(note_room));
    let mut short = kept.trim_end().to_owned();
    let _ = write!(short, "…(+{})", whole.saturating_sub(kept.len()));
    if short.len() <= max {
        short
    } else {
        clip(line, max).to_owned()
    }
}

/// The longest prefix of at most `max` bytes that ends between characters.
#[must_use]
pub fn clip(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or_default()
}

/// The beginning of a text, at most `max` bytes of it, and a remark about what is missing.
#[must_use]
pub fn clip_with_remark(text: &str, max: usize) -> String {
    let kept = clip(text, max);
    let missing = text.get(kept.len()..).unwrap_or_default();
    if missing.is_empty() {
        return text.to_owned();
    }
    format!("{kept}\n…({} more chars truncated)", missing.chars().count())
}

/// Characters that show nothing, change the reading direction, or hide text from a person but not from a model.
#[must_use]
pub fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Milliseconds since 1970 as an ISO 8601 time in UTC; odd values stay readable and never fail.
#[must_use]
pub fn iso_time(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is the last one.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_out_of_its_line() {
        assert_eq!(flat("  a\n\tb\u{2028}c\u{202E}d\u{0}e ", 100), "a b cd e");
    }

    #[test]
    fn long_text_says_how_much_is_missing() {
        let long = "x".repeat(1000);
        let short = flat(&long, 40);
        assert!(short.len() <= 40 && short.ends_with("…(+976)"), "{short}");
    }

    #[test]
    fn cuts_fall_between_characters() {
        for max in 0..40 {
            assert!(flat("äöüßäöüßäöüßäöüß", max).len() <= max);
        }
    }

    #[test]
    fn times_are_iso_and_never_fail() {
        assert_eq!(iso_time(1_719_000_000_000), "2024-06-21T20:00:00Z");
        assert_eq!(iso_time(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_time(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(iso_time(-1), "1969-12-31T23:59:59Z");
        for odd in [i64::MIN, i64::MAX] {
            assert!(iso_time(odd).ends_with('Z'));
        }
    }
}
