//! How long to wait for a model server, and for how much.

use std::time::Duration;

/// How long to wait, and for how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Until a connection stands.
    pub(crate) connect: Duration,
    /// From the request to the first byte of the answer.
    pub(crate) first_byte: Duration,
    /// Between two pieces of an answer.
    pub(crate) idle: Duration,
    /// After the model said why it stopped, for its token count.
    pub(crate) trailer: Duration,
    /// Tries altogether.
    pub(crate) tries: u32,
    /// First wait between two tries; doubled each time.
    pub(crate) back_off: Duration,
    /// Longest wait of our own choice between two tries.
    pub(crate) longest_back_off: Duration,
    /// Longest wait between two tries, whatever the server asks for.
    pub(crate) longest_wait: Duration,
    /// No new try begins later than this after the first.
    pub(crate) retry_window: Duration,
    /// Largest single event.
    pub(crate) event_bytes: usize,
    /// Largest answer.
    pub(crate) answer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            trailer: Duration::from_secs(5),
            tries: 3,
            back_off: Duration::from_millis(500),
            longest_back_off: Duration::from_secs(15),
            longest_wait: Duration::from_secs(60),
            retry_window: Duration::from_secs(120),
            event_bytes: 1 << 20,
            answer_bytes: 32 << 20,
        }
    }
}

impl Limits {
    /// For turns of many steps, where one busy minute of a server must not cost all that was done.
    #[must_use]
    pub(crate) fn patient() -> Self {
        Self {
            tries: 5,
            ..Self::default()
        }
    }
}
