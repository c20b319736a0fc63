//! Lines of bounded length: what is too long is skipped and said, so that the next line is read as usual.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, BufReader};

/// Most bytes of one incoming message, without its line break.
pub(super) const LINE_LIMIT: usize = 32 * 1024 * 1024;
/// Bytes that are kept of a line that is too long.
const HEAD: usize = 4 * 1024;
/// What is read at once.
const BUFFER: usize = 16 * 1024;

/// The lines of a stream.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    limit: usize,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes without the line break; never blank.
    Whole(Vec<u8>),
    /// It was longer than the limit and is gone; this is how it began.
    TooLong(Vec<u8>),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            input: BufReader::with_capacity(BUFFER, input),
            limit,
        }
    }

    /// The next line that is not blank; `None` at the end. A last line needs no line break.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            match read_line(&mut self.input, self.limit).await? {
                Some(Line::Whole(line)) if line.trim_ascii().is_empty() => {}
                line => return Ok(line),
            }
        }
    }
}

async fn read_line(input: &mut (impl AsyncBufRead + Unpin), limit: usize) -> io::Result<Option<Line>> {
    let (mut line, mut too_long) = (Vec::new(), false);
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(match (too_long, line.is_empty()) {
                (true, _) => Some(Line::TooLong(line)),
                (false, true) => None,
                (false, false) => Some(Line::Whole(line)),
            });
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let (piece, taken) = match end {
            Some(at) => (chunk.get(..at).unwrap_or_default(), at + 1),
            None => (chunk, chunk.len()),
        };
        too_long |= line.len() + piece.len() > limit;
        if too_long {
            line.truncate(HEAD);
            line.shrink_to_fit();
        } else {
            line.extend_from_slice(piece);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(if too_long {
                Line::TooLong(line)
            } else {
                Line::Whole(line)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &[u8], limit: usize) -> Vec<Option<String>> {
        let mut lines = Lines::new(input, limit);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(match line {
                Line::Whole(line) => Some(String::from_utf8(line).unwrap()),
                Line::TooLong(_) => None,
            });
        }
        read
    }

    #[tokio::test]
    async fn blank_lines_are_nothing_and_the_last_one_needs_no_break() {
        let read = lines(b"a\n\n \t\r\nb\r\nc", 10).await;
        assert_eq!(read, [Some("a".into()), Some("b\r".into()), Some("c".into())]);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_the_next_one_is_read() {
        for (length, whole) in [(19_999, true), (20_000, true), (20_001, false), (90_000, false)] {
            let long = "x".repeat(length);
            let read = lines(format!("{long}\nnext\n{long}").as_bytes(), 20_000).await;
            let expected = whole.then_some(long);
            assert_eq!(
                read,
                [expected.clone(), Some("next".into()), expected],
                "{length}"
            );
        }
    }
}
