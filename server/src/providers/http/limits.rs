//! How long to wait for a model server, and for how much.

use std::time::Duration;

use url::{Host, Url};

/// How long to wait, and for how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Until a connection stands.
    pub(crate) connect: Duration,
    /// For what a server tells of its model before a first turn.
    pub(crate) learn: Duration,
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
    /// No new try begins later than this after the first, or after an answer began.
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
            learn: Duration::from_secs(3),
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

/// A model on a person's own hardware may read a long prompt for minutes before its first word.
const OWN_HARDWARE: Duration = Duration::from_secs(600);

impl Limits {
    /// The same for the server of this address.
    #[must_use]
    pub(crate) fn for_server(self, base: &Url) -> Self {
        if !is_near(base) {
            return self;
        }
        Self {
            first_byte: self.first_byte.max(OWN_HARDWARE),
            idle: self.idle.max(OWN_HARDWARE),
            ..self
        }
    }

    /// For turns of many steps, where one busy minute of a server must not cost all that was done.
    #[must_use]
    pub(crate) fn patient() -> Self {
        Self {
            tries: 5,
            ..Self::default()
        }
    }
}

/// Whether a server is on this machine or in a network of the person's own, as far as its address shows.
fn is_near(base: &Url) -> bool {
    match base.host() {
        Some(Host::Domain(name)) => {
            !name.contains('.') || name.ends_with(".localhost") || name.ends_with(".local")
        }
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Some(Host::Ipv6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_own_server_has_longer_for_its_first_word() {
        for (base, seconds) in [
            ("http://localhost:11434/v1", 600),
            ("http://127.0.0.1:8080/v1", 600),
            ("http://[::1]/v1", 600),
            ("http://ollama:11434/v1", 600),
            ("http://nas.local/v1", 600),
            ("http://192.168.1.7/v1", 600),
            ("http://10.0.0.2/v1", 600),
            ("http://[fd00::1]/v1", 600),
            ("https://api.example.com/v1", 120),
            ("http://8.8.8.8/v1", 120),
        ] {
            let limits = Limits::default().for_server(&Url::parse(base).unwrap());
            let wait = Duration::from_secs(seconds);
            assert_eq!((limits.first_byte, limits.idle), (wait, wait), "{base}");
        }
    }
}
