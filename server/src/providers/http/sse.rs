//! Server-sent events, as they arrive: lines of any ending, cut at any byte, within a bound.
//!
//! Only `data` matters to this API; names, ids and retry hints are read over. A library would do, but none bounds an
//! event before it is whole.

/// An event exceeds the bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Collects bytes into events.
#[derive(Debug)]
pub(super) struct Decoder {
    /// Bytes not yet read as lines; those before `start` are done.
    buffer: Vec<u8>,
    start: usize,
    /// Data lines of the event in progress.
    data: Vec<u8>,
    has_data: bool,
    /// The last line ended in CR, so an LF that follows belongs to it.
    after_cr: bool,
    /// Nothing was read yet, so a byte order mark may come.
    at_begin: bool,
    limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Decoder {
    /// Events may hold up to `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            at_begin: true,
            limit,
        }
    }

    /// Takes bytes as they came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The data of the next whole event; nothing until more bytes come.
    pub(super) fn next_event(&mut self) -> Result<Option<&[u8]>, TooLarge> {
        while let Some((from, to)) = self.next_line() {
            let line = self.buffer.get(from..to).unwrap_or_default();
            if line.is_empty() {
                if self.has_data {
                    self.has_data = false;
                    return Ok(Some(self.data.as_slice()));
                }
                continue;
            }
            let Some(value) = data_value(line) else { continue };
            if self.has_data {
                self.data.push(b'\n');
            } else {
                self.data.clear();
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
            self.check(0)?;
        }
        // What is left is a line whose end has not come yet.
        self.check(self.buffer.len() - self.start).map(|()| None)
    }

    /// What is kept must stay bounded.
    fn check(&self, line: usize) -> Result<(), TooLarge> {
        let event = if self.has_data { self.data.len() } else { 0 };
        if event + line > self.limit {
            Err(TooLarge)
        } else {
            Ok(())
        }
    }

    /// Bounds of the next whole line, which is then done.
    fn next_line(&mut self) -> Option<(usize, usize)> {
        if self.at_begin {
            self.skip_mark()?;
        }
        if self.after_cr && self.start < self.buffer.len() {
            self.after_cr = false;
            if self.buffer.get(self.start) == Some(&b'\n') {
                self.start += 1;
            }
        }
        let from = self.start;
        let rest = self.buffer.get(from..)?;
        let length = rest.iter().position(|&byte| is_end(byte))?;
        self.after_cr = rest.get(length) == Some(&b'\r');
        self.start = from + length + 1;
        Some((from, from + length))
    }

    /// Skips a byte order mark; nothing while it cannot be told whether there is one.
    fn skip_mark(&mut self) -> Option<()> {
        let begin = self.buffer.get(..self.buffer.len().min(BYTE_ORDER_MARK.len()))?;
        if begin == BYTE_ORDER_MARK {
            self.start = BYTE_ORDER_MARK.len();
        } else if BYTE_ORDER_MARK.starts_with(begin) {
            return None;
        }
        self.at_begin = false;
        Some(())
    }
}

fn is_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// The value of a `data` line.
fn data_value(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(b"data")?;
    if value.is_empty() {
        return Some(value);
    }
    let value = value.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(pieces: &[&[u8]]) -> Result<Vec<String>, TooLarge> {
        let mut decoder = Decoder::new(64);
        let mut events = Vec::new();
        for piece in pieces {
            decoder.push(piece);
            while let Some(event) = decoder.next_event()? {
                events.push(String::from_utf8_lossy(event).into_owned());
            }
        }
        Ok(events)
    }

    const STREAM: &[u8] =
        "\u{FEFF}: hello\r\n\r\ndata: one\r\rdata:tw\u{F6}\ndata: lines\n\nid: 7\nevent: x\ndata\n\ndatabase: no\n\ndata:  x\r\n\r\n"
            .as_bytes();

    #[test]
    fn lines_of_any_ending_cut_anywhere() {
        let expected = ["one", "tw\u{F6}\nlines", "", " x"];
        assert_eq!(events(&[STREAM]).unwrap(), expected);
        for cut in 0..STREAM.len() {
            let (one, other) = STREAM.split_at(cut);
            assert_eq!(events(&[one, other]).unwrap(), expected, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
        assert_eq!(events(&bytes).unwrap(), expected);
    }

    #[test]
    fn an_event_without_its_blank_line_is_not_told() {
        assert_eq!(events(&[b"data: one\n\ndata: two\n"]).unwrap(), ["one"]);
    }

    #[test]
    fn the_limit_holds_at_its_edge() {
        let with = |length: usize| format!("data:{}\n\n", "x".repeat(length));
        for pieces in [1, 3, 200] {
            let run = |length: usize| {
                let stream = with(length);
                let chunks: Vec<&[u8]> = stream.as_bytes().chunks(stream.len().div_ceil(pieces)).collect();
                events(&chunks)
            };
            assert_eq!(run(58).unwrap().len(), 1);
            assert_eq!(run(65), Err(TooLarge));
        }
        let endless: Vec<&[u8]> = std::iter::repeat_n(b"data: x\n".as_slice(), 100).collect();
        assert_eq!(events(&endless), Err(TooLarge));
        assert!(events(&[with(50).repeat(20).as_bytes()]).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cuts_change_nothing(
            stream in proptest::collection::vec(proptest::sample::select(b"data: \r\n\r\nx:\xEF\xBB\xBF".to_vec()), 0..60),
            cuts in proptest::collection::vec(0..60_usize, 0..6),
        ) {
            let whole = events(&[&stream]);
            let mut pieces = Vec::new();
            let mut rest = stream.as_slice();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            prop_assert_eq!(events(&pieces), whole);
        }
    }
}
