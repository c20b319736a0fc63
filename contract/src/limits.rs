//! What each boundary lets through, in bytes unless said otherwise. Each limit is the greatest value that passes.

/// Frame towards a browser, on any transport: Chromium's limit less some room for what wraps it.
pub const BROWSER_FRAME: usize = NATIVE_OUT - 1024;

/// Native message towards a browser; Chromium closes the port beyond it.
pub const NATIVE_OUT: usize = 1_048_576;

/// Native message from a browser; Chromium sends none beyond it.
pub const NATIVE_IN: usize = 64 * 1024 * 1024;

/// Frame towards the worker.
pub const INBOUND_FRAME: usize = 16 * 1024 * 1024;

/// Frame before the handshake is done.
pub const HANDSHAKE_FRAME: usize = 16 * 1024;

/// Text of a question.
pub const CHAT_TEXT: usize = 256 * 1024;

/// Result of a host tool, as a frame.
pub const HOST_TOOL_RESULT: usize = 8 * 1024 * 1024;

/// Frame that carries a list or a transcript; longer ones are paged.
pub const LIST_FRAME: usize = 256 * 1024;

/// Page snapshot.
pub const SNAPSHOT: usize = 64 * 1024;

/// Levels of JSON.
pub const DEPTH: usize = 128;

/// JSON that is nested more deeply than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nested more than {max} levels deep")]
pub struct TooDeep {
    /// The limit.
    pub max: usize,
}

/// Makes sure that a JSON text has at most `max` levels, before anything parses it.
///
/// It only counts brackets outside strings: whether the text is JSON at all is for the parser to say.
///
/// # Errors
/// When a bracket opens a level beyond `max`.
pub fn check_depth(text: &[u8], max: usize) -> Result<(), TooDeep> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (in_string, byte) {
            (true, b'\\') => {
                // Whatever follows is escaped; it ends neither the string nor an escape.
                bytes.next();
            }
            (_, b'"') => in_string = !in_string,
            (false, b'{' | b'[') => {
                depth += 1;
                if depth > max {
                    return Err(TooDeep { max });
                }
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        "[".repeat(levels) + &"]".repeat(levels)
    }

    #[test]
    fn the_limit_is_the_deepest_that_passes() {
        assert_eq!(check_depth(nested(DEPTH - 1).as_bytes(), DEPTH), Ok(()));
        assert_eq!(check_depth(nested(DEPTH).as_bytes(), DEPTH), Ok(()));
        assert_eq!(
            check_depth(nested(DEPTH + 1).as_bytes(), DEPTH),
            Err(TooDeep { max: DEPTH })
        );
        assert_eq!(
            check_depth(nested(10_000).as_bytes(), DEPTH),
            Err(TooDeep { max: DEPTH })
        );
    }

    #[test]
    fn siblings_are_not_levels() {
        let text = format!("[{}]", vec!["{}"; 10_000].join(","));
        assert_eq!(check_depth(text.as_bytes(), 2), Ok(()));
        assert_eq!(check_depth(text.as_bytes(), 1), Err(TooDeep { max: 1 }));
    }

    #[test]
    fn brackets_within_strings_do_not_count() {
        for text in [
            r#"["[[[["]"#,
            r#"["\"[[[["]"#,
            r#"["\\","{{{{"]"#,
            r#"["\\\"[["]"#,
            r#"["ä[[\u005b[["]"#,
        ] {
            assert_eq!(check_depth(text.as_bytes(), 1), Ok(()), "{text}");
        }
        assert!(check_depth(br#"["\\",["x"]]"#, 1).is_err());
    }

    #[test]
    fn text_that_is_no_json_is_harmless() {
        for text in ["", "]]]]", "\"", "\"\\", "\u{0}"] {
            assert_eq!(check_depth(text.as_bytes(), 0), Ok(()), "{text:?}");
        }
    }

    #[test]
    fn a_media_chunk_fits_into_a_frame() {
        let base64 = crate::number::ChunkLen::MAX.get().div_ceil(3) * 4;
        assert!(usize::try_from(base64).unwrap() + 1024 < BROWSER_FRAME);
    }
}
