//! Bytes to text and back, so that what was not changed stays the same to the byte.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{GB18030, GBK, UTF_8, UTF_16BE, UTF_16LE};
use sidewire_agent::workspace::Encoding;

/// A zero byte in so many first ones means that it is no text.
const LOOKED_AT: usize = 8 * 1024;
/// The same for whoever reads only so much.
pub(in crate::tools) const HEAD: u64 = LOOKED_AT as u64;
/// A guess is made of no more than this.
const GUESSED_FROM: usize = 64 * 1024;

/// The text and how it is written down; `None` for what is no text, or would not come back as it was.
pub(in crate::tools) fn decode(bytes: &[u8]) -> Option<(String, Encoding)> {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        let text = decode_as(encoding, bytes.get(mark..)?)?;
        let written = Encoding {
            name: encoding.name(),
            mark: true,
        };
        return comes_back(&text, &written, bytes).then_some((text, written));
    }
    if is_binary(bytes) {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some((text.to_owned(), Encoding::UTF_8));
    }
    let guess = guess(bytes);
    // What a GBK guess cannot write back may be in its successor, which can write everything.
    let candidates = [Some(guess), (guess == GBK).then_some(GB18030)];
    candidates.into_iter().flatten().find_map(|encoding| {
        let text = decode_as(encoding, bytes).filter(|text| !text.chars().any(is_no_text))?;
        let written = Encoding {
            name: encoding.name(),
            mark: false,
        };
        comes_back(&text, &written, bytes).then_some((text, written))
    })
}

/// Whether the head of a file shows that it is no text.
pub(in crate::tools) fn is_binary(head: &[u8]) -> bool {
    let has_zero = head.iter().take(LOOKED_AT).any(|byte| *byte == 0);
    has_zero && encoding_rs::Encoding::for_bom(head).is_none()
}

/// The bytes of a text in this encoding; `None` when it lacks a character.
pub(super) fn encode(text: &str, written: &Encoding) -> Option<Vec<u8>> {
    let encoding = encoding_rs::Encoding::for_label(written.name.as_bytes())?;
    let marked = if written.mark { "\u{feff}" } else { "" };
    let units = || marked.encode_utf16().chain(text.encode_utf16());
    if encoding == UTF_16LE {
        return Some(units().flat_map(u16::to_le_bytes).collect());
    }
    if encoding == UTF_16BE {
        return Some(units().flat_map(u16::to_be_bytes).collect());
    }
    if encoding == UTF_8 {
        return Some([marked.as_bytes(), text.as_bytes()].concat());
    }
    let (bytes, _, lacking) = encoding.encode(text);
    (!lacking).then(|| bytes.into_owned())
}

/// Whether the lines of a text end with `\r\n` rather than `\n`.
pub(crate) fn ends_lines_with_crlf(text: &str) -> bool {
    let all = text.matches('\n').count();
    let with_return = text.matches("\r\n").count();
    with_return * 2 > all
}

fn decode_as(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(text.into_owned())
}

fn guess(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(..GUESSED_FROM).unwrap_or(bytes), true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Every byte is a character of most old encodings; the control characters show that it was none.
fn is_no_text(character: char) -> bool {
    character.is_control()
        && !matches!(
            character,
            '\t' | '\n' | '\r' | '\u{8}' | '\u{c}' | '\u{1b}' | '\u{85}'
        )
}

fn comes_back(text: &str, written: &Encoding, bytes: &[u8]) -> bool {
    encode(text, written).is_some_and(|again| again == bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHINESE: &str = "// 这个函数计算两个数字的总和，并且返回结果。\nlet 总和 = 一 + 二;\n";
    const RUSSIAN: &str = "Быстрая лиса прыгает через ленивую собаку, а потом спит весь день.\n";
    const GERMAN: &str = "Die Straße führt über Brücken; Grüße aus Köln, schöne Äpfel und Öl.\n";
    const JAPANESE: &str = "これは日本語のテキストです。ファイルを保存してください。\n";

    #[test]
    fn encodings_are_found_and_kept() {
        let rows: &[(&str, &str, bool, &str)] = &[
            ("UTF-8", "UTF-8", false, "plain and ünïcode 🦀\r\n"),
            ("UTF-8", "UTF-8", true, "with a mark\n"),
            ("UTF-16LE", "UTF-16LE", true, "Wide ünïcode 🦀\r\n"),
            ("UTF-16BE", "UTF-16BE", true, "Wide ünïcode 🦀\n"),
            ("GBK", "GBK", false, CHINESE),
            ("windows-1251", "windows-1251", false, RUSSIAN),
            ("KOI8-U", "KOI8-U", false, RUSSIAN),
            ("windows-1252", "windows-1252", false, GERMAN),
            ("Shift_JIS", "Shift_JIS", false, JAPANESE),
            ("EUC-JP", "EUC-JP", false, JAPANESE),
        ];
        for (name, found, mark, text) in rows {
            let written = Encoding { name, mark: *mark };
            let bytes = encode(text, &written).unwrap();
            let (decoded, encoding) = decode(&bytes).unwrap_or_else(|| panic!("{name} is not text"));
            assert_eq!(
                (decoded.as_str(), encoding.name, encoding.mark),
                (*text, *found, *mark)
            );
            assert_eq!(encode(&decoded, &encoding).unwrap(), bytes, "{name}");
        }
        // Four bytes a character: GBK's successor.
        let (bytes, _, _) = GB18030.encode("这个函数计算两个数字的总和，并且返回结果。ü 𠀀𠀁\n");
        let (text, encoding) = decode(&bytes).unwrap();
        assert_eq!(encode(&text, &encoding).unwrap(), bytes.as_ref());
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for bytes in [
            b"\x7fELF\x02\x01\x01\0\0".as_slice(),
            b"\x89PNG\r\n\x1a\n\xff\xfe\x00",
            b"\xff\xfe\x00",
            b"\xfe\xff\xd8\x00",
            b"\xef\xbb\xbf\xff",
            &[0x01, 0x02, 0x90, 0xff, 0x81, 0x03],
        ] {
            assert_eq!(decode(bytes), None, "{bytes:?}");
        }
        let mut late = vec![b'a'; LOOKED_AT];
        late.push(0);
        assert!(
            decode(&late).is_some(),
            "a zero byte after the first 8 KiB is text"
        );
        late.swap_remove(0);
        assert_eq!(decode(&late), None);
    }

    #[test]
    fn a_character_that_the_encoding_lacks_is_not_lost_silently() {
        let written = Encoding {
            name: "windows-1252",
            mark: false,
        };
        assert_eq!(encode("snowman ☃", &written), None);
    }

    #[test]
    fn line_endings_are_told_by_the_majority() {
        assert!(ends_lines_with_crlf("a\r\nb\r\nc\n"));
        for text in ["", "a", "a\nb\r\n", "a\nb\n"] {
            assert!(!ends_lines_with_crlf(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_decoded_comes_back_as_it_was(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            if let Some((text, encoding)) = decode(&bytes) {
                prop_assert_eq!(encode(&text, &encoding).unwrap(), bytes);
            }
        }

        #[test]
        fn utf_16_comes_back(text in "\\PC*", big in any::<bool>()) {
            let written = Encoding { name: if big { "UTF-16BE" } else { "UTF-16LE" }, mark: true };
            let bytes = encode(&text, &written).unwrap();
            prop_assert_eq!(decode(&bytes), Some((text, written)));
        }
    }
}
