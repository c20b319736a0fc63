//! What servers say, without what hides from people or changes how the rest is read.

use sidewire_agent::page_block::text::is_invisible;

/// What shows nothing itself, and without which other characters are not what they are: the joiners of Persian words and
/// of emoji, and how an emoji looks.
const PARTS: [char; 4] = ['\u{200c}', '\u{200d}', '\u{fe0e}', '\u{fe0f}'];

/// Text without characters that show nothing; lines and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let shows = |char: &char| PARTS.contains(char) || !is_invisible(*char) && !is_command(*char);
    text.chars().filter(shows).collect()
}

fn is_command(char: char) -> bool {
    char.is_control() && !matches!(char, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_and_emoji_stay_whole() {
        for text in ["می\u{200c}خواهم", "👩\u{200d}🔬 ❤\u{fe0f}"] {
            assert_eq!(super::visible(text), text);
        }
    }

    #[test]
    fn what_hides_is_left_out() {
        let text = "\u{1b}[31mred\u{1b}[0m\r\n\ta\u{202e}b\u{200b}c\u{7}\u{9b} é 总";
        assert_eq!(super::visible(text), "[31mred[0m\n\tabc é 总");
    }
}
