//! What a command printed, in bounded memory: its beginning and its end.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Bytes of the beginning that are kept.
const HEAD: usize = 64 * 1024;
/// Bytes of the end that are kept.
const TAIL: usize = 192 * 1024;

/// The output of a command, shared by who reads it from the pipe and who shows it.
#[derive(Default)]
pub(crate) struct Log {
    // A std mutex: held to copy a few bytes.
    output: Mutex<Output>,
    /// Told whenever there is more.
    more: Notify,
}

impl Log {
    /// Adds what was printed.
    pub(super) fn push(&self, bytes: &[u8]) {
        self.lock().push(bytes);
        self.more.notify_one();
    }

    /// Resolves once there is more than `seen` bytes.
    pub(crate) async fn grown(&self, seen: u64) {
        while self.lock().total <= seen {
            self.more.notified().await;
        }
    }

    /// What there is now.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The beginning and the end of what was printed.
#[derive(Default)]
pub(crate) struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Output {
    fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let (first, rest) = bytes.split_at(bytes.len().min(HEAD.saturating_sub(self.head.len())));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }

    /// How many bytes were printed.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes between the beginning and the end that were not kept.
    pub(crate) fn missing(&self) -> u64 {
        self.total
            .saturating_sub(self.head.len() as u64)
            .saturating_sub(self.tail.len() as u64)
    }

    /// All that is kept, and where something is missing.
    pub(crate) fn text(&self) -> String {
        let (mut text, end) = self.since(0);
        // A character that will never be whole.
        text.extend((end < self.total).then_some(char::REPLACEMENT_CHARACTER));
        text
    }

    /// The last bytes of it, `most` or a few fewer.
    pub(crate) fn last(&self, most: usize) -> String {
        let from = self.total.saturating_sub(most.min(TAIL) as u64);
        self.since(from).0
    }

    /// Everything after the first `from` bytes, as far as it is kept, and up to where that reaches: a character that has
    /// only half arrived is left for the next time.
    pub(crate) fn since(&self, from: u64) -> (String, u64) {
        let head = usize::try_from(from).map_or(&[][..], |from| self.head.get(from..).unwrap_or_default());
        let tail_begins = self.total.saturating_sub(self.tail.len() as u64);
        let skip = usize::try_from(from.saturating_sub(tail_begins)).unwrap_or(usize::MAX);
        let mut tail: Vec<u8> = self.tail.iter().skip(skip).copied().collect();
        let missing = tail_begins.saturating_sub(from.max(self.head.len() as u64));
        let mut text = String::new();
        if missing == 0 {
            // A character may lie across the border.
            tail.splice(..0, head.iter().copied());
        } else {
            text = format!(
                "{}\n… {missing} bytes left out …\n",
                String::from_utf8_lossy(head)
            );
        }
        let whole = whole_characters(&tail);
        let end = self.total.saturating_sub((tail.len() - whole.len()) as u64);
        text.push_str(&String::from_utf8_lossy(inner_characters(whole)));
        (text, end)
    }
}

/// Without the beginning of a character at the end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    // No character has more than four bytes; a look at the last three is enough.
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let Some((whole, rest)) = bytes.split_at_checked(at) else {
            break;
        };
        if matches!(std::str::from_utf8(rest), Err(error) if error.error_len().is_none()) {
            return whole;
        }
    }
    bytes
}

/// Without the end of a character at the beginning.
fn inner_characters(bytes: &[u8]) -> &[u8] {
    let skip = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0xC0 == 0x80)
        .count();
    bytes.get(skip..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut output = Output::default();
        output.push("first\n".as_bytes());
        assert_eq!(output.text(), "first\n");
        for _ in 0..1000 {
            output.push(&[b'x'; 1000]);
        }
        output.push("\nlast".as_bytes());
        let text = output.text();
        assert!(text.starts_with("first\nxxx") && text.ends_with("xxx\nlast"));
        assert_eq!(output.total(), 1_000_011);
        assert_eq!(output.missing(), 1_000_011 - (HEAD + TAIL) as u64);
        assert!(text.contains(&format!("… {} bytes left out …", output.missing())));
        assert!(text.len() < HEAD + TAIL + 100);
        assert_eq!(output.last(7), "xx\nlast");
    }

    #[test]
    fn the_limits_are_exact() {
        let mut output = Output::default();
        output.push(&vec![b'a'; HEAD + TAIL]);
        assert_eq!(output.missing(), 0);
        assert_eq!(output.text().len(), HEAD + TAIL);
        output.push(b"b");
        assert_eq!(output.missing(), 1);
    }

    #[test]
    fn what_was_read_is_not_given_again_and_characters_stay_whole() {
        let mut output = Output::default();
        output.push("añ".as_bytes());
        let (text, seen) = output.since(0);
        assert_eq!((text.as_str(), seen), ("añ", 3));
        output.push(&"€".as_bytes()[..2]);
        let (text, seen) = output.since(seen);
        assert_eq!((text.as_str(), seen), ("", 3));
        output.push(&"€".as_bytes()[2..]);
        output.push(b"\xff!");
        let (text, seen) = output.since(seen);
        assert_eq!((text.as_str(), seen), ("€\u{fffd}!", 8));
        assert_eq!(output.since(seen).0, "");
        // Across the border of head and tail.
        output.push(&vec![b'z'; HEAD]);
        assert_eq!(output.since(8).0.len(), HEAD);
        assert_eq!(output.since(HEAD as u64 - 1).0.len(), 9);
    }
}
